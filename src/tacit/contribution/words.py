"""A shape in words: what one person gives, as a page or a ledger says it.

The words are for people to read; what an account depends on is the shape's own record.
"""

from tacit.contribution.categories import Counts, OneHot
from tacit.contribution.contrasts import Contrasts
from tacit.contribution.numbers import Grid, Interval
from tacit.contribution.outer import Outer
from tacit.contribution.product import Product
from tacit.contribution.shape import Contribution
from tacit.contribution.tally import Tally
from tacit.contribution.vectors import Ball, Cube, L1Ball, Sphere


def in_words(shape: Contribution) -> str:
    """What one person gives; a shape of somebody's own by the name of its type."""
    match shape:
        case Interval():
            return f"a number in {_between(shape)}"
        case Grid(least=least, most=most, step=step):
            return f"a number in [{least * step:g}, {most * step:g}] in steps of {step:g}"
        case OneHot(categories=categories):
            return f"one of {categories:,} categories"
        case Counts(categories=categories, linf=most):
            return f"{categories:,} counts of at most {most:,}"
        case Tally(cells=cells, most=most, total=total):
            return f"{cells:,} counts of at most {most:,}, {total:,} in all"
        case Contrasts(sets=sets):
            return f"the contrasts of {len(sets):,} tables, of length one"
        case Ball(dim=dim, radius=radius, typical=typical):
            most = "" if typical is None else f", typically {typical:g}"
            return f"{dim:,} numbers of L2 norm at most {radius:g}{most}"
        case L1Ball(dim=dim, radius=radius):
            return f"{dim:,} numbers of L1 norm at most {radius:g}"
        case Sphere(dim=dim):
            return f"a direction of {dim:,} numbers"
        case Cube(dim=dim, side=side):
            return f"{dim:,} numbers in {_between(side)} each"
        case Outer(dim=dim, radius=radius):
            return f"the squares of {dim:,} numbers of L2 norm at most {radius:g}"
        case Product(parts=parts):
            return " and ".join(map(in_words, parts))
    return f"a {type(shape).__name__}"


def _between(side: Interval) -> str:
    return f"[{side.lower:g}, {side.upper:g}]"
