"""Protection against reconstruction: what a large local epsilon still promises.

An onlooker who sees a person's local report wants to guess a function of her data to within a
tolerance. Without the report his best guess succeeds with the *prior* probability p; the report
multiplies his odds by at most e^epsilon, so where p is tiny he fails even at a large epsilon.

**Proof.** Fix what is seen, z, and the guess made from it, and let A be the data for which that
guess succeeds.

1. Every likelihood of z is within a factor e^epsilon of every other, so Bayes' rule multiplies the
   odds of A against not A by at most e^epsilon.
2. If the onlooker's prior has density at most e^diffuseness relative to the base law whose p is
   known, then P(A) <= e^diffuseness p.
3. Together

       P(A | z) <= e^epsilon p' / (1 + p' (e^epsilon - 1)),   p' = min(1, e^diffuseness p),

   which is never above the usual e^(epsilon + diffuseness) p, and which randomised response on A
   attains. It holds for every z: there are no rare breaches.
4. Reports of one person add their epsilons. Where a vector's direction and magnitude are released
   apart and `diffuseness` holds for its direction given its magnitude, the direction's epsilon
   alone counts against guessing the direction.

A **prior** has `log_breach(tolerance)`: the natural log of an upper bound, over all fixed guesses,
on the probability of a loss within the tolerance. Logs, because p may be e^-40000.

References:
    Bhowmick, Duchi, Freudiger, Kapoor, Rogers (2018), "Protection against reconstruction and its
    applications in private federated learning", Lemmas 2.1 to 2.3 and Proposition 1.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float
from scipy.stats import beta

from tacit.accounting.theorems.sphere_caps import log_cap_mass
from tacit.argument import got, is_number, is_whole, refuse_not_counted

# Masses below the second are dropped; all that are dropped together stay below the first.
_LEAST = 1e-290
_NEGLIGIBLE = 1e-303
_LARGEST_TABLE = 20_000_000
Counts = Float[np.ndarray, " counts"]


class Prior(Protocol):
    """What an onlooker knows before he sees anything."""

    def log_breach(self, tolerance: float) -> float:
        """The log of the probability that the best fixed guess is within `tolerance`."""
        ...


def after(log_prior: float, epsilon: float, diffuseness: float = 0.0, rounds: int = 1) -> float:
    """The largest probability of a breach after `rounds` releases, each `epsilon`-locally private.

    Args:
      log_prior: a prior's `log_breach`.
      diffuseness: the log of how much denser than that prior the onlooker's own may be.
    """
    _check(log_prior, diffuseness, rounds)
    if not (is_number(epsilon) and 0 <= epsilon < math.inf):
        raise ValueError(f"epsilon must be at least zero and finite, got {got(epsilon)}")
    log_odds = _log_odds(min(0.0, log_prior + diffuseness)) + rounds * epsilon
    return 1 / (1 + math.exp(-log_odds)) if log_odds > -700 else math.exp(log_odds)


def largest_epsilon(
    log_prior: float, probability: float, diffuseness: float = 0.0, rounds: int = 1
) -> float:
    """The largest epsilon of each of `rounds` releases that keeps breaches at `probability`.

    **Guarantee.** `after` of the result is at most `probability`. Infinite where log_prior is -inf.

    Raises:
      ValueError: the prior alone is likelier than `probability`: no epsilon keeps it.
    """
    _check(log_prior, diffuseness, rounds)
    prior = min(0.0, log_prior + diffuseness)
    _refuse_unkept(prior, probability)
    if prior == -math.inf:
        return math.inf
    wanted = math.log(probability) - math.log1p(-probability)
    found = max(0.0, wanted - _log_odds(prior)) / rounds
    # What rounding has added is not spent.
    slack = 1e-15 * (found + abs(log_prior) / rounds)
    while found > 0 and after(log_prior, found, diffuseness, rounds) > probability:
        found, slack = max(0.0, found - slack), 2 * slack
    return found


@dataclass(frozen=True)
class Directions:
    """A direction the onlooker knows nothing about: uniform on the sphere in `dimension`.

    The loss of a guess is its distance after both are normalised, so a tolerance t is a cosine of
    at least a = 1 - t^2/2, and the breach is the cap of that height: I_{1-a^2}((k-1)/2, 1/2)/2.

    **Error.** Float64's alone, for dimensions into the millions (`theorems.sphere_caps`).
    """

    dimension: int

    def __post_init__(self):
        if not (is_whole(self.dimension) and self.dimension >= 2):
            raise ValueError(f"dimension must be a whole number above 1, got {got(self.dimension)}")

    def log_breach(self, tolerance: float) -> float:
        """The log of the probability of a distance of at most `tolerance`.

        Raises:
          ValueError: `tolerance` is not in (0, sqrt 2); from there on a guess of zero, whose loss
            is sqrt 2, always succeeds.
        """
        if not (is_number(tolerance) and 0 < tolerance < math.sqrt(2)):
            raise ValueError(f"tolerance must be in (0, sqrt 2), got {got(tolerance)}")
        # sqrt(1 - a^2), in a form that does not cancel where the cap is small.
        radius = tolerance * math.sqrt(1 - tolerance**2 / 4)
        tangent = (1 - tolerance**2 / 2) / radius
        return log_cap_mass(self.dimension, math.log(radius), tangent)


@dataclass(frozen=True)
class Zipf:
    """A person's used words out of a dictionary, with Zipf's frequencies.

    Word j of `words` is used, independently, with probability min(1, draws/(j H)), where H is
    1 + 1/2 + ... + 1/words: how often it is expected in a text of `draws` words. A guess is a set
    of words; its precision is the part of it that is used, its recall the part of the used in it.

    Why it can be exact: exchanging a guessed word for a likelier one helps in both respects, so the
    best guess of each size is the first words. Hits and misses are then sums of independent bits,
    and the largest probability over all sizes is a finite computation.

    **Error.** Upwards and below 1e-280: counts less likely than 1e-290 are lumped on the safe side.
    """

    words: int
    draws: int

    def __post_init__(self):
        for name in ("words", "draws"):
            refuse_not_counted(name, getattr(self, name))

    @property
    def chances(self) -> Float[np.ndarray, " words"]:
        """Each word's probability of being used, the likeliest first."""
        ranks = np.arange(1, self.words + 1)
        return np.minimum(1.0, self.draws / (ranks * np.sum(1 / ranks)))

    def log_breach(self, tolerance: float) -> float:
        """The log of the probability of precision and recall of at least 1 - `tolerance`."""
        if not (is_number(tolerance) and 0 <= tolerance < 1):
            raise ValueError(f"tolerance must be in [0, 1), got {got(tolerance)}")
        return self.log_both(1 - tolerance, 1 - tolerance)

    def log_precision(self, precision: float, guessed: int) -> float:
        """The log of the probability of this precision by a guess of at least `guessed` words."""
        _check_part("precision", precision)
        self._refuse_no_guess(guessed)
        best = 0.0
        for size, hits in _growing(self.chances, self._most_hits(), self._largest(precision)):
            if size >= guessed:
                best = max(best, float(_reaching(hits, precision * size).sum()))
        return _log(best)

    def log_recall(self, recall: float, guessed: int) -> float:
        """The log of the probability of this recall by a guess of at most `guessed` words."""
        _check_part("recall", recall)
        self._refuse_no_guess(guessed)
        first, rest = np.split(self.chances, [int(guessed)])
        hits, misses = _law(first, self._most_hits()), _law(rest, self._most_hits())
        return _log(float(hits @ _recalled(misses, recall)))

    def log_both(self, precision: float, recall: float) -> float:
        """The log of the probability of at least both, by the best guess of any size."""
        _check_part("precision", precision)
        _check_part("recall", recall)
        most, largest = self._most_hits(), self._largest(precision)
        if not largest * most <= _LARGEST_TABLE:
            raise ValueError(f"draws / precision must be smaller, got {self.draws} / {precision}")
        rest = self._rest(most, largest)
        best = 0.0
        for size, hits in _growing(self.chances, most, largest):
            if size >= 1:
                enough = _reaching(hits, precision * size)
                allowed = _recalled(rest[size], recall)[-len(enough) :]
                best = max(best, float(enough @ allowed))
        return _log(best)

    def _refuse_no_guess(self, guessed: Any) -> None:
        if not (is_whole(guessed) and 1 <= guessed <= self.words):
            raise ValueError(f"guessed must be in [1, {self.words}], got {got(guessed)}")

    def _most_hits(self) -> int:
        """A number of used words less likely than 1e-290, by Bernstein's inequality."""
        return min(self.words, self.draws + math.ceil(223 + math.sqrt(223**2 + 1340 * self.draws)))

    def _largest(self, precision: float) -> int:
        """The largest guess that can have the precision: a larger one needs more hits."""
        return min(self.words, math.floor(self._most_hits() / precision) + 1)

    def _rest(self, most: int, largest: int) -> list[Counts]:
        """The law of the used words beyond the first s, for each s up to `largest`."""
        backwards = _growing(self.chances[::-1], most, self.words)
        kept = [law for size, law in backwards if self.words - size <= largest]
        return kept[::-1]


@dataclass(frozen=True)
class SampledPrior:
    """Any prior that can be drawn from, bounded by simulation.

    **Guarantee.** For one tolerance, the bound holds with probability `confidence` over the draws:
    Clopper and Pearson's upper limit for each guess, their failures shared equally.

    Args:
      sample: draws targets: given a generator and a number, that many of them.
      loss: of all drawn targets and one guess, the losses.
      guesses: every guess the onlooker may make; a finite cover of them with its radius added to
        the tolerance, where there are infinitely many and the loss is a distance.
      draws: how many targets are drawn.
      confidence: in (0, 1), near 1.
      seed: of the generator.
    """

    sample: Callable[[np.random.Generator, int], Any]
    loss: Callable[[Any, Any], Float[np.ndarray, " draws"]]
    guesses: Sequence[Any]
    draws: int
    confidence: float
    seed: int

    def __post_init__(self):
        if not (is_number(self.confidence) and 0 < self.confidence < 1):
            raise ValueError(f"confidence must be in (0, 1), got {got(self.confidence)}")
        refuse_not_counted("draws", self.draws)
        if not len(self.guesses) >= 1:
            raise ValueError("guesses must hold at least one guess, got none")

    def log_breach(self, tolerance: float) -> float:
        """The log of the upper limit for the guess that succeeded most often."""
        if not (is_number(tolerance) and not math.isnan(tolerance)):
            raise ValueError(f"tolerance must be a number, got {got(tolerance)}")
        targets = self.sample(np.random.default_rng(self.seed), self.draws)
        successes = max(self._successes(targets, guess, tolerance) for guess in self.guesses)
        if successes == self.draws:
            return 0.0
        failure = (1 - self.confidence) / len(self.guesses)
        return math.log(beta.isf(failure, successes + 1, self.draws - successes))

    def _successes(self, targets: Any, guess: Any, tolerance: float) -> int:
        losses = np.asarray(self.loss(targets, guess))
        if losses.shape != (self.draws,) or np.isnan(losses).any():
            raise ValueError(f"loss must give {self.draws} numbers, got shape {losses.shape}")
        return int(np.count_nonzero(losses <= tolerance))


def _growing(chances: Counts, most: int, size: int) -> Iterator[tuple[int, Counts]]:
    """The law of how many of the first 0, 1, ..., `size` words are used; from `most` on lumped."""
    law = np.zeros(most + 1)
    law[0] = 1.0
    yield 0, law
    for count, chance in enumerate(chances[:size], 1):
        used = chance * law
        law = law - used if chance <= 0.5 else (1 - chance) * law
        law[1:] += used[:-1]
        law[-1] += used[-1]
        law[law < _NEGLIGIBLE] = 0.0
        yield count, law


def _law(chances: Counts, most: int) -> Counts:
    return deque(_growing(chances, most, len(chances)), maxlen=1).pop()[1]


def _reaching(law: Counts, bound: float) -> Counts:
    """The part of a law from the least whole number that reaches `bound`, rounding forgiven."""
    return law[min(math.ceil(bound * (1 - 1e-12)), len(law) - 1) :]


def _recalled(misses: Counts, recall: float) -> Counts:
    """For 0, 1, ... hits the probability of no more misses than the recall lets these hits have."""
    most = len(misses) - 1
    per_hit = (1 - recall) / recall * (1 + 1e-12)
    allowed = np.minimum(np.arange(most + 1) * per_hit + 1e-12, most).astype(int)
    allowed[-1] = most
    return np.append(np.cumsum(misses[:-1]), 1.0)[allowed]


def _log(probability: float) -> float:
    return min(0.0, math.log(probability + _LEAST))


def _log_odds(log_probability: float) -> float:
    if log_probability == 0:
        return math.inf
    return log_probability - math.log(-math.expm1(log_probability))


def _check(log_prior: float, diffuseness: float, rounds: int):
    if not (is_number(log_prior) and log_prior <= 0):
        raise ValueError(f"log_prior must be at most zero, got {got(log_prior)}")
    if not (is_number(diffuseness) and 0 <= diffuseness < math.inf):
        raise ValueError(f"diffuseness must be at least zero and finite, got {got(diffuseness)}")
    refuse_not_counted("rounds", rounds)


def _check_part(name: str, value: float):
    if not (is_number(value) and 0 < value <= 1):
        raise ValueError(f"{name} must be in (0, 1], got {got(value)}")


def _refuse_unkept(prior: float, probability: float):
    if not (is_number(probability) and 0 < probability < 1):
        raise ValueError(f"probability must be in (0, 1), got {got(probability)}")
    if prior > math.log(probability):
        raise ValueError(
            f"probability must be at least e^{prior:.6g}, what a guess without any release "
            f"reaches, got {probability}"
        )
