"""CIFAR-10 is read as stored, from whatever of its files is there; all else is refused."""

import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest

from tacit.data import cifar10
from tacit.data.dataset import DataError, two_parts

PUBLISHED = Path(__file__).resolve().parents[2] / "../shared/data/cifar-10"
ENDINGS = {".bin": bytes, ".bin.gz": gzip.compress, ".bin.xz": lzma.compress}
# Ten records, no two alike; every class once.
STORED = np.random.default_rng(0).integers(0, 256, (10, 3073)).astype(np.uint8)
STORED[:, 0] = np.arange(10)
BATCH = STORED.tobytes()


def load(folder: Path):
    """Of files of ten records."""
    return cifar10.load(folder, records=10)


def written(folder: Path, *names: str, content: bytes = BATCH) -> Path:
    """The folder, with files of these names."""
    for name in names:
        ending = name[name.index(".") :]
        (folder / name).write_bytes(ENDINGS[ending](content))
    return folder


@pytest.mark.parametrize("ending", ENDINGS)
def test_pixels_are_where_and_what_they_were(tmp_path, ending):
    """Byte k of a plane becomes the float nearest k / 255, colours last; labels keep places."""
    folder = written(tmp_path, f"data_batch_1{ending}", f"test_batch{ending}")
    data = load(folder)

    assert (10, 32, 32, 3) == data.train_images.shape
    np.testing.assert_array_equal(np.arange(10), data.train_labels)
    for image, row, column, colour in [(0, 0, 0, 0), (3, 1, 0, 0), (7, 30, 31, 1), (9, 31, 31, 2)]:
        byte = STORED[image, 1 + 1024 * colour + 32 * row + column]
        assert np.float32(byte / 255) == data.train_images[image, row, column, colour]


def test_with_the_test_file_all_training_images_are_for_training(tmp_path):
    """In the order of their files' numbers, those that are there; it is called by its name."""
    other = np.roll(STORED, 3, axis=0)
    folder = written(tmp_path, "data_batch_2.bin.gz", "test_batch.bin")
    data = load(written(folder, "data_batch_5.bin", "data_batch_1.bin.xz", content=other.tobytes()))

    expected = np.concatenate([other[:, 0], STORED[:, 0], other[:, 0]])
    np.testing.assert_array_equal(expected, data.train_labels)
    np.testing.assert_array_equal(STORED[:, 0], data.test_labels)
    assert data.name == "cifar-10"


def test_without_it_a_fifth_stands_in_its_place_and_the_name_says_so(tmp_path):
    """By one public permutation; each image is in one part."""
    data = load(written(tmp_path, "data_batch_1.bin", "data_batch_3.bin"))
    kept, held = two_parts(20, 4, split_seed=0)

    assert data.name == "cifar-10 for tuning"
    np.testing.assert_array_equal(kept % 10, data.train_labels)
    np.testing.assert_array_equal(held % 10, data.test_labels)
    np.testing.assert_array_equal(
        STORED[held[0] % 10, 1] / np.float32(255), data.test_images[0, 0, 0, 0]
    )


@pytest.mark.parametrize(
    "content, sentence",
    [
        (BATCH[:-1], "must hold 30730 bytes of values, got 30729 bytes"),
        (b"", "must hold 30730 bytes of values, got 0 bytes"),
        (BATCH + b"\0", "must end after 30730 bytes of values"),
        (b"\x0a" + BATCH[1:], r"must have labels 0 \.\. 9 in its records, got 1 beyond"),
    ],
)
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", ["data_batch_4", "test_batch"])
def test_other_files_are_refused_by_name(tmp_path, name, ending, content, sentence):
    """Truncated, empty, padded, with an eleventh class; for training and for testing."""
    written(tmp_path, "data_batch_1.bin")
    written(tmp_path, name + ending, content=content)
    with pytest.raises(DataError, match=f"{name}{ending} {sentence}"):
        load(tmp_path)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_damaged_stream_is_refused(tmp_path, pack):
    """One byte is another."""
    stream = bytearray(pack(BATCH))
    stream[5000] ^= 0x55
    (tmp_path / "data_batch_1.bin").write_bytes(stream)
    with pytest.raises(DataError, match=r"data_batch_1\.bin must be one whole (gzip|xz) stream"):
        load(tmp_path)


def test_a_folder_must_be_there_with_something_to_train_on(tmp_path):
    """The sentences say what is missing."""
    with pytest.raises(DataError, match="nowhere must be a folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"one of data_batch_1\.bin to data_batch_5\.bin, plain or"):
        load(written(tmp_path, "test_batch.bin"))


@pytest.mark.parametrize("records", [4, float("nan")])
def test_records_must_divide(tmp_path, records):
    """A fifth of fewer than five is none."""
    with pytest.raises(ValueError, match="records must be at least 5 in a file, got"):
        cifar10.load(written(tmp_path, "data_batch_1.bin"), records)


def test_a_file_promises_ten_thousand_records(tmp_path):
    """Where nothing else is said."""
    with pytest.raises(DataError, match="must hold 30730000 bytes of values, got 30730 bytes"):
        cifar10.load(written(tmp_path, "data_batch_1.bin"))


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published images are not here")
def test_published_images_are_photographs():
    """Of ten classes about alike in number; the sky of an airplane is bluer than a frog's place."""
    data = cifar10.load(PUBLISHED)
    colours = [data.train_images[data.train_labels == label].mean((0, 1, 2)) for label in (0, 6)]

    assert {"train": 8000, "test": 2000} == {
        "train": data.train_labels.size,
        "test": data.test_labels.size,
    }
    assert 700 < np.bincount(data.train_labels).min() <= np.bincount(data.train_labels).max() < 900
    assert colours[0][2] - colours[0][0] > 0.02 > -0.02 > colours[1][2] - colours[1][0]
