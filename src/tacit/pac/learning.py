"""A concept learnt in one call: the rule of a public class that labels most people right.

One choice among all rules of the class, for one pure epsilon; only the rule is released. Its error
is in people: against the best rule of the class, it is right about a few fewer, as many as the
plan's page says (`mechanisms.rows.concept_choice`, `tree_choice`, `line_choice`,
`parity_elimination`, where the proofs are). How well these people stand for others is
`sample_sizes`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, final, get_args

import numpy as np

from tacit.argument import got
from tacit.ledger.ledger import LedgerOrPath
from tacit.pac.examples import rows_of
from tacit.pac.learnt import LearntConcept
from tacit.plan import Plan
from tacit.question.concepts import Concept, Parity, about, examples
from tacit.question.rows import OfRows
from tacit.question.sums import refuse_nobody
from tacit.server.concepts import UNSURE
from tacit.statistics.answer import released
from tacit.statistics.average import Average
from tacit.statistics.one_round import refuse_no_curator
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Trust, people_of


@final
@dataclass(frozen=True)
class ConceptLearning:
    """A concept to be learnt: `plan` is known before the data are.

    Args:
      concept: the class.
      trust: `Central` or `NonPrivate`; whatever delta is, none of it is spent.
      people: about how many they are; exactly, where that is public. What is chosen does not depend
        on it.

    Raises:
      ValueError: if an argument is not of its kind, or the trust model has no such plan.
    """

    concept: Concept
    trust: Trust
    people: int

    def __post_init__(self):
        if not isinstance(self.concept, Concept):
            classes = ", ".join(each.__name__ for each in get_args(Concept))
            raise ValueError(f"concept must be one of {classes}, got {got(self.concept)}")
        refuse_no_curator(self.trust, "which rule labels most people right")
        refuse_nobody(self.people)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised, and how wrong the rule may be."""
        return self.trust.plan(OfRows(examples(self.concept), self.people, self.concept))

    @property
    def most_fewer_right(self) -> float | None:
        """About how many more people the best concept is right, 95 times of 100, at most.

        None of a `Parity`, which is found or is not.
        """
        if isinstance(self.concept, Parity):
            return None
        if isinstance(self.trust, NonPrivate):
            return 0.0
        return float(cast(Any, self.plan.server).mechanism.shortfall(UNSURE))

    def of(
        self,
        bits: Any,
        labels: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> LearntConcept:
        """The rule that is right about nearly the most of these people, charged to them."""
        names, rows = rows_of(bits, labels, self.concept)
        words = f"a {type(self.concept).__name__} of {about(self.concept)}"
        learner = Average((self.concept.size,))
        release = released(self.plan, learner, rows, name, ledger, seed, note, words)
        numbers = np.asarray(release.answer, float)
        told = None if np.isnan(numbers).all() else numbers
        return LearntConcept(self.concept, names, told, release)


def learn(
    bits: Any,
    labels: Any,
    concept: Concept,
    *,
    trust: Trust,
    ledger: LedgerOrPath,
    name: str,
    people: int | None = None,
    seed: int | None = None,
    note: str | None = None,
) -> LearntConcept:
    """The rule of a public class that labels nearly the most people right: see `ConceptLearning`.

    Args:
      bits: a table of truth values, or zeros and ones, with a row for each person; of a class along
        a line, a column of points (`pac.examples`).
      labels: 0 or 1 for each person.
      concept: the class, of `tacit.question`: `DecisionTree(dim=40, depth=2)`.
      trust, ledger, name, people, seed, note: as for `tacit.statistics.mean`.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
      LedgerError: if an account has no limit yet, with the calls that set it.
      OverBudget: if an account has too little left, with what it has.
    """
    rows = len(labels) if hasattr(labels, "__len__") else 0
    asked = ConceptLearning(concept, trust, people_of(people, trust, rows))
    return asked.of(bits, labels, ledger, name, seed=seed, note=note)
