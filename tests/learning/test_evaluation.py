"""Looks at training: what they find, when they end it, and that they change nothing."""

import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import tacit
from tacit.federated import GradientSteps, Training
from tacit.learning.evaluation import Evaluation, Look, Patience, mean_of

PEOPLE, ROUNDS = 20, 12
DATA = np.random.default_rng(0).normal(1.0, 0.1, (PEOPLE, 2)).astype(np.float32)
PUBLIC = jnp.asarray(np.random.default_rng(1).normal(1.0, 0.1, (7, 2)), jnp.float32)


def squared(model, person):
    return jnp.sum(jnp.square(model - person))


LEARNER = Training(jnp.zeros(2), squared, GradientSteps(1, 1.0), optax.sgd(0.1))
SUMS = tacit.Mean(tacit.Ball(2, 5.0), tacit.Everyone(), ROUNDS, PEOPLE)
PLAN = tacit.NonPrivate().plan(SUMS)


def run(folder, watch) -> tacit.Release:
    people = tacit.Arrays(DATA, "twenty")
    return people.grant(PLAN, LEARNER, tacit.Ledger(folder / "ledger.db"), seed=1).run(watch=watch)


def looked(*values: float) -> list[Look]:
    return [Look(rounds, {"loss": value}) for rounds, value in enumerate(values, 1)]


def test_every_so_many_rounds_are_measured_and_kept(tmp_path):
    """On the public data, with the models that a run has then; the last round is one of them."""
    states = {}
    loss = mean_of(squared)
    seen = Evaluation(LEARNER, {"loss": loss, "first": lambda m, _: m[0]}, public=PUBLIC, every=5)
    run(tmp_path, [seen, lambda rounds, state: states.update({rounds: state}) and None])

    assert [look.rounds for look in seen.history] == [5, 10, 12]
    for look in seen.history:
        model = LEARNER.released(states[look.rounds])
        expected = np.mean(np.sum((np.asarray(model) - np.asarray(PUBLIC)) ** 2, axis=1))
        assert look.values["loss"] == pytest.approx(expected, rel=1e-5)
        assert look.values["first"] == pytest.approx(float(model[0]))
    assert seen.said() == ", ".join(f"{k} {v:.3g}" for k, v in seen.history[-1].values.items())


def test_looking_changes_nothing(tmp_path):
    """The same state to the bit, watched or not."""
    (tmp_path / "other").mkdir()
    seen = Evaluation(LEARNER, {"loss": mean_of(squared)}, public=PUBLIC, every=3)
    watched, alone = run(tmp_path, seen).state, run(tmp_path / "other", None).state

    np.testing.assert_array_equal(watched.parameters, alone.parameters)


def test_a_run_that_gets_no_better_is_ended_and_its_best_state_is_kept(tmp_path):
    """The loss falls, then a measure that counts up is never better again."""
    values = iter([3.0, 2.0, 2.5, 2.0, 9.0, 9.0, 9.0])
    states = []
    seen = Evaluation(
        LEARNER,
        {"loss": lambda model, public: next(values)},
        public=PUBLIC,
        stop=Patience("loss", looks=3),
    )
    release = run(tmp_path, [lambda rounds, state: states.append(state), seen])

    assert [look.rounds for look in seen.history] == [1, 2, 3, 4, 5]
    assert int(release.state.rounds) == 5
    np.testing.assert_array_equal(seen.best.parameters, states[1].parameters)


@pytest.mark.parametrize(
    "values, best, over",
    [
        ((3.0,), 0, False),
        ((3.0, 2.0, 1.0), 2, False),
        ((3.0, 1.0, 2.0), 1, False),
        ((3.0, 1.0, 2.0, 1.0), 1, True),
        ((math.nan, math.nan, math.nan), 0, True),
        ((math.nan, 5.0, 6.0), 1, False),
        ((5.0, math.nan, math.nan), 0, True),
        ((math.inf, 5.0), 1, False),
    ],
)
def test_patience_ends_when_the_best_is_old(values, best, over):
    """Equally good is no better, NaN never is, and anything is better than it."""
    patience = Patience("loss", looks=2)

    assert (patience.best(looked(*values)), patience.now(looked(*values))) == (best, over)


def test_better_by_less_than_the_least_is_no_better():
    """Noise alone makes a measure a little better for ever."""
    slowly = looked(1.0, 0.95, 0.91, 0.89)

    assert (
        Patience("loss", 5).best(slowly) == 3 and Patience("loss", 5, least=0.1).best(slowly) == 3
    )


def test_before_the_first_look_nothing_is_said():
    """A bar may be drawn first."""
    seen = Evaluation(LEARNER, {"loss": mean_of(squared)}, public=PUBLIC)

    assert ("", (), None) == (seen.said(), seen.history, seen.best)


def test_a_mean_over_people_is_compiled_once_for_all_models():
    """A look costs its arithmetic."""
    traced = []

    def each(model, person):
        traced.append(1)
        return squared(model, person)

    loss = mean_of(each)
    for size in range(4):
        loss(jnp.full(2, float(size)), PUBLIC)
    assert len(traced) == 1 and eqx.is_array(loss(jnp.zeros(2), PUBLIC))
    assert jax.numpy.ndim(loss(jnp.zeros(2), PUBLIC)) == 0


@pytest.mark.parametrize("at_once", [1, 3, 7, 8])
def test_a_mean_over_people_is_the_same_however_many_are_measured_at_once(at_once):
    """Also where the last of them are fewer."""
    model = jnp.array([0.5, 2.0])

    assert float(mean_of(squared, at_once)(model, PUBLIC)) == pytest.approx(
        float(mean_of(squared)(model, PUBLIC)), rel=1e-6
    )


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Evaluation(LEARNER, {}, public=PUBLIC), "at least one measure, got none"),
        (
            lambda: Evaluation(LEARNER, {"a": max}, public=PUBLIC, stop=Patience("loss", 2)),
            "stop must be about one of a, got loss",
        ),
        (lambda: Patience("loss", 2, "0.1"), "least must be at least 0 and finite, got '0.1'"),
        (lambda: Patience("loss", 0), "looks must be a whole number of at least 1, got 0"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(make, words):
    """The sentence names what can."""
    with pytest.raises(ValueError, match=words):
        make()
