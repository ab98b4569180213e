"""How many people it takes to learn a concept of a finite class, privately.

N concepts, people drawn independently from a law; a is the risk allowed, b the chance of more. The
choice is right about as many people as the best but for K = (k/epsilon) ln(2N/b) of them, with
chance 1 - b/2: k = 1 for one person more or less, 2 for one person changed. (What is drawn keeps
2^-16 of epsilon for floats: from .01 on, where choices begin, K is up to .2% more.) All of this is
of classes of which one concept is chosen by its score; `Parity` is found by elimination, and takes
what `mechanisms.rows.parity_elimination` says.

**Realisable**: some concept labels everybody right. One whose risk exceeds a labels a share of
a/2 or less of n people wrong with chance e^(-n a/8) (multiplicative Chernoff), so all N label more
wrong but for b/2 if n >= (8/a) ln(2N/b); and the choice labels a share K/n <= a/2 of them wrong at
most if n >= (2k/(epsilon a)) ln(2N/b).

**Agnostic**: no concept need be right, and a is the excess over the best one's risk. The shares
of n people that concepts label wrong are all within a/3 of their risks but for b/2 if
n >= (9/(2 a^2)) ln(4N/b) (Hoeffding, both sides), and K/n <= a/3 if
n >= (3k/(epsilon a)) ln(2N/b).

So privacy is free where the second number is not above the first: from epsilon = k/4 on in the
realisable case, and from 2 k a/3 on, about, in the agnostic one.

**Classes that are not counted**: of m public points a class of VC dimension v has at most C(m, 0) +
... + C(m, v) labelings (Sauer; Shelah), attained by thresholds and by intervals; one concept of
each is a class of `labelings(m, v)`.

References:
    Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith 2011, "What can we learn privately?"
    (Theorem 3.4).
"""

import math

import numpy as np

from tacit.accounting.relation import Relation, refuse_no_relation
from tacit.argument import got, is_number, refuse_not_counted
from tacit.server.concepts import scores_moved

# Below this, counts pass 1e24: nobody has as many.
_LEAST = 1e-12
_MOST_DIMENSION = 10_000


def realisable_people(
    concepts: int,
    epsilon: float,
    risk: float,
    failure: float = 0.05,
    relation: Relation = Relation.ADD_REMOVE,
) -> int:
    """How many people are enough where some concept labels everybody right.

    Args:
      concepts: how many the class has.
      epsilon: of the choice; `math.inf` for none.
      risk: the share of wrong labels allowed.
      failure: the chance of a larger one.
      relation: what one person changes.

    Raises:
      ValueError: if an argument is not of its kind.
    """
    twice = _checked(concepts, epsilon, failure, relation, risk=risk)
    moved = scores_moved(relation)
    return math.ceil(max(8 / risk, 2 * moved / (epsilon * risk)) * twice)


def agnostic_people(
    concepts: int,
    epsilon: float,
    excess_risk: float,
    failure: float = 0.05,
    relation: Relation = Relation.ADD_REMOVE,
) -> int:
    """How many are enough where none need be right; arguments as before but for `excess_risk`: the
    share of wrong labels allowed beyond the best one's."""
    twice = _checked(concepts, epsilon, failure, relation, excess_risk=excess_risk)
    drawn = 9 / (2 * excess_risk**2) * (twice + math.log(2))
    return math.ceil(max(drawn, 3 * scores_moved(relation) / (epsilon * excess_risk) * twice))


def labelings(points: int, dimension: int) -> int:
    """How many labelings of so many points a class of this VC dimension has, at most.

    Raises:
      ValueError: if an argument is no whole number of at least 1, or the dimension is above 10,000.
    """
    for name, value in (("points", points), ("dimension", dimension)):
        refuse_not_counted(name, value)
    if not dimension <= _MOST_DIMENSION:
        raise ValueError(f"dimension must be at most 10,000, got {dimension}")
    terms, term = 1, 1
    for place in range(min(int(dimension), int(points))):
        term = term * (int(points) - place) // (place + 1)
        terms += term
    return terms


def _checked(
    concepts: int, epsilon: float, failure: float, relation: Relation, **allowed: float
) -> float:
    """ln(2N/b)."""
    # More than any float: a Parity of 4,096 bits.
    whole = isinstance(concepts, int | np.integer) and not isinstance(concepts, bool)
    if not (whole and concepts >= 1):
        raise ValueError(f"concepts must be a whole number of at least 1, got {got(concepts)}")
    if not (epsilon == math.inf or (is_number(epsilon) and epsilon >= _LEAST)):
        raise ValueError(f"epsilon must be at least 1e-12, got {got(epsilon)}")
    for name, share in {**allowed, "failure": failure}.items():
        if not (is_number(share) and _LEAST <= share < 1):
            raise ValueError(f"{name} must be in [1e-12, 1), got {got(share)}")
    refuse_no_relation(relation)
    return math.log(2 * int(concepts)) - math.log(failure)
