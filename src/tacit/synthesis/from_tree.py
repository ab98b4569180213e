"""Rows of a tree of pairs: a graphical model, of the release that `FromPairs` makes.

What is asked and paid for is the same, and so are the denoised pairs; the law is another: a
spanning tree of the pairs that are tied most (`synthesis.pair_tree`), chosen by what was released.
Thirteen of Adult's 91 pairs are on it, and all others are what paths along them make of these; the
mixture has all pairs in view. It is the law where columns do depend on each other along a tree, and
the family that published graphical methods are of.
"""

from dataclasses import dataclass
from typing import final

from tacit.queries.domain import Domain
from tacit.synthesis.from_pairs import PairRelease, refuse_one_column
from tacit.synthesis.pair_tree import tree_of
from tacit.trust.people import Trust


@final
@dataclass(frozen=True)
class FromTree:
    """All pairs at once, and a tree of those that are tied most."""

    def asked(self, domain: Domain, trust: Trust, people: int) -> PairRelease:
        refuse_one_column(domain)
        return PairRelease(domain, trust, people, tree_of)
