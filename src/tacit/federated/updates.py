"""What one device computes from the public model and its own records.

Both rules start at the public parameters, take a few steps on the person's own batch, and hand
back the *gradient mapping* (start - end) / rate. Dividing by the rate keeps the size of what is
sent comparable to a gradient whatever the rate, so one contribution bound fits both rules, and
the server can treat the mean as a gradient.

With one step, `GradientSteps` is the gradient itself: federated averaging and distributed SGD
are the same rule with different numbers of steps.
"""

from collections.abc import Callable
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax
from jaxtyping import Array, PyTree

from tacit.argument import refuse_not_positive

Gradient = Callable[[PyTree[Array]], PyTree[Array]]


@runtime_checkable
class Update(Protocol):
    """A rule that turns a person's gradient field into one vector, as a tree like the model."""

    def __call__(self, gradient: Gradient, start: PyTree[Array]) -> PyTree[Array]: ...


@final
class GradientSteps(eqx.Module):
    """`steps` gradient steps of length `rate` on the person's own loss.

    References: Bhowmick et al. (2018), equations (10) and (12).
    """

    steps: int
    rate: float

    def __check_init__(self):
        _refuse_unusable(self.steps, self.rate)

    def __call__(self, gradient: Gradient, start: PyTree[Array]) -> PyTree[Array]:
        def step(_, here):
            return jax.tree.map(lambda x, slope: x - self.rate * slope, here, gradient(here))

        if self.steps == 1:
            return gradient(start)
        return _mapping(start, jax.lax.fori_loop(0, self.steps, step, start), self.rate)


@final
class ProximalPoint(eqx.Module):
    """A stochastic proximal-point step, solved by `steps` gradient steps.

    The step minimises loss(x) + |x - start|^2 / (2 rate): it moves as far as a gradient step of
    that rate where the loss is nearly linear, and stops near the person's own minimum where it is
    not. The inner steps have length `rate` / 2, at which the quadratic term alone contracts by
    one half; they converge while rate times the loss's curvature is below 3 (gradient steps:
    below 2).

    References: Bhowmick et al. (2018), equation (11); Asi and Duchi (2019).
    """

    steps: int
    rate: float

    def __check_init__(self):
        _refuse_unusable(self.steps, self.rate)

    def __call__(self, gradient: Gradient, start: PyTree[Array]) -> PyTree[Array]:
        def inward(x, origin, slope):
            return x - (self.rate * slope + (x - origin)) / 2

        def step(_, here):
            return jax.tree.map(inward, here, start, gradient(here))

        return _mapping(start, jax.lax.fori_loop(0, self.steps, step, start), self.rate)


def _mapping(start: PyTree[Array], end: PyTree[Array], rate: float) -> PyTree[Array]:
    return jax.tree.map(lambda a, b: (a - b) / rate, start, end)


def _refuse_unusable(steps: int, rate: float) -> None:
    if not steps >= 1:
        raise ValueError(f"an update needs at least one step, got steps={steps}")
    refuse_not_positive("an update's rate", rate)
