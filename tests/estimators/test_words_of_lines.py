"""What a page says of weights that will be learnt: the way, what is lost, and what nobody knows."""

import pytest

import tacit
from tacit.estimators import (
    Lasso,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    NeuralClassifier,
    Ridge,
    SGDClassifier,
)

PURE, LOCAL, FREE = tacit.Central(1.0, 0.0), tacit.Local(4.0), tacit.NonPrivate()
CUT = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE), radius=0.1)
TWO = {"bounds": (0, 1), "classes": [0, 1], "people": 500}
TARGET = {"bounds": (0, 1), "target_bounds": (0, 1), "people": 500}


def page(model) -> str:
    return " ".join(str(model.plan(3)).split())


def test_the_lines_of_a_page():
    """Those of every other plan before a fit, in their order."""
    lines = str(LogisticRegression(PURE, **TWO).plan(3)).split("\n")
    labels = [line.split()[0] for line in lines if not line.startswith(" ")]
    known = ["asked", "trust", "noise", "error", "unknown", "way", "charged", "upload", "promised"]

    assert labels == known


@pytest.mark.parametrize(
    "model, said",
    [
        (LogisticRegression(PURE, **TWO), " of what a line can tell is foreseen to be lost by no"),
        (LogisticRegression(PURE, **TWO), "the logistic loss capped at a half with a penalty of"),
        (LogisticRegression(PURE, **TWO, penalty=2.0), "error not foreseen, as the penalty was g"),
        (LogisticRegression(FREE, **TWO, penalty=2.0), "the exact minimum of the logistic loss w"),
        (LinearSVC(PURE, **TWO, penalty=2.0), "hinge loss with a parabola at its corner with a p"),
        (SGDClassifier(LOCAL, **TWO, rounds=1), "way 1 gradient round at rate"),
        (SGDClassifier(FREE, **TWO, rate=1.0, rounds=2), "error there is no noise"),
        (SGDClassifier(CUT, **TWO, rate=1.0), "not known before: what is cut off these reports"),
        (LinearRegression(FREE, **TARGET), "error there is no noise"),
        (LinearRegression(FREE, **TARGET), "way the line of one release of all second moments ch"),
        (Ridge(LOCAL, **TARGET, penalty=0.5), "with a penalty of 0.5 a person beside what noise "),
        (Lasso(PURE, **TARGET), "95% of times the mean loss, of targets in [-1, 1], is at most"),
        (Lasso(FREE, **TARGET), "error the mean loss, of targets in [-1, 1], is at most 0.25 abo"),
        (NeuralClassifier(LOCAL, **TWO), "which of the local optima is found"),
        (NeuralClassifier(FREE, **TWO), "charged nothing, as nothing is promised"),
    ],
)
def test_a_page_says_which_way_and_what_is_known_of_it(model, said):
    """Of a penalty or rate that was given, nothing is foreseen."""
    assert said in page(model)


@pytest.mark.parametrize("penalty, raised", [(1e-6, True), (5.0, False)])
def test_a_penalty_that_the_promise_raises_is_said(penalty, raised):
    """To what it will be."""
    plan = LogisticRegression(PURE, **TWO, penalty=penalty).plan(3)
    found = plan.plan.server.facts.penalty

    assert raised == (found > penalty)
    assert raised == (f"which the promise raises to {found:.3g}" in plan.way)


def test_noise_on_a_gradient_is_the_plans():
    """Of all its numbers together."""
    known = SGDClassifier(LOCAL, **TWO, rate=1.0, rounds=2).plan(3)

    assert (
        f"mean gradient is off by {known.plan.error**0.5:.3g} (root mean" in known.foreseen_in_words
    )


@pytest.mark.parametrize("epsilon, people, all_lost", [(1e-6, 2, True), (1.0, 10**6, False)])
def test_where_all_is_lost_it_is_said(epsilon, people, all_lost):
    """Of two people nothing is learnt, of a million something."""
    known = Ridge(tacit.Central(epsilon, 0.0), **TARGET | {"people": people}).plan(3)

    assert (known.foreseen >= 1) == all_lost
    assert ("so that nothing is learnt" in known.foreseen_in_words) == all_lost
