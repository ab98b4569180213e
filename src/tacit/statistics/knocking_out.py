"""Which of several public laws people's data follow, where nobody holds the data.

Laws meet in pairs, and the half that is farther from what people report is out, until few are left
(`knock_out`). A curator compares them all at once, with far fewer people (`selecting`).

**Guarantee**: that of the question, a vector of everybody once (`Once`): under `Local`, epsilon-
local privacy of all that a person ever sends, whatever the data are.

**Error**: of people who follow a law of the list, played before anything is spent: `distance` is
what the chosen law is off on average over the list, `distance_quantile` what it is within in a
share `confidence` of all plays: a forecast, no proved bound. People's law may be none of the list;
what is promised is the same, and the law chosen is near theirs if one of the list is much nearer
than that. About k ln k ((e^epsilon + 1)/(e^epsilon - 1))²/alpha² people are needed for k laws and a
distance of alpha (`bench/hypotheses.py`). Where they are so few that the law chosen is not half as
far as one chosen blindly, that is said, and nothing is asked.

References:
    Gopi, Kamath, Kulkarni, Nikolov, Wu and Zhang 2020, "Locally private hypothesis selection".
    Pour, Ashtiani and Asoodeh 2023, "Sample-optimal locally private hypothesis selection and the
    provable benefits of interactivity".
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.argument import got, keep_pythons
from tacit.contribution import Cube
from tacit.facts import stated
from tacit.ledger.ledger import LedgerOrPath
from tacit.plan import Plan
from tacit.question.participation import Once
from tacit.question.sums import Mean
from tacit.statistics.answer import refuse_no_terms, released
from tacit.statistics.knock_out import Bracket, KnockOut, played
from tacit.statistics.laws import LawsOfCategories, LawsOfNumbers, refuse_no_laws
from tacit.statistics.selected import SelectedHypothesis
from tacit.trust.people import Reported, Trust

# Of a bracket: a person is in one, so more rounds have fewer people each.
ROUNDS = 24


@final
@dataclass(frozen=True)
class HypothesisKnockOut:
    """A hypothesis to be found by knock-outs: `plan` and `distance` are known before the data.

    Args:
      hypotheses: `LawsOfNumbers` or `LawsOfCategories`, public.
      trust: `Local` or `Shuffled`.
      people: how many they are, exactly: they are divided into rounds.
      confidence: the share of plays that `distance_quantile` is of.

    Raises:
      ValueError: if an argument is not of its kind, the trust model has no such plan, or people are
        too few, as `plan` is asked for.
    """

    hypotheses: LawsOfNumbers | LawsOfCategories
    trust: Trust
    people: int
    confidence: float = 0.95

    def __post_init__(self):
        keep_pythons(self, "people", "confidence")
        refuse_no_laws(self.hypotheses)
        refuse_no_terms(self.trust, self.people, self.confidence)
        if not isinstance(self.trust, Reported):
            raise ValueError(
                "laws are knocked out where nobody is trusted: trust must be Local(epsilon) or "
                "Shuffled(epsilon, delta); of a curator ask HypothesisSelection, got "
                f"{got(self.trust)}"
            )
        if not self.people >= ROUNDS:
            raise ValueError(
                f"people must be at least {ROUNDS}, one a round, got {got(self.people)}"
            )

    @cached_property
    def bracket(self) -> Bracket:
        """Who meets whom."""
        return Bracket(len(self.hypotheses.labels), ROUNDS)

    @cached_property
    def plan(self) -> Plan:
        """What will be promised."""
        self._refuse_too_few()
        return self._plan

    @property
    def distance(self) -> float:
        """The mean distance of the chosen law from people's, in total variation between cells, of
        plays in which theirs is one of the list."""
        return float(np.mean(self._played))

    @property
    def distance_quantile(self) -> float:
        """What the distance is at most in a share `confidence` of these plays."""
        return float(np.quantile(self._played, self.confidence, method="higher"))

    def learner(self) -> KnockOut:
        """Who asks, of people's cells."""
        return KnockOut.of(np.asarray(self.hypotheses.asked.masses), self.bracket)

    def of(
        self,
        values: Any,
        ledger: LedgerOrPath,
        name: str,
        *,
        seed: int | None = None,
        note: str | None = None,
    ) -> SelectedHypothesis:
        """The law that nobody knocked out, charged to these people; arguments as for `mean`."""
        cells, labels = self.hypotheses.cells(values), self.hypotheses.labels
        words = f"which of {len(labels):,} laws, by knock-outs"
        release = released(self.plan, self.learner(), cells, name, ledger, seed, note, words)
        number = int(release.state.left[0])
        known = self.distance_quantile, self.confidence, release
        return SelectedHypothesis(f"law of {name}", labels[number], number, *known)

    @cached_property
    def _plan(self) -> Plan:
        cube = Cube(self.bracket.sets, -1.0, 1.0)
        return self.trust.plan(Mean(cube, Once(), ROUNDS, self.people))

    @cached_property
    def _played(self) -> Float[np.ndarray, " draws"]:
        error = stated(self._plan.error)
        noise = error / self.bracket.sets, 1 / self._plan.sums.cohort
        return played(self.learner(), *noise, self._distances)

    @cached_property
    def _distances(self) -> Float[np.ndarray, "laws laws"]:
        masses = np.asarray(self.hypotheses.asked.masses)
        return np.stack([np.abs(masses - own).sum(axis=1) / 2 for own in masses])

    def _refuse_too_few(self) -> None:
        laws, blind = len(self._distances), float(self._distances.mean())
        if not self.distance <= blind / 2:
            each = self._plan.device.facts.worst_error / self.bracket.sets
            needed = each * math.log(laws) / (blind / 4) ** 2
            raise ValueError(
                f"of {laws:,} laws {self.people:,} people tell too little: the one chosen would be "
                f"{self.distance:.2g} off on average, where one chosen blindly is {blind:.2g} off; "
                f"about {needed:,.2g} people are needed"
            )
