"""A rule of declared tests, chosen among all of its class in one private choice.

What `DecisionTreeClassifier` and `RuleListClassifier` have in common: tests as bits, one question
of concepts, one charge, and a rule that anybody may read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast, final

import numpy as np
from jaxtyping import Float, Float32, Int

from tacit.argument import got, is_whole
from tacit.estimators import reading
from tacit.estimators.asking import charged_to
from tacit.estimators.classifiers_before import PublicRows, before_rows
from tacit.estimators.declared import box_of, classes_of, numbers_of
from tacit.estimators.fit_plan import FitPlan
from tacit.estimators.public_tests import Declared, PublicTest
from tacit.estimators.release import Terms
from tacit.estimators.trusts import CURATED
from tacit.pac.learning import ConceptLearning
from tacit.pac.rules import labels_of
from tacit.population.release import Release
from tacit.question.concepts import FACTORED, MOST_TESTED
from tacit.server.concepts import UNSURE
from tacit.statistics.average import Average
from tacit.trust.people import people_of


@final
@dataclass(frozen=True, eq=False)
class ChosenRule:
    """What was released, and what it is about. All of it is public.

    Args:
      concept: the class of rules.
      numbers: what tells the rule (`tacit.question.concepts`).
      tests: of features, the bits.
      classes: what labels are called.
      foreseen_shortfall: the share of people that it may be right about fewer than the best rule.
      release: what was run.
    """

    concept: FACTORED
    numbers: Float[np.ndarray, " numbers"]
    tests: tuple[PublicTest, ...]
    classes: np.ndarray
    foreseen_shortfall: float
    release: Release

    @property
    def told(self) -> list[int]:
        return [int(each) for each in self.numbers]

    def predicted(self, asking: Any, X: Any) -> np.ndarray:
        """The class of each row that an estimator is given."""
        bits = bits_of(self.tests, reading.rows_of(asking, X)) > 0
        return self.classes[labels_of(self.concept, self.numbers, bits)]

    def named(self, asking: Any) -> list[str]:
        """Its tests in words, with features by their own names where they have some."""
        names = names_of(asking)
        known = [f"x{place}" for place in range(asking.n_features_in_)] if names is None else names
        return [test.named(known) for test in self.tests]


def chosen_rule(
    asking: Any, X: Any, y: Any, size: str, concept: Callable[[int, int, int], FACTORED]
) -> ChosenRule:
    """The rule of these people, charged to them.

    Args:
      asking: the estimator.
      X, y: people's rows and labels.
      size: the name of the estimator's parameter that says how large rules are.
      concept: the class, by how many bits, how large, and how many labels.

    Raises:
      ValueError: if an argument is not of its kind; nothing is charged.
    """
    terms = Terms.of(asking, CURATED)
    X, y = reading.labelled(asking, X, y, terms.trust)
    people, classes = people_of(asking.people, terms.trust, len(X)), _classes(asking, y, terms)
    labels, box = numbers_of(y, classes), box_of(asking.bounds, X, terms.trust)
    known = PublicRows(terms.trust, people, box, names_of(asking), classes)
    tests, asked = _asked(asking, known, size, concept)
    learner = Average((asked.concept.size,))
    release = terms.released(asked.plan, learner, lambda: _rows(tests, X, labels))
    told = np.asarray(release.answer, float)
    return ChosenRule(cast(FACTORED, asked.concept), told, tests, classes, _short(asked), release)


def rule_before(
    asking: Any,
    features: int | Sequence[str],
    people: int | None,
    size: str,
    concept: Callable[[int, int, int], FACTORED],
) -> FitPlan:
    """What the choice of a rule would promise, and how good the rule would be.

    Args:
      features: how many columns, or their names.
      people: how many there are, if the estimator was not told.
      asking, size, concept: as of `chosen_rule`.

    Raises:
      ValueError: if an argument is not of its kind.
    """
    known = before_rows(asking, features, people, CURATED)
    tests, asked = _asked(asking, known, size, concept)
    return _foreseen(asked, len(tests), charged_to(asking))


def names_of(asking: Any) -> Sequence[str] | None:
    """Of features, where rows had some."""
    return getattr(asking, "feature_names_in_", None)


def bits_of(tests: Sequence[PublicTest], X: np.ndarray) -> Float32[np.ndarray, "people bits"]:
    """Which of the tests each row passes."""
    made = np.empty((len(X), len(tests)), np.float32)
    for place, test in enumerate(tests):
        made[:, place] = test.bits(X)
    return made


def _classes(asking: Any, y: np.ndarray, terms: Terms) -> np.ndarray:
    return classes_of(asking.classes, y, terms.trust)


def _asked(
    asking: Any, known: PublicRows, size: str, concept: Callable[[int, int, int], FACTORED]
) -> tuple[tuple[PublicTest, ...], ConceptLearning]:
    """The tests, and the choice among all rules of them."""
    large = _large(getattr(asking, size), size)
    declared = Declared(asking.cuts, asking.thresholds, asking.categorical_features)
    tests = _enough(declared.tests(known.box, known.names), size, large)
    rules = concept(len(tests), large, len(known.classes))
    return tests, ConceptLearning(rules, known.trust, known.people)


def _foreseen(asked: ConceptLearning, tests: int, population: str | None) -> FitPlan:
    """Of a rule that is chosen among all of its class.

    Args:
      asked: the choice.
      tests: of which rules are made.
      population: the name of the accounts; None where nobody is charged.
    """
    short = _short(asked)
    nothing = ", so that nothing is learnt" * (short >= 1)
    said = (
        f"({short:.2g}, {UNSURE:g})-useful: {1 - UNSURE:.0%} of times no rule of the class labels "
        f"more than {short:.2%} of these people right whom this one does not{nothing}"
    )
    way = f"one choice among all rules of {tests:,} test{'s' * (tests != 1)}"
    unknown = "how many people the best rule labels right"
    return FitPlan(asked.plan, population, way, short, said, unknown)


def _short(asked: ConceptLearning) -> float:
    """The share of people that another rule may be right about more, who are at most all."""
    return min(1.0, cast(float, asked.most_fewer_right) / asked.people)


def _large(given: Any, size: str) -> int:
    if not (is_whole(given) and given in MOST_TESTED):
        raise ValueError(f"{size} must be 1, 2 or 3, got {got(given)}")
    return int(given)


def _enough(tests: tuple[PublicTest, ...], size: str, large: int) -> tuple[PublicTest, ...]:
    """The same, where a rule may have as many; one alone counts twice, as rules are of two bits."""
    most = MOST_TESTED[large]
    if not len(tests) <= most:
        raise ValueError(
            f"{size}={large} takes at most {most:,} tests, got {len(tests):,}: declare fewer cuts, "
            "thresholds or categories"
        )
    return 2 * tests if len(tests) == 1 else tests


def _rows(
    tests: Sequence[PublicTest], X: np.ndarray, labels: Int[np.ndarray, " people"]
) -> Float32[np.ndarray, "people numbers"]:
    """Bits and a label."""
    return np.column_stack([bits_of(tests, X), labels]).astype(np.float32)
