"""What one device computes from the public model and its own records.

All rules start at the public parameters, take a few steps on the person's own records, and hand
back the *gradient mapping* (start - end) / rate. Dividing by the rate keeps the size of what is
sent comparable to a gradient whatever the rate, so one contribution bound fits all rules, and
the server can treat the mean as a gradient.

With one step, `GradientSteps` is the gradient itself: federated averaging and distributed SGD
are the same rule with different numbers of steps. `Epochs` takes its steps on a few of the records
at a time, and a server that moves by the mean update times the local rate averages the models.
"""

from collections.abc import Callable
from typing import Protocol, final, runtime_checkable

import equinox as eqx
import jax
from jaxtyping import Array, PyTree

from tacit.argument import counted, got, is_whole, refuse_not_positive

# Of parameters and of records, which have the form of a person.
Gradient = Callable[[PyTree[Array], PyTree], PyTree[Array]]


@runtime_checkable
class Update(Protocol):
    """A rule that turns a person's gradient field into one vector, as a tree like the model."""

    @property
    def rate(self) -> float:
        """What the way that a device went is divided by before it is sent."""
        ...

    def __call__(self, gradient: Gradient, start: PyTree[Array], person: PyTree) -> PyTree[Array]:
        """The update of this person, from the public parameters."""
        ...


@final
class GradientSteps(eqx.Module):
    """`steps` gradient steps of length `rate` on the person's own loss.

    What is told is how far they went over the rate: of one step the gradient itself, at any rate.

    References: Bhowmick et al. (2018), equations (10) and (12).
    """

    steps: int
    rate: float

    def __check_init__(self):
        _refuse_unusable(self.steps, self.rate)

    def __call__(self, gradient: Gradient, start: PyTree[Array], person: PyTree) -> PyTree[Array]:
        def step(_, here):
            return _stepped(here, gradient(here, person), self.rate)

        if self.steps == 1:
            return gradient(start, person)
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

    def __call__(self, gradient: Gradient, start: PyTree[Array], person: PyTree) -> PyTree[Array]:
        def inward(x, origin, slope):
            return x - (self.rate * slope + (x - origin)) / 2

        def step(_, here):
            return jax.tree.map(inward, here, start, gradient(here, person))

        return _mapping(start, jax.lax.fori_loop(0, self.steps, step, start), self.rate)


@final
class Epochs(eqx.Module):
    """`epochs` passes over a person's records, in steps of length `rate` on `batch` of them each.

    The client of federated averaging. Every array of a person has an axis for records first: a
    batch is so many rows of each, in the order in which they are held, and the last of a pass has
    those that are left. It has the form of a person, marks of what is no record included, so the
    loss of a person is that of a batch.

    | batch | step |
    | --- | --- |
    | without a record | none, if its loss is zero then: a mean over at least one |
    | larger than there are places | on all records |

    Args:
      epochs: how many passes.
      batch: how many places are a step.
      rate: of every step.

    Raises:
      ValueError: if a number is not positive; while asking, if arrays disagree on the records.

    References: McMahan, Moore, Ramage, Hampson, Agüera y Arcas. Communication-efficient learning
        of deep networks from decentralized data. AISTATS 2017, Algorithm 1.
    """

    epochs: int
    batch: int
    rate: float

    def __check_init__(self):
        for name in ("epochs", "batch"):
            number = getattr(self, name)
            if not (is_whole(number) and number >= 1):
                raise ValueError(f"{name} must be a whole number of at least 1, got {got(number)}")
        refuse_not_positive("an update's rate", self.rate)

    def __call__(self, gradient: Gradient, start: PyTree[Array], person: PyTree) -> PyTree[Array]:
        places = _places(person)
        size = min(counted(self.batch), places)
        whole, left = divmod(places, size)

        def step(here, first, many):
            records = jax.tree.map(
                lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, first, many), person
            )
            return _stepped(here, gradient(here, records), self.rate)

        def epoch(_, here):
            here = jax.lax.fori_loop(0, whole, lambda i, here: step(here, i * size, size), here)
            return step(here, whole * size, left) if left else here

        return _mapping(start, jax.lax.fori_loop(0, self.epochs, epoch, start), self.rate)


def _places(person: PyTree) -> int:
    """How many records a person has room for."""
    sizes = {jax.numpy.shape(leaf)[:1] for leaf in jax.tree.leaves(person)}
    if len(sizes) != 1 or () in sizes:
        raise ValueError(
            "batches need a person whose arrays all have one row for each record, got "
            f"{sorted(sizes)} rows"
        )
    return sizes.pop()[0]


def _stepped(here: PyTree[Array], slope: PyTree[Array], rate: float) -> PyTree[Array]:
    return jax.tree.map(lambda x, own: x - rate * own, here, slope)


def _mapping(start: PyTree[Array], end: PyTree[Array], rate: float) -> PyTree[Array]:
    return jax.tree.map(lambda a, b: (a - b) / rate, start, end)


def _refuse_unusable(steps: int, rate: float) -> None:
    if not steps >= 1:
        raise ValueError(f"an update needs at least one step, got steps={steps}")
    refuse_not_positive("an update's rate", rate)
