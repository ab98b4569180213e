"""The sparse vector technique with numbers: `AboveThreshold`, and the sums that are above.

A sum answered "above" is released too, with discrete Laplace noise drawn afresh. The comparison's
noise is never shown: "f + v >= T + h" together with f + v tells about h, which all answers share.

The release composes the answers with at most c values, chosen by the answers. A value is an integer
moved by at most u steps with noise of parameter b, so pure bu, and epsilons add up to the answers'
plus cbu. Where the answers' noise is `AboveThreshold`'s one noise, `laplace_thresholds.curve`
accounts for answers and values together.
"""

from __future__ import annotations

import math
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.theorems.laplace_thresholds import curve, most, published
from tacit.argument import (
    got,
    is_made,
    is_number,
    refuse_no_share,
    refuse_none_positive,
    refuse_not_positive,
    takes_numpys,
)
from tacit.borrowed import DpEvent
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.selection.above_threshold import AboveThreshold, Carry, refuse_no_threshold
from tacit.mechanisms.selection.threshold_noise import Stream, cut
from tacit.noise.discrete import DiscreteLaplaceLaw
from tacit.noise.fixed import FixedPoint


@final
class SparseVector(eqx.Module):
    """Answers [above, value] for each sum of a stream; the value is 0.0 where above is.

    Build it with `beside`, which adds values to any `AboveThreshold`, or with a delta by
    `concentrated` or `hardt_rothblum`.

    **Guarantee**: (`epsilon`, `delta`)-differential privacy of all answers together, as of
    `AboveThreshold`. The samplers add the reserve of `tv_distance(rounds)` to delta
    (`accounting.reserve`).

    **Error**: the first number's is `compare.margin`; `error_bound(chance)` for all values.

    | sums, calls | effect |
    | --- | --- |
    | after the halt, or on a grid other than the stream's | [0.0, 0.0], whatever the sum |
    | beyond 2^44 steps | count as 2^44 steps |

    Args:
      compare: The answers "above".
      epsilon, delta, positives, stream: As of `AboveThreshold`.

    References:
        Dwork and Roth 2014, Algorithm 3 (NumericSparse).
        Lyu, Su and Li 2017, Algorithm 7; their Algorithm 3 shows the comparison's noise.
        Hardt and Rothblum 2010.
    """

    epsilon: float
    delta: float
    compare: AboveThreshold
    values: DiscreteLaplaceLaw

    def __check_init__(self):
        refuse_none_positive(self, "epsilon")
        if self.delta != 0:
            refuse_no_share("delta", self.delta)

    @classmethod
    @takes_numpys
    def beside(cls, compare: AboveThreshold, epsilon: float) -> SparseVector:
        """Values for `epsilon` more than the answers'."""
        refuse_not_positive("epsilon", epsilon)
        if not is_made(compare, AboveThreshold):
            raise ValueError(f"compare must be an AboveThreshold, got {got(compare)}")
        values = compare.stream.law(epsilon / compare.positives)
        total = math.nextafter(compare.epsilon + epsilon, math.inf)
        return cls(total, compare.delta, compare, values)

    @classmethod
    @takes_numpys
    def concentrated(
        cls, epsilon: float, delta: float, positives: int, stream: Stream
    ) -> SparseVector:
        """The least noise proved, if sums and values have the same."""
        refuse_no_threshold(epsilon, positives, stream, delta)
        rate = most(lambda rate: curve(epsilon, positives, rate, rate) <= delta, epsilon)
        return cls.at_rate(epsilon, delta, positives, stream, rate)

    @classmethod
    @takes_numpys
    def hardt_rothblum(
        cls, epsilon: float, delta: float, positives: int, stream: Stream
    ) -> SparseVector:
        """Their algorithm: noise of their scale on every sum, and again on every value."""
        refuse_no_threshold(epsilon, positives, stream, delta)
        return cls.at_rate(epsilon, delta, positives, stream, published(epsilon, delta, positives))

    @classmethod
    @takes_numpys
    def at_rate(
        cls, epsilon: float, delta: float, positives: int, stream: Stream, rate: float
    ) -> SparseVector:
        """Noise of scale sensitivity / `rate` on sums and on values.

        Raises:
          ValueError: also if `curve` does not prove it.
        """
        compare = AboveThreshold.at_rate(epsilon, delta, positives, stream, rate)
        if not curve(epsilon, positives, rate, rate) <= delta:
            raise ValueError(f"rate must be low enough for epsilon={epsilon}, got {got(rate)}")
        return cls(epsilon, delta, compare, compare.query.law)

    @property
    def event(self) -> DpEvent:
        """The whole stream, for an accountant."""
        if self.delta == 0:
            return events.sparse_vector(self.epsilon)
        return events.epsilon_delta(self.epsilon, self.delta)

    def tv_distance(self, rounds: int) -> float:
        """The total variation distance of `rounds` answers from those with exact noise."""
        shown = min(rounds, self.compare.positives)
        return self.compare.tv_distance(rounds) + shown * self.values.tv_distance

    def error_bound(self, chance: float) -> float:
        """How far the furthest of all values is from its sum, at most, but for this chance.

        P[|k| >= n] = 2 x^n / (1 + x) with x = e^-b, and c of them.
        """
        if not (is_number(chance) and 0 < chance < 1):
            raise ValueError(f"chance must be in (0, 1), got {got(chance)}")
        c, b = self.compare.positives, self.values.parameter
        allowed = chance * (1 - 1e-9) - c * self.values.tv_distance
        if not allowed > 0:
            return math.inf
        beyond = math.log(2 * c / (allowed * (1 + math.exp(-b)))) / b
        return max(0, math.ceil(beyond) - 1) * self.compare.stream.step

    def init(self) -> Carry:
        """The stream before its first sum."""
        return self.compare.init()

    def step(
        self, carry: Carry, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[Carry, Float[Array, " two"], Bool[Array, ""]]:
        """The answer to one sum, and whether that was the last."""
        for_compare, for_value = jax.random.split(key)
        carry, above, halted = self.compare.step(carry, for_compare, total)
        return carry, self._shown(for_value, total, above), halted

    @per_shape
    def answers(self, key: PRNGKeyArray, totals: FixedPoint) -> Float[Array, "*streams rounds two"]:
        """All answers of independent streams whose sums are given at once, by the same law."""
        for_compare, for_value = jax.random.split(key)
        return self._shown(for_value, totals, self.compare.answers(for_compare, totals))

    def _shown(
        self, key: PRNGKeyArray, total: FixedPoint, above: Float[Array, "*shape"]
    ) -> Float[Array, "*shape two"]:
        sums, noise = cut(total), self.values.limbs(key, total.high.shape)
        noisy = FixedPoint(*sums, step=total.step).plus(FixedPoint(*noise, step=total.step)).value()
        return jnp.stack([above, jnp.where(above > 0, noisy, 0.0)], axis=-1)
