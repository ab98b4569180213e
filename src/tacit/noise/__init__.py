"""Randomness: keys, streams, and exact draws of every law that mechanisms add or choose by.

Nothing here knows of people or promises. `keys` says where keys come from and how one becomes many;
sums are of whole steps of a public grid (`fixed`), and so is the noise on them: no float decides.
"""
