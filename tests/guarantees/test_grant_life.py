"""Processes that die, and others that come back with something else: no noise serves twice.

Each step is a process of its own. What it did, it leaves in a file; how it ended is its exit code.
"""

import os
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import forks
import small
import tacit
from tacit.question.blocks import BlockMeans
from tacit.question.rows import OfRows
from tacit.statistics.answers import Answers

DIED, REFUSED, FINISHED = 3, 4, 5
BLOCKS = tacit.Central(1.0, 0.0, tacit.Relation.REPLACE_ONE)


class Weighted:
    """A learner of one number, that anybody can write to."""

    def __init__(self, weight: float):
        self.weight = np.array([weight], np.float32)

    def init(self):
        return jnp.zeros(small.plan().sums.rounds), jnp.zeros((), jnp.int32)

    def ask(self, state, person):
        return person * self.weight[0]

    def tell(self, state, answer):
        return state[0].at[state[1]].set(answer), state[1] + 1


def play(folder: Path, name: str, weight: float, seed: int, rounds: int, dies: int) -> None:
    """Asks for grant "g" and plays it; dies without a word in round `dies`, if there is one."""
    heard = []

    def watch(done, state):
        heard.append(np.asarray(state[0]))
        if done == dies:
            np.save(folder / name, heard[-1])
            os._exit(DIED)

    saved = tacit.population.Checkpoint(folder / "state.npz")
    asked = small.plan(rounds), Weighted(weight), small.ledger(folder)
    try:
        grant = small.people(seed=seed).grant(*asked, grant_id="g", checkpoint=saved)
    except tacit.ledger.Finished:
        state = tacit.Release.read("g", "thirty", *asked, saved).state
        np.save(folder / name, np.asarray(state[0]))
        os._exit(FINISHED)
    except tacit.ledger.LedgerError as error:
        (folder / name).write_text(str(error))
        os._exit(REFUSED)
    np.save(folder / name, np.asarray(grant.run(watch=watch).state[0]))


def blocks(folder: Path, name: str, value: float) -> None:
    """Asks the same of blocks under one name; dies in the second block of the first run."""
    calls = []

    def function(rows):
        calls.append(len(rows))
        if len(calls) == 2 and value == 0.25:
            os._exit(DIED)
        return value

    statistic = BlockMeans(function, 3, (tacit.Interval(0.0, 1.0),))
    plan = BLOCKS.plan(OfRows(tacit.Interval(-1.0, 1.0), small.PEOPLE, statistic))
    try:
        small.people().grant(plan, Answers(1, shape=(1,)), small.ledger(folder), grant_id="b").run()
    except tacit.ledger.LedgerError as error:
        (folder / name).write_text(str(error))
        os._exit(REFUSED)


def exit_code(target, *arguments) -> int | None:
    """That of a process which does this and nothing else."""
    process = forks.context().Process(target=target, args=arguments)
    process.start()
    process.join()
    return process.exitcode


CHANGES = {
    "other data": (1.0, 1, 4),
    "other learner": (0.0, 0, 4),
    "another plan": (1.0, 0, 5),
}


def test_who_comes_back_with_something_else_gets_nothing(tmp_path):
    """Refused by what differs, uncharged; whoever comes back with the same gets the same noise."""
    same, spent = (1.0, 0, 4), lambda: small.ledger(tmp_path).spent("thirty")
    assert DIED == exit_code(play, tmp_path, "first.npy", *same, 3)
    charged = spent()
    for named, other in CHANGES.items():
        assert REFUSED == exit_code(play, tmp_path, "refusal", *other, 0)
        assert f"was opened with {named};" in (tmp_path / "refusal").read_text()
    assert DIED == exit_code(play, tmp_path, "second.npy", *same, 2)
    assert 0 == exit_code(play, tmp_path, "whole.npy", *same, 0)
    first, second, whole = (np.load(tmp_path / f"{n}.npy") for n in ("first", "second", "whole"))

    assert charged == spent()
    np.testing.assert_array_equal(whole[:3], first[:3])
    np.testing.assert_array_equal(whole[:2], second[:2])
    assert (whole != 0).all()


@pytest.mark.parametrize("seed", [0, 1], ids=["the same", "others"])
def test_a_finished_grant_plays_for_nobody(seed, tmp_path):
    """Whoever's data it is asked with: there is its own answer to read, and nothing is run."""
    assert 0 == exit_code(play, tmp_path, "whole.npy", 1.0, 0, 4, 0)
    charged = small.ledger(tmp_path).spent("thirty")
    assert FINISHED == exit_code(play, tmp_path, "again.npy", 1.0, seed, 4, 0)

    np.testing.assert_array_equal(np.load(tmp_path / "whole.npy"), np.load(tmp_path / "again.npy"))
    assert charged == small.ledger(tmp_path).spent("thirty")


def test_a_function_of_blocks_that_died_is_not_asked_again(tmp_path):
    """Another one under the same noise would show it, and nobody can tell functions apart."""
    assert DIED == exit_code(blocks, tmp_path, "first", 0.25)
    for value in (0.25, 0.75):
        assert REFUSED == exit_code(blocks, tmp_path, "refusal", value)
        assert "ran and its key is erased" in (tmp_path / "refusal").read_text()
