"""Databases under a curator: which mechanism, which promise, what the page says."""

import math
from typing import Any

import pytest

from tacit.accounting.relation import Relation
from tacit.mechanisms.additive.discrete_gaussian import DiscreteGaussian
from tacit.mechanisms.additive.discrete_laplace import DiscreteLaplace
from tacit.mechanisms.rows.multiplicative_weights import MultiplicativeWeights
from tacit.mechanisms.selection.whole_scores import WholeScores
from tacit.question.databases import NearDatabase, TaughtShares, combinations_of
from tacit.question.rows import OfRows
from tacit.solve.table_cells import TableCells
from tacit.trust.central import Central
from tacit.trust.nonprivate import NonPrivate

CELLS = TableCells((4, 5, 3), ((0, 1), (0, 2), (1, 2)))
TAUGHT, NEAR = TaughtShares(CELLS, 10, 3), NearDatabase(TableCells((2, 3), ((0, 1),)), 6)


def plan(asked, trust, people=5_000) -> Any:
    """Typed as anything: its server has a mechanism."""
    return trust.plan(OfRows(combinations_of(asked), people, asked))


@pytest.mark.parametrize("relation", Relation)
def test_without_a_delta_each_round_has_two_even_shares(relation):
    """A choice and a count of epsilon/2T each, under every relation: in all epsilon, and no more
    than a part in ten thousand less."""
    made = plan(TAUGHT, Central(1.0, 0.0, relation))
    (promise,) = made.guarantees
    own: Any = made.server.mechanism

    assert isinstance(own, MultiplicativeWeights) and isinstance(own.noise, DiscreteLaplace)
    assert isinstance(own.choice, WholeScores)
    assert 0.999 < promise.epsilon <= 1.0 and promise.delta < 1e-18
    assert own.choice.epsilon == own.noise.epsilon == pytest.approx(1 / 20, rel=1e-3)
    assert own.choice.sensitivity == own.noise.sensitivity == 1


def test_with_a_delta_rounds_are_composed_as_they_are():
    """Choices of bounded range and Gaussian counts of as much concentrated privacy: more of each
    than what the best bound on rho allows, and twice the pure share."""
    made = plan(TAUGHT, Central(1.0, 1e-6))
    (promise,) = made.guarantees
    own, pure = made.server.mechanism, plan(TAUGHT, Central(1.0, 0.0)).server.mechanism
    # rho = T e²/4 and epsilon = rho + 2 (rho log(1/delta))^(1/2), the classic conversion.
    log = math.log(1e6)
    rho = (math.sqrt(log + 1) - math.sqrt(log)) ** 2

    assert isinstance(own.noise, DiscreteGaussian) and promise.epsilon <= 1.0
    assert own.choice.epsilon > math.sqrt(4 * rho / 10)
    assert own.choice.epsilon > 2 * pure.choice.epsilon
    assert own.noise.sigma == pytest.approx(2 / own.choice.epsilon)


def test_a_small_database_is_one_pure_choice():
    """Of scores that move by as many as it has rows; no delta is spent."""
    for relation in Relation:
        made = plan(NEAR, Central(0.7, 1e-6, relation))
        (promise,) = made.guarantees
        assert (promise.epsilon, promise.delta) == (0.7, 0.0)
        assert made.server.mechanism.choice.sensitivity == 6


def test_pages_say_what_is_proved():
    """How far the worst cell may be off, or that nothing is known."""
    long = TaughtShares(CELLS, 100, 3)
    many, few = (" ".join(str(plan(long, Central(9.0, 0.0), n)).split()) for n in (10**9, 50))

    assert "shares taught in 100 rounds of one of 60 categories" in many
    assert "no cell of the tables is off by more than" in many
    assert "of mean shares without repeats" in many
    assert "says nothing about so few people" in few
    assert not plan(NEAR, NonPrivate()).guarantees
