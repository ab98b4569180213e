"""A table is its law: the masses are integers, and each word stands for one outcome."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from hasty import hasty
from tacit.noise import chacha
from tacit.noise.tables import BITS, ROWS, UNITS, alias, draw, draw_from, outcomes, table

KEY = jax.random.key(3, impl=chacha.IMPL)
RANDOM = np.random.default_rng(0)
# Columns of a small table.
FEW = 256


def thresholds(columns: np.ndarray) -> list[int]:
    high, middle, low, _ = columns.astype(object)
    return [int(t) for t in (high << 64) + (middle << 32) + low]


def masses(columns: np.ndarray) -> list[int]:
    """How many of the 2^96 words stand for each outcome."""
    found = thresholds(columns)
    for column, threshold in enumerate(thresholds(columns)):
        found[columns[3, column]] += UNITS // len(found) - threshold
    return found


def spread(weights) -> list[int]:
    total = sum(weights)
    shares = [w * UNITS // total for w in weights]
    shares[0] += UNITS - sum(shares)
    return shares


@pytest.mark.parametrize(
    "weights",
    [
        [1] * ROWS,
        [1] + [0] * (ROWS - 1),
        [0] * (ROWS - 1) + [1],
        [2 ** max(0, 100 - j) for j in range(ROWS)],
        RANDOM.integers(0, 2**62, ROWS).tolist(),
        [0, 1] * (ROWS // 2),
        RANDOM.integers(0, 2**62, FEW).tolist(),
    ],
    ids=["uniform", "first", "last", "geometric", "random", "every second", "few"],
)
def test_columns_hold_exactly_the_masses(weights):
    """Counting words outcome by outcome gives the integers back: nothing is rounded."""
    expected = spread(weights)

    assert expected == masses(alias(expected))


def test_masses_sum_to_a_power_of_two_and_miss_nothing_but_the_remainder():
    """Every mass is its share rounded down, but the largest, which takes the remainder."""
    weights = RANDOM.integers(1, 2**62, 1000).tolist()
    made = table(weights, 0)
    found, total = masses(made.columns), sum(weights)
    errors = [Fraction(n, UNITS) - Fraction(w, total) for n, w in zip(found, weights, strict=False)]
    likeliest = int(np.argmax(weights))

    assert UNITS == 2**BITS == sum(found)
    assert [0] * (ROWS - 1000) == found[1000:]
    assert all(-Fraction(1, UNITS) < e <= 0 for j, e in enumerate(errors) if j != likeliest)
    assert sum(map(abs, errors)) / 2 <= made.tv_distance < Fraction(1000, UNITS)


def test_missing_weight_is_part_of_the_distance():
    """A thousandth of the weight left out costs a thousandth."""
    weights = [10**6] * 1000

    assert Fraction(1, 1000) == table(weights, 10**6).tv_distance - table(weights, 0).tv_distance


@pytest.mark.parametrize("count, rows", [(0, ROWS), (ROWS + 1, ROWS), (FEW + 1, FEW)])
def test_a_table_has_its_size(count, rows):
    """The error names the sizes there are."""
    with pytest.raises(ValueError, match=f"between 1 and {rows} outcomes, got {count}"):
        table([1] * count, 0, rows)


def words_around(columns: np.ndarray) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Columns and heights at, around and far from the thresholds, with their three words."""
    pairs, rows = [], columns.shape[1]
    size, bits = UNITS // rows, rows.bit_length() - 1
    for column, threshold in enumerate(thresholds(columns)):
        offsets = (0, -1, 1, -(2**32), 2**32, -(2**64), 2**64)
        heights = [threshold + offset for offset in offsets]
        heights += [int.from_bytes(RANDOM.bytes(12), "big") % size]
        pairs += [(column, height) for height in heights if 0 <= height < size]
    words = [
        (column | height >> 64 << bits, height >> 32 & 0xFFFFFFFF, height & 0xFFFFFFFF)
        for column, height in pairs
    ]
    return pairs, np.array(words, np.uint32).T


@pytest.mark.parametrize("rows", [ROWS, FEW])
def test_each_word_stands_for_the_outcome_of_its_96_bits(rows):
    """The comparison of limbs is the comparison of integers, at the thresholds too."""
    columns = alias(spread(RANDOM.integers(0, 2**62, rows).tolist()))
    pairs, words = words_around(columns)
    limits = thresholds(columns)
    expected = [
        column if height < limits[column] else int(columns[3, column]) for column, height in pairs
    ]
    third, laws = jnp.asarray(words[2]), jnp.asarray(columns)[None]

    assert expected == outcomes(jnp.asarray(words[:2]), laws, 0, lambda: third).tolist()
    assert expected != outcomes(jnp.asarray(words[:2]), laws, 0, lambda: 0 * third).tolist()


def test_the_third_word_is_asked_for_only_when_it_decides():
    """Words away from every threshold never need it; one lane at a threshold does."""
    columns = alias(spread(RANDOM.integers(1, 2**62, ROWS).tolist()))
    asked = []

    def third():
        asked.append(True)
        return jnp.zeros(3, jnp.uint32)

    far = jnp.asarray([[0, 1, 2], [77, 77, 77]], jnp.uint32)
    laws = jnp.asarray(columns)[None]
    with jax.disable_jit():
        outcomes(far, laws, 0, third)
        assert not asked
        column = columns[:, 1]
        bits = ROWS.bit_length() - 1
        near = far.at[:, 1].set(jnp.asarray([1 | column[0] << bits, column[1]], jnp.uint32))
        outcomes(near, laws, 0, third)
        assert asked


def test_draws_have_their_law():
    """Chi-square accepts the law of the table and rejects one with the aliases unused."""
    weights = [1, 2, 3, 4, 5, 0, 7]
    made = table(weights, 0)
    many = hasty(lambda pair, columns: draw(pair, columns, (200_000,)))
    found = np.asarray(many(jax.random.split(KEY), made.columns))
    counts = np.bincount(found, minlength=ROWS)
    expected = np.array([1, 2, 3, 4, 5, 7]) / 22 * 200_000

    assert 200_000 == counts[:7].sum() and 0 == counts[5]
    assert chisquare(counts[[0, 1, 2, 3, 4, 6]], expected).pvalue > 1e-6
    assert chisquare(counts[[0, 1, 2, 3, 4, 6]], np.full(6, 200_000 / 6)).pvalue < 1e-6


def test_one_of_several_laws_is_drawn_as_alone():
    """Whichever it is, and traced: the same outcomes as from its own table."""
    laws = jnp.stack([jnp.asarray(table(each, 0, FEW).columns) for each in ([1, 2, 3], [5, 1])])
    pair = jax.random.split(quick_keys.key(0))
    chosen = hasty(lambda law: draw_from(pair, laws, law, (100,)))
    alone = hasty(lambda columns: draw(pair, columns, (100,)))
    first, second = (chosen(np.int32(law)).tolist() for law in (0, 1))

    assert alone(laws[0]).tolist() == first != second
    assert alone(laws[1]).tolist() == second
