"""A grant plays each round once, whatever happens to the process."""

import dataclasses
import multiprocessing
import random
import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit
from tacit.population.loop import run_round


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
    release = people.grant(plan, tacit.Average(), book, seed=3).run()
    values = np.asarray(people.data, np.float64)
    variance = np.mean(values**2) / (40 * question.cohort) + plan.error / 40

    assert abs(float(release.state[0]) - values.mean()) < 6 * np.sqrt(variance)


def test_one_seed_repeats_and_no_seed_does_not(tmp_path):
    """Two seeded runs are identical to the bit, two unseeded ones differ."""
    book, people = small.ledger(tmp_path), small.people()
    runs = [people.grant(small.plan(), tacit.Average(), book, seed=s) for s in (5, 5, None, None)]
    a, b, c, d = (run.run() for run in runs)

    assert equal(a, b) and not a.private
    assert not equal(c, d) and c.private


def test_chunks_do_not_change_a_central_answer(tmp_path):
    """Sums are exact, so seven people at a time or one gives the same answer to the bit."""
    book, people = small.ledger(tmp_path), small.people()
    whole = people.grant(small.plan(), tacit.Average(), book, seed=2).run()
    chunked = people.grant(small.plan(), tacit.Average(), book, seed=2, at_once=7).run()
    alone = people.grant(small.plan(), tacit.Average(), book, seed=2, at_once=1).run()

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
            tacit.Arrays(x, "thirty").grant(small.plan(), tacit.Average(), book, seed=2).run()
            for x in (data, zero)
        )
        assert equal(absent, hurt)


def test_a_sweep_over_epsilon_compiles_once(tmp_path):
    """Every number of a plan is traced: eleven budgets, one program for each trust model."""
    book = small.ledger(tmp_path)
    for trust in (lambda e: tacit.Central(e, 1e-5), tacit.Local):
        small.people().grant(small.plan(1, trust(0.9)), tacit.Average(), book).run()
        before = run_round._cached._cache_size()
        for epsilon in np.linspace(1.0, 3.0, 10):
            small.people().grant(small.plan(1, trust(float(epsilon))), tacit.Average(), book).run()
        assert before == run_round._cached._cache_size()


def test_a_finished_grant_leaves_no_key(tmp_path):
    """After the last round the root key is gone from the ledger's file."""
    book = small.ledger(tmp_path)
    grant = small.people().grant(small.plan(), tacit.Average(), book)
    key = grant.root_key
    assert key in (tmp_path / "ledger.db").read_bytes()
    grant.run()

    assert key not in (tmp_path / "ledger.db").read_bytes()


def test_a_closed_grant_without_its_checkpoint_is_refused(tmp_path):
    """The key is erased, so the rounds cannot be played again."""
    book, people = small.ledger(tmp_path), small.people()
    people.grant(small.plan(), tacit.Average(), book, grant_id="g").run()
    with pytest.raises(ValueError, match="key erased"):
        people.grant(small.plan(), tacit.Average(), book, grant_id="g").run()


def test_data_changed_after_the_grant_is_not_what_is_asked(tmp_path):
    """The grant holds its own copy: the same noise over other data would cancel out."""
    people = small.people()
    grant = people.grant(small.plan(), tacit.Average(), small.ledger(tmp_path))
    first = grant.run()
    people.data[3] = 1.0

    assert equal(first, grant.run())


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
    """No further round is played or told, the grant is closed, and it can be asked for again."""
    plan = dataclasses.replace(small.plan(), server=Halting())
    book, people, told = small.ledger(tmp_path), small.people(), []
    checkpoint = tacit.Checkpoint(tmp_path / "state.npz")
    grant = people.grant(plan, tacit.Average(), book, grant_id="g")
    first = grant.run(watch=lambda rounds, state: told.append(rounds), checkpoint=checkpoint)
    again = people.grant(plan, tacit.Average(), book, grant_id="g").run(checkpoint=checkpoint)

    assert [1, 2] == told and 1.5 == float(first.state[0])
    assert equal(first, again)
    assert grant.root_key not in (tmp_path / "ledger.db").read_bytes()


KILLS, ROUNDS = 50, 600


def test_fifty_random_kills_lose_and_double_no_charge(tmp_path):
    """However often the process dies, it ends with the same state, charged once."""
    (tmp_path / "whole").mkdir()
    whole = small.play(tmp_path / "whole", ROUNDS)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["small"])
    moments = random.Random(4)
    for _ in range(KILLS):
        child = context.Process(target=small.play, args=(tmp_path, ROUNDS))
        child.start()
        time.sleep(moments.uniform(0.0, 1.2))
        child.kill()
        child.join()
    resumed = small.play(tmp_path, ROUNDS)
    charged = [a.epsilon for a in small.ledger(tmp_path).spent("thirty") if a.epsilon > 0]

    assert equal(whole, resumed)
    assert [pytest.approx(small.plan(ROUNDS).guarantees[0].epsilon)] == charged
