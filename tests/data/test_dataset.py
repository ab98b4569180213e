"""A dataset is consistent or not made, never printed, and divided without leakage."""

import dataclasses

import numpy as np
import pytest

from tacit.data.dataset import DataError, Dataset, hold_out, two_parts


def numbered(train: int, owners: bool) -> Dataset:
    """A dataset whose every image carries its own row number in its pixels."""
    pixel = np.arange(train + 5, dtype=np.float32) / (train + 5)
    images = np.broadcast_to(pixel[:, None, None], (train + 5, 2, 3)).copy()
    labels = np.arange(train + 5, dtype=np.int32) % 4
    return Dataset(
        name="numbered",
        classes=4,
        train_images=images[:train],
        train_labels=labels[:train],
        test_images=images[train:],
        test_labels=labels[train:],
        train_owners=np.arange(train) // 3 if owners else None,
    )


@pytest.mark.parametrize(("owners", "word"), [(True, "known"), (False, "unknown")])
def test_repr_shows_shapes_only(owners, word):
    """Names, counts and shapes are printed, values never."""
    expected = (
        f"Dataset(name='numbered', classes=4, train=(20, 2, 3), test=(5, 2, 3), owners={word})"
    )
    assert expected == repr(numbered(20, owners))


def test_images_may_have_colours():
    """As the last axis, the same in both parts."""
    grey = numbered(20, False)
    train, test = (np.stack([part] * 3, axis=-1) for part in (grey.train_images, grey.test_images))
    coloured = dataclasses.replace(grey, train_images=train, test_images=test)

    assert "train=(20, 2, 3, 3), test=(5, 2, 3, 3)" in repr(coloured)
    for other in (grey.test_images, test[..., :1], test[..., None]):
        with pytest.raises(DataError, match="height, width"):
            dataclasses.replace(coloured, test_images=other)


def test_equality_is_identity():
    """Two datasets are not compared value by value."""
    assert numbered(20, False) != numbered(20, False)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda d: {"train_images": d.train_images.astype(np.float64)},
            "train images must be float32",
        ),
        (lambda d: {"train_images": d.train_images[:, 0]}, r"axes \(examples, height, width\)"),
        (lambda d: {"test_images": d.test_images[:0]}, "test images must .* none empty"),
        (lambda d: {"train_labels": d.train_labels[1:]}, "one for each of the 20 images"),
        (lambda d: {"test_labels": d.test_labels.astype(np.int64)}, "test labels must be int32"),
        (lambda d: {"train_labels": d.train_labels + 1}, r"train labels must lie in 0 \.\. 3"),
        (lambda d: {"test_labels": d.test_labels - 1}, r"test labels must lie in 0 \.\. 3"),
        (lambda d: {"train_images": d.train_images + 1}, r"train pixels must lie in \[0, 1\]"),
        (lambda d: {"test_images": d.test_images - 1}, r"test pixels must lie in \[0, 1\]"),
        (lambda d: {"test_images": d.test_images * np.float32("nan")}, "test pixels must lie in"),
        (lambda d: {"test_images": d.test_images[:, :1]}, "must have the same height, width and"),
        (lambda d: {"train_owners": np.arange(19)}, "one owner for each of the 20 training"),
    ],
)
def test_inconsistent_parts_are_refused(change, sentence):
    """Every disagreement between parts, type or range is refused and named."""
    dataset = numbered(20, False)
    with pytest.raises(DataError, match=f"^numbered .*{sentence}"):
        dataclasses.replace(dataset, **change(dataset))


@pytest.mark.parametrize("held_out", [1, 7, 19])
def test_two_parts_share_nothing_and_miss_nothing(held_out):
    """The parts together are every row once, and the held-out part has the size asked for."""
    kept, held = two_parts(20, held_out, split_seed=3)
    assert held_out == held.size
    np.testing.assert_array_equal(np.arange(20), np.sort(np.concatenate([kept, held])))


def test_two_parts_follow_the_seed():
    """The same seed divides in the same way, another one differently."""
    np.testing.assert_array_equal(two_parts(100, 10, 1)[1], two_parts(100, 10, 1)[1])
    assert set(two_parts(100, 10, 1)[1]) != set(two_parts(100, 10, 2)[1])


@pytest.mark.parametrize("held_out", [-1, 0, 20, float("nan")])
def test_two_parts_need_both(held_out):
    """Neither part may be empty."""
    with pytest.raises(ValueError, match="held_out must be at least 1 and below the 20 examples"):
        two_parts(20, held_out, split_seed=0)


def test_hold_out_hides_the_test_images():
    """What is tuned on is training rows only, each in one part, with its own label and owner."""
    dataset = numbered(20, True)
    tuning = hold_out(dataset, 6, split_seed=0)
    rows = np.round(25 * tuning.train_images[:, 0, 0]).astype(int)
    held = np.round(25 * tuning.test_images[:, 0, 0]).astype(int)
    assert (rows.size, held.size) == (14, 6)
    assert set(range(20)) == set(rows) | set(held)
    np.testing.assert_array_equal(dataset.train_labels[rows], tuning.train_labels)
    np.testing.assert_array_equal(dataset.train_labels[held], tuning.test_labels)
    np.testing.assert_array_equal(rows // 3, tuning.train_owners)


def test_hold_out_without_owners():
    """A dataset whose owners are unknown keeps them unknown."""
    assert hold_out(numbered(20, False), 6, split_seed=0).train_owners is None
