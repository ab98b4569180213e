"""How loudly each set's contrasts are heard: what noise each gets, of one promise for all of them.

Contrasts are of the set's own rows, of length L_A; times the weight w_A all have the same noise, so
noise on a contrast is as 1/w_A. Let c_A be what variance one on contrasts of unit rows adds to the
error that is asked for (`closure`), p_A the squared length and l_A the L1 length that one record
has in the set's contrasts. Noise is in proportion to

* Gaussian: (sum w_A² L_A² p_A)^(1/2), so the error to (sum w_A² L_A² p_A) (sum c_A/(w_A L_A)²),
  least (Cauchy and Schwarz) at w_A = (c_A/p_A)^(1/4) / L_A;
* Laplace: sum w_A l_A, so the error to (sum w_A l_A)² (sum c_A/(w_A L_A)²), least (Hölder) at
  w_A = (c_A/(L_A² l_A))^(1/3). At epsilon, it is then 2/epsilon² (sum (c_A l_A²/L_A²)^(1/3))³.

**Fourier.** The contrasts of binary attributes are the Walsh coefficients sum over records x of
(-1)^(x_i + x_j + ...), times whole numbers. `Even` gives all of them the same noise, as Barak et
al. 2007 do: with f of them each is off by Laplace noise of scale f/epsilon. For other attributes
the characters are cosines, of unit length over all columns together, and noise is even on these.

| weighting | for | tables of 2 of 16 binary columns, epsilon 1: root mean square |
| --- | --- | --- |
| `ForGaussian` | a promise with a delta: least error of all Gaussian noise | 24.2, delta 1e-9 |
| `ForLaplace` | a promise without: least error of all weights | 68.0 |
| `Even` | as published | 96.9; each table by itself, with its share of epsilon: 169.7 |

References:
    Barak, Chaudhuri, Dwork, Kale, McSherry and Talwar 2007, "Privacy, accuracy, and consistency
        too: a holistic solution to contingency table release".
    Xiao, He, Zhang and Kifer 2023, "An optimal and scalable matrix mechanism for noisy marginals
        under convex loss functions" (ResidualPlanner).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Float

from tacit.contribution.contrasts import contrasts, length_of

Sizes = tuple[int, ...]
Floats = Float[np.ndarray, " sets"]

# An attribute of one category has no contrasts, whatever they weigh.
_TINY = 1e-12


@runtime_checkable
class Weighting(Protocol):
    """A rule for the weights of sets."""

    def loudness(self, sizes: Sizes, cost: float) -> float:
        """What a set's weight is proportional to.

        Args:
          sizes: how many categories each of its attributes has.
          cost: c_A.
        """
        ...

    def moved(self, sets: Sequence[Sizes], weights: Floats) -> float:
        """How far one record moves all sums of these weights, in the norm of the rule's noise."""
        ...


@final
@dataclass(frozen=True)
class ForGaussian:
    """The weights of the least error under Gaussian noise."""

    def loudness(self, sizes: Sizes, cost: float) -> float:
        return (cost / max(moved_by(sizes), _TINY)) ** 0.25 / lengths_of(sizes)

    def moved(self, sets: Sequence[Sizes], weights: Floats) -> float:
        each = [lengths_of(sizes) ** 2 * moved_by(sizes) for sizes in sets]
        return float(np.sqrt(weights**2 @ np.array(each)))


@final
@dataclass(frozen=True)
class ForLaplace:
    """The weights of the least error under Laplace noise."""

    def loudness(self, sizes: Sizes, cost: float) -> float:
        return (cost / lengths_of(sizes) ** 2 / max(l1_of(sizes), _TINY)) ** (1 / 3)

    def moved(self, sets: Sequence[Sizes], weights: Floats) -> float:
        return moved_in_l1(sets, weights)


@final
@dataclass(frozen=True)
class Even:
    """The same noise on all Fourier coefficients."""

    def loudness(self, sizes: Sizes, cost: float) -> float:
        return math.sqrt(math.prod(sizes)) / lengths_of(sizes) if cost > 0 else 0.0

    def moved(self, sets: Sequence[Sizes], weights: Floats) -> float:
        return moved_in_l1(sets, weights)


@final
@dataclass(frozen=True)
class Quieter:
    """The weights of another rule, those of sets of two columns and more all the less by a factor.

    Args:
      rule: the other.
      factor: from above 0 to 1.
    """

    rule: Weighting
    factor: float

    def loudness(self, sizes: Sizes, cost: float) -> float:
        return self.rule.loudness(sizes, cost) * (self.factor if len(sizes) > 1 else 1.0)

    def moved(self, sets: Sequence[Sizes], weights: Floats) -> float:
        return self.rule.moved(sets, weights)


def moved_by(sizes: Sizes) -> float:
    """p_A: the squared length of one record in contrasts of unit rows."""
    return math.prod(1 - 1 / size for size in sizes)


def l1_of(sizes: Sizes) -> float:
    """l_A: the L1 length of one record in contrasts of the set's own rows, at most."""
    return float(math.prod(int(np.abs(contrasts(size)).sum(0).max(initial=0)) for size in sizes))


def moved_in_l1(sets: Sequence[Sizes], weights: Floats) -> float:
    """By one record, of all sums of these weights."""
    return float(weights @ np.array(list(map(l1_of, sets))))


def lengths_of(sizes: Sizes) -> float:
    """L_A: of the set's rows."""
    return math.prod(map(length_of, sizes))
