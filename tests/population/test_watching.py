"""Who watches: who is told of which rounds, who ends a run, and that blocks are played between."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.noise import keys
from tacit.population import Checkpoint, progress_bar
from tacit.population.run import Run
from tacit.population.staged import Staged
from tacit.population.watching import Watcher, Watches
from tacit.statistics.answers import Answers

ROOT, ROUNDS = keys.from_seed(3), 60


class Seldom:
    """Notes what it is told, and ends the run in some round."""

    def __init__(self, every: int, ends: int = -1) -> None:
        self.every, self.ends, self.told, self.over = every, ends, [], []

    def __call__(self, rounds, state):
        self.told.append((rounds, jax.tree.map(np.asarray, state)))
        return rounds == self.ends

    def ended(self, rounds):
        self.over.append(rounds)

    @property
    def rounds(self) -> list[int]:
        return [rounds for rounds, _ in self.told]


def staged(rounds: int = ROUNDS) -> Staged:
    plan = small.plan(rounds)
    return Staged.of(plan, Answers(rounds), small.people().data, None)


def played(ready: Staged, watch, checkpoint=None):
    return Run(ready, "run", ROOT, checkpoint).played(watch)[0]


def test_a_watcher_is_told_of_its_multiples_and_of_the_last(monkeypatch):
    """With the states that somebody has who is told of every round, and in fewer calls."""
    ready, calls, every = staged(), [], []
    ready_play = type(ready.rounds).ready

    def counted(rounds, data, run):
        play = ready_play(rounds, data, run)
        return lambda *asked: (calls.append(int(asked[-1])), play(*asked))[1]

    monkeypatch.setattr(type(ready.rounds), "ready", counted)
    seldom = Seldom(7)
    played(ready, seldom)
    blocks = list(calls)
    played(ready, lambda rounds, state: every.append((rounds, jax.tree.map(np.asarray, state))))

    assert seldom.rounds == [*range(7, ROUNDS, 7), ROUNDS] and seldom.over == [ROUNDS]
    assert sum(blocks) == ROUNDS and max(blocks) == 7 and len(calls) - len(blocks) == ROUNDS
    for rounds, state in seldom.told:
        assert jax.tree.all(jax.tree.map(np.array_equal, every[rounds - 1][1], state))


def test_each_of_several_is_told_of_its_own():
    """A function among them hears of every round."""
    third, fifth, all_rounds = Seldom(3), Seldom(5), []
    played(staged(12), [third, fifth, lambda rounds, _: all_rounds.append(rounds)])

    assert third.rounds == [3, 6, 9, 12] and fifth.rounds == [5, 10, 12]
    assert all_rounds == list(range(1, 13))


def test_one_who_answers_true_ends_the_run_for_all():
    """Others hear of the round that was the last; what comes out is its state."""
    first, other, heard = Seldom(4, ends=8), Seldom(5), []
    ended = played(staged(), [first, other])
    played(staged(), lambda rounds, state: heard.append(jax.tree.map(np.asarray, state)))

    assert first.rounds == [4, 8] and other.rounds == [5, 8] and first.over == other.over == [8]
    assert jax.tree.all(jax.tree.map(np.array_equal, heard[7], ended))


@pytest.mark.parametrize(
    "answer", [None, 0, 1, 1.0, "yes", np.ones(1, bool), np.int32(1), False, [3]]
)
def test_what_a_function_happens_to_return_ends_nothing(answer):
    """The truth value alone does."""
    told = []

    def watch(rounds, state):
        told.append(rounds)
        return answer

    played(staged(4), watch)
    assert told == [1, 2, 3, 4]


@pytest.mark.parametrize("true", [True, np.bool_(True), np.ones((), bool), jnp.asarray(True)])
def test_a_comparison_ends_a_run_whoever_computes_it(true):
    """Python, NumPy or JAX."""
    told = []
    played(staged(4), lambda rounds, state: told.append(rounds) or true)

    assert told == [1]


def test_a_run_that_was_ended_is_finished(tmp_path):
    """Its grant is closed with the charge it was opened with, and what it handed over is read."""
    saved, book = Checkpoint(tmp_path / "state.npz"), small.ledger(tmp_path)
    asked = small.plan(ROUNDS), Answers(ROUNDS), book
    grant = small.people().grant(*asked, grant_id="g", checkpoint=saved, seed=1)
    charged = book.spent("thirty")
    release = grant.run(watch=lambda rounds, state: rounds == 5)
    with pytest.raises(tacit.ledger.Finished):
        small.people().grant(*asked, grant_id="g", checkpoint=saved, seed=1)
    read = tacit.Release.read("g", "thirty", *asked, saved, seeded=True)

    assert book.spent("thirty") == charged and release.plan.guarantees == asked[0].guarantees
    assert np.array_equal(read.state[0], release.state[0]) and int(release.state[1]) == 5
    assert not np.any(np.asarray(release.state[0])[5:])


def test_a_run_that_was_ended_and_died_goes_on_to_its_end(tmp_path):
    """Between the last checkpoint and the closing of its grant nothing more is played."""
    checkpoint = Checkpoint(tmp_path / "state.npz")
    ended = played(staged(), lambda rounds, state: rounds == 5, checkpoint)
    told = []
    again = played(staged(), lambda rounds, state: told.append(rounds), checkpoint)

    assert told == [] and jax.tree.all(jax.tree.map(np.array_equal, ended, again))


def test_whoever_watches_a_stream_that_halts_hears_of_the_true_round():
    """It may halt in the middle of a block, so its rounds are played one by one."""
    sums = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), ROUNDS, small.PEOPLE)
    plan = tacit.Central(20.0, 0.0).plan(tacit.Above(sums, threshold=0.5, positives=3))
    ready = Staged.of(plan, Answers(ROUNDS), np.ones(small.PEOPLE, np.float32), None)
    seldom = Seldom(50)
    state = played(ready, seldom)

    assert seldom.rounds == seldom.over == [int(state[1])] and 3 <= seldom.rounds[0] < 10


@pytest.mark.parametrize(
    "watch, words",
    [
        (3, "a function of rounds and state, or a sequence of such functions, got 3"),
        ([print, None], "or a sequence of such functions, got None"),
        (Seldom, "got Seldom without parentheses"),
        (progress_bar, r"got progress_bar without parentheses: write progress_bar\(plan\)"),
        (Seldom(0), "every must be a whole number of rounds, at least 1, got 0"),
        (Seldom(2.5), "at least 1, got 2.5"),
    ],
)
def test_what_cannot_watch_is_refused_before_the_first_round(watch, words):
    """The sentence names what can."""
    with pytest.raises(ValueError, match=words):
        Watches(watch, ROUNDS)


def test_a_watcher_is_one_by_what_it_has():
    """No class to inherit from."""
    assert isinstance(Seldom(2), Watcher) and not isinstance(print, Watcher)
