"""Looks that are paid for: each is a release, charged before it, refused where it does not fit."""

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.learning.evaluation import Evaluation
from tacit.learning.paid_measure import PaidMeasure
from tacit.population.program import compiles
from tacit.population.run import Run

PEOPLE, EPSILON = 500, 1.0
DATA = np.random.default_rng(0).uniform(0, 2, PEOPLE).astype(np.float32)
SUMS = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, PEOPLE)
PLAN = tacit.Central(EPSILON, 0.0).plan(SUMS)


def apart(model, person):
    return jnp.abs(model - person)


@pytest.fixture
def ledger(tmp_path) -> tacit.Ledger:
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit_for("judges", PLAN, times=3)
    return book


def measure(ledger, looks=3, plan=PLAN) -> PaidMeasure:
    return PaidMeasure(tacit.Arrays(DATA, "judges"), plan, apart, ledger, looks=looks, seed=4)


def test_each_look_is_the_mean_of_cut_numbers_and_is_charged(ledger):
    """Three looks at three models: noise about the plan's error, three charges, one program."""
    look = measure(ledger)
    for done, model in enumerate((0.0, 0.5, 1.0), 1):
        found = look(jnp.asarray(model), None)
        before = compiles() if done == 1 else before
        expected = np.mean(np.minimum(np.abs(model - DATA), 1.0))
        assert abs(found - expected) < 8 * PLAN.error**0.5 and found != expected
        (account,) = ledger.spent("judges")
        assert account.epsilon == pytest.approx(done * EPSILON, rel=1e-6)
    assert compiles() == before


def test_what_is_no_seed_is_refused(ledger):
    """Before any look, which would be charged."""
    with pytest.raises(ValueError, match="seed must be a whole number from 0"):
        PaidMeasure(tacit.Arrays(DATA, "judges"), PLAN, apart, ledger, looks=3, seed="a")


def test_noise_is_drawn_anew_for_every_look(ledger):
    """Two looks at one model differ."""
    look = measure(ledger)

    assert look(jnp.zeros(()), None) != look(jnp.zeros(()), None)


def test_more_looks_than_fit_are_refused_before_the_first(ledger):
    """Nothing is spent."""
    with pytest.raises(tacit.ledger.OverBudget):
        measure(ledger, looks=4)

    assert not ledger.history("judges")


def test_more_looks_than_were_declared_are_refused(ledger):
    """The first was charged, the second not."""
    look = measure(ledger, looks=1)
    look(jnp.zeros(()), None)
    with pytest.raises(ValueError, match="no more looks than were declared"):
        look(jnp.zeros(()), None)

    assert len(ledger.history("judges")) == 1


def test_it_is_a_measure_of_an_evaluation(ledger):
    """Whose public data it does not look at."""

    class Plain:
        def released(self, state):
            return state

    seen = Evaluation(Plain(), {"apart": measure(ledger)}, public=None)
    seen(1, jnp.zeros(()))

    assert seen.history[0].values["apart"] == pytest.approx(np.mean(np.minimum(DATA, 1)), abs=0.1)


def asked(shape, rounds: int) -> tacit.Plan:
    return tacit.Central(1.0, 0.0).plan(tacit.Mean(shape, tacit.Everyone(), rounds, PEOPLE))


@pytest.mark.parametrize(
    "plan, looks, words",
    [
        (asked(tacit.OneHot(3), 1), 1, "one round of a Mean of an Interval"),
        (asked(tacit.Interval(0.0, 1.0), 2), 1, "of 2 rounds"),
        (tacit.NonPrivate().plan(tacit.Above(SUMS, 0.5, 1)), 1, "got a Above of 1 rounds"),
        (PLAN, 0, "looks must be a whole number of at least 1, got 0"),
    ],
)
def test_what_is_no_look_is_refused(plan, looks, words, ledger):
    """The sentence names what is one."""
    with pytest.raises(ValueError, match=words):
        measure(ledger, looks, plan)


def test_a_look_that_is_cut_off_is_charged_and_leaves_no_key(ledger, monkeypatch):
    """Nobody has its grant's name, so nothing is said of going on with it."""

    def cut_off(*asked):
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "played", cut_off)
    with pytest.raises(KeyboardInterrupt) as caught:
        measure(ledger)(jnp.zeros(()), None)

    (said,) = caught.value.__notes__
    assert "stays charged: epsilon 1, " in said and "charged anew" in said
    assert [True] == [entry.closed is not None for entry in ledger.history("judges")]
