"""AboveThreshold: which of a stream of sums reach a public threshold, paying only for those.

Sums f_1, f_2, ... and the threshold T are integers on a public grid, and one person moves each sum
by at most u. Sum t is answered "above" iff f_t + v_t >= T + h, with h drawn once and v_t afresh.
After c answers "above" the data are not used again. Let S(k) = P[v >= k].

**Two noises, pure.** P[answers | f] = sum_z P[h = z] prod_below (1 - S(T+z-f_t)) prod_above
S(T+z-f_t). Let f' neighbour f, and put z + u for z on its side: of the terms there some are left
out, and none is negative. The noises need only satisfy

    P[h = z] <= e^(au) P[h = z+u]   and   S(k) <= e^(bm) S(k+m) for m >= 0.

1. The first factor costs e^(au).
2. A "below" costs nothing: f'_t <= f_t + u, so f_t + v < T + z implies f'_t + v < T + z + u.
3. An "above" costs e^(2bu), as f'_t >= f_t - u. With at most c of them epsilon = u (a + 2cb).
4. Where all sums move the same way it is u (a + cb): if down, z stays and an "above" costs e^(bu);
   if up, z moves and f'_t >= f_t.
5. Both demands look one way, so *geometric* noise on 0, 1, 2, ... of parameters a and b meets them
   with half the variance of Laplace noise.

The bias of that is public and a shift s of T takes it off. The variance of v - h is about
1/a² + 1/b², least where the two parts of epsilon are as 1 : (2c)^(2/3), or 1 : c^(2/3).

**One noise, concentrated.** Without h, what c "above"s cost is proved in
`accounting.theorems.laplace_thresholds`, however many sums there are.

**Error.** Given h the v_t are independent. With q the larger of P[v >= s+h+A] and P[v < s+h-A], all
of m answers on sums A or more away from T are right with probability at least E (1-q)^m. The mean
over h is bounded on 20,000 bins by the worst q of each.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Int32, PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.theorems.laplace_thresholds import curve, most, published
from tacit.argument import (
    got,
    is_made,
    is_number,
    is_whole,
    refuse_no_share,
    refuse_none_positive,
    refuse_not_positive,
    takes_numpys,
)
from tacit.borrowed import DpEvent
from tacit.mechanisms.alone import per_shape
from tacit.mechanisms.selection.threshold_noise import (
    HIGHEST,
    OneSided,
    Stream,
    TwoSided,
    cut,
    plus,
)
from tacit.noise.discrete import Limbs
from tacit.noise.fixed import LIMB, FixedPoint

# What is left of them is a whole number of 32 bits.
MOST_POSITIVES = 2**31 - 1
# At the widest noise the threshold and its shift are below 2^45 steps with so many rounds, and with
# noise of at most 4096 * 2008^3 on it below the 2^46 that two limbs hold.
MOST_ROUNDS = 2**63 - 1
# The shift is chosen for answers that are right with this probability.
CENTRE = 0.95

# Four times as many bins lower `error` by 2e-4 of it. What is deeper is e^-80 of a limit's noise.
BINS, DEEPEST = 20_000, 80.0


class Carry(NamedTuple):
    """What a stream remembers: secret but for `left`."""

    limit: Limbs
    drawn: Bool[Array, ""]
    left: Int32[Array, ""]


@final
class AboveThreshold(eqx.Module):
    """Answers 1.0 ("above") or 0.0 for each sum of a stream, until `positives` are above.

    Build it with `tight` or `monotone` (pure), `concentrated` or `hardt_rothblum` (with a delta).

    **Guarantee**: (`epsilon`, `delta`)-differential privacy of all answers together, however many
    and however chosen from earlier ones, in the relation in which no sum moves by more than
    `stream.sensitivity`; `delta` is zero for `tight` and `monotone`. The sampler adds the reserve
    of `tv_distance(rounds)` to delta (`accounting.reserve`).

    **Error**: with probability 1 - beta every answer before the halt is right, for sums
    `margin(rounds, beta)` or more from the threshold. At epsilon 1, delta 1e-6 and 1000 rounds
    `concentrated` has a wider margin than `tight` at 10 positives and a narrower one at 100;
    `hardt_rothblum` has about ten times that of `concentrated`.

    | sums, calls | effect |
    | --- | --- |
    | after the halt | 0.0, whatever the sum |
    | on a grid other than `stream.step` | 0.0, whatever the sum |
    | beyond 2^44 steps | count as 2^44 steps |
    | exactly at the threshold | either answer |

    Args:
      epsilon: Positive and finite.
      positives: c, the number of "above"s after which it halts; from 1 to 2^31 - 1.
      stream: The threshold, the sensitivity and the grid.
      rounds: The number of sums the shift of T is chosen for, below 2^63; more may be asked.
      delta: In (0, 1).

    Raises:
      ValueError: if an argument is out of range, or a noise's scale above 2^39 steps.

    References:
        Dwork, Naor, Reingold, Rothblum and Vadhan 2009; Dwork and Roth 2014, Algorithms 1 and 2.
        Lyu, Su and Li 2017, "Understanding the sparse vector technique", Algorithms 1 and 7.
        Liu, Wang, Liu, Li and Chen 2024, "Unleash the power of ellipsis" (exponential noise).
        With a delta, those of `accounting.theorems.laplace_thresholds`.
    """

    epsilon: float
    delta: float
    positives: int
    stream: Stream
    start: tuple[np.int32 | Array, np.int32 | Array]
    limit: OneSided | None
    query: OneSided | TwoSided

    def __check_init__(self):
        refuse_none_positive(self, "epsilon", "positives")
        if self.delta != 0:
            refuse_no_share("delta", self.delta)

    @classmethod
    @takes_numpys
    def tight(cls, epsilon: float, positives: int, stream: Stream, rounds: int) -> AboveThreshold:
        """Pure `epsilon`: geometric noise on threshold and sums."""
        refuse_no_threshold(epsilon, positives, stream)
        # Step 3.
        return cls._pure(epsilon, positives, 2 * positives, stream, rounds)

    @classmethod
    @takes_numpys
    def monotone(
        cls, epsilon: float, positives: int, stream: Stream, rounds: int
    ) -> AboveThreshold:
        """Pure `epsilon` where one person moves all sums the same way: almost half the noise.

        So it is for sums of terms that are never negative, when a person is added or removed.
        """
        refuse_no_threshold(epsilon, positives, stream)
        # Step 4.
        return cls._pure(epsilon, positives, positives, stream, rounds)

    @classmethod
    @takes_numpys
    def concentrated(
        cls, epsilon: float, delta: float, positives: int, stream: Stream
    ) -> AboveThreshold:
        """(`epsilon`, `delta`): the least Laplace noise on the sums alone that is proved here."""
        refuse_no_threshold(epsilon, positives, stream, delta)
        rate = most(lambda rate: curve(epsilon, positives, rate) <= delta, epsilon)
        return cls.at_rate(epsilon, delta, positives, stream, rate)

    @classmethod
    @takes_numpys
    def hardt_rothblum(
        cls, epsilon: float, delta: float, positives: int, stream: Stream
    ) -> AboveThreshold:
        """(`epsilon`, `delta`): Laplace noise on the sums alone, of Hardt and Rothblum's scale.

        That is S = 8 sqrt(2 ln(2/delta) (4c + ln(2/delta))) / epsilon times the sensitivity; in
        their analysis it pays for values, too (`SparseVector`), and all of m answers are within
        S (ln m + ln(1/beta)).
        """
        refuse_no_threshold(epsilon, positives, stream, delta)
        return cls.at_rate(epsilon, delta, positives, stream, published(epsilon, delta, positives))

    @classmethod
    @takes_numpys
    def at_rate(
        cls, epsilon: float, delta: float, positives: int, stream: Stream, rate: float
    ) -> AboveThreshold:
        """(`epsilon`, `delta`): Laplace noise on the sums alone, of scale sensitivity / `rate`.

        Raises:
          ValueError: also if `curve` does not prove it.
        """
        refuse_no_threshold(epsilon, positives, stream, delta)
        if not (is_number(rate) and curve(epsilon, positives, rate) <= delta):
            raise ValueError(f"rate must be low enough for epsilon={epsilon}, got {got(rate)}")
        query = TwoSided(stream.law(rate))
        return cls(epsilon, delta, positives, stream, stream.start(0), None, query)

    @classmethod
    def _pure(
        cls, epsilon: float, positives: int, weight: int, stream: Stream, rounds: int
    ) -> AboveThreshold:
        _refuse_rounds(rounds)
        share = epsilon / (1 + weight ** (2 / 3))
        limit, query = (OneSided(stream.law(rate)) for rate in (share, (epsilon - share) / weight))
        lowest, highest = (
            -math.log((1 - CENTRE) / (2 * draws)) / noise.law.parameter
            for draws, noise in ((1, limit), (rounds, query))
        )
        start = stream.start(round((highest - lowest) / 2))
        return cls(epsilon, 0.0, positives, stream, start, limit, query)

    @property
    def event(self) -> DpEvent:
        """The whole stream, for an accountant."""
        if self.delta == 0:
            return events.sparse_vector(self.epsilon)
        return events.epsilon_delta(self.epsilon, self.delta)

    @property
    def shift(self) -> float:
        """What is added to the threshold for the bias of the noise."""
        return self._shift() * self.stream.step

    def tv_distance(self, rounds: int) -> float:
        """The total variation distance of `rounds` answers from those with exact noise."""
        _refuse_rounds(rounds)
        first = self.limit.law.tv_distance if self.limit is not None else 0.0
        return first + rounds * self.query.law.tv_distance

    def init(self) -> Carry:
        """The stream before its first sum; the threshold's noise is drawn with that sum's key."""
        zero = jnp.zeros((), jnp.int32)
        return Carry((zero, zero), jnp.asarray(False), jnp.asarray(self.positives, jnp.int32))

    def step(
        self, carry: Carry, key: PRNGKeyArray, total: FixedPoint
    ) -> tuple[Carry, Float[Array, ""], Bool[Array, ""]]:
        """The answer to one sum, and whether that was the last."""
        for_limit, for_query = jax.random.split(key)
        limit = lax.cond(carry.drawn, lambda: carry.limit, lambda: self._limit(for_limit, ()))
        above = (carry.left > 0) & self._reaches(for_query, total, limit)
        left = carry.left - above
        return Carry(limit, jnp.asarray(True), left), above.astype(jnp.float32), left == 0

    @per_shape
    def answers(self, key: PRNGKeyArray, totals: FixedPoint) -> Float[Array, "*streams rounds"]:
        """All answers of independent streams whose sums are given at once, by the same law."""
        for_limit, for_query = jax.random.split(key)
        high, low = self._limit(for_limit, totals.high.shape[:-1])
        above = self._reaches(for_query, totals, (high[..., None], low[..., None]))
        return (above & (jnp.cumsum(above, axis=-1) <= self.positives)).astype(jnp.float32)

    def margin(self, rounds: int, beta: float) -> float:
        """Sums this far from the threshold are all answered rightly, with probability 1 - `beta`.

        Infinite where `beta` is not above `tv_distance(rounds)`, or below e^-80.
        """
        _refuse_rounds(rounds)
        if not (is_number(beta) and 0 < beta < 1):
            raise ValueError(f"beta must be in (0, 1), got {got(beta)}")
        allowed, most_units = beta * (1 - 1e-9) - self.tv_distance(rounds), 2 * HIGHEST * LIMB
        units = bisect_left(
            range(most_units), True, key=lambda units: self._wrong(units, rounds) <= allowed
        )
        return (units + 0.5) * self.stream.step if units < most_units else math.inf

    def _shift(self) -> int:
        high, low = self.start
        return int(high) * LIMB + int(low) - round(self.stream.threshold / self.stream.step)

    def _wrong(self, units: int, rounds: int) -> float:
        """At most this likely is any wrong answer on sums `units` or more from the threshold."""
        if self.limit is None:
            first = last = np.zeros(1)
            masses = np.ones(1)
        else:
            depths = np.linspace(0, DEEPEST, BINS + 1) / self.limit.law.parameter
            first = np.unique(np.floor(depths))
            last = np.append(first[1:] - 1, np.inf)
            masses = -np.diff(self.limit.at_least(first), append=0)
        shift = self._shift()
        wrong = np.maximum(
            self.query.at_least(shift + first + units), self.query.below(shift + last - units)
        )
        some = -np.expm1(rounds * np.log1p(-np.minimum(wrong, 1 - 1e-15)))
        return float(np.sum(masses * some))

    def _limit(self, key: PRNGKeyArray, shape: tuple[int, ...]) -> Limbs:
        start = tuple(jnp.broadcast_to(jnp.asarray(limb, jnp.int32), shape) for limb in self.start)
        if self.limit is None:
            return start[0], start[1]
        return plus(start, self.limit.limbs(key, shape))

    def _reaches(self, key: PRNGKeyArray, total: FixedPoint, limit: Limbs) -> Bool[Array, "*shape"]:
        high, low = plus(cut(total), self.query.limbs(key, total.high.shape))
        reaches = (high > limit[0]) | ((high == limit[0]) & (low >= limit[1]))
        return reaches & (total.step == self.stream.step)


def _refuse_rounds(rounds: float) -> None:
    if not (is_whole(rounds) and 1 <= rounds <= MOST_ROUNDS):
        raise ValueError(f"rounds must be at least 1 and below 2^63, got {got(rounds)}")


def refuse_no_threshold(epsilon: float, positives: int, stream: Stream, delta: float = 0.5) -> None:
    """Raises a ValueError unless a stream can be answered by these numbers."""
    refuse_not_positive("epsilon", epsilon)
    if not (is_whole(positives) and 1 <= positives <= MOST_POSITIVES):
        raise ValueError(f"positives must be between 1 and 2^31 - 1, got {got(positives)}")
    if not is_made(stream, Stream):
        raise ValueError(f"stream must be Stream(threshold, sensitivity, step), got {got(stream)}")
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must be in (0, 1), got {got(delta)}")
