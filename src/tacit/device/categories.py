"""Local reports of categories: a frequency oracle on each device, support counted at the server.

A report supports some categories; how many reports support each is all the server keeps, in whole
numbers. `FrequencyMean` makes unbiased frequencies of it.

A person with several records (`Counts`) reports one of their L = l0 linf slots, drawn at random:
a record's category, or "no record" for a slot that none of theirs fills. The slots of one person
are counted by L times the frequencies, so the error is L² times the oracle's, and the drawing's.
"""

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, UInt32

from tacit.accounting.relation import Relation
from tacit.contribution import Counts
from tacit.facts import ReportFacts
from tacit.mechanisms.frequency.randomised_response import FrequencyOracle
from tacit.noise import words
from tacit.noise.fixed import FixedPoint


@final
class Supporters(eqx.Module):
    """Reports of an oracle; the sum is how many support each category, and how many there are.

    Args:
      oracle: what made them.
      kept: how many of its categories are answered, the first ones.
    """

    oracle: FrequencyOracle = eqx.field(static=True)
    kept: int = eqx.field(static=True)

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def answer_shape(self) -> tuple[int, ...]:
        return (self.kept,)

    @property
    def bound(self) -> float:
        return math.sqrt(self.kept)

    @property
    def unit(self) -> float:
        return 1.0

    def project(self, terms: UInt32[Array, "people *report"]) -> UInt32[Array, "people *report"]:
        return terms

    def empty(self, grid: Float[Array, ""]) -> tuple[FixedPoint, FixedPoint]:
        return FixedPoint.zero(self.answer_shape, grid), FixedPoint.zero((), grid)

    def add(
        self,
        total: tuple[FixedPoint, FixedPoint],
        terms: UInt32[Array, "people *report"],
        present: Bool[Array, " people"],
    ) -> tuple[FixedPoint, FixedPoint]:
        found = self.oracle.supporters(terms, present)[: self.kept], jnp.sum(present)
        counts = (count.astype(jnp.float32) for count in found)
        supporters, reports = (
            own.plus(own.whole(count)) for own, count in zip(total, counts, strict=True)
        )
        return supporters, reports

    def sensitivity(self, relation: Relation) -> float:
        return self.bound

    def l1_sensitivity(self, relation: Relation) -> float:
        return float(self.kept)


@final
class OnCategory(eqx.Module):
    """An oracle's report of the one category a person is in; of category 0, for none."""

    oracle: FrequencyOracle = eqx.field(static=True)

    @property
    def facts(self) -> ReportFacts:
        return _facts(self.oracle, self.oracle.categories, self.oracle.error(1))

    @property
    def weight(self) -> float:
        return 1.0

    def sample(
        self, key: PRNGKeyArray, terms: Int[Array, " people"]
    ) -> UInt32[Array, "people *report"]:
        return self.oracle.sample(key, terms)


@final
class OnCounts(eqx.Module):
    """An oracle's report of one slot, drawn at random, of the records a person has."""

    contribution: Counts = eqx.field(static=True)
    oracle: FrequencyOracle = eqx.field(static=True)

    def __check_init__(self):
        if not self.slots <= words.LARGEST_MODULUS:
            raise ValueError(
                f"a local report of counts needs l0 times linf up to {words.LARGEST_MODULUS:,}, "
                f"got {self.slots}"
            )

    @property
    def slots(self) -> int:
        """L: the most records one person has."""
        return self.contribution.l0 * self.contribution.linf

    @property
    def facts(self) -> ReportFacts:
        # A bound: the drawing's variance is L N - sum of c², worst where all slots are filled.
        drawing = 1 / 4 if self.contribution.l0 == 1 else 1 - 1 / self.contribution.l0
        worst = self.slots**2 * (self.oracle.error(1) + drawing)
        return _facts(self.oracle, self.contribution.categories, worst)

    @property
    def weight(self) -> float:
        return float(self.slots)

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people categories"]
    ) -> UInt32[Array, "people *report"]:
        for_slot, for_report = jax.random.split(key)
        slot = words.residue(for_slot, self.slots, terms.shape[:1]).astype(jnp.float32)
        # Slots are filled in the order of the categories; past the last record is "no record".
        category = jnp.sum(jnp.cumsum(terms, axis=1) <= slot[:, None], axis=1)
        return self.oracle.sample(for_report, category)


def _facts(oracle: FrequencyOracle, kept: int, worst_error: float) -> ReportFacts:
    """Those of an oracle whose first categories are answered."""
    own = worst_error, oracle.report_bits, oracle.blanket
    return ReportFacts(oracle.epsilon, Supporters(oracle, kept), *own)
