"""The start by Lloyd's rounds: the questions are Lloyd's, and components lie where centres do."""

import jax
import jax.numpy as jnp
import numpy as np

import tacit
from tacit.learning.lloyd import LloydRounds
from tacit.learning.moved_start import MovedStart

LLOYD = LloydRounds(tacit.Central(2.0, 1e-6), 1000, 3, (0.6, 0.8), 2)


def test_the_questions_are_lloyds():
    """So that its proof holds, with the noise that it is told of."""
    noise = (0.3, 0.2, 0.1)
    own, person = MovedStart.of(LLOYD, noise), jnp.array([0.3, -0.2])

    np.testing.assert_array_equal(own.ask(own.init(), person), own.own.ask(own.init(), person))
    np.testing.assert_allclose(own.own.noise, noise)
    assert (3, 9) == (own.rounds, own.numbers)
    assert own.own.part is LLOYD.part


def test_components_lie_where_centres_do():
    """Of even shares, as wide as a third of the box on every axis."""
    own = MovedStart.of(LLOYD, (0.0,) * 3)
    answer = jnp.array([1.0, 0.1, 0.2, 0, 0, 0, 0, 0, 0]) / own.own.longest
    state = jax.jit(lambda told: own.tell(own.init(), told))(answer)
    made = own.components(state)

    np.testing.assert_array_equal(made.means, state.centres)
    np.testing.assert_allclose(made.weights, 1 / 3, rtol=1e-6)
    np.testing.assert_allclose(made.roots[0], LLOYD.reach / 2**0.5 * np.eye(2), rtol=1e-6)
