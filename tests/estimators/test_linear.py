"""What is asked for a line follows from public numbers: a plan prints what a fit charges for."""

from typing import Any

import pytest

import tacit
from estimators.people_like_these import BOUNDS, REPLACE, ledger, names, numbers, rows
from tacit.estimators import (
    SVC,
    Lasso,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    NeuralClassifier,
    Ridge,
    SGDClassifier,
    linear,
)
from tacit.estimators.asked_lines import AskedDescent, AskedMinimum, AskedRounds
from tacit.estimators.declared import REACH
from tacit.estimators.fit_plan import PublicNumbers
from tacit.estimators.linear import asked_line
from tacit.estimators.release import Terms
from tacit.estimators.settings import GradientRounds, Penalised, chosen
from tacit.solve.losses import Logistic, Multinomial

CENTRAL, PURE, LOCAL = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0), tacit.Local(4.0)
SHUFFLED, FREE = tacit.Shuffled(2.0, 1e-6), tacit.NonPrivate()
FEDERATED = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE))
MASKS = tacit.Aggregated(2.0, 1e-5)
PEOPLE = 90
X = rows(PEOPLE)
OWN: dict[str, Any] = {"bounds": BOUNDS, "people": PEOPLE, "seed": 0}
TWO, TARGET = OWN | {"classes": ["no", "yes"]}, OWN | {"target_bounds": (-16, 16)}
STEPS = AskedRounds(None, 3, 0.5, 1.0, 0.0)
LINES = [
    *((LogisticRegression(**TWO, rounds=2), each) for each in (CENTRAL, PURE, LOCAL, FREE, MASKS)),
    *((LinearSVC(**TWO, rounds=2), each) for each in (CENTRAL, SHUFFLED)),
    *((SVC(**TWO, pairs=2), each) for each in (CENTRAL, FREE)),
    *((SGDClassifier(**TWO, rounds=2), each) for each in (CENTRAL, FEDERATED)),
    (SGDClassifier(**TWO, rounds=2, batch=9), CENTRAL),
    (NeuralClassifier(**TWO, rounds=2, batch=9), CENTRAL),
    *((LinearRegression(**TARGET), each) for each in (CENTRAL, PURE, LOCAL, FREE)),
    *((Ridge(**TARGET, penalty=0.1), each) for each in (CENTRAL, LOCAL, FEDERATED)),
    *((Lasso(**TARGET, rounds=2), each) for each in (CENTRAL, FREE)),
]


class Charged(Exception):
    """Stands for a charge and a run."""


@pytest.mark.parametrize("model, trust", LINES, ids=lambda each: type(each).__name__)
def test_what_is_printed_is_what_is_charged(model, trust, monkeypatch, tmp_path):
    """The same plan to the last number, under every trust; it opens no ledger, reads nothing, and
    leaves the estimator as it was."""
    own = type(model)(**(model.get_params() | {"trust": trust, "ledger": tmp_path / "none.db"}))
    kept = dict(vars(own))
    before = own.plan(3)
    assert vars(own) == kept and [] == list(tmp_path.iterdir())
    asked = []

    def released(terms, plan, learner, data):
        asked.append(plan)
        raise Charged

    monkeypatch.setattr(Terms, "released", released)
    targets = names(X) if hasattr(own, "classes") else numbers(X)
    with pytest.raises(Charged):
        own.fit(X, targets)

    assert asked == [before.plan]
    assert max(map(len, str(before).splitlines())) <= 80 and before.population == "people"


REFUSED = [
    (LogisticRegression(PURE, **TWO, penalty="x"), "penalty must be positive and finite, got 'x'"),
    (LogisticRegression(LOCAL, **TWO, penalty=-1.0), "penalty must be at least 0 and finite"),
    (LogisticRegression(LOCAL, **TWO, rounds="x"), "rounds must be a whole number of at least 1"),
    (LogisticRegression(LOCAL, **TWO, rate=float("nan")), "rate must be positive and finite"),
    (LogisticRegression(PURE, **TWO, rounds=-5), "rounds must be a whole number of at least 1"),
    (LogisticRegression(CENTRAL, **TWO, rate="x"), "rate must be positive and finite, got 'x'"),
    (LinearSVC(CENTRAL, **TWO, penalty=0.1, rounds=0), "rounds must be a whole number of at least"),
    (LinearSVC(PURE, **TWO, width=None), "width must be positive and finite, got None"),
    (SVC(PURE, **TWO, pairs="x"), "pairs must be a whole number of at least 1, got 'x'"),
    (SVC(PURE, **TWO, gamma=True), "gamma must be positive and finite, got True"),
    (SVC(PURE, **TWO, frequencies=None), "frequencies must be a whole number from"),
    (SGDClassifier(CENTRAL, **TWO, batch=2.5), "batch must be a whole number of at least 1"),
    (SGDClassifier(CENTRAL, **TWO, clip="x"), "a clipping bound or offset must be between"),
    (SGDClassifier(CENTRAL, **TWO, penalty=None), "penalty must be at least 0 and finite"),
    (Lasso(PURE, **TARGET, radius="x"), "radius must be between 2.-30 and 2.30, got 'x'"),
    (Lasso(PURE, **TARGET, rounds=None), "rounds must be a whole number of at least 1"),
    (Lasso(PURE, **TARGET, width=-1.0), "width must be positive and finite, got -1"),
    (Lasso(LOCAL, **TARGET), "trust must be one of Central, NonPrivate, got Local"),
    (LogisticRegression(**TWO), "trust must be declared"),
    (Ridge(PURE, people=PEOPLE, target_bounds=(0, 1)), "bounds must be declared"),
    (Lasso(PURE, people=PEOPLE, bounds=BOUNDS), "target_bounds must be declared"),
    (LinearSVC(PURE, people=PEOPLE, classes=["no", "yes"]), "bounds must be declared"),
]


@pytest.mark.parametrize("model, said", REFUSED, ids=lambda each: type(each).__name__)
def test_what_a_fit_refuses_has_no_plan(model, said, tmp_path):
    """In the same sentence, and nothing is charged."""
    book = ledger(tmp_path)
    own = type(model)(**(model.get_params() | {"ledger": book}))
    targets = names(X) if hasattr(own, "classes") else numbers(X)
    with pytest.raises(ValueError, match=said) as before:
        own.plan(3)
    with pytest.raises(ValueError, match=said) as after:
        own.fit(X, targets)

    assert str(before.value) == str(after.value) and [] == book.history("people")


@pytest.mark.parametrize("model", [LogisticRegression(PURE, **TWO), Ridge(CENTRAL, **TARGET)])
def test_columns_may_be_told_by_their_names(model):
    """As many as there are names; the same plan, and what is neither is refused."""
    assert model.plan(["age", "ward"]) == model.plan(2) == model.plan(2, people=PEOPLE)
    with pytest.raises(ValueError, match="features must be how many columns there are, or their"):
        model.plan("ab")
    with pytest.raises(ValueError, match="people was declared as 90, got 40"):
        model.plan(2, people=40)


def test_a_curator_solves_or_descends_and_others_descend():
    """With a penalty that was given; else by the settings foreseen to be best."""
    given = asked_line(PublicNumbers(PURE, 3, 90), Logistic(), 0.1, STEPS)
    best = asked_line(PublicNumbers(CENTRAL, 50, 900), Logistic(), None, STEPS)
    rounds = asked_line(PublicNumbers(LOCAL, 3, 90), Logistic(), 0.1, STEPS)

    assert isinstance(given, AskedMinimum) and given.settings == Penalised(Logistic(), 0.1)
    assert isinstance(best, AskedDescent)
    assert best.settings == chosen(CENTRAL, Logistic(), 50, 900) and best.settings.lost
    assert best.plan.sums.rounds == best.settings.rounds == 100
    assert float(best.learner.rate) == pytest.approx(best.settings.rate)
    assert isinstance(rounds, AskedDescent) and rounds.settings == GradientRounds(3, 0.5, 1.0)


def test_no_gradient_is_longer_than_the_clip_of_an_estimators_steps():
    """Where the rate is the user's; without a penalty there is none."""
    for loss in (linear.log_loss(2), linear.log_loss(3)):
        steps = linear.steps_of(LogisticRegression(rounds=7, rate=0.3), loss)
        assert steps == AskedRounds(None, 7, 0.3, loss.lipschitz(REACH), 0.0)
    assert (linear.log_loss(2), linear.log_loss(3)) == (Logistic(), Multinomial(3))
