"""How well a model does on people whose data are private: a look that is asked for and charged.

A measure for `tacit.learning.evaluation` that is a release of its own: each look is one round of a
`Mean` of one bounded number a person, of people who are held out or of those who train, granted and
charged before their data are read. Looks are charged one by one, whatever they say, so a run that
is stopped early has paid for those it had.

**Guarantee**: the plan's, for each look; over all looks what the ledger adds up. Rounds that are
ended, or a model that is chosen, by what such looks said are post-processing of them and of the
training's own release: of people who did one of both the promise is that one's, of people who did
both it is what the ledger has for them under one name.

**Error**: `Plan.error` of one look, plus what is cut off numbers outside the plan's interval.
"""

from collections.abc import Callable
from typing import Any, final

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from tacit.argument import counted, got, is_whole, refuse_no_seed
from tacit.contribution import Interval
from tacit.ledger.ledger import LedgerOrPath, opened
from tacit.ledger.unnamed import closed_if_cut_off
from tacit.plan import Plan
from tacit.population.arrays import Arrays

Each = Callable[[Any, PyTree], Float[Array, ""]]


@final
class PaidMeasure:
    """A measure of private people, charged look by look.

    Args:
      people: who are looked at.
      plan: of one look: a `Mean` of an `Interval`, in one round.
      each: a number of a released model and one person; what is outside the interval is cut.
      ledger: the people's, or its path.
      looks: how many there may be; that they all fit is known before the first.
      seed: for tests and benchmarks; the receipts then say that nothing is private.

    Raises:
      ValueError: if the plan is of something else, or `looks` no number of looks.
      OverBudget: if the people's accounts have no room for so many.
    """

    def __init__(
        self,
        people: Arrays,
        plan: Plan,
        each: Each,
        ledger: LedgerOrPath,
        *,
        looks: int,
        seed: int | None = None,
    ) -> None:
        _refuse_other(plan)
        if not (is_whole(looks) and looks >= 1):
            raise ValueError(f"looks must be a whole number of at least 1, got {got(looks)}")
        if seed is not None:
            refuse_no_seed(seed)
        self._people, self._plan, self._each = people, plan, each
        self._ledger, self._seed, self._left = opened(ledger), seed, counted(looks)
        self._ledger.refuse_overspending(people.name, [plan.charges()] * self._left)

    def __call__(self, model: PyTree, public: PyTree) -> float:
        """One look, charged.

        Raises:
          ValueError: beyond the number of looks declared.
          OverBudget: if somebody else has used what room there was.
        """
        del public
        if not self._left >= 1:
            raise ValueError("there are no more looks than were declared: declare as many as asked")
        self._left -= 1
        seed = None if self._seed is None else self._seed + self._left
        asked = self._plan, _OneNumber(self._each, model), self._ledger
        with closed_if_cut_off(self._ledger) as (name,):
            said = {"grant_id": name, "seed": seed, "note": "a look"}
            return float(self._people.grant(*asked, **said).run().state)


@final
class _OneNumber(eqx.Module):
    """Asks a person for their number of a model, whose arrays are no part of the program."""

    each: Each = eqx.field(static=True)
    model: PyTree

    def init(self) -> Float[Array, ""]:
        return jnp.zeros(())

    def ask(self, state: Float[Array, ""], person: PyTree) -> Float[Array, ""]:
        return self.each(self.model, person)

    def tell(self, state: Float[Array, ""], answer: Float[Array, ""]) -> Float[Array, ""]:
        return answer


def _refuse_other(plan: Plan) -> None:
    asked = plan.question
    bounded = asked.of_means and isinstance(plan.sums.contribution, Interval)
    if not (bounded and plan.sums.rounds == 1):
        raise ValueError(
            "a look is one round of a Mean of an Interval, got a "
            f"{type(asked).__name__} of {plan.sums.rounds} rounds"
        )
