"""A grant plays each round once, whatever happens to the process."""

import contextlib
import copy
import dataclasses
import pickle
import random
import re
import sqlite3
import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import forks
import quick_keys
import small
import tacit
from tacit.noise import chacha
from tacit.population import program
from tacit.population.grant import Grant, OneKey
from tacit.population.run import Run


def final(release) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(release.state)]


def equal(a, b) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(final(a), final(b), strict=True))


@pytest.mark.parametrize(
    "participation, relation",
    [
        (tacit.Everyone(), tacit.Relation.ADD_REMOVE),
        (tacit.Poisson(0.4), tacit.Relation.ADD_REMOVE),
        (tacit.Fixed(7), tacit.Relation.REPLACE_ONE),
        (tacit.Once(), tacit.Relation.REPLACE_ONE),
        (tacit.AtMost(2), tacit.Relation.ZERO_OUT),
        (tacit.Available(0.5), tacit.Relation.ADD_REMOVE),
    ],
)
def test_every_participation_runs_and_centres_on_the_mean(tmp_path, participation, relation):
    """With negligible noise the mean over rounds is the people's mean, whoever takes part."""
    question = tacit.Mean(tacit.Interval(-1.0, 1.0), participation, 40, small.PEOPLE)
    plan = tacit.Central(15.0, 1e-2, relation).plan(question)
    book = tacit.Ledger(tmp_path / "ledger.db")
    book.limit("thirty", "public", relation, 1e6, 1.0)
    people = small.people()
    release = people.grant(plan, tacit.statistics.Average(), book, seed=3).run()
    values = np.asarray(people.data, np.float64)
    variance = np.mean(values**2) / (40 * question.cohort) + plan.error / 40

    assert abs(float(release.state[0]) - values.mean()) < 6 * np.sqrt(variance)


def test_rounds_have_cohorts_and_keys_of_their_own(tmp_path):
    """Devices and the server share none either: a device would know the noise it hides in."""
    question = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Poisson(0.4), 4, small.PEOPLE)
    plan = tacit.Central(1.0, 1e-5).plan(question)
    grant = small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path), seed=1)
    root = grant.key.taken(grant.staged, grant.name, grant.private)
    pairs = [Run(grant.staged, "a", root, None).keys(t, 1) for t in range(4)]
    made = {
        jax.random.key_data(k[0]).tobytes() for pair in pairs for k in (pair.device, pair.server)
    }

    assert 8 == len(made)
    assert 4 == len({rows.tobytes() for rows in grant.staged.cohorts.rows(root, 0)})


def test_one_seed_repeats_and_no_seed_does_not(tmp_path):
    """Two seeded runs are identical to the bit, two unseeded ones differ."""
    book, people = small.ledger(tmp_path), small.people()
    runs = [
        people.grant(small.plan(), tacit.statistics.Average(), book, seed=s)
        for s in (5, 5, None, None)
    ]
    a, b, c, d = (run.run() for run in runs)

    assert equal(a, b) and not a.private
    assert not equal(c, d) and c.private


def test_what_promises_nothing_is_not_private(tmp_path):
    """Of people without limits, though no seed made its key; the release and its receipt say so."""
    asked = small.plan(1, tacit.NonPrivate()), tacit.statistics.Average()
    release = small.people().grant(*asked, tacit.Ledger(tmp_path / "free.db")).run()

    assert not release.private and release.receipt()["private"] is False


def test_chunks_do_not_change_a_central_answer(tmp_path):
    """Sums are exact, so seven people at a time or one gives the same answer to the bit."""
    book, people = small.ledger(tmp_path), small.people()
    whole = people.grant(small.plan(), tacit.statistics.Average(), book, seed=2).run()
    chunked = people.grant(small.plan(), tacit.statistics.Average(), book, seed=2, at_once=7).run()
    alone = people.grant(small.plan(), tacit.statistics.Average(), book, seed=2, at_once=1).run()

    assert equal(whole, chunked) and equal(whole, alone)


def test_a_broken_person_moves_the_answer_by_their_own_term_only(tmp_path):
    """NaN and infinity count as the member nearest to zero."""
    book, people = small.ledger(tmp_path), small.people()
    for broken in (np.nan, np.inf, -np.inf):
        data = people.data.copy()
        data[4] = broken
        zero = people.data.copy()
        zero[4] = 0.0
        hurt, absent = (
            tacit.Arrays(x, "thirty")
            .grant(small.plan(), tacit.statistics.Average(), book, seed=2)
            .run()
            for x in (data, zero)
        )
        assert equal(absent, hurt)


@pytest.fixture
def quick_words(monkeypatch) -> None:
    """Where programs are counted, it does not matter what they draw from."""
    monkeypatch.setattr(chacha, "IMPL", quick_keys.IMPL)


@pytest.mark.usefixtures("quick_words")
@pytest.mark.parametrize("trust", [lambda e: tacit.Central(e, 1e-5), tacit.Local])
def test_a_sweep_over_epsilon_compiles_once(trust, tmp_path):
    """Every number of a plan is traced: four budgets, one program, or one for each number of
    digits that the noise is drawn in."""
    book, before = small.ledger(tmp_path), program.compiles()
    digits = set()
    for epsilon in (1.0, 1.4, 2.2, 3.0):
        plan = small.plan(1, trust(float(epsilon)))
        small.people().grant(plan, tacit.statistics.Average(), book).run()
        digits.add(str(jax.tree.structure(plan.server)))

    assert len(digits) <= 2 and program.compiles() - before <= len(digits)


@pytest.mark.usefixtures("quick_words")
@pytest.mark.parametrize("trust", [tacit.Central(1.0, 1e-5), tacit.Local(6.0)])
def test_another_typical_norm_is_the_same_program(trust, tmp_path):
    """Norms that are declared are arguments of a program, or nothing to it at all."""
    book, before = small.ledger(tmp_path), program.compiles()
    people = tacit.Arrays(np.full((4, 3), 0.2, np.float32), "thirty")
    for typical in (0.2, 0.9):
        shape = tacit.Ball(3, 1.0, typical)
        plan = trust.plan(tacit.Mean(shape, tacit.Everyone(), 1, 4))
        people.grant(plan, tacit.statistics.Average((3,)), book).run()

    assert program.compiles() - before == 1


COMPILED: list[str] = []


@jax.monitoring.register_event_duration_secs_listener
def _listen(name: str, seconds: float, **about) -> None:
    if name.endswith("backend_compile_duration"):
        COMPILED.append(str(about))


@pytest.mark.usefixtures("quick_words")
@pytest.mark.parametrize("trust", [tacit.Central(1.0, 1e-5), tacit.Local(2.0)])
def test_all_rounds_are_one_program(trust, tmp_path):
    """What the first round compiled serves the others: nothing at all is compiled after it."""
    before, after = program.compiles(), []
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(4, trust), Named(), book).run(
        watch=lambda rounds, state: after.append(len(COMPILED))
    )

    assert 1 == program.compiles() - before
    assert 0 < after[0] == after[-1] and 4 == len(after)


class Named(eqx.Module):
    """An average that no other test asks for."""

    def init(self):
        return tacit.statistics.Average().init()

    def ask(self, state, person):
        return person / 3

    def tell(self, state, answer):
        return tacit.statistics.Average().tell(state, answer)


def held_key(ledger_file) -> bytes:
    """The one root key in a ledger's file."""
    with contextlib.closing(sqlite3.connect(ledger_file)) as connection:
        ((key,),) = connection.execute("SELECT root_key FROM grants WHERE root_key NOT NULL")
    return key


def test_a_finished_grant_leaves_no_key(tmp_path):
    """After the last round the root key is gone from the ledger's file, and from the grant."""
    book = small.ledger(tmp_path)
    grant = small.people().grant(small.plan(), tacit.statistics.Average(), book)
    key = held_key(tmp_path / "ledger.db")
    assert key in (tmp_path / "ledger.db").read_bytes()
    grant.run()

    assert key not in (tmp_path / "ledger.db").read_bytes()
    assert [] == grant.key._held


def test_a_grant_runs_once(tmp_path):
    """A second run would be the same noise over whatever the learner had become."""
    grant = small.people().grant(small.plan(), tacit.statistics.Average(), small.ledger(tmp_path))
    grant.run()
    with pytest.raises(ValueError, match="a grant runs once"):
        grant.run()


@pytest.mark.parametrize("watch", [3, [print, None], tacit.population.progress_bar])
def test_a_grant_that_nobody_can_watch_so_is_still_to_be_run(watch, tmp_path):
    """Who watches is checked before its key is taken: what was charged for is not lost."""
    grant = small.people().grant(small.plan(), tacit.statistics.Average(), small.ledger(tmp_path))
    with pytest.raises(ValueError, match="a watch must be a function of rounds and state"):
        grant.run(watch=watch)

    assert grant.run().private


@pytest.mark.parametrize("copied", [copy.deepcopy, pickle.dumps])
def test_a_grant_is_not_copied(copied, tmp_path):
    """Two copies would be two runs."""
    grant = small.people().grant(small.plan(), tacit.statistics.Average(), small.ledger(tmp_path))
    with pytest.raises((TypeError, pickle.PicklingError)):
        copied(grant)
    with pytest.raises(TypeError, match="a grant's key cannot be copied"):
        copied(grant.key)


def test_a_shallow_copy_of_a_grant_shares_its_one_run(tmp_path):
    """Whichever is run first uses up both."""
    grant = small.people().grant(small.plan(), tacit.statistics.Average(), small.ledger(tmp_path))
    other = dataclasses.replace(grant)
    grant.run()
    with pytest.raises(ValueError, match="a grant runs once"):
        other.run()


def test_a_grant_runs_nothing_but_what_was_charged(tmp_path):
    """Not on other people's data, not a larger plan, nor under another name, nor as if no seed had
    made its key; and it still runs as it was made."""
    book, learner = small.ledger(tmp_path), tacit.statistics.Average()
    grant, other = (small.people().grant(small.plan(), learner, book, seed=1) for _ in range(2))
    for replaced in ({"staged": other.staged}, {"name": other.name}, {"private": True}):
        with pytest.raises(ValueError, match="a grant runs what was charged"):
            dataclasses.replace(grant, **replaced).run()
    assert not grant.run().private


def test_no_grant_is_made_by_hand_without_a_charge(tmp_path):
    """Without a ledger nobody was charged; and a ledger that was not hands nothing over."""
    book = small.ledger(tmp_path)
    made = small.people().grant(small.plan(), tacit.statistics.Average(), book, seed=1)
    own = made.staged, None, True, None, OneKey(bytes(32))
    with pytest.raises(ValueError, match="once its ledger is charged, got no ledger"):
        Grant("x", *own)
    with pytest.raises(ValueError, match="once its ledger is charged, got no ledger"):
        dataclasses.replace(made, ledger=None, private=True)
    with pytest.raises(tacit.ledger.LedgerError, match="no grant 'x' is in this ledger"):
        key = OneKey(bytes(32), own[0], "x", True)
        Grant("x", own[0], book, True, None, key).run()


class Died(Exception):
    """A run that ends in its second round."""


def dies(rounds, state):
    if rounds == 2:
        raise Died


def test_a_run_that_died_goes_on_under_its_name_alone(tmp_path):
    """The grant itself is used up; asked for by name it replays the same noise, uncharged."""
    book, people, told = small.ledger(tmp_path), small.people(), []
    asked = {"grant_id": "g", "seed": 4}
    (tmp_path / "whole").mkdir()
    whole = people.grant(
        small.plan(), tacit.statistics.Average(), small.ledger(tmp_path / "whole"), **asked
    ).run()
    grant = people.grant(small.plan(), tacit.statistics.Average(), book, **asked)
    with pytest.raises(Died):
        grant.run(watch=dies)
    with pytest.raises(ValueError, match="a grant runs once"):
        grant.run()
    spent = book.spent("thirty")
    again = people.grant(small.plan(), tacit.statistics.Average(), book, **asked)

    assert equal(whole, again.run(watch=lambda rounds, _: told.append(rounds)))
    assert [1, 2, 3, 4] == told and spent == book.spent("thirty")


@pytest.mark.parametrize("saved", [False, True])
def test_a_finished_grant_is_refused_by_its_name(saved, tmp_path):
    """Its key is erased, so nothing can be played; whose data it was cannot be told any more."""
    book = small.ledger(tmp_path)
    checkpoint = tacit.population.Checkpoint(tmp_path / "state.npz") if saved else None
    asked = small.plan(), tacit.statistics.Average(), book
    small.people().grant(*asked, grant_id="g", checkpoint=checkpoint).run()
    for people in (small.people(), small.people(seed=1)):
        with pytest.raises(tacit.ledger.Finished, match="grant 'g' is finished and its key erased"):
            people.grant(*asked, grant_id="g", checkpoint=checkpoint)


def test_what_a_finished_grant_released_is_read_from_its_checkpoint(tmp_path):
    """The same state and the same receipt, without data, key or charge."""
    book, saved = small.ledger(tmp_path), tacit.population.Checkpoint(tmp_path / "state.npz")
    asked = small.plan(), tacit.statistics.Average(), book
    first = small.people().grant(*asked, grant_id="g", checkpoint=saved).run()
    spent = book.spent("thirty")
    again = tacit.Release.read("g", "thirty", *asked, saved)

    assert equal(first, again) and first.receipt() == again.receipt() and first.private
    assert spent == book.spent("thirty")


def test_another_plan_or_file_is_not_what_was_released(tmp_path):
    """Another plan, population, seed, grant or file, or one that is not finished: refused."""
    book, saved = small.ledger(tmp_path), tacit.population.Checkpoint(tmp_path / "state.npz")
    asked = small.plan(), tacit.statistics.Average(), book
    other = tacit.population.Checkpoint(tmp_path / "other.npz")
    small.people().grant(*asked, grant_id="g", checkpoint=saved).run()
    small.people().grant(*asked, grant_id="h", checkpoint=other).run()
    small.people().grant(*asked, grant_id="open")
    read = tacit.Release.read
    for wrong, named in [
        (lambda: read("g", "thirty", small.plan(5), *asked[1:], saved), "another plan"),
        (lambda: read("g", "forty", *asked, saved), "another population"),
        (lambda: read("g", "thirty", *asked, saved, seeded=True), "another plan"),
        (lambda: read("i", "thirty", *asked, saved), "no grant 'i'"),
        (lambda: read("open", "thirty", *asked, saved), "is not finished"),
        (lambda: read("g", "thirty", *asked, other), "belongs to grant 'h'"),
        (
            lambda: read("g", "thirty", *asked, tacit.population.Checkpoint(tmp_path / "no")),
            "is not there",
        ),
    ]:
        with pytest.raises(
            (tacit.ledger.LedgerError, tacit.population.CheckpointError), match=named
        ):
            wrong()


def test_a_forged_final_state_is_not_what_was_released(tmp_path):
    """Once the key is erased the seal cannot be checked, so the ledger knows the file's digest."""
    book, saved = small.ledger(tmp_path), tacit.population.Checkpoint(tmp_path / "state.npz")
    asked = small.plan(), tacit.statistics.Average(), book
    release = small.people().grant(*asked, grant_id="g", checkpoint=saved).run()
    forged = jax.tree.map(lambda x: x + 1, release.state)
    saved.save("g", 4, forged, small.plan().server.init(), b"another hand's seal")
    with pytest.raises(
        tacit.population.CheckpointError, match="is not the file that grant 'g' ended with"
    ):
        tacit.Release.read("g", "thirty", *asked, saved)


def test_a_ledger_tells_nothing_of_a_released_state(tmp_path):
    """Two equal releases leave two digests: nobody can guess at a state without its file."""
    book = small.ledger(tmp_path)
    for name in ("g", "h"):
        saved = tacit.population.Checkpoint(tmp_path / f"{name}.npz")
        asked = {"grant_id": name, "checkpoint": saved, "seed": 1 if name == "g" else 2}
        plan = dataclasses.replace(small.plan(), server=Halting())
        small.people().grant(plan, tacit.statistics.Average(), book, **asked).run()
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        digests = connection.execute("SELECT released FROM grants").fetchall()

    assert 2 == len(set(digests)) and (None,) not in digests


def test_a_grant_that_was_killed_before_it_was_closed_is_closed_when_asked_for(tmp_path):
    """The last round is in the checkpoint, so nothing is played again."""
    book, told = small.ledger(tmp_path), []
    saved = tacit.population.Checkpoint(tmp_path / "state.npz")
    asked = small.plan(), tacit.statistics.Average(), book
    grant = small.people().grant(*asked, grant_id="g", checkpoint=saved)
    killed = dataclasses.replace(grant, ledger=Unclosed())
    with pytest.raises(Died):
        killed.run()
    release = small.people().grant(*asked, grant_id="g", checkpoint=saved)
    state = release.run(watch=lambda rounds, _: told.append(rounds))

    assert [] == told and equal(state, tacit.Release.read("g", "thirty", *asked, saved))


class Unclosed:
    """A ledger that dies when a grant is to be closed, and is gone."""

    def close(self, *_):
        raise Died

    def left_of(self, *_):
        raise tacit.ledger.LedgerError


def test_a_checkpoint_of_a_grant_without_a_name_is_gone_on_with_by_the_one_it_has(tmp_path):
    """Asked for without a name again it is refused, uncharged, by the name that goes on with it."""
    book, saved = small.ledger(tmp_path), tacit.population.Checkpoint(tmp_path / "state.npz")
    asked, told = (small.plan(), tacit.statistics.Average(), book), []
    grant = small.people().grant(*asked, checkpoint=saved)
    with pytest.raises(Died):
        grant.run(watch=dies)
    spent = book.spent("thirty")
    with pytest.raises(tacit.population.CheckpointError) as refused:
        small.people().grant(*asked, checkpoint=saved)
    (name,) = re.findall("ask with grant_id='(.+)' to go on with that", str(refused.value))
    again = small.people().grant(*asked, grant_id=name, checkpoint=saved)
    again.run(watch=lambda rounds, _: told.append(rounds))

    assert [3, 4] == told and spent == book.spent("thirty") and name == grant.name


def test_data_changed_after_the_grant_is_not_what_is_asked(tmp_path):
    """The grant holds its own copy: the same noise over other data would cancel out."""
    people, asked = small.people(), {"seed": 6}
    book = small.ledger(tmp_path)
    whole = people.grant(small.plan(), tacit.statistics.Average(), book, **asked).run()
    grant = people.grant(small.plan(), tacit.statistics.Average(), book, **asked)
    people.data[3] = 1.0

    assert equal(whole, grant.run())


class Halting(eqx.Module):
    """A server that tells how many answers it gave, and that the second was the last."""

    grid: float = 2.0**-20
    noise: float = 0.0
    error: float = 0.0
    distance: float = 0.0

    def init(self):
        return jnp.zeros((), jnp.int32)

    def step(self, carry, key, total):
        return carry + 1, jnp.float32(carry + 1), carry + 1 == 2


def test_a_server_that_halts_ends_the_run(tmp_path):
    """No further round is played or told, the grant is closed, and its answer can be read."""
    plan = dataclasses.replace(small.plan(), server=Halting())
    book, people, told = small.ledger(tmp_path), small.people(), []
    saved = tacit.population.Checkpoint(tmp_path / "state.npz")
    grant = people.grant(plan, tacit.statistics.Average(), book, grant_id="g", checkpoint=saved)
    first = grant.run(watch=lambda rounds, state: told.append(rounds))
    again = tacit.Release.read("g", "thirty", plan, tacit.statistics.Average(), book, saved)

    assert [1, 2] == told and 1.5 == float(first.state[0])
    assert equal(first, again)
    assert book.history("thirty")[0].closed is not None


@pytest.mark.timing
@pytest.mark.parametrize("kills, rounds", [(4, 40), (50, 600)])
def test_random_kills_lose_and_double_no_charge(kills, rounds, tmp_path):
    """However often the process dies, it ends with the same state, charged once."""
    (tmp_path / "whole").mkdir()
    whole = small.play(tmp_path / "whole", rounds)
    context = forks.context()
    moments = random.Random(4)
    for _ in range(kills):
        hears, told = context.Pipe(duplex=False)
        child = context.Process(target=small.play, args=(tmp_path, rounds, told))
        child.start()
        told.close()
        played = moments.choice((0, 0, 0, moments.randrange(1, 40)))
        with contextlib.suppress(EOFError):
            for _ in range(played):
                hears.recv()
        # A moment more: within a round, or wherever a run that starts has come to.
        time.sleep(moments.uniform(0.0, 0.02 if played else 1.2))
        child.kill()
        child.join()
    resumed = small.play(tmp_path, rounds)
    charged = [a.epsilon for a in small.ledger(tmp_path).spent("thirty") if a.epsilon > 0]

    assert equal(whole, resumed)
    assert [pytest.approx(small.plan(rounds).guarantees[0].epsilon)] == charged


def test_a_run_that_is_stopped_remembers_its_last_round(tmp_path):
    """What `watch` raises ends the run after a round; it goes on after that one."""
    saved, told = tacit.population.Checkpoint(tmp_path / "state.npz"), []
    asked = small.plan(), tacit.statistics.Average(), small.ledger(tmp_path)
    with pytest.raises(Died):
        small.people().grant(*asked, grant_id="g", checkpoint=saved).run(watch=dies)
    again = small.people().grant(*asked, grant_id="g", checkpoint=saved)
    again.run(watch=lambda rounds, _: told.append(rounds))

    assert [3, 4] == told
