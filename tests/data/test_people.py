"""Grouping gives each person what is theirs, bounded, and nobody steers another's part."""

import numpy as np
import pytest
from scipy.stats import binom, chi2

from tacit.data import people

IMAGES = np.arange(30 * 4, dtype=np.float32).reshape(30, 2, 2)
LABELS = np.arange(30, dtype=np.int32)
OWNERS = np.array([7, 3, 7, 7, 9, 3, 7, 7])


def test_one_each_is_every_example_in_order():
    """One person an example, in the given order, without a copy."""
    images, labels = people.one_each(IMAGES, LABELS)
    assert images is IMAGES
    assert labels is LABELS


@pytest.mark.parametrize(
    "group",
    [people.one_each, lambda x, y: people.batches(x, y, 1, np.random.default_rng(0))],
)
def test_images_and_labels_must_match(group):
    """Images and labels of different counts are refused."""
    with pytest.raises(ValueError, match="one for each of the 30 images, got 29"):
        group(IMAGES, LABELS[1:])


@pytest.mark.parametrize(("size", "count"), [(1, 30), (10, 3), (7, 4), (30, 1)])
def test_batches_deal_each_example_at_most_once(size, count):
    """People get `size` examples each with their own labels; only a remainder is left out."""
    images, labels = people.batches(IMAGES, LABELS, size, np.random.default_rng(0))
    assert (count, size, 2, 2) == images.shape
    assert (count, size) == labels.shape
    assert count * size == np.unique(labels).size
    np.testing.assert_array_equal(IMAGES[labels], images)


def test_batches_are_permuted():
    """Neighbours in the file are not neighbours in a person, and the generator decides."""
    _, first = people.batches(IMAGES, LABELS, 10, np.random.default_rng(0))
    _, again = people.batches(IMAGES, LABELS, 10, np.random.default_rng(0))
    _, other = people.batches(IMAGES, LABELS, 10, np.random.default_rng(1))
    np.testing.assert_array_equal(first, again)
    assert sorted(first[0]) != list(range(10))
    assert sorted(first[0]) != sorted(other[0])


@pytest.mark.parametrize("size", [-1, 0, 31, float("nan")])
def test_batches_of_impossible_size(size):
    """A size that gives nobody anything, or more than there is, is refused."""
    with pytest.raises(ValueError, match="size must be between 1 and the 30 examples"):
        people.batches(IMAGES, LABELS, size, np.random.default_rng(0))


@pytest.mark.parametrize("at_most", [1, 2, 3, 5, 8])
def test_by_owner_gives_each_their_own(at_most):
    """Every real place holds a row of that owner, none twice, as many as the bound allows."""
    rows, mask, ids = people.by_owner(OWNERS, at_most, np.random.default_rng(0))
    assert list(ids) == [3, 7, 9]
    assert ((3, at_most), np.int32) == (rows.shape, rows.dtype)
    assert ((3, at_most), bool) == (mask.shape, mask.dtype)
    assert [min(n, at_most) for n in (2, 5, 1)] == list(mask.sum(axis=1))
    np.testing.assert_array_equal(np.repeat(ids, mask.sum(axis=1)), OWNERS[rows[mask]])
    assert mask.sum() == np.unique(rows[mask]).size


def test_by_owner_pads_after_the_real_rows():
    """Real rows come first and absent ones are row 0."""
    rows, mask, _ = people.by_owner(OWNERS, 6, np.random.default_rng(0))
    assert not rows[~mask].any()
    np.testing.assert_array_equal(np.arange(6) < np.array([[2], [5], [1]]), mask)


def chosen_pairs(owners: np.ndarray, owner: int, trials: int) -> np.ndarray:
    """How often each pair of that owner's five rows was kept, over many choices."""
    own = np.flatnonzero(owners == owner)
    counts = np.zeros((5, 5), int)
    rng = np.random.default_rng(11)
    for _ in range(trials):
        rows, _, ids = people.by_owner(owners, 2, rng)
        pair = np.sort(np.searchsorted(own, rows[np.flatnonzero(ids == owner)[0]]))
        counts[pair[0], pair[1]] += 1
    return counts[np.triu_indices(5, 1)]


def is_uniform(counts: np.ndarray) -> bool:
    """Pearson's test of equal cells, at a false alarm rate of one in a million."""
    expected = counts.sum() / counts.size
    return ((counts - expected) ** 2 / expected).sum() < chi2.isf(1e-6, counts.size - 1)


@pytest.mark.parametrize("others", [OWNERS, np.concatenate([OWNERS, np.full(40, 3)])])
def test_by_owner_chooses_uniformly_whoever_else_is_there(others):
    """Each pair of an owner's five rows is equally likely, whatever another owner adds."""
    assert is_uniform(chosen_pairs(others, 7, 4000))


def test_the_uniformity_test_rejects_a_bias():
    """The test above would notice a choice that favours one pair by half."""
    weights = np.ones(10)
    weights[0] = 1.5
    counts = np.random.default_rng(0).multinomial(4000, weights / weights.sum())
    assert not is_uniform(counts)


def test_owners_choices_are_independent():
    """Two owners, two rows each, bounded to one: both keep their first a quarter of the time."""
    rng = np.random.default_rng(5)
    owners = np.array([0, 1, 0, 1])
    both = sum(list(people.by_owner(owners, 1, rng)[0][:, 0]) == [0, 1] for _ in range(4000))
    assert binom.ppf(1e-6, 4000, 0.25) <= both <= binom.isf(1e-6, 4000, 0.25)


@pytest.mark.parametrize("at_most", [-1, 0, float("nan")])
def test_by_owner_needs_a_bound(at_most):
    """A bound of no record is refused."""
    with pytest.raises(ValueError, match="at_most must be at least 1"):
        people.by_owner(OWNERS, at_most, np.random.default_rng(0))


@pytest.mark.parametrize(
    "owners", [OWNERS[:0], OWNERS[None], np.broadcast_to(np.zeros(1, np.int8), (2**31,))]
)
def test_owners_must_fit_row_numbers(owners):
    """Owners are one axis, not empty, and no longer than int32 can number."""
    with pytest.raises(ValueError, match="owners must be one axis of 1 to 2147483647 examples"):
        people.by_owner(owners, 2, np.random.default_rng(0))
