"""What devices may be allowed to run, and their folders of data."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tacit.cli.own_functions import MOST, allowed, digits, digits_learner, person_of, read, write
from tacit.data.dataset import DataError

RNG = np.random.default_rng(0)
IMAGES, LABELS = RNG.random((7, 8, 8), np.float32), np.arange(7, dtype=np.int32)


def test_a_folder_is_read_as_it_was_written(tmp_path: Path) -> None:
    """A person has their images, and room for as many as anybody may have."""
    write(tmp_path / "mine", IMAGES, LABELS)
    (images, labels), present = read(tmp_path / "mine")
    assert present.sum() == 7 and len(images) == len(labels) == MOST
    np.testing.assert_array_equal(images[present], IMAGES)
    np.testing.assert_array_equal(labels[present], LABELS)
    assert digits().takes(read(tmp_path / "mine"))


@pytest.mark.parametrize(
    ("images", "labels"),
    [
        (IMAGES[:0], LABELS[:0]),
        (IMAGES, LABELS[:6]),
        (IMAGES[:, :7], LABELS),
        (IMAGES[0], LABELS[0]),
        (IMAGES * 2, LABELS),
        (IMAGES * np.nan, LABELS),
        (IMAGES, LABELS - 1),
        (IMAGES, LABELS + 4),
        (np.repeat(IMAGES, 29, 0), np.repeat(LABELS, 29)),
    ],
)
def test_other_data_are_refused(tmp_path: Path, images: np.ndarray, labels: np.ndarray) -> None:
    """One sentence for all, which tells nothing of what is there."""
    write(tmp_path / "mine", images, labels)
    with pytest.raises(DataError, match="must hold 1 to 200 images of 8 by 8 values from 0 to 1"):
        read(tmp_path / "mine")


def test_other_files_are_refused(tmp_path: Path) -> None:
    """A folder without them, and objects, which could be anything."""
    for found in (None, np.array([{}], object)):
        if found is not None:
            np.save(tmp_path / "images.npy", found, allow_pickle=True)
            np.save(tmp_path / "labels.npy", found, allow_pickle=True)
        with pytest.raises(DataError, match=r"must hold images\.npy and labels\.npy"):
            read(tmp_path)


def test_functions_are_known_by_name() -> None:
    """And no others, whatever they are called; the server's rate is no part of one."""
    (function,) = allowed(["digits@1", "digits@1"])
    assert str(function) == "digits@1" and function.does(digits_learner(3.0))
    for names in ([], ["digits"], ["digits@1", "os.system@1"]):
        with pytest.raises(ValueError, match="functions that are installed here: digits@1"):
            allowed(names)


def test_a_person_without_images_moves_nothing() -> None:
    """Places that are empty count for nothing."""
    learner = digits_learner(1.0)
    state, person = learner.init(), person_of(IMAGES, LABELS)
    (images, labels), present = person
    other = (np.where(present[:, None, None], images, 0.7), labels), present
    first, second = (
        learner.ask(state, jax.tree.map(jnp.asarray, each)) for each in (person, other)
    )
    np.testing.assert_array_equal(first, second)
