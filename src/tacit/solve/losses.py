"""Convex losses of a linear model: their values, derivatives and the constants privacy needs.

A person has a row of features x, |x| <= R in L2, and a label y; the model w gives them the score
z = <w, x> (one for each class, if w has a column for each). A loss l(z, y) is convex in z, so in w.
Its gradient and Hessian in w are l'(z, y) x and l''(z, y) x x', hence with S = sup |l'| and
C = sup l'' (L2 and operator norm, if there are several scores)

* it is **S R-Lipschitz** in w, and its gradient is **C R²-Lipschitz**;
* **volume**: if H >= s in the order of symmetric matrices and E is one person's Hessian, then
  1 <= det(H + E)/det H <= e^volume(R²/s), volume(t) = log(1 + C t) for one score. With E = B B',
  the ratio is det(1 + B' H^-1 B) <= det(1 + B' B/s), and B' B = l''(z, y) |x|²;
* **corners**: the slopes all lie in the hull of zero and so many points, of norm at most S.

| loss | l(z, y) | y | S | C | corners |
| --- | --- | --- | --- | --- | --- |
| `Logistic` | log(1 + e^-yz), capped at m | -1, 1 | m | 1/4 | 1 |
| `Hinge` | max(0, 1 - yz) | -1, 1 | 1 | none | 1 |
| `HuberisedHinge` | (1 + h - yz)²/4h for yz in 1 ± h, hinge outside | -1, 1 | 1 | 1/2h | 1 |
| `Multinomial` | log sum_c e^z_c - z_y, capped at m | 0 ... k-1 | m sqrt(2) | 1/2 | k - 1 |
| `Squared` | (z - y)²/2 | real | none | 1 | none |
| `Huber` | squared up to |z - y| = a, then a|z - y| - a²/2 | real | a | 1 | 2 |

**Multinomial**, p = softmax(z).

1. The slope p - e_y is a mean of the points e_c - e_y, of norm sqrt(2).
2. The Hessian A = diag p - p p' has operator norm at most 1/2: v'Av is the variance of v_c under p,
   thus at most (max v - min v)²/4 <= |v|²/2.
3. Its trace is 1 - |p|² <= 1 - 1/k and its rank k - 1, so log det(1 + tA) <= (k-1) log(1 + t/k), by
   concavity of the logarithm. That is its volume.

**Capped.**

4. Both logistic losses are log(1 + e^t), with t = -yz or log sum_(c != y) e^(z_c - z_y), convex in
   z; t's gradient times e^t/(1 + e^t), the chance the model gives to other labels, is the slope.
5. Where that chance exceeds m = `steepest`, the loss goes on as a line in t of slope m. That is
   convex and rises with t, so the loss stays convex and its slope Lipschitz, and m bounds the
   chance. At scores of zero the chance of the other of two labels is 1/2: m = 1/2 halves the
   constant that noise is in proportion to, and changes nothing at first.
6. For Multinomial let q be the chances among other labels. The slope is chance (q - e_y), a mean of
   zero and the points m (e_c - e_y).
7. Beyond m the Hessian is m (diag q - q q'), of norm at most m/2, trace at most m (k-2)/(k-1) and
   rank k - 2, so of volume at most (k-2) log(1 + u), u = t/(k-1).
8. That is below (k-1) log(1 + t/k), for r log(1 + t/(r+1)) rises with r: its derivative is
   log(1 + u) - u/(1 + u) r/(r+1) > 0, u = t/(r+1).

Real labels are at most 2^100 in size. What a loss lacks it refuses by name. Functions take and give
arrays of NumPy or of JAX.

References:
    Chapelle 2007, "Training a support vector machine in the primal" (the Huberised hinge).
    Böhning 1992, "Multinomial logistic regression algorithm" (the Hessian's bound).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

from tacit.argument import got, is_number, is_whole, refuse_not_positive

# Larger labels of a regression are none.
MOST_LABEL = 2.0**100
# One number, or one row of numbers, for each person; of NumPy or JAX, traced or not.
Numbers = Any


@final
@dataclass(frozen=True)
class Logistic:
    """log(1 + e^-yz), labels -1 and 1.

    Args:
      steepest: m, from 1/2 to 1; at 1 nothing is capped.
    """

    outputs = ()
    curvature_bound, corners = 0.25, 1
    steepest: float = 1.0

    def __post_init__(self):
        _check_steepest(self.steepest)

    @property
    def words(self) -> str:
        return f"the logistic loss{_cap_in_words(self.steepest)}"

    @property
    def slope_bound(self) -> float:
        return self.steepest

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        xp, knee = scores.__array_namespace__(), -_odds(self.steepest)
        margins = labels * scores
        within = xp.maximum(margins, knee)
        beyond = self.steepest * (within - margins)
        return xp.logaddexp(xp.zeros_like(scores), -within) + beyond

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        chance = self._chance(labels * scores)
        return -labels * scores.__array_namespace__().minimum(chance, self.steepest)

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        chance = self._chance(labels * scores)
        return chance * (1 - chance) * (chance <= self.steepest)

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        return abs(labels) == 1

    def lipschitz(self, bound: float) -> float:
        return self.slope_bound * bound

    def smoothness(self, bound: float) -> float:
        return self.curvature_bound * bound**2

    def volume(self, ratio: float) -> float:
        return math.log1p(self.curvature_bound * ratio)

    @staticmethod
    def _chance(margins: Numbers) -> Numbers:
        """1/(1 + e^m), which no margin overflows."""
        return (1 - margins.__array_namespace__().tanh(margins / 2)) / 2


@final
@dataclass(frozen=True)
class Hinge:
    """max(0, 1 - yz), labels -1 and 1; at a margin of 1 its slope is taken to be 0."""

    outputs = ()
    slope_bound, corners = 1.0, 1
    words = "the hinge loss"

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        return (1 - labels * scores).clip(0)

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        return -labels * (labels * scores < 1)

    @property
    def curvature_bound(self) -> float:
        raise _without("Hinge", "bound on its curvature", "HuberisedHinge")

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        raise _without("Hinge", "curvature", "HuberisedHinge")

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        return abs(labels) == 1

    def lipschitz(self, bound: float) -> float:
        return self.slope_bound * bound

    def smoothness(self, bound: float) -> float:
        raise _without("Hinge", "smoothness", "HuberisedHinge")

    def volume(self, ratio: float) -> float:
        raise _without("Hinge", "volume", "HuberisedHinge")


@final
@dataclass(frozen=True)
class HuberisedHinge:
    """The hinge with a parabola for margins within `width` of 1. Its slope is Lipschitz.

    Args:
      width: h, positive and finite; the curvature is 1/2h there and zero elsewhere.
    """

    outputs = ()
    slope_bound, corners = 1.0, 1
    words = "the hinge loss with a parabola at its corner"
    width: float = 0.5

    def __post_init__(self):
        refuse_not_positive("width", self.width)

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        short = 1 + self.width - labels * scores
        inside = short.clip(0, 2 * self.width)
        return inside**2 / (4 * self.width) + (short - inside).clip(0)

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        short = (1 + self.width - labels * scores) / (2 * self.width)
        return -labels * short.clip(0, 1)

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        return (abs(1 - labels * scores) <= self.width) * self.curvature_bound

    @property
    def curvature_bound(self) -> float:
        return 1 / (2 * self.width)

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        return abs(labels) == 1

    def lipschitz(self, bound: float) -> float:
        return self.slope_bound * bound

    def smoothness(self, bound: float) -> float:
        return self.curvature_bound * bound**2

    def volume(self, ratio: float) -> float:
        return math.log1p(self.curvature_bound * ratio)


@final
@dataclass(frozen=True)
class Multinomial:
    """The logistic loss of `classes` scores a person, labels 0 ... `classes` - 1.

    Args:
      classes: At least 2. (Of two, `Logistic` says the same with half as many numbers.)
      steepest: m, from 1/2 to 1; at 1 nothing is capped.
    """

    curvature_bound = 0.5
    classes: int = 2
    steepest: float = 1.0

    def __post_init__(self):
        if not (is_whole(self.classes) and self.classes >= 2):
            raise ValueError(f"classes must be at least 2, got {got(self.classes)}")
        _check_steepest(self.steepest)

    @property
    def words(self) -> str:
        return f"the logistic loss{_cap_in_words(self.steepest)}"

    @property
    def slope_bound(self) -> float:
        return self.steepest * math.sqrt(2)

    @property
    def outputs(self) -> tuple[int, ...]:
        return (self.classes,)

    @property
    def corners(self) -> int:
        return self.classes - 1

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        xp = scores.__array_namespace__()
        below = scores - scores.max(axis=-1, keepdims=True)
        chosen = (below * self._named(labels)).sum(axis=-1)
        whole = xp.log(xp.exp(below).sum(axis=-1)) - chosen
        if self.steepest == 1:
            return whole
        # As log(1 + e^t) is the whole, t is the whole and log(1 - e^-whole).
        knee = -math.log1p(-self.steepest)
        beyond = xp.maximum(whole, knee)
        odds = beyond + xp.log(-xp.expm1(-beyond))
        return xp.minimum(whole, knee) + self.steepest * (odds - _odds(self.steepest))

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        chances, named = self._chances(scores), self._named(labels)
        return (chances - named) * self._kept(self._others(chances, named))[..., None]

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        """A matrix for each person."""
        chances, named = self._chances(scores), self._named(labels)
        others = self._others(chances, named)
        xp, capped = scores.__array_namespace__(), others > self.steepest
        among = chances * ~named / xp.where(capped, others, 1)[..., None]
        bent = xp.where(capped[..., None], among, chances)
        diagonal = xp.eye(self.classes, dtype=scores.dtype)
        factor = xp.where(capped, self.steepest, 1)[..., None, None]
        return factor * bent[..., None] * (diagonal - bent[..., None, :])

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        whole = labels == labels.__array_namespace__().floor(labels)
        return whole & (labels >= 0) & (labels < self.classes)

    def lipschitz(self, bound: float) -> float:
        return self.slope_bound * bound

    def smoothness(self, bound: float) -> float:
        return self.curvature_bound * bound**2

    def volume(self, ratio: float) -> float:
        return (self.classes - 1) * math.log1p(ratio / self.classes)

    def _chances(self, scores: Numbers) -> Numbers:
        weights = scores.__array_namespace__().exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    def _others(self, chances: Numbers, named: Numbers) -> Numbers:
        """The chance of all other labels."""
        return (chances * ~named).sum(axis=-1)

    def _kept(self, others: Numbers) -> Numbers:
        """What the cap leaves of a slope."""
        xp = others.__array_namespace__()
        return self.steepest / xp.maximum(others, self.steepest)

    def _named(self, labels: Numbers) -> Numbers:
        xp = labels.__array_namespace__()
        return labels[..., None] == xp.arange(self.classes)


@final
@dataclass(frozen=True)
class Squared:
    """(z - y)²/2, real labels: no bound on its slope, so no method that needs one."""

    outputs = ()
    curvature_bound = 1.0
    words = "the squared loss"

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        return (scores - labels) ** 2 / 2

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        return scores - labels

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        return scores.__array_namespace__().ones_like(scores)

    @property
    def slope_bound(self) -> float:
        raise _without("Squared", "bound on its slope", "Huber")

    @property
    def corners(self) -> int:
        raise _without("Squared", "corners", "Huber")

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        return abs(labels) <= MOST_LABEL

    def lipschitz(self, bound: float) -> float:
        raise _without("Squared", "Lipschitz constant", "Huber")

    def smoothness(self, bound: float) -> float:
        return self.curvature_bound * bound**2

    def volume(self, ratio: float) -> float:
        return math.log1p(self.curvature_bound * ratio)


@final
@dataclass(frozen=True)
class Huber:
    """The squared loss up to a residual of `width`, and its tangents beyond; real labels.

    Args:
      width: a, positive and finite, in the unit of the labels.
    """

    outputs = ()
    curvature_bound, corners = 1.0, 2
    width: float = 1.0

    def __post_init__(self):
        refuse_not_positive("width", self.width)

    @property
    def words(self) -> str:
        return f"Huber's loss of width {self.width:.3g}"

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        residual = abs(scores - labels)
        inside = residual.clip(0, self.width)
        return inside * (residual - inside / 2)

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        return (scores - labels).clip(-self.width, self.width)

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        return (abs(scores - labels) <= self.width) * self.curvature_bound

    @property
    def slope_bound(self) -> float:
        return self.width

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        return abs(labels) <= MOST_LABEL

    def lipschitz(self, bound: float) -> float:
        return self.slope_bound * bound

    def smoothness(self, bound: float) -> float:
        return self.curvature_bound * bound**2

    def volume(self, ratio: float) -> float:
        return math.log1p(self.curvature_bound * ratio)


Loss = Logistic | Hinge | HuberisedHinge | Multinomial | Squared | Huber


def _without(loss: str, constant: str, instead: str) -> ValueError:
    return ValueError(f"the {loss} loss has no {constant}, which this needs; {instead} has one")


def refuse_no_loss(loss: Any) -> None:
    """Raises a ValueError unless this is a loss, and not the name or the class of one."""
    if isinstance(loss, type) or not hasattr(type(loss), "lipschitz"):
        raise ValueError(
            f"a loss must be one of tacit.solve.losses, such as Logistic(), got {got(loss)}"
        )


def _check_steepest(steepest: float) -> None:
    if not (is_number(steepest) and 0.5 <= steepest <= 1):
        raise ValueError(f"steepest must be between 1/2 and 1, got {got(steepest)}")


def _odds(chance: float) -> float:
    """The log-odds of a chance."""
    return math.inf if chance == 1 else math.log(chance / (1 - chance))


def _cap_in_words(steepest: float) -> str:
    return {1: "", 0.5: " capped at a half"}.get(steepest, f" capped at {steepest:.3g}")
