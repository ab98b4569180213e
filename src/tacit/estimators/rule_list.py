"""A list of few rules, chosen among all of its length in one private choice."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tacit.estimators.chosen_rules import ChosenRule, chosen_rule, rule_before
from tacit.estimators.declared import Bounds, Classes
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.public_tests import Categorical, Thresholds
from tacit.estimators.untouched import untouched
from tacit.ledger.ledger import LedgerOrPath
from tacit.pac.rules import in_turn, rule_lines
from tacit.question.concepts import RuleList
from tacit.trust.people import Trust


@final
class RuleListClassifier(ClassifierMixin, BaseEstimator):
    """The list of rules, "if this, then that class, else if ...", that is right about most people.

    Features become bits by tests that are declared, as for `DecisionTreeClassifier`. Of all lists
    of `length` rules, each of which asks one test to be passed or not to be, one is drawn by the
    exponential mechanism, exactly (`tacit.mechanisms.rows.rule_list_choice`).

    **Guarantee**: pure epsilon of `Central`, for the whole list; its delta is not spent. What
    randomises each person's own data has no such choice, and is refused.

    **Error**: `foreseen_shortfall_`: 95 times of 100 no list of so many rules labels a larger
    share of these people right by more than that.

    | data | what happens |
    | --- | --- |
    | a rule that is for nobody | each class is as likely there |
    | tests that tell the same | each is as likely |
    | a category that was never declared | passes no test |

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      length: how many rules there are before a class for the rest, from 1 to 3.
      cuts, thresholds, categorical_features: which tests there are, as of `DecisionTreeClassifier`.

    Fitted, it has `tests_`, `rule_`, the numbers that tell the list (`tacit.question.RuleList`),
    `foreseen_shortfall_`, and `export_text` and `export_picture`, which say the same as `predict`
    does. Three rules take 256 tests, two take 1,024.
    """

    def __init__(
        self,
        trust: Trust | None = None,
        *,
        bounds: Bounds = None,
        classes: Classes = None,
        people: int | None = None,
        ledger: LedgerOrPath | None = None,
        population: str = "people",
        note: str | None = None,
        seed: int | None = None,
        length: int = 3,
        cuts: int = 8,
        thresholds: Thresholds = None,
        categorical_features: Categorical = None,
    ):
        self.trust = trust
        self.bounds = bounds
        self.classes = classes
        self.people = people
        self.ledger = ledger
        self.population = population
        self.note = note
        self.seed = seed
        self.length = length
        self.cuts = cuts
        self.thresholds = thresholds
        self.categorical_features = categorical_features

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        return rule_before(self, features, people, "length", RuleList)

    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        self._keep(chosen_rule(self, X, y, "length", RuleList))
        return self

    def _keep(self, found: ChosenRule) -> None:
        self._found, self.tests_, self.classes_ = found, found.tests, found.classes
        self.rule_, self.foreseen_shortfall_ = found.numbers, found.foreseen_shortfall
        self.plan_, self.receipt_ = found.release.plan, found.release.receipt()

    def predict(self, X: Any) -> np.ndarray:
        """The class of the first rule that is for each row."""
        check_is_fitted(self, "tests_")
        return self._found.predicted(self, X)

    def export_text(self) -> str:
        """The list in words, a line for each rule."""
        check_is_fitted(self, "tests_")
        told, names = self._found.told, self._found.named(self)
        return "\n".join(rule_lines(told, int(self.length), names, list(self.classes_)))

    def export_picture(self, into: Path | str | IO[str]) -> None:
        """The list as a picture, saved as the format that the file's ending names."""
        from tacit.estimators.tree_picture import draw

        check_is_fitted(self, "tests_")
        rules = in_turn(self._found.told, int(self.length))
        draw(rules, self._found.named(self), list(self.classes_), into)
