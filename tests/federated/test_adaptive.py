"""A bound that follows devices' updates: found by a run, paid for by a share, the same for all."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import tacit
from tacit.federated import AdaptiveTraining, GradientSteps, Training
from tacit.learning.adaptive import AdaptiveProgress
from tacit.learning.quantile_bound import QuantileBound
from tacit.population.staged import Staged

PEOPLE, DIM, ROUNDS = 41, 3, 120
DIRECTIONS = np.random.default_rng(0).normal(size=(PEOPLE, DIM))
NORMS = np.linspace(1.0, 5.0, PEOPLE)
DIRECTIONS *= (NORMS / np.linalg.norm(DIRECTIONS, axis=1))[:, None]
DATA = DIRECTIONS.astype(np.float32)


def towards(model, person):
    """A linear loss: three local steps are three times the person's row over the rate."""
    return jnp.sum(model * person)


def adaptive(**options) -> AdaptiveTraining:
    training = Training(jnp.zeros(DIM), towards, GradientSteps(3, 0.1), optax.sgd(1e-3))
    return AdaptiveTraining(training, QuantileBound(**options))


def at_bound(learner, bound: float) -> AdaptiveProgress:
    return AdaptiveProgress(learner.init().training, jnp.float32(bound))


def run(folder, learner, trust):
    plan = trust.plan(learner.question(tacit.Everyone(), ROUNDS, PEOPLE))
    book = tacit.Ledger(folder / "ledger.db")
    if plan.guarantees:
        book.limit_for("people", plan)
    return tacit.Arrays(DATA, "people").grant(plan, learner, book, seed=1).run().state


@pytest.mark.parametrize("start", [0.01, 300.0])
def test_a_run_finds_the_quantile_of_its_peoples_updates(start, tmp_path):
    """Without noise: of what three steps come to, not of one gradient."""
    state = run(tmp_path, adaptive(start=start, quantile=0.75), tacit.NonPrivate())
    below, above = 3 * NORMS[29], 3 * NORMS[32]

    assert below <= state.bound <= above


def test_a_private_run_finds_it_too(tmp_path):
    """Within what its noise moves it."""
    state = run(tmp_path, adaptive(start=0.1, share=0.2), tacit.Central(200.0, 1e-5))

    assert state.bound == pytest.approx(3 * 3.0, rel=0.25)


def test_devices_that_randomise_both_find_it_too(tmp_path):
    """Each part of a report has its share of the local budget, and noise of its own on the sum."""
    central = tacit.Central(300.0, 1e-5, tacit.Relation.REPLACE_ONE)
    trust = tacit.Federated(600.0, central)
    learner = adaptive(start=0.5, share=0.2)
    plan = trust.plan(learner.question(tacit.Everyone(), ROUNDS, PEOPLE))
    state = run(tmp_path, learner, trust)

    assert [promise.observer for promise in plan.guarantees] == ["public", "server"]
    assert state.bound == pytest.approx(3 * 3.0, rel=0.4)


def test_terms_are_the_updates_of_training_clipped_and_a_bit():
    """The bit and the length follow the public bound."""
    learner = adaptive()
    state = at_bound(learner, 9.1)
    terms = jax.vmap(lambda person: learner.ask(state, person))(DATA)
    clipped = 3 * DATA / np.maximum(3 * NORMS, 9.1)[:, None]

    np.testing.assert_allclose(terms[:, :-1], clipped, rtol=1e-5)
    np.testing.assert_array_equal(terms[:, -1], np.where(3 * NORMS <= 9.1, 0.5, -0.5))


def test_an_answer_moves_training_by_the_bound_times_it():
    """What training is told is in the units of updates."""
    learner, mean = adaptive(), jnp.arange(3.0)
    told = learner.tell(at_bound(learner, 9.0), jnp.append(mean, 0.0))
    alone = learner.training.tell(learner.training.init(), 9.0 * mean)

    np.testing.assert_allclose(alone.parameters, told.training.parameters)
    np.testing.assert_array_equal(learner.released(told), learner.training.released(alone))


def test_other_numbers_of_the_bound_are_the_same_program():
    """But for the share, which is the plan's."""

    def program(**options) -> str:
        learner = adaptive(**options)
        plan = tacit.NonPrivate().plan(learner.question(tacit.Everyone(), 4, PEOPLE))
        return Staged.of(plan, learner, DATA, None).rounds.digest

    numbers = ({}, {"start": 3.0, "quantile": 0.9, "pace": 0.5})
    assert 1 == len({program(**own) for own in numbers})
