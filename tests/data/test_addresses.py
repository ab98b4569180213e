"""Public speech: the texts of an archive, and every file that is none."""

import zipfile
from pathlib import Path

import pytest

from tacit.data import addresses
from tacit.data.dataset import DataError

SHARED = Path(__file__).parents[3] / "shared/data/state-of-the-union/state_union.zip"


def written(folder: Path, **texts: str | bytes) -> Path:
    path = folder / "speech.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(f"speech/{name.replace('_', '.')}", text)
    return path


def test_texts_are_in_the_order_of_their_names(tmp_path):
    """Whatever the archive's; what is not named .txt is no text."""
    path = written(tmp_path, b_txt="second", README="none of it", a_txt="first")

    assert addresses.load(path) == ("first", "second")


def test_a_byte_that_is_no_letter_is_a_mark(tmp_path):
    """One damaged byte does not cost the text."""
    assert addresses.load(written(tmp_path, a_txt=b"man\xa1s genius")) == ("man\ufffds genius",)


@pytest.mark.parametrize("most", [9, 10])
def test_all_texts_together_are_bounded(tmp_path, monkeypatch, most):
    """As many bytes as may be are taken, and one more is refused, whatever the archive promises."""
    monkeypatch.setattr(addresses, "MOST_BYTES", most)
    path = written(tmp_path, a_txt="12345", b_txt="67890")
    if most == 10:
        assert addresses.load(path) == ("12345", "67890")
    else:
        with pytest.raises(DataError, match="at most 9 bytes of texts, got more"):
            addresses.load(path)


def test_an_archive_without_a_text_is_refused(tmp_path):
    """Its README is none."""
    with pytest.raises(DataError, match=r"named \.txt, got none"):
        addresses.load(written(tmp_path, README="nothing"))


def test_an_absent_file_is_refused(tmp_path):
    """By the folder and the name."""
    with pytest.raises(DataError, match=r"must hold a file speech\.zip, got none"):
        addresses.load(tmp_path / "speech.zip")


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.9, 0.99])
def test_an_archive_that_was_cut_short_is_refused(tmp_path, cut):
    """At any place."""
    path = written(tmp_path, a_txt="it is with a heavy heart " * 40)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(cut * len(whole))])
    with pytest.raises(DataError, match="must be one whole zip archive"):
        addresses.load(path)


def test_a_damaged_text_is_refused(tmp_path):
    """A checksum does not fit."""
    path = written(tmp_path, a_txt="it is with a heavy heart " * 40)
    whole = bytearray(path.read_bytes())
    whole[45] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(DataError, match="must be one whole zip archive"):
        addresses.load(path)


def test_a_text_that_begins_before_the_file_is_refused(tmp_path):
    """By the name of the file: where each text lies is the archive's own claim."""
    path = written(tmp_path, a_txt="first")
    whole = bytearray(path.read_bytes())
    end = whole.index(b"PK\x05\x06")
    whole[end + 16 : end + 20] = (2**32 - 2).to_bytes(4, "little")
    path.write_bytes(whole)
    with pytest.raises(DataError, match=r"speech\.zip must be one whole zip archive, got: "):
        addresses.load(path)


@pytest.mark.skipif(not SHARED.exists(), reason="the addresses are not here")
def test_the_addresses_are_read_whole():
    """65 of them, with two million letters."""
    texts = addresses.load(SHARED)

    assert len(texts) == 65 and sum(map(len, texts)) > 2_000_000
    assert "heavy heart" in texts[0]


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_are_unpacked_as_a_whole_are_refused(tmp_path, packing):
    """However little they hold: how much memory they take is theirs to say."""
    with zipfile.ZipFile(tmp_path / "speech.zip", "w", packing) as archive:
        archive.writestr("a.txt", "first")
    with pytest.raises(DataError, match="as they are or deflated, got another packing"):
        addresses.load(tmp_path / "speech.zip")


def test_an_encrypted_text_is_refused(tmp_path):
    """By its flag."""
    path = written(tmp_path, a_txt="first")
    whole = path.read_bytes()
    entry = whole.index(b"PK\x01\x02")
    path.write_bytes(whole[:6] + b"\x01" + whole[7 : entry + 8] + b"\x01" + whole[entry + 9 :])
    with pytest.raises(DataError, match=r"must be one whole zip archive, got: .*encrypted"):
        addresses.load(path)


def test_two_texts_of_one_name_are_both_read(tmp_path):
    """Not the last of them twice."""
    path = written(tmp_path, a_txt="first")
    with pytest.warns(UserWarning), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("speech/a.txt", "second")
    assert addresses.load(path) == ("first", "second")
