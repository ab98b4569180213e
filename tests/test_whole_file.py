"""Files that are whole or not there: after errors, beside another writer, and on a full disk."""

import multiprocessing
import os
from pathlib import Path

import pytest

from tacit.whole_file import refuse_no_room, replacing


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_file_is_replaced_when_it_is_left_and_not_before(tmp_path):
    """Whoever reads meanwhile reads the one before; nothing stays beside it."""
    path = tmp_path / "it"
    path.write_bytes(b"before")
    with replacing(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_bytes() == b"before"

    assert path.read_bytes() == b"after" and names(tmp_path) == ["it"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_is_not_finished_leaves_the_one_before(tmp_path, error):
    """An error and an interruption alike."""
    path = tmp_path / "it"
    path.write_bytes(b"before")
    with pytest.raises(error), replacing(path) as file:
        file.write(b"aft")
        raise error

    assert path.read_bytes() == b"before" and names(tmp_path) == ["it"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_the_disk_refuses_leaves_the_one_before(tmp_path, monkeypatch, call):
    """And is raised as the disk said it."""
    path = tmp_path / "it"
    path.write_bytes(b"before")

    def refused(*_):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, call, refused)
    with pytest.raises(OSError, match="no space left"), replacing(path) as file:
        file.write(b"after")

    assert path.read_bytes() == b"before" and names(tmp_path) == ["it"]


def test_what_a_crash_left_is_overwritten(tmp_path):
    """None of it is in the next one, however much longer it was."""
    path = tmp_path / "it"
    (tmp_path / "it.part").write_bytes(b"half of something long")
    with replacing(path) as file:
        file.write(b"short")

    assert path.read_bytes() == b"short" and names(tmp_path) == ["it"]


def test_a_part_that_is_a_link_is_not_written_through(tmp_path):
    """Whoever put it there would have another's file overwritten."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / "it.part").symlink_to(victim)
    with pytest.raises(OSError), replacing(tmp_path / "it") as file:
        file.write(b"after")

    assert victim.read_bytes() == b"precious" and not (tmp_path / "it").exists()


def add_one(path: Path, times: int) -> None:
    for _ in range(times):
        with replacing(path) as file:
            file.write(str(int(path.read_text()) + 1).encode())


def test_two_processes_take_turns(tmp_path):
    """Neither writes in the other's part, and what one reads within, the other has finished."""
    path = tmp_path / "it"
    path.write_text("0")
    fresh = multiprocessing.get_context("spawn")
    both = [fresh.Process(target=add_one, args=(path, 200)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join(60)

    assert [each.exitcode for each in both] == [0, 0]
    assert path.read_text() == "400" and names(tmp_path) == ["it"]


def test_room_is_tried_and_given_back(tmp_path, monkeypatch):
    """A refusal leaves nothing either, and no file that is there is touched."""
    path = tmp_path / "it"
    path.write_bytes(b"before")
    refuse_no_room(path, 1000)
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        refuse_no_room(path, 1000)

    assert path.read_bytes() == b"before" and names(tmp_path) == ["it"]
