"""Linear classifiers as minima of one convex objective, in one release of all rows.

The objective is the mean loss over people plus penalty/2 times the squared weights, the constant
feature's too: what is not penalised is not strongly convex, and privacy rests on that. Under
`Central` it is `Minimiser`, objective perturbation; that raises the penalty where the promise
needs it. `NonPrivate` has the minimum itself, through the same plan and ledger: a server that
calls the same solver without noise.
"""

from dataclasses import dataclass
from typing import cast, final

import numpy as np
from jaxtyping import Float, Int, PRNGKeyArray

from tacit.contribution import Ball, Interval, OneHot, Product
from tacit.estimators.declared import with_constant
from tacit.estimators.trusts import Trust
from tacit.plan import Identity, Plan
from tacit.question.rows import Fit, Minimiser
from tacit.record import plain
from tacit.server.rows import Whole
from tacit.solve.losses import Loss
from tacit.solve.minimise import Objective, cut, minimise
from tacit.solve.regularisers import L2
from tacit.trust.nonprivate import NonPrivate

# Rows are in the unit ball, and a constant 1 follows.
REACH = 2**0.5
# Of the mean gradient, where nothing else sets it.
_TOLERANCE = 1e-9


@final
@dataclass(frozen=True)
class Exact:
    """The minimum itself. **Guarantee**: none."""

    objective: Objective

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " dim *outputs"]:
        del key
        examples = cut(self.objective, rows[:, :-1], rows[:, -1])
        return minimise(self.objective, examples, _TOLERANCE * self.objective.people).point


def asked(loss: Loss, penalty: float, dim: int, people: int) -> Fit:
    """The question of a fit of rows of `dim` numbers, the constant included; its answer is the
    weights.

    Raises:
      ValueError: if a number is out of its range.
    """
    label = OneHot(loss.outputs[0]) if loss.outputs else Interval(-1.0, 1.0)
    return Fit(Product(Ball(dim, REACH), label), people, Minimiser(loss, L2(penalty)))


def planned(trust: Trust, question: Fit) -> Plan:
    """The plan of such a question: the trust's own, or under `NonPrivate` that of the minimum."""
    if not isinstance(trust, NonPrivate):
        return trust.plan(question)
    shape, asks = question.contribution, cast(Minimiser, question.statistic)
    features = question.features
    aim = Objective(asks.loss, asks.penalty, features.radius, question.people, features.dim)
    server = Whole(Exact(aim), None, question.size)
    return Plan(plain(trust), question, Identity(shape), shape, server, (), None)


def table(
    rows: Float[np.ndarray, "people features"], labels: Float[np.ndarray, " people"]
) -> Float[np.ndarray, "people numbers"]:
    """Each person's row, a constant, and their label."""
    return np.column_stack([with_constant(rows), labels])


def signed(labels: Int[np.ndarray, " people"], loss: Loss) -> Float[np.ndarray, " people"]:
    """Numbers of classes as a loss takes them: -1 and 1 for one score, else themselves."""
    return (labels if loss.outputs else 2 * labels - 1).astype(np.float32)
