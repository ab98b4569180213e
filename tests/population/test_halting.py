"""A run ends with its last positive: later rounds are not played, now or when it is resumed."""

import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import tacit
from tacit.contribution import OneHot
from tacit.population import run as module
from tacit.population.checkpoint import Checkpoint
from tacit.population.loop import Parts
from tacit.question.sums import Above, Mean, Select
from tacit.server.above import Alarm
from tacit.statistics.answers import Answers

PEOPLE, ROUNDS = 40, 8
# Above in rounds 1, 3, 4 and 6.
HIGH = np.array([0, 1, 0, 1, 1, 0, 1, 0], np.float32)
DATA = np.tile(0.1 + 0.8 * HIGH, (PEOPLE, 1)).astype(np.float32)
TRUSTS = [tacit.Central(20.0, 0.0), tacit.Local(4000.0), tacit.NonPrivate()]


class Columns(eqx.Module):
    """Asks for the column of the round; keeps the answers, and how many came."""

    def init(self):
        return jnp.full(ROUNDS, -1.0), jnp.zeros((), jnp.int32)

    def ask(self, state, person):
        return person[state[1]]

    def tell(self, state, answer):
        return state[0].at[state[1]].set(answer), state[1] + 1


def plan(positives: int, trust=TRUSTS[0], who=tacit.Everyone()) -> tacit.Plan:
    means = Mean(tacit.Interval(0.0, 1.0), who, ROUNDS, PEOPLE)
    return trust.plan(Above(means, 0.5, positives))


def grant(folder, plan_, **how):
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan_.guarantees:
        book.limit("forty", promise.observer, promise.relation, 1e6, 0.9)
    return tacit.Arrays(DATA, "forty").grant(plan_, Columns(), book, **{"seed": 1, **how})


@pytest.fixture
def played(monkeypatch) -> list[int]:
    """One entry for each round that is played, in any run."""
    rounds: list[int] = []
    unwatched = module.Run.played

    def counted(run, watch):
        def look(done, state):
            rounds.append(done)
            if watch is not None:
                watch(done, state)

        return unwatched(run, look)

    monkeypatch.setattr(module.Run, "played", counted)
    return rounds


@pytest.mark.parametrize("trust", TRUSTS, ids=["central", "local", "none"])
@pytest.mark.parametrize("positives, last", [(1, 2), (2, 4), (3, 5), (4, 7)])
def test_rounds_end_with_the_last_positive(positives, last, trust, tmp_path, played):
    """Later ones are not asked: neither people nor learner nor watch hear of them."""
    heard = []
    release = grant(tmp_path, plan(positives, trust)).run(
        watch=lambda rounds, state: heard.append((rounds, int(state[1])))
    )
    answers, asked = release.state

    assert len(played) == int(asked) == last
    assert heard == [(t, t) for t in range(1, last + 1)]
    assert np.array_equal(answers, np.where(np.arange(ROUNDS) < last, HIGH, -1))


def test_with_fewer_positives_than_allowed_all_rounds_are_played(tmp_path, played):
    """Four of five came: the run ends with its rounds."""
    answers, asked = grant(tmp_path, plan(5)).run().state

    assert len(played) == int(asked) == ROUNDS and np.array_equal(answers, HIGH)


@pytest.mark.parametrize("question", ["mean", "select"])
def test_other_questions_never_halt(question, tmp_path, played):
    """Their rounds are all played."""
    sums = Mean(OneHot(3), tacit.Everyone(), ROUNDS, PEOPLE)
    own = tacit.NonPrivate().plan(sums if question == "mean" else Select(sums))
    learner = Answers(ROUNDS) if question == "select" else tacit.statistics.Average((3,))
    book = tacit.Ledger(tmp_path / "ledger.db")
    tacit.Arrays(np.zeros(PEOPLE, np.float32), "forty").grant(own, learner, book).run()

    assert len(played) == ROUNDS


def test_a_halted_checkpoint_says_finished(tmp_path, played):
    """All rounds are done in it, though four were played."""
    saved, made = Checkpoint(tmp_path / "state.npz"), plan(2)
    state = grant(tmp_path, made, grant_id="g", checkpoint=saved).run().state
    with np.load(saved.path) as archive:
        header = json.loads(str(archive["header"]))

    assert header["rounds"] == ROUNDS and len(played) == 4
    assert np.array_equal(read(tmp_path, made, saved).state[0], state[0])


def read(folder, plan_, saved) -> tacit.Release:
    book = tacit.Ledger(folder / "ledger.db")
    return tacit.Release.read("g", "forty", plan_, Columns(), book, saved, seeded=True)


@pytest.mark.parametrize("trust", TRUSTS, ids=["central", "local", "none"])
def test_a_halted_run_is_not_asked_again(trust, tmp_path, played):
    """It is over, whatever rounds were left: what it has is read; no round, no key, no charge."""
    saved, asked = Checkpoint(tmp_path / "state.npz"), plan(2, trust)
    first = grant(tmp_path, asked, grant_id="g", checkpoint=saved).run()
    book = tacit.Ledger(tmp_path / "ledger.db")
    charged = book.spent("forty")
    with pytest.raises(tacit.ledger.Finished):
        grant(tmp_path, asked, grant_id="g", checkpoint=saved)

    assert len(played) == 4 and charged == book.spent("forty")
    assert np.array_equal(first.state[0], read(tmp_path, asked, saved).state[0])


@pytest.mark.parametrize("dies", [1, 2, 3])
def test_a_run_that_died_halts_where_it_would_have(dies, tmp_path, monkeypatch):
    """How many positives came is in the checkpoint: a resumed stream has no more of them."""

    class Died(Exception):
        pass

    def watch(rounds, state):
        if rounds == dies + 1:
            raise Died

    monkeypatch.setattr(module, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    saved, asked = Checkpoint(tmp_path / "state.npz"), plan(2)
    (tmp_path / "whole").mkdir()
    whole = grant(tmp_path / "whole", asked, grant_id="g").run().state
    with pytest.raises(Died):
        grant(tmp_path, asked, grant_id="g", checkpoint=saved).run(watch=watch)
    resumed = []
    state = grant(tmp_path, asked, grant_id="g", checkpoint=saved).run(
        watch=lambda rounds, _: resumed.append(rounds)
    )

    assert resumed == list(range(dies + 2, 5))
    assert np.array_equal(whole[0], state.state[0]) and int(state.state[1]) == 4


def test_an_ended_stream_answers_no_more(tmp_path):
    """Even if its rounds were played on: after the last positive, zero whatever the sums."""
    made = plan(2)
    assert isinstance(made.server, Alarm)
    parts, carry = Parts.of(made), made.server.init()
    full = parts.collected.empty(parts.server.grid)
    full = full.plus(full.terms(jnp.float32(PEOPLE)))
    step, heard = eqx.filter_jit(Alarm.step), []
    for key in jax.random.split(quick_keys.key(0), 5):
        carry, answer, halted = step(parts.server, carry, key, full)
        heard.append((float(answer), bool(halted)))

    assert heard == [(1.0, False), (1.0, True)] + 3 * [(0.0, True)]


@pytest.mark.parametrize("who", [tacit.Everyone(), tacit.Poisson(0.9), tacit.Available(0.9)])
def test_the_charge_is_for_the_positives(who, tmp_path):
    """Nothing comes back for rounds that were not played, and nothing was paid for them."""
    made = plan(2, tacit.Central(2.0, 0.0), who)
    grant(tmp_path, made).run()
    (account,) = [a for a in tacit.Ledger(tmp_path / "ledger.db").spent("forty") if a.epsilon > 0]

    assert account.epsilon == pytest.approx(2.0) == made.guarantees[0].epsilon
