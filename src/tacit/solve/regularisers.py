"""Penalties on a model's weights, with the constants that methods ask for.

A penalty r is **m-strongly convex** if r(w) - m|w|²/2 is convex, and **M-smooth** if its gradient
is M-Lipschitz. Its proximal point at v is the w with the least r(w) + |w - v|²/2t:

| penalty | r(w) | strong convexity | smoothness | proximal point |
| --- | --- | --- | --- | --- |
| `L2` | a|w|²/2 | a | a | v/(1 + ta) |
| `L1` | b|w|_1 | zero | none | v shrunk towards zero by tb |
| `Elastic` | a|w|²/2 + b|w|_1 | a | none | v shrunk by tb, over 1 + ta |

since 0 must be among the values of aw + b sign(w) + (w - v)/t, sign(0) standing for [-1, 1].
All weights are penalised alike, that of a constant feature (an intercept) too: what is not
penalised is not strongly convex, and the privacy of a minimiser rests on that.

References:
    Zou and Hastie 2005, "Regularization and variable selection via the elastic net".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from tacit.argument import refuse_not_positive

# Of NumPy or JAX, of any shape.
Weights = Any


@final
@dataclass(frozen=True)
class L2:
    """`ridge`/2 times the squared norm.

    Args:
      ridge: Positive and finite.
    """

    ridge: float

    def __post_init__(self):
        refuse_not_positive("ridge", self.ridge)

    @property
    def strong_convexity(self) -> float:
        return self.ridge

    @property
    def smoothness(self) -> float:
        return self.ridge

    def value(self, weights: Weights) -> Weights:
        return self.ridge / 2 * (weights**2).sum()

    def proximal(self, weights: Weights, step: float) -> Weights:
        return weights / (1 + step * self.ridge)


@final
@dataclass(frozen=True)
class L1:
    """`lasso` times the sum of absolute weights.

    Args:
      lasso: Positive and finite.
    """

    lasso: float

    def __post_init__(self):
        refuse_not_positive("lasso", self.lasso)

    @property
    def strong_convexity(self) -> float:
        return 0.0

    @property
    def smoothness(self) -> float:
        raise ValueError("the L1 penalty has no smoothness, which this needs; L2 has")

    def value(self, weights: Weights) -> Weights:
        return self.lasso * abs(weights).sum()

    def proximal(self, weights: Weights, step: float) -> Weights:
        return _shrunk(weights, step * self.lasso)


@final
@dataclass(frozen=True)
class Elastic:
    """The sum of both.

    Args:
      ridge: Positive and finite.
      lasso: Positive and finite.
    """

    ridge: float
    lasso: float

    def __post_init__(self):
        refuse_not_positive("ridge", self.ridge)
        refuse_not_positive("lasso", self.lasso)

    @property
    def strong_convexity(self) -> float:
        return self.ridge

    @property
    def smoothness(self) -> float:
        raise ValueError("the Elastic penalty has no smoothness, which this needs; L2 has")

    def value(self, weights: Weights) -> Weights:
        return self.ridge / 2 * (weights**2).sum() + self.lasso * abs(weights).sum()

    def proximal(self, weights: Weights, step: float) -> Weights:
        return _shrunk(weights, step * self.lasso) / (1 + step * self.ridge)


Penalty = L2 | L1 | Elastic


def _shrunk(weights: Weights, by: float) -> Weights:
    return weights - weights.clip(-by, by)
