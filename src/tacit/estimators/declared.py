"""What is declared about people before their data are read, and how rows are brought into it.

A bound or a list of labels that is read off the data is an answer about people that nobody paid
for. So both are declared, and data are made to fit: a number beyond its bounds counts as the nearer
of them, and what was never declared is refused. Where nothing is promised (`NonPrivate`) both may
be left out, and are then read off the data.

With bounds l and u a feature x is mapped to t = (2x - l - u)/(u - l), in [-1, 1]. In the **cube**
rows are t; in the **ball** they are 2t/sqrt(d), d being the number of features, so that no row is
longer than `RADIUS` = 2. Either way a constant 1 follows for the intercept, and `Box.line` gives
weights of such rows in the data's own units:

    <w, s t> + w_0 = <c, x> + c_0,   c = 2 s w/(u - l),   c_0 = w_0 - <c, l + u>/2.

Why two: noise is in proportion to the longest row, the constant included. Next to rows no longer
than one the constant would make that 2^(1/2) times what features need, next to these it makes it
(5/4)^(1/2) times: 0.79 of the noise on what tells people apart, at 1.6 times that on the intercept,
the one number that everybody bears on (`bench/defaults.py`).

Refusals depend on the data: they are for whoever holds them, like the data themselves.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np
from jaxtyping import ArrayLike, Float, Float32, Int, Shaped
from sklearn.utils.validation import check_array

from tacit.estimators.listed_labels import labels_in, of_another_kind
from tacit.solve.passes import blocks
from tacit.statistics.between import are_bounds, bounds_each
from tacit.statistics.float_types import refuse_no_numbers
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust

# A number for all features, or one for each; or a pair for each, in a list of tuples.
Bounds = tuple[ArrayLike, ArrayLike] | list[tuple[float, float]] | None

# Every label there may be; their order is their own.
Classes = Sequence[Any] | AbstractSet[Any] | None

# The longest row in the ball; and with a constant 1 after it.
RADIUS = 2.0
REACH = math.hypot(RADIUS, 1.0)


@final
@dataclass(frozen=True)
class Box:
    """The bounds of every feature: lower below upper, finite.

    Raises:
      ValueError: if they are not.
    """

    lower: Float[np.ndarray, " features"]
    upper: Float[np.ndarray, " features"]

    def __post_init__(self):
        if not are_bounds(self.lower, self.upper):
            raise ValueError("bounds must be finite, with every lower one below its upper one")

    @classmethod
    def declared(cls, bounds: Any, features: int, name: str = "bounds") -> "Box":
        """From what `bounds_each` takes; errors as of that."""
        return cls(*bounds_each(bounds, features, name))

    @classmethod
    def read_off(cls, rows: Float[np.ndarray, "people features"]) -> "Box":
        """The smallest that holds all rows; a constant feature is put in the middle of its own."""
        lower, upper = rows.min(axis=0), rows.max(axis=0)
        spare = np.where(lower == upper, 0.5 * np.maximum(np.abs(lower), 1), 0)
        return cls(lower - spare, upper + spare)

    @property
    def shrink(self) -> float:
        """s of the ball."""
        return RADIUS / math.sqrt(len(self.lower))

    def clipped(
        self, rows: Float[np.ndarray, "people features"]
    ) -> Float[np.ndarray, "people features"]:
        """Rows of which a number outside its bounds is the nearer of them."""
        return np.clip(rows, self.lower, self.upper)

    def cube(
        self, rows: Float[np.ndarray, "people features"]
    ) -> Float[np.ndarray, "people features"]:
        """Rows clipped to the bounds, in [-1, 1], as populations hold them."""
        return self._mapped(rows, 1.0)

    def ball(
        self, rows: Float[np.ndarray, "people features"]
    ) -> Float[np.ndarray, "people features"]:
        """The same, no longer than `RADIUS`."""
        return self._mapped(rows, self.shrink)

    @property
    def middle(self) -> Float[np.ndarray, " features"]:
        return (self.lower + self.upper) / 2

    @property
    def half(self) -> Float[np.ndarray, " features"]:
        """Of each side."""
        return (self.upper - self.lower) / 2

    @property
    def half_diagonal(self) -> float:
        # Its squares may be beyond floats where it is not.
        return math.hypot(*self.half.tolist())

    @property
    def sides(self) -> tuple[float, ...]:
        """Half of each, the half diagonal being one."""
        return tuple((self.half / self.half_diagonal).tolist())

    def placed(
        self, rows: Float[np.ndarray, "people features"]
    ) -> Float32[np.ndarray, "people features"]:
        """Rows clipped to the bounds, in a box about zero whose half diagonal is one."""
        half, made, size = self.half, np.empty(rows.shape, np.float32), self.half_diagonal
        for where in blocks(slice(0, len(rows)), rows.shape[1]):
            # First what is exact: of large bounds the middle may be no float.
            inside = self.clipped(rows[where]) - self.lower
            made[where] = (inside - half) / size
        return made

    def _mapped(
        self, rows: Float[np.ndarray, "people features"], scale: float
    ) -> Float32[np.ndarray, "people features"]:
        """`scale` times the cube: block by block, as double precision takes twice the room."""
        half, made = self.half, np.empty(rows.shape, np.float32)
        for where in blocks(slice(0, len(rows)), rows.shape[1]):
            made[where] = scale * ((self.clipped(rows[where]) - self.lower) / half - 1)
        return made

    def line(
        self, weights: Float[np.ndarray, "with_constant *outputs"], scale: float
    ) -> tuple[Float[np.ndarray, "*outputs features"], Float[np.ndarray, "*outputs"]]:
        """Coefficients and intercepts of weights on rows `scale` times those of the cube."""
        coefficients = weights[:-1].T * (scale / self.half)
        return coefficients, weights[-1] - coefficients @ self.middle

    def units(
        self, coefficients: Float[np.ndarray, " features"], intercept: Float[np.ndarray, ""]
    ) -> tuple[Float[np.ndarray, " features"], float]:
        """Of a target in this box: a line that predicts it in [-1, 1], in its own unit."""
        half = self.half
        return half * coefficients, float(half[0] * intercept + self.middle[0])


def box_of(bounds: Bounds, rows: Float[np.ndarray, "people features"], trust: Trust) -> Box:
    """The declared bounds of the features.

    Raises:
      ValueError: if there are none though something is promised, or rows are of a type of floats
        that has no number between them.
    """
    return _box(bounds, rows, trust, "bounds")


def target_box_of(bounds: Bounds, targets: Float[np.ndarray, " people"], trust: Trust) -> Box:
    """The declared bounds of a regression's target; errors as for features."""
    return _box(bounds, targets[:, None], trust, "target_bounds")


def _box(bounds: Bounds, rows: np.ndarray, trust: Trust, name: str) -> Box:
    if bounds is None and isinstance(trust, NonPrivate):
        return Box.read_off(rows)
    box = box_before(bounds, rows.shape[1], name)
    refuse_no_numbers(rows, box.lower, box.upper)
    return box


def box_before(bounds: Bounds, features: int, name: str = "bounds") -> Box:
    """The declared bounds of so many features, of which no row is there yet.

    Raises:
      ValueError: if there are none.
    """
    if bounds is None:
        raise ValueError(
            f"{name} must be declared, e.g. {name}=(0.0, 1.0): read off the data they would tell "
            "about people"
        )
    return Box.declared(bounds, features, name)


def classes_of(
    classes: Classes, labels: Shaped[np.ndarray, " people"], trust: Trust
) -> Shaped[np.ndarray, " classes"]:
    """The declared labels, in order.

    Raises:
      ValueError: if there are none though something is promised, they are not listed, or there are
        fewer than two.
    """
    if classes is None and not isinstance(trust, NonPrivate):
        raise ValueError(
            "classes must be declared, e.g. classes=[0, 1]: read off the data they would tell "
            "about people"
        )
    found = np.unique(labels if classes is None else labels_in(classes))
    if not len(found) >= 2:
        raise ValueError(f"there must be at least two classes, got {len(found)} class")
    return found


def numbers_of(
    labels: Shaped[np.ndarray, " people"], classes: Shaped[np.ndarray, " classes"]
) -> Int[np.ndarray, " people"]:
    """Each label's place among the declared ones.

    Raises:
      ValueError: if one was never declared; which one is not said.
    """
    # The operator, and not the function, finds a name and a number different.
    matches = labels[:, None] == classes
    if not matches.any(axis=1).all():
        raise ValueError(
            "a label was never declared: classes= must name every label that anybody may have"
            f"{of_another_kind(classes, labels)}"
        )
    return matches.argmax(axis=1)


def outside(X: Any, bounds: Any) -> Int[np.ndarray, " features"]:
    """How many cells of each feature lie beyond the bounds, and would be clipped to them.

    For the curator's eyes: **the count is about people**, and no noise is on it. Publishing it, or
    choosing bounds by it, is an answer that no ledger was charged for.

    Args:
      X: people x features.
      bounds: as an estimator's.
    """
    rows = cast(np.ndarray, check_array(X, dtype=cast(Any, np.float64)))
    box = Box.declared(bounds, rows.shape[1])
    return np.sum((rows < box.lower) | (rows > box.upper), axis=0)
