"""Functions: told by what they compute, and by nothing else."""

import jax.numpy as jnp
import numpy as np
import pytest

from live.phones import DIM, FUNCTION, VECTORS, Away, Towards
from tacit import live
from tacit.live.message import MessageError


def test_a_digest_is_of_what_is_asked():
    """Rates are the server's own; another question, or another constant in it, is another one."""
    again = live.Function("another name", 3, Towards(rate=0.1), VECTORS[1])

    assert FUNCTION.digest == again.digest
    assert FUNCTION.digest != live.Function("towards", 1, Away(), VECTORS[0]).digest
    assert FUNCTION.does(Towards(rate=2.0)) and not FUNCTION.does(Away())
    assert not FUNCTION.does(Towards(dim=DIM + 1))


def test_a_state_is_of_the_learners_own_arrays():
    """Of their shapes and types, and no others."""
    assert (jnp.ones(DIM) == FUNCTION.state((np.ones(DIM, np.float32),))).all()
    for arrays in [(), (np.ones(DIM + 1, np.float32),), (np.ones(DIM, np.int32),)]:
        with pytest.raises(MessageError, match="towards@1"):
            FUNCTION.state(arrays)


def test_it_says_which_data_it_takes():
    """By shapes and types; values do not matter."""
    assert FUNCTION.takes(np.full(DIM, np.nan, np.float32))
    assert not FUNCTION.takes(np.zeros(DIM + 1, np.float32))
    assert not FUNCTION.takes(np.zeros(DIM, np.int32))
    assert not FUNCTION.takes({"x": np.zeros(DIM, np.float32)})
    assert (DIM,) == FUNCTION.term


@pytest.mark.parametrize("name, version", [("", 1), ("a", 0), ("a", 1.5), ("a", "1"), (3, 1)])
def test_a_name_and_a_version_are_needed(name, version):
    """A version is a whole number from one on."""
    with pytest.raises(ValueError, match=r"name|version"):
        live.Function(name, version, Towards(), VECTORS[0])
