"""Models learnt by gradient rounds: who takes part when, and what each round does.

| trust | participation |
| --- | --- |
| `Local`, `Shuffled` | `Once`: everybody reports once, in one secret round |
| `Aggregated`, whose server sees who takes part | `Everyone` |
| any other, `batch` None or at least all people | `Everyone` |
| any other under add/remove or zero-out | `Poisson`, of so many expected |
| any other | `Fixed`, of exactly so many |

The optimiser is plain descent; the model released is the average over the later half of the rounds.
A penalty acts on the public parameters after each answer, not on people's gradients, so it costs
nothing of the clip.
"""

from functools import lru_cache

import equinox as eqx
import optax

from tacit.accounting.relation import Relation
from tacit.argument import refuse_negative, refuse_not_counted, refuse_not_positive
from tacit.estimators.fit_plan import PublicNumbers
from tacit.learning.classifiers import OnScores
from tacit.learning.clipping import Flat
from tacit.learning.descent import Descent
from tacit.plan import Plan
from tacit.population.loop import traced
from tacit.question.participation import Everyone, Fixed, Once, Participation, Poisson
from tacit.solve.losses import Loss
from tacit.trust.aggregated import Aggregated
from tacit.trust.people import Reported, Trust, relation_of


def participation(trust: Trust, batch: int | None, people: int) -> Participation:
    """Who takes part when.

    Raises:
      ValueError: if the batch is no whole number of at least one.
    """
    if batch is not None:
        refuse_not_counted("batch", batch)
    if isinstance(trust, Reported):
        return Once()
    if batch is None or batch >= people or isinstance(trust, Aggregated):
        return Everyone()
    if relation_of(trust) in (Relation.ADD_REMOVE, Relation.ZERO_OUT):
        return Poisson(batch / people)
    return Fixed(int(batch))


def planned(known: PublicNumbers, learner: Descent, batch: int | None, rounds: int) -> Plan:
    """What so many rounds of gradients promise, of a batch of these people each."""
    who = participation(known.trust, batch, known.people)
    return known.trust.plan(learner.question(who, rounds, known.people))


def descent(
    model: eqx.Module, loss: Loss, clip: float, rate: float, penalty: float, rounds: int
) -> Descent:
    """Descent from `model`.

    Args:
      model: of one row.
      loss: of its scores.
      clip: the longest gradient of one person.
      rate: the step.
      penalty: per person, at least zero.
      rounds: how many.

    Raises:
      ValueError: if a number is out of its range.
    """
    refuse_not_positive("rate", rate)
    refuse_negative("penalty", penalty)
    refuse_not_counted("rounds", rounds)
    optimizer, later = _optimizer(float(penalty)), int(rounds) // 2
    return Descent(model, OnScores(loss), Flat(clip), optimizer, later, rate)


def of_any_numbers(learner: Descent) -> Descent:
    """The same learner as one program with those of another clip, or of more or fewer rounds."""
    return eqx.tree_at(lambda own: (own.clip, own.average_from), learner, replace_fn=traced)


@lru_cache
def _optimizer(penalty: float) -> optax.GradientTransformation:
    # One object for each penalty: a compiled round is found by it again.
    return optax.chain(optax.add_decayed_weights(penalty), optax.sgd(1.0))
