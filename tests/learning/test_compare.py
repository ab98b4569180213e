"""The price of privacy: one learner under every trust model, each release charged and kept."""

import math

import equinox as eqx
import numpy as np
import pytest

import tacit
from tacit.device.choose import Split
from tacit.learning.classifiers import InRounds, NewtonRounds, PerturbedMinimum, Problem, Steps
from tacit.learning.compare import Comparison, Method, Point, compare, promising, trials
from tacit.ledger import receipt

PEOPLE, DELTA = 600, 1e-5
TWO, THREE = Problem(PEOPLE, 2, 1.0, 2), Problem(PEOPLE, 2, 1.0, 3)
CENTRAL = tacit.Central(1.0, DELTA, tacit.Relation.REPLACE_ONE)
STEPS = Steps(clip=1.0, rate=4.0, average_from=5)
EVERYONE, ONCE = (InRounds(STEPS, who, 20) for who in (tacit.Everyone(), tacit.Once()))
PLAIN = Method("descent", tacit.NonPrivate(), EVERYONE)
MINIMUM = Method("minimum", CENTRAL, PerturbedMinimum(0.01))
DESCENT = Method("descent", CENTRAL, EVERYONE)
NEWTON = Method("newton", CENTRAL, NewtonRounds(0.01, tacit.Everyone(), 4))
TRUSTS = (CENTRAL, tacit.Federated(Split(8.0, 8.0), CENTRAL), tacit.Shuffled(1.0, DELTA))


def part(classes: int, seed: int, people: int = PEOPLE):
    """Points of the unit disc, with the sector they are in as their label; it is off the origin."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-0.7, 0.7, (people, 2)).astype(np.float32)
    corners = np.array([[0.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])[:classes]
    return rows, np.argmax(rows @ corners.T + [0.3, 0.0, 0.0][:classes], axis=1)


def play(methods, epsilons, problem=TWO, **options) -> Comparison:
    data = part(problem.classes, 0), part(problem.classes, 1)
    return compare(trials(problem, methods, epsilons), *data, name="points", **options)


@pytest.fixture(scope="module")
def played() -> Comparison:
    return play((MINIMUM, DESCENT, PLAIN), (20.0, 0.001), repeats=2, seed=3)


def test_accuracy_has_a_price(played):
    """At a large epsilon each method learns, at a tiny one none learns as much."""
    lines = played.lines()
    for method in (MINIMUM, DESCENT):
        hidden, shown = lines[method]
        assert (0.001, 20.0) == (hidden.epsilon, shown.epsilon)
        assert shown.mean > 0.9 and hidden.mean < shown.mean - 0.05
    (plain,) = lines[PLAIN]
    assert math.inf == plain.epsilon and plain.mean > 0.93 and 0.0 == plain.spread


def test_every_release_has_a_receipt_that_holds(played, tmp_path):
    """One for each repetition, promising what was asked for; the one without privacy nothing."""
    receipt.write(tmp_path / "receipt.json", played.receipts)
    promised = [one["guarantees"] for point in played.points for one in point.receipts]

    assert receipt.verify(tmp_path / "receipt.json").sound
    assert 2 * 5 == len(promised) and [[], []] == promised[-2:]
    for point in played.points[:-1]:
        for one in point.receipts:
            assert all(0 < p["epsilon"] <= point.epsilon for p in one["guarantees"])
            assert not one["private"]


def test_a_seed_repeats_everything_and_no_two_releases_are_alike(played):
    """The same accuracies again; other ones from another seed, and in other repetitions."""
    again, other = (play((DESCENT,), (0.001,), repeats=3, seed=seed) for seed in (3, 4))

    assert again == play((DESCENT,), (0.001,), repeats=3, seed=3) != other
    assert 6 == len({score for one in (again, other) for score in one.points[0].accuracies})
    assert not again.private


def test_without_a_seed_two_comparisons_differ():
    """Though of the same people, and asked alike: their receipts say that releases are private."""
    asked, data = trials(TWO, (DESCENT,), (0.1,)), (part(2, 0), part(2, 1, 200_000))
    first, second = (compare(asked, *data, name="points", repeats=2) for _ in range(2))

    assert first.private and second.private
    assert first.points[0].accuracies != second.points[0].accuracies


def test_without_a_seed_noise_is_fresh():
    """Receipts say that releases are private.

    At this epsilon accuracies are all over. Where noise drowns all they are not: many fits are of
    one class for everybody.
    """
    first, second = (play((DESCENT, PLAIN), (0.1,), repeats=4) for _ in range(2))

    assert first.private and second.private
    assert first.points[0].accuracies != second.points[0].accuracies


def test_newton_learns_two_classes():
    """Weights and intercept from gradients and Hessians."""
    assert play((NEWTON,), (20.0,), repeats=1, seed=0).points[0].mean > 0.9


def test_more_classes_are_learnt_with_a_score_for_each():
    """Weights and intercepts find their classes again, in both ways that know many."""
    found = play((MINIMUM, PLAIN), (20.0,), THREE, repeats=1, seed=0)

    assert all(point.mean > 0.9 and point.spread is None for point in found.points)


def test_one_learner_unchanged_under_every_trust_model():
    """Not a number of it differs, and one person's term is the same; the plans do differ."""
    ways = [*((trust, EVERYONE) for trust in TRUSTS[:2]), *((t, ONCE) for t in TRUSTS[2:])]
    ways += [(tacit.Local(1.0), ONCE), (tacit.NonPrivate(), EVERYONE)]
    methods = [Method("descent", trust, way) for trust, way in ways]
    planned = trials(THREE, methods, (1.0, 2.0))

    assert 9 == len(planned)
    for trial in planned:
        assert eqx.tree_equal(STEPS.learner(THREE), trial.asked.learner)
        trust = promising(trial.method.trust, trial.epsilon)
        public = [p for p in trial.asked.plan.guarantees if p.observer == "public"]
        assert isinstance(trust, tacit.NonPrivate) or public[0].epsilon <= trial.epsilon
    assert 4 == len({repr(trial.asked.plan.device) for trial in planned if trial.epsilon == 1})


def test_a_comparison_that_does_not_fit_is_refused_whole(tmp_path):
    """One release would fit, and is not charged: the sentence counts both."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit("points", "public", tacit.Relation.REPLACE_ONE, 1.5, 1.0)
    with pytest.raises(tacit.ledger.OverBudget, match="the 2 grants together ask for epsilon = "):
        play((DESCENT,), (1.0,), repeats=2, ledger=book)
    assert [] == book.history("points")
    play((DESCENT,), (1.0,), repeats=1, ledger=str(tmp_path / "ledger.db"))

    (account,) = book.spent("points")
    assert 0.9 < account.epsilon <= 1.0


class Died(BaseException):
    """An interrupt."""


def test_an_interrupted_comparison_leaves_no_open_grant(tmp_path, monkeypatch):
    """What was charged stays charged; the key of what nobody can resume is erased."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit("points", "public", tacit.Relation.REPLACE_ONE, 9.0, 1.0)

    def dying(*args, **options):
        raise Died

    monkeypatch.setattr(tacit.population.Grant, "run", dying)
    with pytest.raises(Died):
        play((DESCENT,), (1.0,), repeats=2, ledger=book)

    (entry,) = book.history("points")
    assert entry.closed and 0.9 < book.spent("points")[0].epsilon <= 1.0


def test_spread_is_the_deviation_of_one_release():
    """The unbiased one; a single repetition has none."""
    assert 0.1 == pytest.approx(Point(PLAIN, 1.0, (0.7, 0.8, 0.9), ()).spread)
    assert 0.8 == pytest.approx(Point(PLAIN, 1.0, (0.7, 0.8, 0.9), ()).mean)


def test_rows_count_as_declared():
    """A longer row is shortened to the norm, in training and in the test alike."""
    rows = np.array([[30.0, 40.0], [0.3, 0.4]], np.float32)

    np.testing.assert_allclose([[0.6, 0.8], [0.3, 0.4]], TWO.cut(rows), rtol=1e-5)
    weights = np.array([[1.0], [0.0], [-0.45]])
    assert 0.5 == TWO.accuracy(weights, (rows, np.array([1, 1])))


@pytest.mark.parametrize(
    "problem, methods, epsilons, message",
    [
        (TWO, (), (1.0,), "methods must be different, at least one"),
        (TWO, (DESCENT, DESCENT), (1.0,), "methods must be different"),
        (TWO, (DESCENT,), (), "epsilons must be different, at least one"),
        (TWO, (DESCENT,), (1.0, 1), "epsilons must be different"),
        (TWO, (DESCENT,), (math.nan,), "epsilon must be positive and finite, got nan"),
        (TWO, (DESCENT,), (math.inf,), "epsilon must be positive and finite, got inf"),
        (THREE, (NEWTON,), (1.0,), "Newton's method is for two classes, got 3"),
        (TWO, (Method("", tacit.Local(1.0), PerturbedMinimum(0.1)),), (1.0,), "OfRows"),
    ],
)
def test_what_cannot_be_planned_is_refused(problem, methods, epsilons, message):
    """In one sentence, before there is a ledger."""
    with pytest.raises(ValueError, match=message):
        trials(problem, methods, epsilons)


@pytest.mark.parametrize("field, value", [("people", 0), ("norm", math.nan), ("classes", 1)])
def test_a_problem_out_of_range_is_refused(field, value):
    """What is allowed is named."""
    with pytest.raises(ValueError, match=f"{field} must be"):
        Problem(**{"people": 5, "features": 2, "norm": 1.0, "classes": 2, field: value})


def test_data_that_do_not_fit_are_refused():
    """Rows of another length, labels that are none, no repetition; whose they are is not said."""
    planned, (rows, labels) = trials(TWO, (DESCENT,), (1.0,)), part(2, 0)
    for data in ((rows[:, :1], labels), (rows, labels[1:]), (rows, labels + 1)):
        with pytest.raises(ValueError, match="must"):
            compare(planned, (rows, labels), data, name="points")
    with pytest.raises(ValueError, match="repeats must be at least 1, got 0"):
        compare(planned, (rows, labels), (rows, labels), name="points", repeats=0)
