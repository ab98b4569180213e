"""From a question to what is released: plan, charge, run, receipt.

The order is the library's own: a plan is made of public numbers, the ledger is charged for all of
it, and only then are data read. Whatever is refused is refused before the charge. A fit that is
interrupted stays charged. Its grant is closed, unless it was given a name (`Ledger.once`): the same
fit goes on with that.

An estimator without a ledger gets one of its own, limited to the promise of this one fit and
thrown away after it: every fit then keeps its own promise, and nobody adds them up.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, cast, final

import numpy as np
from jaxtyping import Float, Float32, PyTree

from tacit.estimators.asking import Asking, asked_under
from tacit.ledger.ledger import Ledger, opened
from tacit.ledger.unnamed import closed_at_the_end, closed_if_cut_off
from tacit.plan import Plan
from tacit.population.arrays import Arrays
from tacit.population.learner import Learner
from tacit.population.release import Release
from tacit.trust.people import Trust

Weights = Float[np.ndarray, "with_constant *outputs"]


@final
@dataclass(frozen=True)
class LabelledRows:
    """Whom to learn from.

    Args:
      rows: makes their rows, in the ball: whoever asks has the only ones, and lets go of them.
      labels: as the loss takes them (`tacit.learning.labelled_rows.signed`), or targets in [-1, 1].
    """

    rows: Callable[[], Float[np.ndarray, "people features"]]
    labels: Float[np.ndarray, " people"]

    def narrow(self) -> tuple[Float32[np.ndarray, "people features"], np.ndarray]:
        """Rows as float32, and their labels."""
        return self.rows().astype(np.float32, copy=False), self.labels


@final
@dataclass(frozen=True)
class Terms:
    """The terms on which people are asked.

    Args:
      trust: whom they trust.
      ledger: theirs, or None for one of this fit alone.
      population: the name of their accounts.
      seed: as of `Arrays.grant`.
      asking: the estimator, whose note the ledger keeps.
    """

    trust: Trust
    ledger: Ledger | None
    population: str
    seed: int | None
    asking: Asking

    @classmethod
    def of(cls, asking: Asking, allowed: tuple[type, ...]) -> Self:
        """Those of an estimator whose method knows these trusts; errors as `asked_under`."""
        trust = asked_under(asking, allowed)
        ledger = None if asking.ledger is None else opened(asking.ledger)
        return cls(trust, ledger, asking.population, asking.seed, asking)

    @contextmanager
    def held(self) -> Iterator[Self]:
        """For a fit that makes something of its one release, and takes a while over it.

        Its grant stays open until the block ends: cut off before, the same fit goes on, if it has a
        name.
        """
        if self.ledger is None:
            yield self
            return
        with closed_at_the_end(self.ledger) as book:
            yield replace(self, ledger=book)

    def released(self, plan: Plan, learner: Learner, data: Callable[[], PyTree]) -> Release:
        """Charges the people's accounts for `plan`, and plays it.

        Args:
          plan: what is released.
          learner: who asks.
          data: makes arrays with a row for each person. Nobody else holds these, and the first
            round begins when they are gone: the population has copies.

        Raises:
          OverBudget: if the ledger has too little left; nothing is charged then.
        """
        if self.ledger is not None:
            return self._granted(plan, learner, data, self.ledger)
        with tempfile.TemporaryDirectory() as folder:
            own = Ledger(Path(folder) / "ledger.db")
            own.limit_for(self.population, plan)
            return self._granted(plan, learner, data, own)

    def _granted(
        self, plan: Plan, learner: Learner, data: Callable[[], PyTree], ledger: Ledger
    ) -> Release:
        with closed_if_cut_off(ledger, told=self.ledger is not None) as (name,):
            grant = Arrays(data(), self.population).grant(
                plan, learner, ledger, grant_id=name, seed=self.seed, note=self._note
            )
            return grant.run()

    @property
    def _note(self) -> str:
        """What was given, or the estimator's name and how many columns it was told of."""
        own, columns = self.asking.note, cast(Any, self.asking).n_features_in_
        if own is not None:
            return own
        return f"{type(self.asking).__name__} of {columns} column{'s' * (columns != 1)}"
