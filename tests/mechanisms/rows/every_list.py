"""Every list of points with its chance: all ways that draws of the host may go, followed."""

import itertools
from collections import defaultdict
from fractions import Fraction


class Followed:
    """Stands for `chosen`, `below` and `multiset`: goes as planned, then always the first way."""

    def __init__(self, planned):
        self.planned, self.ways, self.chance = list(planned), [], Fraction(1)

    def _goes(self, shares):
        total = sum(shares)
        possible = [index for index, share in enumerate(shares) if share]
        turn = len(self.ways)
        way = self.planned[turn] if turn < len(self.planned) else 0
        self.ways.append((way, len(possible)))
        self.chance *= shares[possible[way]] / total
        return possible[way]

    def chosen(self, words, weights):
        return self._goes([Fraction(each) for each in weights.tolist()])

    def below(self, words, size):
        return self._goes([Fraction(1)] * size)

    def multiset(self, words, points, size):
        lists = list(itertools.combinations_with_replacement(range(points), size))
        return list(lists[self._goes([Fraction(1)] * len(lists))])


def every_list(monkeypatch, module, draw):
    """The chance of everything that `draw` may give, from the very floats that `module` adds up."""
    chances, planned = defaultdict(Fraction), []
    while planned is not None:
        followed = Followed(planned)
        for name in ("chosen", "below", "multiset"):
            monkeypatch.setattr(module, name, getattr(followed, name), raising=False)
        chances[tuple(draw())] += followed.chance
        planned = _next(followed.ways)
    return chances


def _next(ways):
    """The plan after this, or None after the last."""
    while ways and ways[-1][0] + 1 == ways[-1][1]:
        ways = ways[:-1]
    return [way for way, _ in ways[:-1]] + [ways[-1][0] + 1] if ways else None
