"""People who count for as much as they hold: means weighted by a number of each person's own.

Federated averaging weighs a person by their records. A weight is a fact about one person, so it
belongs to what is hidden of them, and dividing by the sum of those who took part would be a second
release. Here a person's term is

    w clip(u, C) / m,

u their update, w their weight within [0, 1] (1 for whoever counts most), C the clip bound and m a
public number, declared like the number of people: about how large weights are in the mean. It has
norm at most C/m, whatever the weight, so one person is bounded, their weight included, and the
promise is that of every mean of such a ball.

**Error.** Let W be the true mean of everybody's weights. Over the public cohort, the mean of the
answer is W/m times the weighted mean of clipped updates: a wrong m makes steps longer or shorter by
that factor, and turns none. Its noise is that of the plan (`Plan.error`), 1/m² times that of equal
weights in squares: whoever counts less than most is noise without a signal. If weights differ much,
take what most people hold for 1 and let the few who hold more count no more than they.

References:
    McMahan, Ramage, Talwar, Zhang. Learning differentially private recurrent language models.
        ICLR 2018, section 2 (weights min(n/cap, 1), a fixed denominator).
"""

from collections.abc import Callable
from typing import final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from tacit.argument import got, is_number, refuse_not_positive
from tacit.contribution import Ball
from tacit.federated.training import Training
from tacit.learning.progress import Progress
from tacit.question.participation import Participation
from tacit.question.sums import Mean

Weight = Callable[[PyTree], Float[Array, ""]]


def filled(person: PyTree) -> Float[Array, ""]:
    """The share of a person's places that hold a record: of a pair of records and marks."""
    _, present = person
    return jnp.mean(present, dtype=jnp.float32)


@final
class WeightedTraining(eqx.Module):
    """`training`, by the weighted mean of people's updates.

    | person | their term |
    | --- | --- |
    | of weight w in [0, 1] | w times the update, shortened to `bound` first, over `mean` |
    | of a smaller weight, or NaN | zero |
    | of a larger one | that of weight 1 |
    | whose update is not finite | zero |

    Args:
      training: what a device computes, and what becomes of the answers.
      weight: of one person, from their own data.
      bound: the norm that updates are shortened to.
      mean: about how large weights are in the mean, declared; in (0, 1].

    Raises:
      ValueError: if a number is outside its range.
    """

    training: Training
    weight: Weight = eqx.field(static=True)
    bound: float
    mean: float

    def __check_init__(self):
        refuse_not_positive("bound", self.bound)
        if not (is_number(self.mean) and 0 < self.mean <= 1):
            raise ValueError(f"mean must be above 0 and at most 1, got {got(self.mean)}")

    @property
    def dim(self) -> int:
        """The number of parameters."""
        return self.training.dim

    def question(self, participation: Participation, rounds: int, people: int) -> Mean:
        """What this asks of `people` people over `rounds` rounds."""
        return Mean(Ball(self.dim, self.bound / self.mean), participation, rounds, people)

    def init(self) -> Progress:
        return self.training.init()

    def ask(self, state: Progress, person: PyTree) -> Float[Array, " dim"]:
        update = self.training.ask(state, person)[None]
        (short,) = Ball(self.dim, self.bound).project(update)
        weight = jnp.nan_to_num(self.weight(person), nan=0.0)
        return jnp.clip(weight, 0.0, 1.0) / self.mean * short

    def tell(self, state: Progress, answer: Float[Array, " dim"]) -> Progress:
        return self.training.tell(state, answer)

    def at(self, parameters: Float[Array, " dim"]) -> PyTree:
        """The model with these parameters."""
        return self.training.at(parameters)

    def released(self, state: Progress) -> PyTree:
        """The averaged model: what a finished run is for."""
        return self.training.released(state)
