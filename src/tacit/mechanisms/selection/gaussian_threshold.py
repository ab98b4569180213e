"""Which keys are released, by a noisy number of people above a threshold: for many keys a person.

A key of n people is kept if n + Z reaches a whole threshold T, with Z normal noise, each key by
itself; a key that nobody has cannot be named, and is never kept.

**What a person's keys tell.** Let a person come who is counted in k keys at most.

1. At keys that others have, whether a key is kept is a function of n + Z, and these n together move
   by at most sqrt(k) in L2: one Gaussian release of multiplier sigma/sqrt(k).
2. At keys that only this person has, nothing is ever kept in the neighbour, and here with a chance
   of at most `alone` = P(1 + Z >= T) each.
3. So the law is within k `alone` in total variation of one in which those keys are never kept,
   which is private by step 1: what that costs, `accounting.reserve` proves.
4. Other keys have one law in both, whatever their sampler is, so that only k draws are off their
   law.

Where one key a person is counted, the truncated geometric rule keeps keys of fewer people; for many
keys this one, as normal noise composes by the root of how many there are.

**Noise** is drawn on a grid of sigma/2^17, or of whole people where that is less: every n is on
it, and the noise is a rounded normal but for a distance that `off` bounds (`additive.gaussian`). n
is held at T + 64 sigma, beyond which a key is kept surely: no two n are further apart for it.

**Keys of few people.** With `at_least` = t, n - t + 1 takes the place of n, and keys of fewer than
t people that of keys of nobody.
"""

import functools
import math
from typing import final

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool, Int64, PRNGKeyArray

from tacit.argument import counted, got, is_number, is_whole, refuse_no_share
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.noise.drawn import drawn
from tacit.noise.fixed import LIMB

# Keys that are drawn for by one call of the compiled program: a call draws for all of them, however
# few are left, and which noise a key has follows from it. A choice, not measured.
CHUNK = 2**14
# Deviations that no draw of noise goes beyond; and of the grid, where `off` is 2^-71 and a table's.
_SURELY, _FINE = 64, 17
# Above what `erfc` and its argument are rounded by: 1e-12, wherever it is a float.
_ROUNDING = 1 + 1e-9
# Noise of less than one person hides nobody; of more than 2^30, any number that there is.
LEAST_SIGMA, MOST_SIGMA = 1.0, 2.0**30


@final
class GaussianThreshold(eqx.Module):
    """Keeps each key that a noisy number of people brings to a threshold.

    **Guarantee**: for one who comes or goes and is counted in k keys at most, that of a Gaussian
    release of multiplier `sigma`/sqrt(k), but for a chance of k (`alone` + `off`).

    **Error**: `needed(chance)` people, for a key to be kept with that chance.

    | a key of so many people | is kept |
    | --- | --- |
    | 0, fewer than `at_least` | never |
    | `at_least` | with chance `alone`, at most |
    | `threshold` + `at_least` - 1 | with chance a half, and a hair more |

    Args:
      sigma: The noise's deviation, in people, from 1 to 2^30.
      threshold: In people; 2 or more.
      at_least: How many people a key must have; 1 or more.

    References:
        Korolova, Kenthapadi, Mishra and Ntoulas 2009, "Releasing search queries and clicks
        privately" (the threshold, with Laplace noise).
        Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo and Gipson 2020, "Differentially private
        SQL with bounded user contribution".
    """

    sigma: float = eqx.field(static=True)
    threshold: int = eqx.field(static=True, converter=counted)
    at_least: int = eqx.field(static=True, converter=counted, default=1)

    def __check_init__(self):
        if not (is_number(self.sigma) and LEAST_SIGMA <= self.sigma <= MOST_SIGMA):
            raise ValueError(f"sigma must be from 1 to 2^30 people, got {got(self.sigma)}")
        for name, least in (("threshold", 2), ("at_least", 1)):
            value = getattr(self, name)
            if not (is_whole(value) and least <= value <= 2**40):
                raise ValueError(
                    f"{name} must be a whole number of people from {least} to 2^40, got "
                    f"{got(value)}"
                )

    @classmethod
    def reserving(cls, sigma: float, alone: float, at_least: int = 1) -> "GaussianThreshold":
        """The least threshold that a key of one person reaches with no more than this chance.

        Raises:
          ValueError: if a number is out of its range; `alone` must be above zero.
        """
        refuse_no_share("alone", alone)
        threshold = 2
        while cls(sigma, 2 * threshold, at_least).alone > alone:
            threshold *= 2
        low, high = threshold, 2 * threshold
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (middle, high) if cls(sigma, middle, at_least).alone > alone else (low, middle)
            )
        return cls(sigma, high, at_least)

    @property
    def alone(self) -> float:
        """The chance that a key of as few people as may be is kept, at most: step 2."""
        return self.chance(self.at_least) * _ROUNDING

    @property
    def off(self) -> float:
        """How far one draw is from a rounded normal in total variation, at most.

        By **Noise** above, and step 4 of `additive.gaussian`.
        """
        return _noise(self.sigma).tv_distance(1)

    def chance(self, people: int) -> float:
        """That a key of so many people is kept, to a float."""
        if people < self.at_least:
            return 0.0
        short = self.threshold - (people - self.at_least + 1) - _noise(self.sigma).step / 2
        return math.erfc(short / self.sigma / math.sqrt(2)) / 2

    def needed(self, chance: float) -> int:
        """How many people a key must have to be kept with this chance, below 1, at least."""
        low, high = self.at_least - 1, self.at_least + self.threshold + math.ceil(9 * self.sigma)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.chance(middle) >= chance else (middle, high)
        return high

    def sample(
        self, key: PRNGKeyArray, people: Int64[np.ndarray, " keys"]
    ) -> Bool[np.ndarray, " keys"]:
        """Which of the keys are kept, of which so many people have each."""
        noise, most = _noise(self.sigma), self.threshold + math.ceil(_SURELY * self.sigma)
        steps = round(1 / noise.step)
        draws = drawn(jax.jit(lambda key: noise.steps.limbs(key, (CHUNK,))), key)
        counts = np.clip(people - (self.at_least - 1), 0, most)
        kept = np.empty(len(people), bool)
        for chunk, start in enumerate(range(0, len(people), CHUNK)):
            own = counts[start : start + CHUNK]
            high, low = (limb[: len(own)] for limb in draws(jax.random.fold_in(key, chunk)))
            noisy = own * steps + high.astype(np.int64) * LIMB + low
            kept[start : start + len(own)] = (noisy >= self.threshold * steps) & (own > 0)
        return kept


@functools.lru_cache(maxsize=16)
def _noise(sigma: float) -> Gaussian:
    return Gaussian(sigma, 1.0, min(1.0, 2.0 ** (math.floor(math.log2(sigma)) - _FINE)))
