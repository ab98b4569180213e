"""ChaCha20 is the RFC's, every stream is a function of its key, and no two streams meet."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from hasty import hasty
from tacit.noise import chacha

VECTORS = json.loads((Path(__file__).parents[1] / "vectors/chacha20_rfc8439.json").read_text())
CHUNK_WORDS = chacha.BLOCK_WORDS * chacha.CHUNK
# The chance that a right sampler with a fresh key would fail one of these tests.
NEVER = 1e-6


def words_of(text: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(text), "<u4")


def position_of(vector: dict) -> tuple[int, int]:
    """The RFC's 32-bit counter and 96-bit nonce as a 64-bit counter and a 64-bit nonce."""
    first, *rest = (int(word) for word in words_of(vector["nonce"]))
    return vector["counter"] | first << 32, rest[0] | rest[1] << 32


def key_of(seed: int) -> jax.Array:
    return jax.random.key(seed, impl=chacha.IMPL)


def data(key: jax.Array) -> np.ndarray:
    return np.asarray(jax.random.key_data(key))


@pytest.mark.parametrize("vector", VECTORS["blocks"], ids=lambda vector: vector["section"])
def test_block_function_is_the_rfcs(vector):
    """The compiled block function gives the RFC's blocks, in every lane."""
    lanes = np.tile(words_of(vector["key"]), (3, 1))
    tail = np.array([vector["counter"], *words_of(vector["nonce"])], np.uint32)
    words = jax.jit(chacha.block)(jnp.asarray(lanes), tuple(jnp.asarray(tail)))
    expected = np.tile(words_of(vector["keystream"]), (3, 1))
    np.testing.assert_array_equal(expected, np.stack(words, axis=1))


@pytest.mark.parametrize("vector", VECTORS["blocks"], ids=lambda vector: vector["section"])
def test_host_blocks_are_the_rfcs(vector):
    """OpenSSL's blocks are the RFC's too."""
    blocks = chacha.host_blocks(bytes.fromhex(vector["key"]), *position_of(vector), 1)
    assert vector["keystream"] == blocks.astype("<u4").tobytes().hex()


def test_host_keystream_encrypts_the_rfcs_message():
    """Consecutive blocks are in the RFC's order: its 114-byte message encrypts to its cipher."""
    vector = VECTORS["encryption"]
    blocks = chacha.host_blocks(bytes.fromhex(vector["key"]), *position_of(vector), 2)
    plain = vector["plaintext"].encode()
    stream = blocks.astype("<u4").tobytes()
    cipher = bytes(a ^ b for a, b in zip(plain, stream, strict=False))
    assert vector["ciphertext"] == cipher.hex()


def test_host_counters_have_a_high_word():
    """Block 2^32 is not block 0, and the next is 2^32 + 1."""
    key = bytes(range(32))
    first, high = (chacha.host_blocks(key, counter, 0, 2) for counter in (0, 2**32))
    assert not np.array_equal(high, first)
    np.testing.assert_array_equal(high[1:], chacha.host_blocks(key, 2**32 + 1, 0, 1))


@pytest.mark.parametrize("size", [1, 16, 17, 1000, CHUNK_WORDS])
def test_one_chunk_is_word_major(size):
    """Up to a chunk, word w of block b is output number w * width + b of the RFC's blocks."""
    key = key_of(1)
    blocks = chacha.host_blocks(data(key).tobytes(), 0, chacha.DRAW << 32, -(-size // 16))
    expected = blocks.T.reshape(-1)[:size]
    np.testing.assert_array_equal(expected, jax.random.bits(key, (size,)))


@pytest.mark.parametrize("size", [CHUNK_WORDS + 1, 3 * CHUNK_WORDS - 5, 3 * CHUNK_WORDS])
def test_chunks_follow_one_another_and_the_last_ends_the_output(size):
    """Chunk j has j in the high word of its counter; the last one ends where the output ends."""
    key, nonce = key_of(2), chacha.DRAW << 32
    chunks, width = chacha.layout(size)
    assert chunks >= 2 and 16 * chunks * width >= size
    parts = [
        chacha.host_blocks(data(key).tobytes(), j << 32, nonce, width).T.reshape(-1)
        for j in range(chunks)
    ]
    expected = np.concatenate([*parts[:-1], parts[-1]])[:size]
    expected[size - 16 * width :] = parts[-1]
    np.testing.assert_array_equal(expected, jax.random.bits(key, (size,)))


def test_chunks_cover_the_output_and_only_the_last_is_moved():
    """All chunks but the last fit before the end, and with the last they reach it."""
    for size in [*range(1, 60 * CHUNK_WORDS, 997), 10**8, 2**31 - 1]:
        chunks, width = chacha.layout(size)
        assert 16 * (chunks - 1) * width < size <= 16 * chunks * width
        assert width <= chacha.CHUNK


@pytest.mark.parametrize("size", [5, CHUNK_WORDS + 1, 2 * CHUNK_WORDS + 77])
def test_accelerators_get_the_same_words(size):
    """All chunks at once, or one after another: the same words."""
    keys = jnp.asarray(data(jax.random.split(key_of(3), 2)))
    in_turn, together = (
        hasty(order, static_argnums=1)(keys, size) for order in (chacha._in_turn, chacha._together)
    )
    np.testing.assert_array_equal(in_turn, together)


@pytest.mark.parametrize("size", [0, 1, 16, 700])
def test_what_is_one_chunks_work_is_done_without_a_loop(size):
    """The same words, and nothing else is traced that would have to be compiled."""
    keys = jnp.asarray(data(jax.random.split(key_of(3), 3)))
    in_turn, at_once = (
        jax.jit(order, static_argnums=1)(keys, size) for order in (chacha._in_turn, chacha._words)
    )
    np.testing.assert_array_equal(in_turn, at_once)
    traced = str(jax.make_jaxpr(chacha._words, static_argnums=1)(keys, size))
    assert traced.count("while[") + traced.count("scan[") <= 1 and "platform_index" not in traced


def test_no_word_is_put_out_twice():
    """Words across chunks repeat no more often than the birthday bound lets 32 random bits."""
    size = 4 * CHUNK_WORDS + 3
    words = np.asarray(jax.random.bits(key_of(4), (size,)))
    repeats = size - len(np.unique(words))
    expected = size * (size - 1) / 2**33
    assert scipy.stats.poisson.sf(repeats - 1, expected) > NEVER


@pytest.mark.parametrize("size", [3, 5000, CHUNK_WORDS + 9])
def test_vmap_over_keys_is_a_loop(size):
    """A key gives the same bits alone and in a batch, of one dimension or two."""

    def draw(key):
        return jax.random.bits(key, (size,))

    keys, alone = jax.random.split(key_of(5), (3, 2)), hasty(draw)
    expected = np.stack([[alone(key) for key in row] for row in keys])
    np.testing.assert_array_equal(expected, hasty(jax.vmap(jax.vmap(draw)))(keys))


def test_many_small_draws_share_chunks_unchanged():
    """Five thousand scalars, more than one chunk holds, are those of five thousand calls."""
    keys = jax.random.split(key_of(6), 5000)
    batch, alone = np.asarray(hasty(jax.vmap(jax.random.bits))(keys)), hasty(jax.random.bits)
    for i in (0, 1, 4095, 4096, 4999):
        assert int(batch[i]) == int(alone(keys[i]))
    assert 5000 == len(np.unique(batch))


@pytest.mark.parametrize("size", [200, CHUNK_WORDS + 9])
def test_scan_and_jit_change_nothing(size):
    """A draw in the body of a compiled scan is the draw outside it."""

    def step(total, key):
        return total + 1, jax.random.bits(key, (size,))

    keys = jax.random.split(key_of(7), 3)
    _, scanned = jax.jit(lambda: jax.lax.scan(step, 0, keys))()
    np.testing.assert_array_equal(np.stack([step(0, key)[1] for key in keys]), scanned)


def test_split_does_not_depend_on_how_many():
    """Child i is the same among 3 and among 1000, and all are distinct."""
    many = data(jax.random.split(key_of(8), 1000))
    np.testing.assert_array_equal(data(jax.random.split(key_of(8), 3)), many[:3])
    assert 1000 == len(np.unique(many, axis=0))


def test_domains_are_apart():
    """Children, folded keys, seeded keys and visible bits are four different functions."""
    key = key_of(9)
    visible = np.asarray(jax.random.bits(key, (16,)))[:8]
    seeded = data(jax.random.key(0, impl=chacha.IMPL))
    first = [visible, seeded, data(jax.random.split(key)[0]), data(jax.random.fold_in(key, 0))]
    assert 32 == len(np.unique(np.concatenate(first)))


def test_fold_in_is_the_block_at_its_data():
    """`fold_in` takes all 32 bits of its data, alone or in a batch."""
    folded = jax.vmap(jax.random.fold_in, (None, 0))(key_of(10), jnp.arange(100))
    assert 100 == len(np.unique(data(folded), axis=0))
    last = jax.random.fold_in(key_of(10), 2**32 - 1)
    block = chacha.host_blocks(data(key_of(10)).tobytes(), 2**32 - 1, chacha.FOLD << 32, 1)
    np.testing.assert_array_equal(block[0, :8], data(last))


def test_seeds_differ():
    """Distinct seeds give distinct keys of eight non-trivial words."""
    keys = np.stack([data(key_of(seed)) for seed in range(50)])
    assert keys.size == len(np.unique(keys))


@pytest.mark.parametrize("width", [8, 16])
def test_narrow_integers_are_the_words_cut_low_end_first(width):
    """Eight and sixteen bits are the same stream in smaller pieces."""
    words = np.asarray(jax.random.bits(key_of(11), (25,)))
    pieces = jax.random.bits(key_of(11), (100,), f"uint{width}")
    if width == 8:
        np.testing.assert_array_equal(words.view("u1"), pieces)
    else:
        longer = np.asarray(jax.random.bits(key_of(11), (50,)))
        np.testing.assert_array_equal(longer.view("<u2"), pieces)


def test_wide_integers_are_words_joined():
    """With x64, 64 bits are two words, the low one first."""
    size = CHUNK_WORDS
    words = np.asarray(hasty(lambda key: jax.random.bits(key, (2 * size,)))(key_of(12)))
    with jax.enable_x64(True):
        wide = hasty(lambda key: jax.random.bits(key, (size,), "uint64"))(key_of(12))
    np.testing.assert_array_equal(words.view("<u8"), wide)


def test_other_widths_are_refused():
    """The error names the widths there are."""
    with pytest.raises(ValueError, match="8, 16, 32 or 64, got 24"):
        chacha._random_bits(jnp.zeros(8, jnp.uint32), 24, (1,))


def test_a_draw_beyond_32_bit_offsets_is_refused():
    """2^31 words are refused before anything is allocated, in every width."""
    for width, size in ((8, 2**33), (32, 2**31)):
        with pytest.raises(ValueError, match=r"at most 2\^31 - 1 words"):
            chacha._random_bits(jnp.zeros(8, jnp.uint32), width, (size,))


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
def test_empty_and_scalar_shapes(shape):
    """No draws and one draw have the shapes asked for."""
    assert shape == jax.random.bits(key_of(13), shape).shape


def test_bytes_are_uniform():
    """All 256 bytes are equally frequent, and a stream with one byte missing is rejected."""
    draws = np.asarray(jax.random.bits(key_of(14), (400_000,), "uint8"))
    assert scipy.stats.chisquare(np.bincount(draws, minlength=256)).pvalue > NEVER
    biased = np.where(draws == 7, 8, draws)
    assert scipy.stats.chisquare(np.bincount(biased, minlength=256)).pvalue < NEVER


def test_normals_are_normal_and_two_thirds_of_them_are_not():
    """Kolmogorov-Smirnov accepts the normals and rejects two thirds of the noise."""
    draws = np.asarray(jax.random.normal(key_of(15), (100_000,)), np.float64)
    assert scipy.stats.kstest(draws, "norm").pvalue > NEVER
    assert scipy.stats.kstest(draws * 2 / 3, "norm").pvalue < NEVER


def test_samplers_of_jax_run_on_it():
    """Permutations permute, integers stay in range, events have their probability."""

    @hasty
    def all_three(key):
        integers = jax.random.randint(key, (10_000,), 3, 9)
        return jax.random.permutation(key, 50), integers, jax.random.bernoulli(key, 0.3, (10_000,))

    order, integers, events = map(np.asarray, all_three(key_of(16)))
    np.testing.assert_array_equal(np.arange(50), np.sort(order))
    assert (3, 8) == (integers.min(), integers.max())
    events = int(events.sum())
    assert scipy.stats.binomtest(events, 10_000, 0.3).pvalue > NEVER
    assert scipy.stats.binomtest(events, 10_000, 0.2).pvalue < NEVER
