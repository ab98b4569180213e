"""What one person may contribute: the shapes."""

from tacit.contribution.categories import Counts, OneHot
from tacit.contribution.contrasts import Contrasts
from tacit.contribution.numbers import Grid, Interval
from tacit.contribution.outer import Outer
from tacit.contribution.product import Product
from tacit.contribution.shape import Contribution, Scored
from tacit.contribution.sparse import SparseBall
from tacit.contribution.tally import Tally
from tacit.contribution.vectors import Ball, Cube, L1Ball, Sphere

__all__ = [
    "Ball",
    "Contrasts",
    "Contribution",
    "Counts",
    "Cube",
    "Grid",
    "Interval",
    "L1Ball",
    "OneHot",
    "Outer",
    "Product",
    "Scored",
    "SparseBall",
    "Sphere",
    "Tally",
]
