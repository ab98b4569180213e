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
    """Neighbours, one and its negative, and those that differ in bits above the first 32 alone."""
    seeds = 0, 1, -1, 7, 2**32 - 1, *(7 + (1 << bit) for bit in range(32, 63)), 7 - 2**63
    keys = [jax.random.key_data(public_key(own, "start")).tolist() for own in seeds]

    assert all(one not in keys[:i] for i, one in enumerate(keys))


@pytest.mark.parametrize("seed", [0, 7, 2**31, 2**32 - 1])
def test_the_key_of_a_small_seed_is_jaxs_own(seed):
    """As it was before larger ones had theirs."""
    own = jax.random.key(np.uint32(seed))
    found, kept = (jax.random.key_data(each) for each in (public_key(seed, "start"), own))

    np.testing.assert_array_equal(found, kept)


@pytest.mark.parametrize("seed", ["x", None, True, 0.5, 2**63, float("nan"), [1]])
def test_what_is_no_seed_is_refused_by_its_name(seed):
    """With what is allowed."""
    with pytest.raises(ValueError, match=r"start must be a whole number from -2\^63 and"):
        public_key(seed, "start")
