"""Optimisers of the server: one object a name, and how far momentum moves."""

import jax.numpy as jnp
import optax
import pytest

from tacit.cli.servers import SERVERS, server
from tacit.cli.steps import ServerRule


@pytest.mark.parametrize("rule", ServerRule)
def test_each_name_is_one_optimiser(rule):
    """The same object whenever it is asked for: programs are told apart by it."""
    assert isinstance(server(rule), optax.GradientTransformation)
    assert server(rule) is server(rule) is SERVERS[rule]


def test_momentum_moves_as_far_as_descent_in_the_long_run():
    """So a setting's rate is one for both: of a constant answer the steps tend to the answer."""
    optimizer, answer = SERVERS[ServerRule.momentum], jnp.ones(2)
    memory, step = optimizer.init(answer), answer
    for _ in range(100):
        step, memory = optimizer.update(answer, memory)

    assert pytest.approx(-1.0, rel=1e-4) == float(jnp.asarray(step)[0])
