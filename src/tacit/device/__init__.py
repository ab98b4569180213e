"""What runs on each person's device: a term in, a report out, by a way chosen for its shape.

`choose` has every way to report a shape and the one of the least error, `upload` those within a
number of bytes; the others are the ways themselves, around the mechanisms that they run.
"""
