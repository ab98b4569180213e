"""A decision tree of few tests, chosen among all of its depth in one private choice."""

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
from tacit.pac.rules import BitTest, lines, shortened
from tacit.question.concepts import DecisionTree
from tacit.trust.people import Trust


@final
class DecisionTreeClassifier(ClassifierMixin, BaseEstimator):
    """The tree of so many levels of tests that labels nearly the most people right.

    Features become bits by tests that are declared (`tacit.estimators.public_tests`): thresholds
    between the bounds, and categories. Of all full trees of such tests, with any class at each end,
    one is drawn by the exponential mechanism, exactly (`tacit.mechanisms.rows.tree_choice`, where
    the proof is). So the whole promise goes to one choice, and none of it to growing.

    **Guarantee**: pure epsilon of `Central`, for the whole tree; its delta is not spent. What
    randomises each person's own data has no such choice, and is refused.

    **Error**: `foreseen_shortfall_`: 95 times of 100 no tree of these tests labels a larger share
    of these people right by more than that.

    | data | what happens |
    | --- | --- |
    | an end that nobody reaches | each class is as likely there |
    | tests that tell the same | each is as likely |
    | a category that was never declared | passes no test |

    `trust`, `bounds`, `classes`, `people`, `ledger`, `population`, `note` and `seed` are every
    estimator's (`help(tacit.estimators)`): two tables of different people need two `population`s.

    Args:
      max_depth: how many tests a label is given after, from 1 to 3.
      cuts: how many thresholds, evenly between its bounds, a feature has.
      thresholds: of some features others, by place or name: `{"age": [25, 40, 65]}`.
      categorical_features: places or names of features that are codes of categories: whole numbers
        from their lower to their upper bound; or with the names of codes 0, 1, and so on,
        `{"ward": ["north", "south"]}`.

    Fitted, it has `tests_`, all that there were, `rule_`, the numbers that tell the tree
    (`tacit.question.DecisionTree`), `foreseen_shortfall_`, and `export_text` and
    `export_picture`, which say the same as `predict` does. Depth 3 takes 256 tests, 2 takes 1,024.
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
        max_depth: int = 2,
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
        self.max_depth = max_depth
        self.cuts = cuts
        self.thresholds = thresholds
        self.categorical_features = categorical_features

    def plan(self, features: int | Sequence[str], people: int | None = None) -> FitPlan:
        """What `fit` would promise and how wrong it would be; as of `LogisticRegression`."""
        return rule_before(self, features, people, "max_depth", DecisionTree)

    @untouched
    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        self._keep(chosen_rule(self, X, y, "max_depth", DecisionTree))
        return self

    def _keep(self, found: ChosenRule) -> None:
        self._found, self.tests_, self.classes_ = found, found.tests, found.classes
        self.rule_, self.foreseen_shortfall_ = found.numbers, found.foreseen_shortfall
        self.plan_, self.receipt_ = found.release.plan, found.release.receipt()

    def predict(self, X: Any) -> np.ndarray:
        """The class at the end that each row comes to."""
        check_is_fitted(self, "tests_")
        return self._found.predicted(self, X)

    def export_text(self) -> str:
        """The tree in words, a line for each end and each test on the way to it."""
        return "\n".join(lines(self._tree, self._found.named(self), list(self.classes_)))

    def export_picture(self, into: Path | str | IO[str]) -> None:
        """The tree as a picture, saved as the format that the file's ending names."""
        from tacit.estimators.tree_picture import draw

        draw(self._tree, self._found.named(self), list(self.classes_), into)

    @property
    def _tree(self) -> BitTest | int:
        check_is_fitted(self, "tests_")
        return shortened(self._found.told, int(self.max_depth))
