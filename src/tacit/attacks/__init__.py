"""What is done to people whose data a promise protects: attacks that promises are tested against.

An attack that does not succeed where nothing is promised says nothing about a promise, so each is
first tried on what is sent as it is.
"""
