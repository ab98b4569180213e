"""Tables that were found before are used again, and nothing is believed of their files."""

import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from tacit.device import kept_tables, workload
from tacit.device.kept_tables import keep, kept, place
from tacit.device.workload import WORDS, OnWorkload, _best, private
from tacit.question.workloads import Prefix

CELLS = 64
SQUARES = Prefix(CELLS).gram().dense()
TABLE = np.full((4, 3), 2**30, np.uint64)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Nothing is kept yet; steps are few, and counted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(workload, "_STEPS", 2)
    _best.cache_clear()
    yield tmp_path / "tacit" / "tables"
    _best.cache_clear()


@pytest.fixture
def descents(monkeypatch):
    """One entry for each table that is found anew."""
    run, own = [], workload.local_reports.least_variance
    monkeypatch.setattr(
        workload.local_reports, "least_variance", lambda *terms: run.append(1) or own(*terms)
    )
    return run


def found() -> OnWorkload:
    _best.cache_clear()
    return OnWorkload.of(Prefix(CELLS), 1.0)


def test_a_table_is_found_once(folder, descents):
    """The second time it is read, word for word; for another epsilon it is another."""
    first, second = found(), found()

    assert len(descents) == 1 and len(list(folder.glob("*.words"))) == 1
    np.testing.assert_array_equal(first.table, second.table)
    OnWorkload.of(Prefix(CELLS), 2.0)
    assert len(descents) == 2 and len(list(folder.iterdir())) == 2


def test_few_cells_are_not_kept(folder, descents):
    """They take a second."""
    OnWorkload.of(Prefix(8), 1.0)

    assert len(descents) == 1 and not folder.exists()


def edited(table: np.ndarray, how: str) -> np.ndarray:
    match how:
        case "not private":
            table[:2, 0] = [table[:2, 0].sum() - 1, 1]
        case "another sum":
            table[0, 0] += 1
        case "a cell less":
            table = table[:, :-1]
        case "blind":
            table = np.full_like(table, WORDS // len(table))
        case "nearly blind":
            cells = np.arange(table.shape[1], dtype=np.uint64)
            table = np.full_like(table, WORDS // len(table))
            table[0] += cells
            table[1] -= cells
    return table


@pytest.mark.parametrize(
    "how",
    [
        "not private",
        "another sum",
        "a cell less",
        "blind",
        "nearly blind",
        "cut",
        "noise",
        "zip",
        "turned",
        "empty",
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_not_used(how, folder, descents):
    """Whatever is in it: the table is found anew, private, and kept in its place."""
    right = found()
    (path,) = folder.glob("*.words")
    whole = path.read_bytes()
    broken = {"cut": whole[: len(whole) // 2], "noise": bytes(range(256)) * 9, "empty": b""}
    broken |= {"zip": b"PK\3\4" + whole[4:], "turned": whole[:-1] + bytes([whole[-1] ^ 1])}
    if how in broken:
        path.write_bytes(broken[how])
    else:
        table = kept(path)
        assert table is not None
        keep(path, edited(table, how))
    again = found()

    assert len(descents) == 2 and private(np.asarray(again.table).astype(np.uint64), 1.0)
    np.testing.assert_array_equal(again.table, right.table)
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_keeps_nothing(folder, descents):
    """And the table is found as ever."""
    folder.parent.mkdir(parents=True)
    folder.write_text("a file, where a folder should be")

    assert np.array_equal(found().table, found().table) and len(descents) == 2


def _write(path: Path, value: int) -> None:
    for _ in range(20):
        keep(path, np.full((200, 200), value, np.uint64))


def test_two_at_once_leave_one_whole_table(tmp_path):
    """What is read meanwhile is whole, too: of one or of the other."""
    path, context = tmp_path / "table.npy", multiprocessing.get_context("spawn")
    keep(path, np.full((200, 200), 1, np.uint64))
    both = [context.Process(target=_write, args=(path, value)) for value in (1, 2)]
    for each in both:
        each.start()
    while any(each.is_alive() for each in both):
        seen = kept(path)
        assert seen is not None and len(np.unique(seen)) == 1
    for each in both:
        each.join()

    assert [each.exitcode for each in both] == [0, 0] and kept(path).shape == (200, 200)


def test_nobody_without_a_home_keeps_anything(folder, descents, monkeypatch):
    """And the table is found as ever."""

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)

    assert np.array_equal(found().table, found().table) and len(descents) == 2


def path_of(*terms) -> Path:
    path = place(*terms)
    assert path is not None
    return path


def test_a_table_has_a_name_of_its_own(tmp_path, monkeypatch):
    """For each workload, epsilon, number of outputs and way to find it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    terms = [(SQUARES, 1.0, 9, 5), (SQUARES, 1.5, 9, 5), (SQUARES, 1.0, 10, 5)]
    terms += [(2 * SQUARES, 1.0, 9, 5), (SQUARES, 1.0, 9, 6)]
    names = {path_of(*each) for each in terms}
    monkeypatch.setattr(kept_tables, "_WAY", 0)
    other = path_of(*terms[0])
    keep(other, TABLE)

    assert len(names | {other}) == 6 and kept(next(iter(names))) is None
    np.testing.assert_array_equal(kept(other), TABLE)
