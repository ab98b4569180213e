"""The generator of tests of laws: words as uniform, as independent and as often alike as chance."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chi2, poisson

import conftest
from quick_keys import IMPL, key
from tacit.noise import keys

DRAWS = 2**20


def _bytes(words) -> np.ndarray:
    return np.ascontiguousarray(np.asarray(words)).view(np.uint8)


def _tail(counts: np.ndarray) -> float:
    """Of chi-squared, both ways: counts may be too even, too."""
    expected = counts.sum() / counts.size
    found = ((counts - expected) ** 2 / expected).sum()
    return 2 * min(chi2.sf(found, counts.size - 1), chi2.cdf(found, counts.size - 1))


def _folded(indices) -> jax.Array:
    return jax.vmap(lambda index: jax.random.bits(jax.random.fold_in(key(0), index)))(indices)


STREAMS = {
    "one key": lambda: jax.random.bits(key(0), (DRAWS,)),
    "keys of a split": lambda: jax.vmap(jax.random.bits)(jax.random.split(key(0), DRAWS)),
    "keys of folds": lambda: _folded(jnp.arange(DRAWS)),
    "keys of seeds": lambda: jax.vmap(lambda seed: jax.random.bits(key(seed)))(jnp.arange(DRAWS)),
}


@pytest.mark.parametrize("name", STREAMS)
def test_bytes_and_pairs_of_neighbours_are_uniform(name):
    """Each byte of a word; and a lowest byte beside a highest one, 1, 2 and 16 words before."""
    own = _bytes(STREAMS[name]()).reshape(-1, 4)
    tails = [_tail(np.bincount(own[:, place], minlength=256)) for place in range(4)]
    for step in (1, 2, 16):
        pairs = own[step:, 0].astype(int) * 256 + own[:-step, 3]
        tails.append(_tail(np.bincount(pairs, minlength=2**16)))

    assert min(tails) > 1e-5


@pytest.mark.parametrize("name", STREAMS)
def test_words_are_alike_as_often_as_by_chance(name):
    """Of 2^20 words about 128 pairs; a permutation of places would have none."""
    words = np.asarray(STREAMS[name]())
    pairs = DRAWS - np.unique(words).size

    assert 1e-6 < poisson.cdf(pairs, 128) < 1 - 1e-6


def test_kinds_share_no_words():
    """Draws, children by number and by name, and keys of seeds, though places are the same."""
    own, many = key(3), 1000
    kinds = [
        jax.random.bits(own, (8 * many,)),
        jax.random.key_data(jax.random.split(own, many)),
        jax.random.key_data(jax.vmap(lambda i: jax.random.fold_in(own, i))(jnp.arange(many))),
        jax.random.key_data(jax.vmap(key)(jnp.arange(many))),
    ]
    words = np.concatenate([np.ravel(kind) for kind in kinds])

    assert words.size - np.unique(words).size <= 3


def test_indices_far_apart_have_other_keys():
    """Those that agree in their low bits, or in their high ones, up to the last bit of a word."""
    indices = jnp.concatenate([5 + jnp.uint32(1) << jnp.arange(32, dtype=jnp.uint32)])
    found = jax.random.key_data(jax.vmap(lambda i: jax.random.fold_in(key(0), i))(indices))

    assert np.unique(found, axis=0).shape == found.shape
    assert np.unique(np.asarray(found)).size == found.size


def test_every_bit_of_a_key_changes_half_of_the_bits_of_a_word():
    """To a tenth of it, for each bit in and each bit out, at the first place and at the sixth."""
    own = jax.random.key_data(jax.random.split(key(1), 4096))

    @jax.jit
    def draw(data):
        return jax.random.bits(jax.random.wrap_key_data(data, impl=IMPL), (6,))[::5]

    @jax.jit
    def drawn(word, bit):
        return jax.vmap(draw)(own.at[:, word].set(own[:, word] ^ (jnp.uint32(1) << bit)))

    found = jax.vmap(draw)(own)
    for word in range(8):
        for bit in range(32):
            apart = np.ascontiguousarray(np.asarray(found ^ drawn(word, bit)).T)
            changed = np.unpackbits(_bytes(apart)).reshape(2, -1, 32).mean(axis=1)
            assert abs(changed - 0.5).max() < 0.05, (word, bit)


def test_the_library_draws_from_it_here():
    """As in every file that is not among those with the library's own; and all of those exist."""
    made = keys.jax_key(keys.from_seed(0))
    folder = Path(__file__).parent

    assert made.dtype == key(0).dtype
    named = conftest.OWN_GENERATOR + conftest.MANY_REPORTS + conftest.WHATEVER
    assert all((folder / each).exists() for each in named)
    assert conftest.has_own_generator(folder / "noise" / "test_keys.py")
    assert not conftest.has_own_generator(folder / "trust" / "noise" / "test_keys.py")
    assert conftest.has_own_generator(folder / "experiments" / "test_stream.py")
    assert not conftest.has_own_generator(folder / "experiments" / "test_logistic.py")
    assert conftest.has_own_generator(folder / "population" / "test_grant.py")
    assert not conftest.has_own_generator(folder / "population" / "test_run.py")
