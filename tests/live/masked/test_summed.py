"""A server's side: who stays is added up, whoever goes when, and nothing of too few."""

from dataclasses import replace

import numpy as np
import pytest

import tacit
from live.masked.group import CAP, STAGES, Listening, member, moved, phones, plan, quiet, run
from live.phones import MANY, NAME, RUN, VECTORS, Towards, ledger
from tacit import live
from tacit.live.masked.member import SIGNATURE_BYTES
from tacit.live.masked.sharing import Sharing
from tacit.live.masked.summed import MaskedSum
from tacit.live.order import Reply


@pytest.mark.parametrize("stage", range(STAGES))
def test_a_device_that_is_gone_is_left_out(tmp_path, monkeypatch, stage):
    """At every stage: before it has reported it is not in the sum, and afterwards it is."""
    quiet(monkeypatch)
    heard, release, _ = run(
        tmp_path,
        lambda t, now, name, answer: [] if (now, name) == (stage, "phone1") else [answer],
        plan(1),
    )
    there = VECTORS if stage > 2 else VECTORS[[0, 2, 3]]

    assert heard[0].counted and len(there) == heard[0].reported
    assert np.allclose(release.state, moved(there), atol=1e-3)


@pytest.mark.parametrize("stage", range(STAGES))
def test_a_round_of_too_few_has_no_sum(tmp_path, stage):
    """Half of them gone, at any stage: the state stays, and it is told."""
    gone = {"phone1", "phone2"}
    heard, release, _ = run(
        tmp_path,
        lambda t, now, name, answer: [] if now == stage and name in gone else [answer],
        plan(1),
    )

    assert not heard[0].counted and "too few, so that none counts" in str(heard[0])
    assert 0 == heard[0].malformed
    assert np.array_equal(release.state, np.zeros(6))


def fewer(answer):
    """An answer to the last stage without the share of one of the devices that are left."""
    reply = Reply.read(answer)
    shares, there, *rest = reply.report
    return replace(reply, report=(shares[1:], there[1:], *rest)).packed()


@pytest.mark.parametrize(
    "stage, change, malformed, strange",
    [
        (2, lambda answer: [b"junk"], 1, 0),
        (2, lambda answer: [answer, answer], 0, 1),
        (1, lambda answer: [replace(Reply.read(answer), report=()).packed()], 1, 0),
        (0, lambda answer: [replace(Reply.read(answer), number=bytes(32)).packed()], 0, 1),
        (4, lambda answer: [fewer(answer)], 1, 0),
    ],
)
def test_answers_that_are_none_are_counted(
    tmp_path, monkeypatch, stage, change, malformed, strange
):
    """Junk, another round's, the second of one, shares of fewer; the others' sum is what it is."""
    quiet(monkeypatch)
    heard, release, _ = run(
        tmp_path,
        lambda t, now, name, answer: (
            change(answer) if (now, name) == (stage, "phone1") else [answer]
        ),
        plan(1),
    )
    # Who is second, or has reported and goes, is in the sum.
    there = VECTORS if stage == 4 or (stage == 2 and strange) else VECTORS[[0, 2, 3]]

    assert (malformed, strange) == (heard[0].malformed, heard[0].strange)
    assert np.allclose(release.state, moved(there), atol=1e-3)


class Closing(Listening):
    """A link that notes whether a stage's answers were read to their end, or given up."""

    open = 0

    def asked(self, orders, state, seconds):
        self.open += 1
        try:
            yield from super().asked(orders, state, seconds)
        finally:
            self.open -= 1


def test_a_failure_ends_the_links_stage(tmp_path, monkeypatch):
    """Where an answer is taken, though who keeps the error keeps all that was at work."""

    def failing(*_):
        raise ZeroDivisionError

    link = Closing(phones(tmp_path))
    monkeypatch.setattr(MaskedSum, "_takes", failing)
    with pytest.raises(ZeroDivisionError) as kept:
        run(tmp_path, link=link)
    assert kept.tb and link.asks and not link.open


class Late(Listening):
    """A link that brings every answer once more, before those of the next stage."""

    late = ()

    def asked(self, orders, state, seconds):
        yield from self.late
        self.late = []
        for each in super().asked(orders, state, seconds):
            self.late.append(each)
            yield each


def test_a_late_report_is_no_signature(tmp_path, monkeypatch):
    """Where reports have as many bytes as signatures, what comes once more is another stage's: the
    round goes through, and counts it as strange."""
    quiet(monkeypatch)
    dim = 22
    vectors = np.eye(MANY, dim, dtype=np.float32) / 2
    towards = live.Function("towards", 1, Towards(dim=dim), vectors[0])
    question = replace(plan(1).sums, contribution=tacit.Ball(dim, 1.0))
    wide = tacit.Aggregated(100.0, 1e-5).plan(question)
    assert SIGNATURE_BYTES == Sharing.of(wide, RUN).layout.length
    clients = {
        f"phone{who}": live.Client(
            vectors[who], [towards], live.OwnLedger(tmp_path / f"{who}.db", CAP), member(who)
        )
        for who in range(MANY)
    }
    heard = []
    population = live.Federation(Late(clients), NAME, [towards], heard=heard.append)
    release = population.grant(wide, towards.learner, ledger(tmp_path)).run()

    assert heard[0].counted and (MANY, 0) == (heard[0].reported, heard[0].malformed)
    assert MANY * (STAGES - 1) == heard[0].strange
    assert np.allclose(release.state, moved(vectors), atol=1e-3)


def told_wrong(answer, which):
    """An answer, one of whose arrays has a share of its first device that is off by a bit."""
    reply = Reply.read(answer)
    wrong = [np.array(each) for each in reply.report]
    wrong[which][0, -1] ^= 1
    return replace(reply, report=tuple(wrong)).packed()


def test_a_wrong_share_ends_the_round(tmp_path):
    """It is told from a right one by what was committed to, and no sum of it is released."""

    def change(t, now, name, answer):
        return [told_wrong(answer, 0) if (now, name) == (4, "phone0") else answer]

    heard, release, _ = run(tmp_path, change, plan(1))

    assert not heard[0].counted and 1 == heard[0].malformed
    assert np.array_equal(release.state, np.zeros(6))


def test_a_wrong_share_of_a_key_ends_the_round(tmp_path):
    """Of a device that shared and never reported: what comes is not the key that it showed."""

    def change(t, now, name, answer):
        if (now, name) == (2, "phone1"):
            return []
        return [told_wrong(answer, 2) if (now, name) == (4, "phone0") else answer]

    heard, release, _ = run(tmp_path, change, plan(1))

    assert not heard[0].counted and 1 == heard[0].malformed
    assert np.array_equal(release.state, np.zeros(6))
