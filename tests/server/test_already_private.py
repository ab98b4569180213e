"""Answers that follow from private means: what they say of them, and that they add nothing."""

from dataclasses import dataclass, replace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.facts import NoiseFacts
from tacit.question.workloads import Prefix, Queries
from tacit.server.already_private import Largest, Queried, Reached

FACTS = NoiseFacts(2.0, 4.0, 1e-9)


@dataclass(frozen=True)
class Means:
    """Means that are there already; it counts how often it was asked, and by which key."""

    grid: float = 0.25
    facts: NoiseFacts = FACTS

    def init(self) -> int:
        return 7

    def step(self, carry: int, key: Any, total: Any) -> tuple[int, Any, None]:
        assert key == "the round's key"
        return carry + 1, jnp.asarray(total, jnp.float32), None


def means() -> Any:
    return Means()


def stepped(server: Any, carry: Any, total: Any) -> tuple[Any, Any, Any]:
    return server.step(carry, "the round's key", total)


@pytest.mark.parametrize(
    "total, number",
    [([0.1, 0.7, 0.3], 1), ([-0.5, -0.9, -0.6], 0), ([0.2, 0.7, 0.7], 1), ([0.0, 0.0, 0.0], 0)],
)
def test_the_largest_mean_is_named(total, number):
    """By its place, the first of equals, also where all are below zero."""
    server = Largest(means())
    carry, answer, halted = stepped(server, server.init(), total)
    assert (int(answer), answer.dtype, halted) == (number, np.int32, None)
    assert carry == 8


def test_a_threshold_is_reached_from_it_on_and_so_often():
    """Until as many means reached it as are asked for; then the run halts, and none does."""
    server, told = Reached(means(), 0.5, 2), []
    carry = server.init()
    for mean in (0.49, 0.5, -1.0, 0.9, 0.9):
        carry, above, halted = stepped(server, carry, mean)
        told.append((float(above), bool(halted)))
    assert told == [(0.0, False), (1.0, False), (0.0, False), (1.0, True), (0.0, True)]
    assert (carry[0], int(carry[1])) == (12, 2)


@pytest.mark.parametrize("workload", [Prefix(3), Queries(np.array([[1.0, 1, 0], [1, 1, 1]]))])
def test_a_workload_is_answered_from_its_basis(workload):
    """Whose answers follow from the means, in their own order, not the one of their transpose."""
    basis = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])[: workload.basis_size]
    server = Queried(means(), workload, basis)
    cells = np.array([0.5, 0.25, 1.0])
    carry, answer, halted = stepped(server, server.init(), cells)
    assert answer.tolist() == np.asarray(workload.answers(basis @ cells)).tolist()
    assert (carry, halted, answer.dtype) == (8, None, np.float32)


def test_what_is_known_of_the_answer_is_said_beside_the_means_own_facts():
    """Grid, start and noise are those of the means; of queries their number is added."""
    basis = np.eye(3)
    queried = Queried(means(), Prefix(3), basis)
    for server, facts in ((Largest(means()), FACTS), (queried, replace(FACTS, queries=3))):
        assert (server.grid, server.init(), server.facts) == (0.25, 7, facts)
    reached = Reached(means(), 0.5, 1)
    assert (reached.grid, reached.init()[0], int(reached.init()[1])) == (0.25, 7, 0)
    assert reached.facts == FACTS
    known = Queried(means(), Prefix(3), basis, "of least worst error").facts
    assert known == NoiseFacts(2.0, 4.0, 1e-9, queries=3, known="of least worst error")
