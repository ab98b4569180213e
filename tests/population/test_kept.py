"""What a run keeps: of a run whose sums may differ, in exchange for the last mark alone."""

import jax.numpy as jnp
import pytest

from tacit.ledger.accounts import LedgerError
from tacit.population.checkpoint import Checkpoint
from tacit.population.kept import KeptStates

STATE, CARRY, SEAL = jnp.arange(3.0), jnp.zeros(()), b"seal"


class Marks:
    """The mark of one grant."""

    def __init__(self):
        self.held = None

    def __call__(self, known, made):
        if self.held not in known:
            raise LedgerError("another")
        self.held = made()
        return self.held


@pytest.fixture
def marks():
    return Marks()


def kept(tmp_path, mark, rounds=None):
    """One that begins, and keeps so many rounds."""
    made = KeptStates("g", SEAL, Checkpoint(tmp_path / "state.npz"), mark)
    made.begun((STATE, CARRY))
    if rounds is not None:
        made.save(rounds, STATE + rounds, CARRY)
    return made


def begun(tmp_path, mark):
    made = KeptStates("g", SEAL, Checkpoint(tmp_path / "state.npz"), mark)
    return made.begun((STATE, CARRY))[0]


def test_each_state_is_exchanged_for_the_one_before(tmp_path, marks):
    """And gone on from."""
    first = kept(tmp_path, marks, 1).digest
    second = kept(tmp_path, marks, 2).digest

    assert first != second == marks.held and 2 == begun(tmp_path, marks)


def test_a_state_that_was_not_marked_any_more_is_marked_where_it_is_gone_on_from(tmp_path, marks):
    """Nobody has heard of it: the run died before its mark."""
    kept(tmp_path, marks, 1)
    before = marks.held
    kept(tmp_path, marks, 2)
    after, marks.held = marks.held, before

    assert 2 == begun(tmp_path, marks) and after == marks.held


@pytest.mark.parametrize("back", [0, 1])
def test_an_older_state_is_refused(tmp_path, marks, back):
    """Put back, or lost: its rounds would come again, and their sums might be others."""
    path, files = tmp_path / "state.npz", []
    for rounds in (1, 2, 3):
        kept(tmp_path, marks, rounds)
        files.append(path.read_bytes())
    path.write_bytes(files[back])
    with pytest.raises(LedgerError):
        begun(tmp_path, marks)
    path.unlink()
    with pytest.raises(LedgerError):
        begun(tmp_path, marks)
    path.write_bytes(files[2])

    assert 3 == begun(tmp_path, marks)


def test_whoever_was_overtaken_leaves_the_file(tmp_path, marks):
    """Another process has kept the same round: its file stands, and the slower one is refused."""
    slower = kept(tmp_path, marks)
    kept(tmp_path, marks, 1)
    held = (tmp_path / "state.npz").read_bytes()
    with pytest.raises(LedgerError):
        slower.save(1, STATE, CARRY)

    assert held == (tmp_path / "state.npz").read_bytes() and 1 == begun(tmp_path, marks)


def test_a_run_of_which_any_round_may_be_played_again_has_no_mark(tmp_path):
    """It goes on from any of its states, and keeps them after they were told of."""
    first = kept(tmp_path, None, 1)
    older = (tmp_path / "state.npz").read_bytes()
    kept(tmp_path, None, 2)
    (tmp_path / "state.npz").write_bytes(older)

    assert 1 == begun(tmp_path, None) and not first.untold


def test_without_a_checkpoint_nothing_is_kept():
    """It begins anew."""
    run = KeptStates("g", SEAL, None, None)
    run.save(1, STATE, CARRY)

    assert (0, STATE, CARRY) == run.begun((STATE, CARRY)) and run.digest is None
