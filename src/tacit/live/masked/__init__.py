"""Sums under masks: a server learns what a round's devices sent together, and nothing of one.

The protocol of Bonawitz and others 2017, in its version against a server that may lie, on the
exact sums of `Aggregated`. A round has five stages, each an order to every device that is left and
an answer of each: `stages` has what crosses, `session` the device's side, `summed` the server's.
"""
