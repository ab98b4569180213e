"""Weights of a linear model with a proved loss, from everybody's rows; see `question.rows`.

A person's row is their features, of a `Ball`, and after them one number, their label: the
contribution is the `Product` of the two.
"""

from dataclasses import dataclass
from typing import final, get_args

from tacit.argument import counted, got, is_whole, refuse_not_positive
from tacit.solve.losses import Loss
from tacit.solve.one_versus_rest import OneVersusRest
from tacit.solve.regularisers import L2


@final
@dataclass(frozen=True)
class Minimiser:
    """The weights of a linear model that minimise a loss and a penalty on them.

    Args:
      loss: a convex one of `tacit.solve.losses`, with a bound on its slope and curvature.
      penalty: `L2`, on every weight, that of a constant feature too.
    """

    loss: Loss
    penalty: L2

    def __post_init__(self):
        _refuse_own_losses(self)

    @property
    def words(self) -> str:
        return _of_least(self.loss)


@final
@dataclass(frozen=True)
class LastIterate:
    """Where noisy gradient descent on the same objective ends; its other iterates stay hidden.

    Args:
      loss: a convex one of `tacit.solve.losses`, with a bound on its slope and curvature.
      penalty: `L2`, on every weight, that of a constant feature too.
      radius: of the ball of weights that descent stays in.
      steps: how many. More of them cost ever less, since nobody sees them.
    """

    loss: Loss
    penalty: L2
    radius: float
    steps: int

    def __post_init__(self):
        _refuse_own_losses(self)
        refuse_not_positive("radius", self.radius)
        object.__setattr__(self, "steps", counted(self.steps))
        if not (is_whole(self.steps) and self.steps >= 1):
            raise ValueError(f"steps must be a whole number of at least 1, got {got(self.steps)}")

    @property
    def words(self) -> str:
        return _of_least(self.loss)


LinearModel = Minimiser | LastIterate


def _of_least(loss: Loss) -> str:
    return f"a linear model of least {type(loss).__name__} loss"


def _refuse_own_losses(statistic: LinearModel) -> None:
    # Their bounds are proved, and a name and numbers say all that they do.
    loss, penalty = statistic.loss, statistic.penalty
    binary = loss.loss if type(loss) is OneVersusRest else loss
    if type(binary) not in get_args(Loss) or type(penalty) is not L2:
        raise ValueError(
            "a linear model is of a loss of tacit.solve.losses, or OneVersusRest of one, and a "
            f"penalty L2, got {got(loss)} and {got(penalty)}"
        )
