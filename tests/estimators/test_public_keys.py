"""Keys of what is public: of a seed alone, and of nothing that is no seed."""

import jax
import numpy as np
import pytest

from tacit.estimators.public_keys import public_key


@pytest.mark.parametrize("seed", [0, 3.0, np.int64(7), -1, 2**63 - 1])
def test_a_key_is_its_seeds(seed):
    """The same each time, whatever kind of number it is."""
    one, again = (jax.random.key_data(public_key(own, "start")) for own in (seed, int(seed)))

    np.testing.assert_array_equal(one, again)


def test_two_seeds_have_two_keys():
    """Neighbours, and one and its negative."""
    keys = [jax.random.key_data(public_key(own, "start")).tolist() for own in (0, 1, -1, 7)]

    assert all(one not in keys[:i] for i, one in enumerate(keys))


@pytest.mark.parametrize("seed", ["x", None, True, 0.5, 2**63, float("nan"), [1]])
def test_what_is_no_seed_is_refused_by_its_name(seed):
    """With what is allowed."""
    with pytest.raises(ValueError, match=r"start must be a whole number from -2\^63 and"):
        public_key(seed, "start")
