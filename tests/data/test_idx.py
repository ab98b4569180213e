"""The IDX reader returns what was written, and refuses what is not one whole array."""

import gzip
import lzma
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import idx_files
from tacit.data import idx
from tacit.data.dataset import DataError

ARRAY = np.arange(24, dtype=np.int16).reshape(2, 3, 4) - 300


def written(path: Path, content: bytes) -> Path:
    """The path, after the content was written there."""
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["array", "array.gz"])
@pytest.mark.parametrize("code", idx_files.CODES)
def test_every_type_comes_back(tmp_path, code, name):
    """Values, shape and type survive the round trip, and arrive in the machine's byte order."""
    array = np.random.default_rng(0).integers(0, 120, (3, 1, 5)).astype(code)
    array[0, 0] = np.finfo(code).tiny if array.dtype.kind == "f" else np.iinfo(code).min
    idx_files.write(tmp_path / name, array)
    result = idx.read(tmp_path / name)
    assert array.dtype == result.dtype
    assert result.dtype.isnative
    np.testing.assert_array_equal(array, result)


def test_known_bytes():
    """The writer used in these tests agrees with the format as published, byte by byte."""
    array = np.array([[1, -2]], np.int32)
    expected = "00000c02000000010000000200000001fffffffe"
    assert expected == idx_files.encode(array).hex()


@pytest.mark.parametrize(
    "content",
    [idx_files.encode(ARRAY), gzip.compress(idx_files.encode(ARRAY), mtime=0)],
    ids=["plain", "gzipped"],
)
@pytest.mark.parametrize("name", ["array", "array.gz"])
def test_content_and_not_name_decides_on_gzip(tmp_path, name, content):
    """A file is unzipped if and only if its first two bytes say so, whatever it is called."""
    np.testing.assert_array_equal(ARRAY, idx.read(written(tmp_path / name, content)))


@pytest.mark.parametrize(("there", "asked"), [("a", "a.gz"), ("a.gz", "a"), ("a.b.gz", "a.b")])
def test_either_name_finds_the_file(tmp_path, there, asked):
    """A file is found with or without the ending .gz."""
    idx_files.write(tmp_path / there, ARRAY)
    np.testing.assert_array_equal(ARRAY, idx.read(tmp_path / asked))


def test_the_name_asked_for_comes_first(tmp_path):
    """Where both files are there, the one that was named is read."""
    idx_files.write(tmp_path / "a", ARRAY)
    idx_files.write(tmp_path / "a.gz", -ARRAY)
    np.testing.assert_array_equal(ARRAY, idx.read(tmp_path / "a"))
    np.testing.assert_array_equal(-ARRAY, idx.read(tmp_path / "a.gz"))


def test_result_can_be_written_to(tmp_path):
    """The array is the caller's own, for one byte a value as for more."""
    idx_files.write(tmp_path / "a", np.zeros(3, np.uint8))
    found = idx.read(tmp_path / "a")
    found[0] = 1

    assert found.tolist() == [1, 0, 0]


@pytest.mark.parametrize("asked", ["a", "a.gz"])
def test_missing_file(tmp_path, asked):
    """A missing file is reported with its folder and all names that were tried."""
    with pytest.raises(DataError, match=f"{tmp_path} must hold a file a or a.gz or a.xz"):
        idx.read(tmp_path / asked)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "4 bytes of IDX magic, got 0 bytes"),
        (b"\0\0\x08", "4 bytes of IDX magic, got 3 bytes"),
        (b"\0\1\x08\1", "two zero bytes, .*0x00010801"),
        (b"\1\0\x08\1", "two zero bytes, .*0x01000801"),
        (b"\0\0\x0a\1", r"a type out of 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E .*0x00000A01"),
        (b"\0\0\x08\0", "1 to 64 axes, got 0x00000800"),
        (b"\0\0\x08\x41" + 65 * b"\0\0\0\1" + b"\7", "1 to 64 axes, got 0x00000841"),
        (b"\0\0\x08\2\0\0\0\1\0", "a header of 12 bytes, got 9 bytes"),
        (b"\0\0\x08\xff", "1 to 64 axes"),
        (struct.pack(">HBBII", 0, 8, 2, 0, 7), r"axes of length 1 or more, got \(0, 7\)"),
        (idx_files.encode(ARRAY)[:-1], "48 bytes of values, got 47 bytes"),
        (idx_files.encode(ARRAY)[:16], "48 bytes of values, got 0 bytes"),
        (idx_files.encode(ARRAY) + b"\0", "end after 48 bytes of values"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_malformed_content(tmp_path, pack, content, sentence):
    """Content that is not one whole array is refused in a sentence that names what is allowed."""
    path = written(tmp_path / "a", pack(content))
    with pytest.raises(DataError, match=f"{path} must .*{sentence}"):
        idx.read(path)


def test_lengths_whose_product_overflows(tmp_path):
    """Lengths whose product is 0 modulo 2^64 promise more bytes than there are, not none."""
    path = written(tmp_path / "a", struct.pack(">HBB4I", 0, 8, 4, *4 * [2**31]))
    with pytest.raises(DataError, match=f"hold {2**124} bytes of values, got 0 bytes"):
        idx.read(path)


def test_sixty_four_axes_are_read(tmp_path):
    """The most axes that are allowed are really read."""
    idx_files.write(tmp_path / "a", np.ones(64 * [1], np.int8))
    assert idx.read(tmp_path / "a").ndim == 64


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_promised_memory_is_not_taken(tmp_path, pack):
    """A header that promises 4 GB takes no more memory than the bytes behind it and a buffer."""
    path = written(tmp_path / "a", pack(struct.pack(">HBBI", 0, 8, 1, 2**32 - 1) + b"abc"))
    peak = _peak_of_refusal(path, f"hold {2**32 - 1} bytes of values, got 3 bytes")
    assert peak < 2**23


def test_compressed_excess_is_not_unpacked(tmp_path):
    """A small file that unpacks to 64 MiB behind a header of one byte is refused unread."""
    path = written(tmp_path / "a", gzip.compress(struct.pack(">HBBI", 0, 8, 1, 1) + bytes(2**26)))
    assert _peak_of_refusal(path, "end after 1 bytes of values") < 2**23


def _peak_of_refusal(path: Path, sentence: str) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=sentence):
            idx.read(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("left_out", [1, 8, 12, 40])
def test_gzip_stream_cut_short(tmp_path, left_out):
    """A gzip stream is refused if cut anywhere, even where only its checksum is missing."""
    path = written(tmp_path / "a", gzip.compress(idx_files.encode(ARRAY))[:-left_out])
    with pytest.raises(DataError, match="must be one whole gzip stream"):
        idx.read(path)


def test_gzip_stream_damaged(tmp_path):
    """Each single byte of a gzip stream's body, length and checksum is guarded."""
    stream = bytearray(gzip.compress(idx_files.encode(ARRAY)))
    for at in range(10, len(stream)):
        damaged = bytearray(stream)
        damaged[at] ^= 0x55
        with pytest.raises(DataError):
            idx.read(written(tmp_path / "a", bytes(damaged)))


def test_gzip_magic_alone(tmp_path):
    """Two bytes of gzip magic and nothing else are a gzip stream cut short."""
    with pytest.raises(DataError, match="must be one whole gzip stream"):
        idx.read(written(tmp_path / "a", b"\x1f\x8b"))
