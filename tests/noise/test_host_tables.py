"""The host looks up what compiled programs look up."""

from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.noise.host_tables import HostTable
from tacit.noise.tables import UNITS, AliasTable, alias, outcomes

RANDOM = np.random.default_rng(0)
FEW = 256


def made(weights: list[int]) -> AliasTable:
    total = sum(weights)
    masses = [weight * UNITS // total for weight in weights]
    masses[0] += UNITS - sum(masses)
    return AliasTable(alias(masses), Fraction(0))


def words_beside(columns: np.ndarray) -> np.ndarray:
    """For every column the words of its threshold, and of one more and one less in each limb."""
    rows = columns.shape[1]
    steps = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)], np.int64)
    high, middle = (columns[limb].astype(np.int64)[:, None] + steps[:, limb] for limb in (0, 1))
    first = (high % (2**32 // rows)) * rows + np.arange(rows)[:, None]
    return np.stack([first, middle % 2**32]).astype(np.uint32)


@pytest.mark.parametrize(
    "weights",
    [[1] * FEW, [1] + [0] * (FEW - 1), RANDOM.integers(0, 2**62, FEW).tolist(), [3, 1]],
    ids=["uniform", "first", "random", "two"],
)
def test_outcomes_are_those_of_compiled_programs(weights):
    """Of random words, and of those that the third decides: below, at and above a threshold."""
    table = made(weights)
    beside = words_beside(table.columns)
    anywhere = RANDOM.integers(0, 2**32, (2, 1_000), np.uint32)
    for words in (beside, anywhere):
        lowest = table.columns[2][words[0] % len(weights)]
        for third in (lowest - np.uint32(1), lowest, lowest + np.uint32(1)):
            asked = jnp.asarray(words), jnp.asarray(table.columns[None])
            theirs = outcomes(*asked, 0, lambda last=third: last)
            ours = HostTable.of(table).outcomes(words, lambda last=third: last)
            assert np.array_equal(theirs, ours)


def test_last_words_are_asked_for_only_where_they_decide():
    """Not of a word that is beside its threshold by more."""
    table, asked = made(RANDOM.integers(1, 2**62, FEW).tolist()), []

    def third(many: int) -> np.ndarray:
        asked.append(many)
        return np.zeros(many, np.uint32)

    tied = words_beside(table.columns)[:, :, 4]
    for words in (tied ^ np.uint32(2**31), tied):
        HostTable.of(table).outcomes(words, lambda: third(FEW))

    assert asked == [FEW]
