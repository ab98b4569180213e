"""A shape and its randomiser as a program reads them: without the public numbers that none reads.

How long most vectors are thought to be, or which share of a budget a part has, decides which
randomiser is made, and is no number of its program. Left there it would make one kind of program of
every value, and a device would compile for each.
"""

from copy import copy
from typing import Any

import equinox as eqx
from jaxtyping import PyTree

from tacit.contribution import Ball, Product
from tacit.device.noise_sharing import NoiseSharing
from tacit.device.own_rows import OwnRows
from tacit.device.shared_rows import SharedRows
from tacit.device.vectors import OnBall

_UNREAD: dict[type[Any], str] = {
    Ball: "typical",
    OnBall: "typical",
    OwnRows: "typical",
    SharedRows: "typical",
    Product: "shares",
    NoiseSharing: "report_bits",
}


def bare(tree: PyTree) -> PyTree:
    """The same shapes and devices, whatever those numbers: for a program, and for nothing else."""
    if type(tree) is tuple:
        return tuple(map(bare, tree))
    if not isinstance(tree, eqx.Module):
        return tree
    own, unread = copy(tree), _UNREAD.get(type(tree))
    for name, value in vars(tree).items():
        # Its constructor would ask for the number, or look for it in what is said.
        object.__setattr__(own, name, None if name == unread else bare(value))
    return own
