"""Several classes, one against all others each: the sum of a binary loss over the classes.

Of k scores z and a class y it is l(z, y) = sum_c b(z_c, s_c), where s_c is 1 for c = y and -1
otherwise, and b is a loss of labels -1, 1 with constants S and C and m corners
(`tacit.solve.losses`). It is convex, its minimum is that of k separate models, and

* **slope**: each of k numbers is at most S in size, so sqrt(k) S bounds it in norm;
* **curvature**: the Hessian in z is diagonal, so C bounds it in operator norm;
* **volume**: for a row x the Hessian E in w is |x|² times a direction, in each class a_c of it,
  a_c <= C. As det(1 + B' B/s) is the product of 1 + a_c |x|²/s, k binary volumes bound it;
* **corners**: the slope of class c lies in the hull of zero and m points, so all slopes lie in a
  product of k such hulls: the hull of (m + 1)^k products of corners, one of which is zero.

One mechanism for all classes is what makes this worth while: with a delta its noise on each weight
grows with sqrt(k), and with the logarithm of the corners; k models of epsilon/k each would have k
times the noise of one.

References:
    Rifkin and Klautau 2004, "In defense of one-vs-all classification".
"""

import math
from dataclasses import dataclass
from typing import cast, final

from tacit.argument import got, is_whole
from tacit.solve.losses import HuberisedHinge, Logistic, Loss, Numbers

# Each class has a model of its own in memory, and noise grows with the root of their number.
MOST_CLASSES = 128


@final
@dataclass(frozen=True)
class OneVersusRest:
    """A loss of `classes` scores a person, labels 0 ... `classes` - 1.

    Args:
      loss: of each class against all others.
      classes: from 2 to 128.
    """

    loss: Logistic | HuberisedHinge
    classes: int

    def __post_init__(self):
        classes = self.classes
        if not (is_whole(classes) and 2 <= classes <= MOST_CLASSES):
            raise ValueError(f"classes must be between 2 and {MOST_CLASSES}, got {got(classes)}")

    @property
    def words(self) -> str:
        return f"the sum over classes, each against the rest, of {self.loss.words}"

    @property
    def outputs(self) -> tuple[int, ...]:
        return (self.classes,)

    @property
    def slope_bound(self) -> float:
        return math.sqrt(self.classes) * self.loss.slope_bound

    @property
    def curvature_bound(self) -> float:
        return self.loss.curvature_bound

    @property
    def corners(self) -> int:
        return (self.loss.corners + 1) ** self.classes - 1

    def value(self, scores: Numbers, labels: Numbers) -> Numbers:
        return self.loss.value(scores, self._signs(labels)).sum(axis=-1)

    def slope(self, scores: Numbers, labels: Numbers) -> Numbers:
        return self.loss.slope(scores, self._signs(labels))

    def curvature(self, scores: Numbers, labels: Numbers) -> Numbers:
        """A matrix for each person."""
        diagonal = scores.__array_namespace__().eye(self.classes, dtype=scores.dtype)
        return self.loss.curvature(scores, self._signs(labels))[..., None] * diagonal

    def valid(self, labels: Numbers) -> Numbers:
        """Which labels are labels."""
        whole = labels == labels.__array_namespace__().floor(labels)
        return whole & (labels >= 0) & (labels < self.classes)

    def lipschitz(self, bound: float) -> float:
        return self.slope_bound * bound

    def smoothness(self, bound: float) -> float:
        return self.curvature_bound * bound**2

    def volume(self, ratio: float) -> float:
        return self.classes * self.loss.volume(ratio)

    def _signs(self, labels: Numbers) -> Numbers:
        xp = labels.__array_namespace__()
        return 2.0 * (labels[..., None] == xp.arange(self.classes)) - 1.0


def of_classes(loss: Logistic | HuberisedHinge, classes: int) -> Loss:
    """The loss itself for two classes, one against the rest for more."""
    return loss if classes == 2 else cast(Loss, OneVersusRest(loss, classes))
