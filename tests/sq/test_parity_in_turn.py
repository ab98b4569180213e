"""A parity from one random bit a person: found by as many as are foreseen, and by no fewer."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from sq.queried import TRUSTS, bits_of, named, state_of
from tacit.sq.parity_in_turn import ParityInTurn, parity_failure, parity_people

DIM = 3
PARITY = np.array([1, 0, 1])


def people(many: int, dim: int = DIM, parity: np.ndarray = PARITY):
    bits = bits_of(many, dim)
    return bits, (bits @ parity % 2).astype(np.float32)


@pytest.mark.parametrize("trust", TRUSTS, ids=named)
def test_a_parity_is_learnt_under_every_trust(trust, tmp_path):
    """Each person is asked about one of eight."""
    learner = ParityInTurn(DIM)
    state = state_of(learner, trust, people(20_000), tmp_path)

    np.testing.assert_array_equal(learner.rule(state), PARITY)


def test_a_person_answers_with_a_sign():
    """That of their label, times the parity's of the round."""
    learner, person = ParityInTurn(DIM), (jnp.array([1.0, 0.0, 1.0]), jnp.float32(1))
    state, said = learner.init(), []
    for _ in range(learner.rounds):
        said.append(float(learner.ask(state, person)))
        state = learner.tell(state, jnp.float32(said[-1]))

    # Bits 0 and 2 are ones: parities of one of them are odd.
    assert [-1, 1, -1, 1, 1, -1, 1, -1] == said
    np.testing.assert_array_equal(state.means, said)


@pytest.mark.parametrize(("dim", "epsilon"), [(3, 1.0), (4, 2.0), (5, math.inf)])
def test_the_chance_to_fail_is_that_of_random_bits(dim, epsilon):
    """Over 4,000 games of a Poisson number of people, within four deviations; two thirds of the
    reports are beyond them."""
    many, games, host = 0.6 * parity_people(dim, epsilon), 4_000, np.random.default_rng(0)
    t = math.tanh(epsilon / 2)
    each = host.poisson(many / 2**dim, (games, 2**dim))
    ones = host.binomial(each, np.where(np.arange(2**dim) == 0, (1 + t) / 2, 0.5))
    sums = 2 * ones - each
    failed = np.mean(sums[:, 0] <= sums[:, 1:].max(axis=1))
    chance = parity_failure(dim, epsilon, many)

    assert abs(failed - chance) < 4 * math.sqrt(chance * (1 - chance) / games)
    assert parity_failure(dim, epsilon, 2 / 3 * many) > chance + 0.05


def test_people_are_the_fewest_that_are_enough():
    """Within a hundredth; and they grow as d 2^d does, where a curator's grow as d."""
    for dim in (2, 5, 8):
        many = parity_people(dim, 1.0)
        assert parity_failure(dim, 1.0, many) <= 0.05 < parity_failure(dim, 1.0, many / 1.02)
    grown = parity_people(12, 1.0) / parity_people(8, 1.0)
    assert 16 < grown < 32


def test_reports_of_the_library_need_little_more(tmp_path):
    """They are for any numbers, not signs alone: of a third more people, they find it in nearly
    all of ten runs."""
    dim, found = 3, 0
    many, learner = 4 * parity_people(dim, 1.0) // 3, ParityInTurn(dim)
    for seed in range(10):
        data = people(many)
        state = state_of(learner, tacit.Local(1.0), data, tmp_path, seed=seed)
        found += np.array_equal(learner.rule(state), PARITY)

    assert found >= 8


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: ParityInTurn(0), "dim must be a whole number from 1 to 16"),
        (lambda: ParityInTurn(17), "dim must be a whole number from 1 to 16"),
        (lambda: parity_failure(3, 0.0, 10), "epsilon must be positive"),
        (lambda: parity_failure(3, math.nan, 10), "epsilon must be positive"),
        (lambda: parity_failure(3, 1.0, 0), "people must be positive"),
        (lambda: parity_people(3, 1.0, 1.0), r"failure must be in \[1e-9, 1\)"),
    ],
)
def test_what_is_not_of_its_kind_is_refused(asked, said):
    """With what is allowed."""
    with pytest.raises(ValueError, match=said):
        asked()
