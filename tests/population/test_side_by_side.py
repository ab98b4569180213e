"""Runs side by side are the runs that they would be alone."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.noise import keys
from tacit.population.program import compiles, forget
from tacit.population.run import Run
from tacit.population.side_by_side import side_by_side
from tacit.population.staged import Staged
from tacit.simulation import Experiment, Simulated
from tacit.statistics.answers import Answers

PEOPLE, DIM, MANY = 40, 6, 10**5
# By trust; more than a block has, and fewer.
ROUNDS = {"central": 40, "federated": 300}
ROWS = np.random.default_rng(0).standard_normal((PEOPLE, DIM)).astype(np.float32) / 5


class Steps(eqx.Module):
    """Descent towards the mean, at a rate of its own."""

    rate: jax.Array

    def init(self):
        return jnp.zeros(DIM)

    def ask(self, state, person):
        return person - state

    def tell(self, state, answer):
        return state + self.rate * answer


TRUSTS = {
    "central": lambda epsilon: tacit.Central(epsilon, 1e-6),
    "federated": lambda epsilon: tacit.Federated(4.0, tacit.Central(epsilon, 1e-6)),
}


def plan(epsilon: float, trust: str = "central") -> tacit.Plan:
    sums = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Poisson(0.01), ROUNDS[trust], MANY)
    return TRUSTS[trust](epsilon).plan(sums)


@cache
def experiments(trust: str = "central") -> list[Experiment]:
    """Of two budgets, two rates and two seeds."""
    return [
        Experiment(plan(epsilon, trust), Steps(jnp.asarray(rate)), seed)
        for epsilon, rate, seed in [(1.0, 0.1, 1), (1.0, 0.1, 2), (4.0, 0.1, 1), (1.0, 0.3, 1)]
    ]


@pytest.mark.parametrize("trust", TRUSTS)
def test_each_ends_where_it_would_alone(trust):
    """With other seeds, budgets and rates, to float32; and no two of them end alike."""
    stood = Simulated(tacit.Arrays(ROWS, "people"), 7)
    together = stood.side_by_side(experiments(trust))
    for made, (asked, learner, seed) in zip(together, experiments(trust), strict=True):
        alone = stood.run(asked, learner, seed=seed)
        np.testing.assert_allclose(made.state, alone.state, rtol=1e-4, atol=1e-6)
        assert made.plan is asked and str(made) == str(alone)

    assert len({np.asarray(made.state).round(4).tobytes() for made in together}) == 4


@pytest.mark.parametrize("trust", TRUSTS)
def test_they_are_one_program(trust):
    """Whatever their numbers."""
    forget()
    Simulated(tacit.Arrays(ROWS, "people"), 7).side_by_side(experiments(trust))

    assert compiles() == 1


def test_what_differs_in_numbers_is_not_staged_anew(monkeypatch):
    """The first run alone is lowered; another kind of learner is."""
    made, of = [], Staged.of
    monkeypatch.setattr(Staged, "of", lambda *given: made.append(given) or of(*given))
    played = Simulated(tacit.Arrays(ROWS, "people"), 7)
    played.side_by_side(experiments())
    assert len(made) == 1

    with pytest.raises(ValueError, match="must ask for equally many rounds and have equal"):
        played.side_by_side(
            [experiments()[0], Experiment(plan(1.0), Answers(ROUNDS["central"], shape=(DIM,)), 1)]
        )
    assert len(made) == 3


@pytest.mark.parametrize("trust", TRUSTS)
def test_who_is_told_hears_of_the_last_round_and_may_end_all(trust):
    """Of the rounds done, in order; what it raises comes out."""
    heard: list[int] = []
    played = Simulated(tacit.Arrays(ROWS, "people"), 7)
    played.side_by_side(experiments(trust)[:1], heard.append)
    assert heard == sorted(heard) and heard[-1] == ROUNDS[trust]

    with pytest.raises(ZeroDivisionError):
        played.side_by_side(experiments(trust)[:1], lambda done: 1 / 0)


def run(asked: tacit.Plan, learner) -> Run:
    return Run(Staged.of(asked, learner, ROWS, None), "run", keys.from_seed(0), None)


def test_what_is_no_other_number_is_refused():
    """Another number of rounds, another program, or nothing at all."""
    mean = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Fixed(3), 5, PEOPLE)
    trust, steps = tacit.NonPrivate(), Steps(jnp.asarray(0.1))
    longer = tacit.Mean(tacit.Ball(DIM, 1.0), tacit.Fixed(3), 6, PEOPLE)
    for others in (run(trust.plan(longer), steps), run(trust.plan(mean), Answers(5, shape=(DIM,)))):
        with pytest.raises(ValueError, match="must ask for equally many rounds and have equal"):
            side_by_side([run(trust.plan(mean), steps), others])
    with pytest.raises(ValueError, match="at least one run is needed, got none"):
        side_by_side([])
