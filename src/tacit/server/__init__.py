"""What a server does to what it collected: which mechanism answers a question, and how loudly.

One file for each kind of question; each finds the least noise that keeps a promise, from public
numbers alone, and says what it promises the public and how wrong the answer is expected to be.
"""
