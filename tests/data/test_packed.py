"""Packed files: found under each name, unpacked as they begin, never beyond the promise."""

import gzip
import lzma
import tracemalloc

import pytest

from tacit.data import packed
from tacit.data.dataset import DataError

CONTENT = bytes(range(256)) * 40
PACKS = {"plain": bytes, "gzip": gzip.compress, "xz": lzma.compress}
STREAMS = {name: pack(CONTENT) for name, pack in PACKS.items()}


def read(path, content: bytes, promised: int = len(CONTENT)) -> bytes:
    """What is read of a file of this content."""
    path.write_bytes(content)
    with packed.opened(path) as stream:
        return bytes(packed.values(path, stream, promised))


@pytest.mark.parametrize("name", ["a", "a.gz", "a.xz"])
@pytest.mark.parametrize("packing", PACKS)
def test_content_and_not_name_decides(tmp_path, packing, name):
    """Plain, gzip or xz, whatever the file is called."""
    assert CONTENT == read(tmp_path / name, STREAMS[packing])


@pytest.mark.parametrize("asked", ["a", "a.gz", "a.xz"])
@pytest.mark.parametrize("there", ["a", "a.gz", "a.xz"])
def test_each_name_finds_the_file(tmp_path, asked, there):
    """With an ending, without one, with the other one."""
    (tmp_path / there).touch()

    assert tmp_path / there == packed.located(tmp_path / asked)


def test_the_name_asked_for_comes_first_and_then_the_plain_one(tmp_path):
    """Then gzip's, then xz's."""
    for name in ("a.xz", "a.gz", "a"):
        (tmp_path / name).touch()
        assert tmp_path / name == packed.found(tmp_path / "a")

    assert tmp_path / "a.xz" == packed.found(tmp_path / "a.xz")


def test_a_file_that_is_not_there(tmp_path):
    """All names are told; a folder of that name is no file."""
    (tmp_path / "a").mkdir()

    assert packed.found(tmp_path / "a") is None
    with pytest.raises(DataError, match=r"hold a file a or a\.gz or a\.xz, got none of them"):
        packed.located(tmp_path / "a")


@pytest.mark.parametrize("packing", PACKS)
def test_the_promise_is_kept_to_the_byte(tmp_path, packing):
    """One byte less and one more are refused."""
    path, whole = tmp_path / "a", len(CONTENT)
    with pytest.raises(DataError, match=f"hold {whole + 1} bytes of values, got {whole} bytes"):
        read(path, STREAMS[packing], whole + 1)
    with pytest.raises(DataError, match=f"end after {whole - 1} bytes of values, got more"):
        read(path, STREAMS[packing], whole - 1)


@pytest.mark.parametrize("packing", ["gzip", "xz"])
def test_a_stream_cut_short_is_refused(tmp_path, packing):
    """Anywhere, also where all values are there and only the checksum is missing."""
    for left_out in (1, 8, 12, 100):
        with pytest.raises(DataError, match=f"{tmp_path / 'a'} must be one whole {packing} stream"):
            read(tmp_path / "a", STREAMS[packing][:-left_out])


@pytest.mark.parametrize("packing, body", [("gzip", 10), ("xz", 6)])
def test_each_byte_of_a_stream_is_guarded(tmp_path, packing, body):
    """After gzip's header, which has no checksum, and xz's magic."""
    stream = STREAMS[packing]
    for at in range(body, len(stream)):
        damaged = stream[:at] + bytes([stream[at] ^ 0x55]) + stream[at + 1 :]
        with pytest.raises(DataError, match=f"{tmp_path / 'a'} must"):
            read(tmp_path / "a", damaged)


def test_what_follows_an_xz_stream(tmp_path):
    """Another one goes on; few other bytes are taken for a stream cut short, many are not read."""
    assert 2 * CONTENT == read(tmp_path / "a", 2 * STREAMS["xz"], 2 * len(CONTENT))
    assert CONTENT == read(tmp_path / "a", STREAMS["xz"] + 16 * b"more")
    with pytest.raises(DataError, match="must be one whole xz stream"):
        read(tmp_path / "a", STREAMS["xz"] + b"more")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_what_was_not_promised_is_not_unpacked(tmp_path, pack):
    """A small file that unpacks to 64 MiB is refused after a buffer and xz's window of 8 MiB."""
    content = pack(bytes(2**26))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="end after 3073 bytes of values"):
            read(tmp_path / "a", content, 3073)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()
