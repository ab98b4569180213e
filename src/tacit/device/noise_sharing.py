"""A device whose report is seen in a sum alone, and which adds its share of the sum's noise to it.

The report is the term on the sum's grid and a share of noise (`mechanisms.additive.noise_share`),
modulo a power of two, under masks that cancel in the sum of a round. A mask is uniform, so what a
server gets of one device is uniform too: it learns the sum, and nothing else. This is assumed of
the network, as is that so many devices answer and keep their shares.

Masks, and the keys they are made of, are the network's and no part of `report_bits`.

References:
    Bonawitz et al. 2017, "Practical secure aggregation for privacy-preserving machine learning".
"""

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Num, PRNGKeyArray, PyTree

from tacit.contribution import Contribution
from tacit.facts import ReportFacts
from tacit.mechanisms.additive.noise_share import NoiseShare
from tacit.noise.fixed import FixedPoint

Shares = PyTree[NoiseShare]


@final
class NoiseSharing(eqx.Module):
    """The term itself, with a share of noise once it is on the grid.

    **Guarantee**: of a report alone none; of sums, that of the shares.

    Args:
      shape: of a term.
      shares: the noise of each part; one, or a tuple of them for a product's.
      report_bits: of one report.
    """

    shape: Contribution
    shares: Shares
    report_bits: int = eqx.field(static=True)

    @property
    def facts(self) -> ReportFacts:
        sent = self.report_bits
        return ReportFacts(math.inf, self.shape, worst_error=0.0, report_bits=sent, blanket=0.0)

    def sample(
        self, key: PRNGKeyArray, terms: Num[Array, "people *shape"]
    ) -> Num[Array, "people *shape"]:
        del key
        return terms

    def shared(
        self, key: PRNGKeyArray, total: PyTree[FixedPoint], present: Bool[Array, " people"]
    ) -> PyTree[FixedPoint]:
        """The sum with the shares of those present."""
        return _with_shares(key, self.shares, total, present)


def _with_shares(
    key: PRNGKeyArray, shares: Shares, total: PyTree[FixedPoint], present: Bool[Array, " people"]
) -> PyTree[FixedPoint]:
    if isinstance(shares, tuple):
        each = zip(jax.random.split(key, len(shares)), shares, total, strict=True)
        return tuple(_with_shares(*own, present) for own in each)
    nothing = FixedPoint.zero((*present.shape, *total.high.shape), total.step)
    drawn = shares.sample(key, nothing)
    there = present.reshape((-1,) + (1,) * len(total.high.shape)).astype(jnp.int32)
    return total.plus(FixedPoint(drawn.high * there, drawn.low * there, total.step).sum())
