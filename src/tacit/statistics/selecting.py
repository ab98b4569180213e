"""Which of several laws, written down before, people's data follow: private hypothesis selection.

A curator compares everybody's counts in public cells with what each law gives to them, and chooses
one that is nearly the nearest (`mechanisms.rows.minimum_distance`, where sensitivity and error are
proved). Only its number is released, for one pure epsilon, however many laws there are: of m it
falls short of the nearest by about 2 (ln m)/epsilon people. Where nobody is trusted with all rows,
`select_hypothesis` asks by knock-outs (`knocking_out`).

**Error** is about the law behind these people, drawn from it independently: with the confidence
stated, and as many people in cells as declared, the one chosen is within three times the distance
of the nearest hypothesis and `error_bound` of it. If people's law is among the hypotheses, within
`error_bound`. In practice it is much nearer (`bench/hypotheses.py`).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final

import numpy as np

from tacit.argument import keep_pythons
from tacit.contribution import OneHot
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.rows import OfRows
from tacit.server.rows import Whole
from tacit.statistics.answer import refuse_no_terms, released
from tacit.statistics.average import Average
from tacit.statistics.knocking_out import HypothesisKnockOut
from tacit.statistics.laws import LawsOfCategories, LawsOfNumbers, refuse_no_laws
from tacit.statistics.one_round import refuse_no_curator
from tacit.statistics.selected import SelectedHypothesis
from tacit.trust.people import Reported, Trust, people_of


@final
@dataclass(frozen=True)
class HypothesisSelection:
    """A hypothesis to be chosen: `plan` and `error_bound` are known before the data.

    Args:
      hypotheses: `LawsOfNumbers` or `LawsOfCategories`, public.
      trust: `Central` or `NonPrivate`; whatever delta is, none of it is spent.
      people: about how many they are; exactly, where that is public. The choice does not depend on
        it, the bound does.
      confidence: of the bound.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    hypotheses: LawsOfNumbers | LawsOfCategories
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        refuse_no_laws(self.hypotheses)
        refuse_no_terms(self.trust, self.people, self.confidence)
        refuse_no_curator(self.trust, "which hypothesis is nearest")

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        asked = self.hypotheses.asked
        return self.trust.plan(OfRows(OneHot(asked.cells), self.people, asked))

    @property
    def error_bound(self) -> float:
        """How far the chosen law is from people's law, in total variation between cells, beyond
        three times the distance of the nearest one, with the confidence."""
        server = cast(Whole, self.plan.server)
        return server.mechanism.error_bound(1 - self.confidence)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> SelectedHypothesis:
        """The law that is nearest to these people's data, charged to them; arguments as for
        `mean`."""
        cells, labels = self.hypotheses.cells(values), self.hypotheses.labels
        words = f"the nearest of {len(labels):,} laws"
        release = released(self.plan, Average((1,)), cells, name, ledger, seed, note, words)
        number = int(np.asarray(release.answer)[0])
        return SelectedHypothesis(
            f"law of {name}", labels[number], number, self.error_bound, self.confidence, release
        )


def select_hypothesis(
    values: Any,
    hypotheses: LawsOfNumbers | LawsOfCategories,
    *,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    note: str | None = None,
) -> SelectedHypothesis:
    """The public law that people's data nearly follow: see `HypothesisSelection`, and under `Local`
    and `Shuffled` `HypothesisKnockOut`.

    Args:
      values: an array, series or list with a number, or label, for each person.
      hypotheses: the laws there may be, written down without looking at the data.
      trust, ledger, name, people, confidence, seed, note: as for `mean`.

    Raises:
      ValueError: if an argument is not of its kind, or people are too few; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    one = np.shape(values) == () and isinstance(values, np.ndarray)
    rows = len(values) if hasattr(values, "__len__") and not one else 0
    asks = HypothesisKnockOut if isinstance(trust, Reported) else HypothesisSelection
    asked = asks(hypotheses, trust, people_of(people, trust, rows), confidence)
    return asked.of(values, ledger, name, seed=seed, note=note)
