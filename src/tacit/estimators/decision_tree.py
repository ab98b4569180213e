"""A decision tree of few tests, chosen among all of its depth in one private choice."""

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Self, cast, final

import numpy as np
from jaxtyping import Float32
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from tacit.argument import got, is_whole
from tacit.estimators import reading
from tacit.estimators.declared import Bounds, Classes, box_of, classes_of, numbers_of
from tacit.estimators.public_tests import Categorical, Declared, PublicTest, Thresholds
from tacit.estimators.release import Terms
from tacit.estimators.trusts import CURATED
from tacit.ledger.ledger import LedgerOrPath
from tacit.pac.learning import ConceptLearning
from tacit.pac.rules import BitTest, labels_of, lines, shortened
from tacit.question.concepts import MOST_TESTED, DecisionTree
from tacit.statistics.average import Average
from tacit.trust.people import Trust, people_of


@final
class DecisionTreeClassifier(ClassifierMixin, BaseEstimator):
    """The tree of so many levels of tests that labels nearly the most people right.

    Features become bits by tests that are declared (`tacit.estimators.public_tests`): thresholds
    between the bounds, and categories. Of all full trees of such tests, with any class at each end,
    one is drawn by the exponential mechanism, exactly (`tacit.mechanisms.rows.tree_choice`, where
    the proof is). So the whole promise goes to one choice, and none of it to growing.

    **Guarantee**: pure epsilon of `Central`, for the whole tree; its delta is not spent. What
    randomises each person's own data has no such choice, and is refused.

    **Error**: `foreseen_error_`: 95 times of 100 no tree of these tests labels a larger share of
    these people right by more than that.

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

    Fitted, it has `tests_`, all that there were, `foreseen_error_`, and `export_text` and
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

    def fit(self, X: Any, y: Any) -> Self:
        """Learns from people's rows `X` and their labels `y`, and charges for it."""
        terms = Terms.of(self, CURATED)
        X, y = reading.labelled(self, X, y)
        people = people_of(self.people, terms.trust, len(X))
        classes = classes_of(self.classes, y, terms.trust)
        tests, labels = self._declared(X, terms.trust), numbers_of(y, classes)
        concept = DecisionTree(len(tests), int(self.max_depth), len(classes))
        asked, learner = ConceptLearning(concept, terms.trust, people), Average((concept.size,))
        release = terms.released(asked.plan, learner, lambda: _rows(tests, X, labels))
        self.tests_, self.classes_ = tests, classes
        self.foreseen_error_ = cast(float, asked.most_fewer_right) / people
        self._concept, self._told = concept, np.asarray(release.answer, float)
        self.plan_, self.receipt_ = release.plan, release.receipt()
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class at the end that each row comes to."""
        rows = reading.rows_of(self, X)
        bits = _bits(self.tests_, rows) > 0
        return self.classes_[labels_of(self._concept, self._told, bits)]

    def export_text(self) -> str:
        """The tree in words, a line for each end and each test on the way to it."""
        return "\n".join(lines(self._tree, self._said, list(self.classes_)))

    def export_picture(self, into: Path | IO[str]) -> None:
        """The tree as a picture, saved as the format that the file's ending names."""
        from tacit.estimators.tree_picture import draw

        draw(self._tree, self._said, list(self.classes_), into)

    def _declared(self, X: np.ndarray, trust: Trust) -> tuple[PublicTest, ...]:
        declared = Declared(self.cuts, self.thresholds, self.categorical_features)
        tests = declared.tests(box_of(self.bounds, X, trust), self._names)
        return _enough(tests, self.max_depth)

    @property
    def _names(self) -> Sequence[str] | None:
        """Of features, where rows have some."""
        return getattr(self, "feature_names_in_", None)

    @property
    def _said(self) -> list[str]:
        names = self._names
        known = names is not None
        called = (
            names if known else [f"x{place}" for place in range(cast(Any, self).n_features_in_)]
        )
        return [test.named(called) for test in self.tests_]

    @property
    def _tree(self) -> BitTest | int:
        check_is_fitted(self, "tests_")
        return shortened([int(each) for each in self._told], self._concept.depth)


def _enough(tests: tuple[PublicTest, ...], depth: Any) -> tuple[PublicTest, ...]:
    """The same, where a tree may have as many; one alone counts twice, as trees are of two bits."""
    if not (is_whole(depth) and depth in MOST_TESTED):
        raise ValueError(f"max_depth must be 1, 2 or 3, got {got(depth)}")
    most = MOST_TESTED[int(depth)]
    if not len(tests) <= most:
        raise ValueError(
            f"a tree of max_depth={depth} takes at most {most:,} tests, got {len(tests):,}: "
            "declare fewer cuts, thresholds or categories"
        )
    return 2 * tests if len(tests) == 1 else tests


def _rows(
    tests: Sequence[PublicTest], X: np.ndarray, labels: np.ndarray
) -> Float32[np.ndarray, "people numbers"]:
    """Bits and a label."""
    return np.column_stack([_bits(tests, X), labels]).astype(np.float32)


def _bits(tests: Sequence[PublicTest], X: np.ndarray) -> Float32[np.ndarray, "people bits"]:
    made = np.empty((len(X), len(tests)), np.float32)
    for place, test in enumerate(tests):
        made[:, place] = test.bits(X)
    return made
