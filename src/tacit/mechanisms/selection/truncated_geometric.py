"""Which keys are released, by how many people have them: the best rule for one key a person.

A key is kept with a chance that depends on how many people n have it, each key by a draw of its
own. Neighbours have n and n + 1 people at a key. With pi(n) the chance, (epsilon, delta) asks for

    pi(n + 1) <= e^epsilon pi(n) + delta,        1 - pi(n) <= e^epsilon (1 - pi(n + 1)) + delta,

and the same with n and n + 1 exchanged, which holds wherever pi does not fall. A key that nobody
has cannot be named, so pi(0) = 0. Taking the largest pi(n + 1) that both allow, from there on, is
the best of all rules, for every n at once (Desfontaines et al., Theorem 1): it is also the release
of n with noise from a two-sided geometric law, cut off, above a threshold.

**In whole numbers.** q(n) = 2^128 pi(n) is whole. With E a fraction at or below e^epsilon, F one at
or above e^-epsilon, and D = floor(2^128 delta),

    q(n + 1) = min(floor(E q(n)) + D,  2^128 - ceil(F (2^128 - q(n) - D)),  2^128 - 1).

Both demands hold of these very numbers, with nothing left to rounding.

1. The first, as q(n + 1) is no more than the first term, and E and D are not above the true ones.
2. The second, as q(n + 1) is no more than the second term, and e^epsilon F >= 1: so
   e^epsilon (2^128 - q(n + 1)) is at least 2^128 - q(n) - D.
3. q never falls, which is what the demands with n and n + 1 exchanged need: E >= 1 from epsilon
   2^-14 on, F <= 1, so (2^128 - q)(1 - F) + F D >= 0; and q is at most 2^128 - 1. Once q(n) is
   within D of 2^128 it stays there.
4. An event of chance q/2^128 is a uniform number of 128 bits below q, exactly.

**Keys of few people.** With `at_least` = t, a key of n people is kept with chance pi(n - t + 1), or
never if n < t. The demands are between neighbours, so this keeps the promise too; an engine can
drop such keys before anybody sees them.
"""

import functools
from decimal import Decimal
from fractions import Fraction
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int64, PRNGKeyArray, UInt32, UInt64

from tacit.accounting.decimals import exp_down, exp_up
from tacit.argument import counted, got, is_number, is_whole, pythons

# Those of a uniform number: chances of 2^-100 are right within 2^-28.
BITS = 128
ONE = 2**BITS
# So that chances are a table of a few million numbers at most, and D is not zero.
LEAST_EPSILON, MOST_EPSILON = 2.0**-14, 64.0
LEAST_DELTA = 2.0**-100
# Keys that are drawn for by one call of the compiled program.
CHUNK = 4096


@final
class TruncatedGeometric(eqx.Module):
    """Keeps each key with a chance that grows with how many people have it.

    **Guarantee**: the set of keys that are kept is (`epsilon`, `delta`)-differentially private in
    the relation in which one key has one person more or less, all rounding included. Where k keys
    do, it is as k such releases.

    **Error**: `needed(chance)` people, for a key to be kept with that chance.

    | a key of so many people | is kept |
    | --- | --- |
    | 0 | never |
    | fewer than `at_least` | never |
    | `at_least` | with chance delta, rounded down to 2^-128 |
    | more than the table has | with chance 1 - 2^-128 |

    Args:
      epsilon: From 2^-14 to 64.
      delta: From 2^-100, and below 1.
      at_least: How many people a key must have; 1 or more.

    References:
        Desfontaines, Voss, Gipson and Mandayam 2022, "Differentially private partition selection".
    """

    epsilon: float = eqx.field(static=True, converter=pythons)
    delta: float = eqx.field(static=True, converter=pythons)
    at_least: int = eqx.field(static=True, converter=counted, default=1)

    def __check_init__(self):
        if not (is_number(self.epsilon) and LEAST_EPSILON <= self.epsilon <= MOST_EPSILON):
            raise ValueError(
                f"epsilon must be from {LEAST_EPSILON:.3g} to {MOST_EPSILON:g} for each key, got "
                f"{got(self.epsilon)}"
            )
        if not (is_number(self.delta) and LEAST_DELTA <= self.delta < 1):
            raise ValueError(
                f"delta must be from {LEAST_DELTA:.3g} to below 1 for each key, got "
                f"{got(self.delta)}"
            )
        if not (is_whole(self.at_least) and self.at_least >= 1):
            raise ValueError(
                f"at_least must be a whole number of people from 1, got {got(self.at_least)}"
            )

    def chance(self, people: int) -> float:
        """That a key of so many people is kept, to a float."""
        return self.numerator(people) / ONE

    def numerator(self, people: int) -> int:
        """The same, exactly: of 2^128."""
        table = numerators(self.epsilon, self.delta)
        return table[min(max(people - self.at_least + 1, 0), len(table) - 1)]

    def needed(self, chance: float) -> int:
        """How many people a key must have to be kept with this chance, below 1, at least."""
        table, least = numerators(self.epsilon, self.delta), Fraction(chance) * ONE
        return next(n for n, q in enumerate(table) if q >= least) + self.at_least - 1

    def sample(
        self, key: PRNGKeyArray, people: Int64[np.ndarray, " keys"]
    ) -> Bool[np.ndarray, " keys"]:
        """Which of the keys are kept, of which so many people have each."""
        high, low = _halves(self.epsilon, self.delta)
        places = np.clip(people - (self.at_least - 1), 0, len(high) - 1)
        kept = np.empty(len(people), bool)
        for chunk, start in enumerate(range(0, len(people), CHUNK)):
            own = places[start : start + CHUNK]
            words = np.asarray(_bits(key, chunk)).view(np.uint64)[: len(own)]
            tied = (words[:, 0] == high[own]) & (words[:, 1] < low[own])
            kept[start : start + len(own)] = (words[:, 0] < high[own]) | tied
        return kept


@functools.lru_cache(maxsize=16)
def numerators(epsilon: float, delta: float) -> tuple[int, ...]:
    """q(0), q(1), ... up to the largest, which all that follow equal: steps 1 and 2."""
    more = int(Fraction(exp_down(Decimal(epsilon))) * ONE)
    less = -int(-Fraction(exp_up(Decimal(-epsilon))) * ONE // 1)
    spent, table = int(Fraction(delta) * ONE), [0]
    while table[-1] < ONE - 1:
        kept = table[-1]
        left = max(ONE - kept - spent, 0)
        table.append(min((more * kept >> BITS) + spent, ONE + (-less * left >> BITS), ONE - 1))
    return tuple(table)


@functools.lru_cache(maxsize=16)
def _halves(
    epsilon: float, delta: float
) -> tuple[UInt64[np.ndarray, " counts"], UInt64[np.ndarray, " counts"]]:
    """The upper and the lower 64 bits of each."""
    table = numerators(epsilon, delta)
    high = np.array([q >> 64 for q in table], np.uint64)
    return high, np.array([q & (2**64 - 1) for q in table], np.uint64)


@jax.jit
def _bits(key: PRNGKeyArray, chunk: int | Array) -> UInt32[Array, "keys four"]:
    return jax.random.bits(jax.random.fold_in(key, chunk), (CHUNK, 4), jnp.uint32)
