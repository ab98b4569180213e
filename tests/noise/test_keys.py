"""Keys are independent for every purpose, and NumPy's generator reads the same keystream."""

import hashlib
import hmac
import signal
import time
from _thread import interrupt_main
from itertools import count, islice

import jax
import numpy as np
import pytest
import scipy.stats

from tacit.noise import chacha, keys

NEVER = 1e-6
ROOT = keys.from_seed(0)


def test_fresh_keys_are_32_bytes_and_differ():
    """Two keys from the operating system are never the same."""
    first, second = keys.fresh(), keys.fresh()
    assert (32, 32) == (len(first), len(second))
    assert first != second


def test_seeded_keys_repeat():
    """A seed is a function; different seeds differ."""
    assert keys.from_seed(3) == keys.from_seed(3)
    assert 100 == len({keys.from_seed(seed) for seed in range(100)})


def test_purposes_and_rounds_are_apart():
    """No two of purpose, index, root give one key; not even where the encodings could meet."""
    purposes = ("participation", "device", "server", "", "device\0", "device\0\0\0\0\0\0\0\0")
    indices = (None, 0, 1, 2**64 - 1)
    roots = (ROOT, keys.from_seed(1))
    derived = {keys.derive(r, p, i) for r in roots for p in purposes for i in indices}
    assert len(roots) * len(purposes) * len(indices) == len(derived)


def test_derivation_is_hmac_sha256():
    """The message is the purpose's length, the purpose, and the index, in big-endian bytes."""
    message = (6).to_bytes(8, "big") + b"server" + (5).to_bytes(8, "big")
    assert hmac.new(ROOT, message, hashlib.sha256).digest() == keys.derive(ROOT, "server", 5)


@pytest.mark.parametrize("purpose", ["", "server", "a purpose longer than a block of the hash" * 2])
def test_keys_of_many_indices_are_those_of_each(purpose):
    """Whatever the purpose's length, and the largest index too."""
    indices = [0, 1, 5, 300, 2**64 - 1]
    each = [keys.derive(ROOT, purpose, index) for index in indices]
    assert each == keys.derive_each(ROOT, purpose, indices)
    assert [] == keys.derive_each(ROOT, purpose, [])


@pytest.mark.parametrize("index", [-1, 2**64])
def test_an_index_out_of_range_is_refused(index):
    """The error names the range."""
    for derived in (keys.derive, lambda *of: keys.derive_each(*of[:2], [0, of[2]])):
        with pytest.raises(ValueError, match=r"at least 0 and below 2\^64"):
            derived(ROOT, "server", index)


@pytest.mark.parametrize(
    "consumer",
    [
        keys.jax_key,
        keys.numpy_generator,
        lambda key: keys.jax_keys([ROOT, key], 2),
        lambda key: keys.derive(key, "x"),
        lambda key: keys.derive_each(key, "x", [0]),
    ],
)
def test_a_short_key_is_refused(consumer):
    """Nothing runs on fewer than 32 bytes."""
    with pytest.raises(ValueError, match="32 bytes, got 31"):
        consumer(ROOT[:31])


def test_jax_key_holds_all_256_bits():
    """The eight words of the JAX key are the bytes, and its generator is ChaCha20."""
    key = keys.jax_key(ROOT)
    assert ROOT == np.asarray(jax.random.key_data(key)).astype("<u4").tobytes()
    assert jax.random.key(0, impl=chacha.IMPL).dtype == key.dtype
    assert "chacha20" in str(key.dtype)


def test_numpy_generator_reads_the_keystream():
    """Doubles are the top 53 bits of consecutive words of the RFC's keystream."""
    size = 20_000
    blocks = chacha.host_blocks(ROOT, 0, chacha.HOST << 32, size // 8)
    words = np.frombuffer(blocks.astype("<u4").tobytes(), "<u8")
    expected = (words >> np.uint64(11)) * 2.0**-53
    np.testing.assert_array_equal(expected, keys.numpy_generator(ROOT).random(size))


def test_numpy_integers_are_words_and_their_low_halves():
    """All of `uint64` is the word itself, all of `uint32` its low half."""
    words = np.array(next(keys.keystream(ROOT))[:100], np.uint64)
    wide = keys.numpy_generator(ROOT).integers(0, 2**64, 100, np.uint64)
    np.testing.assert_array_equal(words, wide)
    narrow = keys.numpy_generator(ROOT).integers(0, 2**32, 100, np.uint32)
    np.testing.assert_array_equal(words.astype(np.uint32), narrow)


def test_the_host_and_jax_share_nothing_under_one_key():
    """One key handed to both consumers gives different streams."""
    host = np.array(next(keys.keystream(ROOT))[:2000], "<u8").view("<u4")
    device = np.asarray(jax.random.bits(keys.jax_key(ROOT), (4000,)))
    assert len(np.intersect1d(host, device)) <= scipy.stats.poisson.isf(NEVER, 4000**2 / 2**32)


def test_a_generator_outlives_its_variables():
    """The functions live as long as the generator, and two generators do not disturb each other."""
    first, second = keys.numpy_generator(ROOT), keys.numpy_generator(ROOT)
    alternating = [generator.random() for _ in range(50) for generator in (first, second)]
    assert alternating[::2] == alternating[1::2]


def test_uniforms_and_binomials_have_their_laws():
    """Kolmogorov-Smirnov accepts uniforms and rejects their squares; NumPy's samplers run."""
    generator = keys.numpy_generator(ROOT)
    uniforms = generator.random(50_000)
    assert scipy.stats.kstest(uniforms, "uniform").pvalue > NEVER
    assert scipy.stats.kstest(uniforms**2, "uniform").pvalue < NEVER
    normals = generator.standard_normal(50_000)
    assert scipy.stats.kstest(normals, "norm").pvalue > NEVER
    assert scipy.stats.kstest(normals * 2 / 3, "norm").pvalue < NEVER
    np.testing.assert_array_equal(np.arange(1000), np.sort(generator.permutation(1000)))
    assert 100 == len(set(generator.choice(1000, 100, replace=False)))


@pytest.fixture
def interruptible():
    """As in a terminal: a process that a shell started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.timing
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("early", [True, False], ids=["before", "after"])
def test_an_interrupt_in_a_draw_arrives_after_it(monkeypatch, early):
    """Ctrl-C before or after the words are computed comes once the draw is out; none is lost."""
    generator, size, blocks, calls = (
        keys.numpy_generator(ROOT),
        100_000,
        chacha.host_blocks,
        count(1),
    )

    def interrupted(*of):
        now, found = next(calls) == 3, None if early else blocks(*of)
        if now:
            interrupt_main()
        return blocks(*of) if early else found

    monkeypatch.setattr(chacha, "host_blocks", interrupted)
    with pytest.raises(KeyboardInterrupt):
        # Not kept: it may come when the draw is out, and has no name yet.
        generator.random(size)
        _until_interrupted()
    assert next(calls) > 3
    monkeypatch.undo()
    words = np.array(list(islice(_words(), size, size + 5)), np.uint64)
    np.testing.assert_array_equal((words >> np.uint64(11)) * 2.0**-53, generator.random(5))


def _until_interrupted():
    """It is sent again from another thread, and noticed between two lines of Python."""
    for _ in range(60_000):
        time.sleep(0.01)


def _words():
    for words in keys.keystream(ROOT):
        yield from words


@pytest.mark.parametrize("seed", [True, -1, 2**64])
def test_what_is_no_seed_is_refused(seed):
    """By its own name, whoever hands it on."""
    with pytest.raises(ValueError, match="seed must be a whole number from 0"):
        keys.from_seed(seed)
