"""How many rounds of `subspace`, of how many columns, with what shares: foreseen of public numbers.

**Foreseen** is the share of a direction that is lost, sin² of the angle to it, if people are so:
half of their squares are spread evenly over the `many` directions that are sought, the other half
over all others, who have at most half as much each. The first basis holds each of them with cos²
of at least about (sqrt(m) - sqrt(many - 1))² / d: the least singular value of as many random
columns (Rudelson and Vershynin). From round to round that goes as `subspace` says, with the
difference of both squares for v, by which they are told apart; and never below what a random basis
holds. Where eigenvalues are further apart, less is lost of the first and more of the last.

Rounds of a curator, and of nobody, ask everybody; people who report by themselves are in one round
each, all of their promise for it.

References:
    Rudelson and Vershynin 2009, "Smallest singular value of a random rectangular matrix".
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

from tacit.argument import refuse_not_counted
from tacit.contribution import Ball
from tacit.contribution.vectors import ROUNDED_UNIT
from tacit.learning.subspace import Subspace
from tacit.plan import Plan
from tacit.statistics.shared_rounds import deviations_of, shared_plan
from tacit.statistics.shares import ShareNoise
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Curated, Trust

# Of rounds' shares for a curator; and of rounds where people report by themselves.
SHARES = ((1.0,), (0.3, 0.7), (0.2, 0.8), (0.1, 0.9), (0.2, 0.3, 0.5), (0.1, 0.2, 0.7))
MOST_ROUNDS, EXACT_ROUNDS = 4, 30


@final
@dataclass(frozen=True)
class SubspaceRounds:
    """Rounds that find directions, from public numbers.

    Args:
      trust: whom people trust.
      people: how many they are.
      dim: of rows, which are no longer than one, constants among them.
      known: with how many constants they begin.
      many: how many directions are sought.
      columns: how many are asked for, and the known axes.
      shares: of the rounds; of people, who report by themselves, all the same.
    """

    trust: Trust
    people: int
    dim: int
    known: int
    many: int
    columns: int
    shares: tuple[float, ...]

    def __post_init__(self):
        refuse_not_counted("known", self.known, 0)
        for name in ("people", "dim", "many", "columns"):
            refuse_not_counted(name, getattr(self, name))

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        return self._plan(self.shares)

    @cached_property
    def noise(self) -> tuple[float, ...]:
        """Of the noise on one number of each round's answer, the deviation.

        Raises:
          ValueError: if it is not known beforehand.
        """
        return deviations_of(self.plan)

    @property
    def largest_noise(self) -> float:
        """About the largest singular value of the last round's."""
        return self.noise[-1] * (math.sqrt(self.dim) + math.sqrt(self.columns))

    @property
    def lost(self) -> float:
        """The share of a direction that is foreseen to be lost."""
        return self.foreseen(self.noise)

    def foreseen(self, noise: tuple[float, ...]) -> float:
        """The same, of rounds with such noise."""
        value, beside = self.values
        own, axes = self.columns - self.known, self.dim - self.known
        held = start = (math.sqrt(own) - math.sqrt(self.many - 1)) ** 2 / axes if own < axes else 1
        for each in noise:
            off = beside**2 * (1 - held) + self.dim * each**2
            heard = (value - beside) ** 2 * held
            held = max(start * (own < axes), heard / (heard + off))
        return 1 - held

    @property
    def values(self) -> tuple[float, float]:
        """Those of people that the prediction is about."""
        return values_of(self.many, self.dim - self.known)

    def learner(self) -> Subspace:
        """Who asks, of rows no longer than one."""
        return Subspace.of(self.dim, self.columns, self.known)

    @cached_property
    def by_share(self) -> ShareNoise:
        """Noise of rounds of any shares."""
        if isinstance(self.trust, Curated):
            return ShareNoise.of(self._plan, self.dim * self.columns)
        # A round of half of the people has twice the variance; from two on, one bound is for all.
        half, _ = deviations_of(self._plan((0.5, 0.5)))
        return ShareNoise(half / math.sqrt(2), 0.5)

    def _plan(self, shares: tuple[float, ...]) -> Plan:
        shape = Ball(self.dim * self.columns, ROUNDED_UNIT)
        return shared_plan(self.trust, shape, self.people, shares)


def values_of(many: int, axes: int) -> tuple[float, float]:
    """The mean square along each of so many directions that are sought, and each other one."""
    return 0.5 / many, min(0.5 / max(axes - many, 1), 0.25 / many)


def shares_tried(rounds: SubspaceRounds) -> tuple[tuple[float, ...], ...]:
    """Of a curator's rounds, and of cohorts."""
    if isinstance(rounds.trust, NonPrivate):
        return ((1 / EXACT_ROUNDS,) * EXACT_ROUNDS,)
    if isinstance(rounds.trust, Curated):
        return SHARES
    return tuple((1 / many,) * many for many in range(1, MOST_ROUNDS + 1))
