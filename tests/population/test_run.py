"""A run plays blocks of rounds, and what comes out does not tell which."""

from itertools import count
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.noise import keys
from tacit.population import Checkpoint, CheckpointError
from tacit.population import run as module
from tacit.population.cohorts import MOST_ROUNDS, Cohorts
from tacit.population.kind_of_run import SIMULATED, KindOfRun
from tacit.population.run import Pace, Run, Seats
from tacit.population.staged import Staged
from tacit.statistics.answers import Answers

PEOPLE, DIM, ROUNDS = 300, 8, 300
ROOT = keys.from_seed(7)
DATA = np.random.default_rng(0).standard_normal((PEOPLE, DIM)).astype(np.float32) / 4
REPLACE = tacit.Central(2.0, 1e-6, tacit.Relation.REPLACE_ONE)
TRUSTS = {
    "nobody": (tacit.NonPrivate(), tacit.Fixed(7)),
    "local": (tacit.Local(4.0), tacit.Once()),
    "central": (tacit.Central(2.0, 1e-6), tacit.Poisson(0.02)),
    "federated": (tacit.Federated(4.0, REPLACE), tacit.Once()),
}


NAMES = "run", f"{SIMULATED}run"
# A pace that no clock changes.
SEVENS = {"rounds": 7, "_most": 1}


def staged(trust="central", rounds=ROUNDS, at_once=None) -> Staged:
    model, who = TRUSTS[trust]
    plan = model.plan(tacit.Mean(tacit.Ball(DIM, 1.0), who, rounds, PEOPLE))
    return Staged.of(plan, Answers(rounds, shape=(DIM,)), DATA, at_once)


def bits(state) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(state)]


@pytest.mark.parametrize(
    "trust, rounds", [("nobody", 30), ("central", 30), *((trust, ROUNDS) for trust in TRUSTS)]
)
def test_blocks_are_single_rounds_to_the_bit(trust, rounds, monkeypatch):
    """As many as fit in a block, by sevens, or one by one and watched."""
    ready, seen = staged(trust, rounds), []
    whole, _ = Run(ready, "run", ROOT, None).played(None)
    with monkeypatch.context() as fixed:
        fixed.setattr(Pace, "__init__", lambda pace, most: pace.__dict__.update(SEVENS))
        slow, _ = Run(ready, "run", ROOT, None).played(None)
    watched, _ = Run(ready, "run", ROOT, None).played(lambda t, state: seen.append(bits(state)))

    assert bits(whole) == bits(slow) == bits(watched) == seen[-1]
    assert len(seen) == rounds == len({state[0] for state in seen})


def test_chunks_change_nothing_in_a_block():
    """Sums are exact, however many people are asked side by side."""
    first, _ = Run(staged("nobody"), "run", ROOT, None).played(None)
    second, _ = Run(staged("nobody", at_once=3), "run", ROOT, None).played(None)

    np.testing.assert_array_equal(first.answer, second.answer)


class Stopped(Exception):
    """What cuts a run off."""


def test_a_run_that_is_cut_off_goes_on_in_blocks(tmp_path):
    """Watched up to a round that is the end of no block, then unwatched: the same to the bit."""
    ready, checkpoint = staged(), Checkpoint(tmp_path / "state.npz")

    def stop(rounds, state):
        if rounds == 5:
            raise Stopped

    with pytest.raises(Stopped):
        Run(ready, "run", ROOT, checkpoint).played(stop)
    resumed, digest = Run(ready, "run", ROOT, checkpoint).played(None)
    whole, _ = Run(ready, "run", ROOT, None).played(None)

    assert bits(resumed) == bits(whole) and digest is not None


@pytest.mark.parametrize("names", [NAMES, NAMES[::-1]], ids=str)
def test_a_run_does_not_go_on_from_one_of_another_kind(names, tmp_path):
    """By its name; nor of the same name and the same root key, which a seed makes for both."""
    checkpoint, ready = Checkpoint(tmp_path / "state.npz"), staged(rounds=3)
    one, other = (Run(ready, name, ROOT, checkpoint) for name in names)
    assert [one.kind, other.kind] == [KindOfRun.of(name) for name in names]
    one.played(None)
    with pytest.raises(CheckpointError, match=r"from which no (grant|simulation) goes on"):
        other.played(None)
    checkpoint.path.unlink()
    checkpoint.save(other.name, 1, *ready.rounds.start, one.kind.seal(ROOT))
    with pytest.raises(CheckpointError, match="was not written by this"):
        other.played(None)


@pytest.mark.parametrize("trust", [tacit.NonPrivate(), tacit.Central(20.0, 0.0)])
def test_a_run_that_halts_ends_in_the_middle_of_a_block(trust):
    """The rounds after the last positive are not played, in whatever block they stand."""
    sums = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), ROUNDS, PEOPLE)
    plan = trust.plan(tacit.Above(sums, threshold=0.5, positives=2))
    ready = Staged.of(plan, Answers(ROUNDS), np.ones(PEOPLE, np.float32), None)
    seen = []
    single, _ = Run(ready, "run", ROOT, None).played(lambda t, state: seen.append(t))
    block, _ = Run(ready, "run", ROOT, None).played(None)

    assert len(seen) < 10 and bits(single) == bits(block)


@pytest.mark.parametrize(
    "rounds, shape, who, block",
    [
        (1, tacit.Ball(DIM, 1.0), tacit.Once(), 1),
        (2, tacit.Ball(DIM, 1.0), tacit.Fixed(1), MOST_ROUNDS),
        (300, tacit.Ball(DIM, 1.0), tacit.Fixed(1), MOST_ROUNDS),
        (300, tacit.Ball(2**16, 1.0), tacit.Fixed(1), MOST_ROUNDS),
        (300, tacit.Ball(2**16, 1.0), tacit.Fixed(2), 1),
    ],
)
def test_short_rounds_come_in_blocks_and_long_ones_do_not(rounds, shape, who, block):
    """By the numbers of their terms; beyond one, the number of rounds is nothing to a program."""
    plan = tacit.NonPrivate().plan(tacit.Mean(shape, who, rounds, PEOPLE))

    assert Cohorts(plan, PEOPLE, 64, False).block == block


def test_rows_gathered_are_one_round():
    """Their program brings them to the host."""
    plan = tacit.Central(1.0, 0.0).plan(
        tacit.OfRows(tacit.Interval(0.0, 1.0), PEOPLE, tacit.question.Quantile())
    )

    assert Cohorts(plan, PEOPLE, 64, False).block == 1


@pytest.mark.parametrize("summed", [True, False])
@pytest.mark.parametrize("many", [1, 3])
def test_everybody_keeps_a_seat_for_all_rounds(summed, many):
    """The host does not run ahead of the devices with another cohort of all people each round."""
    sums = tacit.Mean(tacit.Ball(30, 1e3), tacit.Everyone(), 6, 30)
    seats = Seats(Cohorts(tacit.Central(1.0, 1e-5).plan(sums), 30, 7, summed), bytes(32), 0)

    cohorts = [seats.next(many) for _ in range(6 // many)]
    assert all(cohort is cohorts[0] for cohort in cohorts)


@pytest.mark.parametrize("seconds, rounds", [(10.0, 1), (0.1, 5), (1e-3, 256), (0.0, 256)])
def test_a_block_takes_half_a_second(seconds, rounds, monkeypatch):
    """Ctrl-C and checkpoints wait for no more, whatever a round takes; at least one is played."""
    clock = iter([0.0, seconds])
    # The module's own clock: other threads read the process's.
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    pace = Pace(256)
    pace.kept(lambda *asked: asked, 1, jnp.zeros(()), None)

    assert pace.rounds == rounds


@pytest.mark.parametrize("passes, kept", [(2.5, [1, 2, 3, 4]), (1.0, [2, 4])])
def test_a_state_is_kept_when_two_seconds_have_passed(passes, kept, tmp_path, monkeypatch):
    """Since the last one was, however many rounds are left; and no earlier, but at the end."""
    clock, save, saved = count(0.0, passes), Checkpoint.save, []
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    def counted(checkpoint, grant, rounds, *state, **known):
        saved.append(rounds)
        return save(checkpoint, grant, rounds, *state, **known)

    monkeypatch.setattr(Checkpoint, "save", counted)
    run = Run(staged(rounds=4), "run", ROOT, Checkpoint(tmp_path / "state.npz"))
    run.played(lambda rounds, state: None)

    assert saved == kept


def test_who_is_watched_plays_one_by_one():
    """Every state is shown, and nobody waits for the clock."""
    pace = Pace(1)
    pace.kept(lambda *asked: asked, 1, jnp.zeros(()), None)

    assert pace.rounds == 1


def test_what_is_published_of_a_round_is_its_own():
    """A function of the root key and the round alone, and no other key of any round."""
    run = Run(staged(rounds=5), "run", ROOT, None)
    block = [np.asarray(jax.random.key_data(leaf))[:5] for leaf in jax.tree.leaves(run.keys(0, 5))]
    published = [keys.jax_key(keys.derive(ROOT, "projection", t)) for t in range(5)]

    np.testing.assert_array_equal(block[2], [jax.random.key_data(key) for key in published])
    assert len({key.tobytes() for kind in block for key in kind}) == 15


def test_keys_of_a_block_are_those_of_its_rounds():
    """Round by round, of devices and of the server; no two rounds have one."""
    run = Run(staged(rounds=4), "run", ROOT, None)
    block = run.keys(1, 3)
    one_by_one = [run.keys(t, 1) for t in (1, 2, 3)]
    for who in ("device", "server"):
        own = np.asarray(jax.random.key_data(getattr(block, who)))[:3]
        each = [np.asarray(jax.random.key_data(getattr(pair, who)))[0] for pair in one_by_one]
        np.testing.assert_array_equal(own, np.stack(each))

        assert len({key.tobytes() for key in own}) == 3
