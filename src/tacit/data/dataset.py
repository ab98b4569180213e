"""Labelled images with a test part that nothing may be tuned on.

Images are float32 in [0, 1] and labels int32, converted once by the reader. Bytes would take a
quarter of the memory, but then every user of them would have to remember the scale, and one who
forgets it gets no error, only gradients 255 times too long for the clip. So there is no scale to
remember: 70,000 images of 28x28 cost 220 MB. Colours are the last axis; grey images have none.

Every division into parts goes through `two_parts`: one permutation, cut once. A permutation holds
each row exactly once, so the parts cannot share one. `hold_out` puts the held-out rows where the
test images were, so code that tunes on its result has no test image to look at.

The structure of a dataset is public, its values are not: `repr` shows names, counts and shapes
only.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int, Int32

from tacit.argument import got, is_whole

# The largest byte, of which a grey, or one colour of a pixel, is a share.
WHITE = np.float32(255)


class DataError(ValueError):
    """A file or an array is not what its format promises; nothing of it was used."""


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Images with labels 0 .. classes - 1, and whose they are where that is known.

    | case | result |
    | --- | --- |
    | counts of images and labels differ, a part is empty | `DataError` |
    | train and test images of different height, width or colours | `DataError` |
    | a pixel outside [0, 1] or NaN, a label outside 0 .. classes - 1 | `DataError` |
    | `train_owners` is None | the records carry no person |
    """

    name: str
    classes: int
    train_images: Float32[np.ndarray, "train height width *colours"]
    train_labels: Int32[np.ndarray, " train"]
    test_images: Float32[np.ndarray, "test height width *colours"]
    test_labels: Int32[np.ndarray, " test"]
    train_owners: Int[np.ndarray, " train"] | None = None

    def __post_init__(self) -> None:
        _check_part(f"{self.name} train", self.train_images, self.train_labels, self.classes)
        _check_part(f"{self.name} test", self.test_images, self.test_labels, self.classes)
        if self.train_images.shape[1:] != self.test_images.shape[1:]:
            raise DataError(
                f"{self.name} train and test images must have the same height, width and colours, "
                f"got {self.train_images.shape[1:]} and {self.test_images.shape[1:]}"
            )
        if self.train_owners is not None and self.train_owners.shape != self.train_labels.shape:
            raise DataError(
                f"{self.name} must have one owner for each of the {self.train_labels.size} "
                f"training examples, got shape {self.train_owners.shape}"
            )

    def __repr__(self) -> str:
        owners = "unknown" if self.train_owners is None else "known"
        return (
            f"Dataset(name={self.name!r}, classes={self.classes}, train={self.train_images.shape}, "
            f"test={self.test_images.shape}, owners={owners})"
        )


def _check_part(part: str, images: np.ndarray, labels: np.ndarray, classes: int) -> None:
    if images.dtype != np.float32 or images.ndim not in (3, 4) or images.size == 0:
        raise DataError(
            f"{part} images must be float32 with axes (examples, height, width) or (examples, "
            f"height, width, colours), none empty, got {images.dtype} {images.shape}"
        )
    if labels.dtype != np.int32 or labels.shape != images.shape[:1]:
        raise DataError(
            f"{part} labels must be int32, one for each of the {len(images)} images, "
            f"got {labels.dtype} {labels.shape}"
        )
    if not 0 <= labels.min() <= labels.max() < classes:
        raise DataError(f"{part} labels must lie in 0 .. {classes - 1}")
    if not 0 <= images.min() <= images.max() <= 1:
        raise DataError(f"{part} pixels must lie in [0, 1]")


def two_parts(
    examples: int, held_out: int, split_seed: int
) -> tuple[Int[np.ndarray, " kept"], Int[np.ndarray, " held_out"]]:
    """Row numbers of a uniformly random division into kept and held out, sharing no row."""
    if not (is_whole(held_out) and 1 <= held_out < examples):
        raise ValueError(
            f"held_out must be at least 1 and below the {examples} examples, got {got(held_out)}"
        )
    order = np.random.default_rng(split_seed).permutation(examples)
    return order[held_out:], order[:held_out]


def hold_out(dataset: Dataset, examples: int, split_seed: int) -> Dataset:
    """A dataset to tune settings on: `examples` training rows stand where the test images were.

    Rows are divided, not owners: where one person holds several rows, some may be kept and some
    held out.
    """
    kept, held = two_parts(dataset.train_labels.size, examples, split_seed)
    owners = dataset.train_owners
    return Dataset(
        name=f"{dataset.name} for tuning",
        classes=dataset.classes,
        train_images=dataset.train_images[kept],
        train_labels=dataset.train_labels[kept],
        test_images=dataset.train_images[held],
        test_labels=dataset.train_labels[held],
        train_owners=None if owners is None else owners[kept],
    )
