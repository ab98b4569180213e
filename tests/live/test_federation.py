"""A federation: refused before anybody is asked, charged once, right without those who are gone."""

import numpy as np
import pytest

import tacit
from live.phones import (
    DIM,
    FUNCTION,
    MANY,
    NAME,
    VECTORS,
    Away,
    Towards,
    both,
    federation,
    ledger,
    mean,
    phones,
)
from tacit import live
from tacit.live.order import Reply
from tacit.population import hosts


class Changed:
    """A link on which answers are changed: a function of the round, the name and the answer."""

    def __init__(self, link, change):
        self.link, self.change, self.round = link, change, 0

    @property
    def devices(self):
        return self.link.devices

    def asked(self, orders, state, seconds):
        self.round += 1
        for name, answer in self.link.asked(orders, state, seconds):
            yield from ((name, each) for each in self.change(self.round, name, answer))


class Twice(Changed):
    """Names a device twice."""

    @property
    def devices(self):
        return (*self.link.devices, "phone0")


def run(tmp_path, change=lambda t, name, answer: [answer], plan=None, **more):
    """The rounds that were heard, and the release."""
    heard = []
    link = Changed(live.Nearby(phones(tmp_path)), change)
    population = live.Federation(link, NAME, [FUNCTION], heard=heard.append)
    grant = population.grant(plan or both(3), FUNCTION.learner, ledger(tmp_path), **more)
    return heard, grant.run()


def test_everybody_reports(tmp_path):
    """In each round; the release has the plan's promises and a receipt, as any other."""
    heard, release = run(tmp_path)

    assert [(t, MANY, MANY) for t in (1, 2, 3)] == [(h.round, h.asked, h.reported) for h in heard]
    assert release.private and release.receipt()["private"]
    assert np.isfinite(release.state).all()


def test_a_device_that_is_gone_is_left_out(tmp_path):
    """From round 3 on; the rounds go on, and it is told."""
    heard, _ = run(tmp_path, lambda t, name, a: [] if (t, name) == (3, "phone1") else [a])

    assert [0, 0, 1] == [h.silent for h in heard] and MANY - 1 == heard[-1].reported


@pytest.mark.parametrize("there", [2, MANY])
def test_drop_outs_keep_the_public_divisor(tmp_path, there):
    """With half of the devices gone the answer is about half of what it was; noise stays."""
    plan = tacit.Local(200.0).plan(mean(1))
    names = {f"phone{who}" for who in range(there)}
    heard, less = run(tmp_path, lambda t, name, a: [a] if name in names else [], plan=plan)
    assert np.allclose(less.state, VECTORS[:there].sum(axis=0) / MANY / 2, atol=0.1)
    assert MANY - there == heard[0].silent


@pytest.mark.parametrize(
    "change, malformed, strange",
    [
        (lambda t, name, a: [a, a], 0, MANY),
        (lambda t, name, a: [b"junk"], MANY, 0),
    ],
    ids=["repeated", "junk"],
)
def test_what_is_no_report_is_counted(tmp_path, change, malformed, strange):
    """A repeated one is heard once."""
    heard, _ = run(tmp_path, change)

    assert {(malformed, strange)} == {(h.malformed, h.strange) for h in heard}


def test_an_answer_of_an_earlier_round_is_none(tmp_path):
    """Replayed by the network: it names another order."""
    first = {}

    def replayed(t, name, answer):
        return [first.setdefault(name, answer)]

    heard, _ = run(tmp_path, replayed)

    assert [0, MANY, MANY] == [h.strange for h in heard]
    assert [0, MANY, MANY] == [h.silent for h in heard]


@pytest.mark.parametrize("value", [np.nan, 1e6])
def test_numbers_that_no_report_has_are_left_out(tmp_path, value):
    """Not finite, or outside the report's set."""

    def changed(t, name, answer):
        read = Reply.read(answer)
        return [Reply(read.number, (np.full_like(read.report[0], value),)).packed()]

    heard, release = run(tmp_path, changed)

    assert [MANY] * 3 == [h.malformed for h in heard] and np.isfinite(release.state).all()


def test_fewer_than_the_least_cohort_are_nobody(tmp_path):
    """The round's answer is its noise alone: that of no report at all."""
    plan = tacit.Local(200.0).plan(mean(1, tacit.question.DropOuts(tacit.Everyone(), 0.1, least=3)))
    half = {"phone0", "phone1"}
    heard, release = run(tmp_path, lambda t, name, a: [a] if name in half else [], plan=plan)

    assert not heard[0].counted and (release.state == 0).all()


def test_other_devices_do_not_go_on_with_a_run(tmp_path):
    """Who is enrolled, and in which order, is part of the grant, as data are in memory; what is
    said is of devices, and their data are nobody's here."""
    book, clients = ledger(tmp_path), phones(tmp_path)
    federation(clients).grant(both(), FUNCTION.learner, book, grant_id="one")
    others = {f"other{name}": client for name, client in clients.items()}
    said = r"was opened with other devices, or these in another order; nothing more was charged"
    for named in (others, dict(reversed(clients.items()))):
        with pytest.raises(tacit.ledger.LedgerError, match=said) as refused:
            federation(named).grant(both(), FUNCTION.learner, book, grant_id="one")
        assert "data" not in str(refused.value)


def local(dim, people):
    ball = tacit.Ball(dim, 1.0)
    return tacit.Local(1.0).plan(tacit.Mean(ball, tacit.Everyone(), 1, people))


def sampled(who):
    """A secret coin hides whether one was asked, of people who come or go."""
    public = tacit.Central(100.0, 1e-5, tacit.Relation.ADD_REMOVE)
    return tacit.Federated(0.5, public).plan(mean(2, who))


def replacing(who):
    """One of a fixed number hides others."""
    public = tacit.Central(100.0, 1e-5, tacit.Relation.REPLACE_ONE)
    return tacit.Federated(0.5, public).plan(mean(2, who))


def comparing():
    """A server that tells whether a mean is above a threshold."""
    numbers = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 2, MANY)
    return tacit.Central(1.0, 1e-5).plan(tacit.Above(numbers, 0.5, 1))


@pytest.mark.parametrize(
    "plan, learner, why",
    [
        (sampled(tacit.Poisson(0.5)), Towards(), "who takes part can be seen"),
        (replacing(tacit.Fixed(1)), Towards(), "who takes part can be seen"),
        (
            sampled(tacit.question.DropOuts(tacit.Poisson(0.5), 0.1)),
            Towards(),
            "who takes part can be seen",
        ),
        (tacit.Central(1.0, 1e-5).plan(mean()), Towards(), "randomise by themselves"),
        (both(), Away(), "lists"),
        (both().per("household"), Towards(), "ask with plan.per"),
        (local(dim=DIM, people=99), Towards(), "99 people, and 4 devices"),
        (local(dim=DIM, people=2), Towards(), "2 people, and 4 devices"),
        (comparing(), Towards(), "report to a Mean or a Running mean"),
        (local(dim=7, people=MANY), Towards(), r"shape \(6,\), and the plan is for Ball .*\(7,\)"),
    ],
)
def test_what_does_not_fit_is_refused_before_anybody_is_asked(tmp_path, plan, learner, why):
    """Nothing is charged, on neither side."""
    book, clients = ledger(tmp_path), phones(tmp_path)
    with pytest.raises(ValueError, match=why):
        federation(clients).grant(plan, learner, book)

    assert not book.history(NAME)
    assert all(client.ledger.spent() == (0.0, 0.0) for client in clients.values())


def test_several_processes_do_not_ask_devices(tmp_path, monkeypatch):
    """Each would, and a device answers one of them."""
    monkeypatch.setattr(hosts, "several", lambda: True)
    with pytest.raises(ValueError, match="by one process alone"):
        federation(phones(tmp_path)).grant(both(), FUNCTION.learner, ledger(tmp_path))


def test_a_round_of_nobody_is_warned_of(tmp_path, caplog):
    """Where nobody is told what came back; a round of some is not."""
    answers = {1: lambda a: [a], 2: lambda a: [b"junk"], 3: lambda a: [a]}
    link = Changed(live.Nearby(phones(tmp_path)), lambda t, name, a: answers[t](a))
    grant = live.Federation(link, NAME, [FUNCTION]).grant(
        both(3), FUNCTION.learner, ledger(tmp_path)
    )
    grant.run()
    said = (
        f"round 2: 0 of {MANY} devices reported, {MANY} malformed: what is released of it is noise"
    )

    assert [said] == [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("functions", [FUNCTION, [], [FUNCTION, FUNCTION], None])
def test_a_federation_needs_functions(tmp_path, functions):
    """A list of some, each once: said before a plan is made."""
    with pytest.raises(ValueError, match="function"):
        live.Federation(live.Nearby(phones(tmp_path)), NAME, functions)


def test_a_federation_needs_devices(tmp_path):
    """And a link that has some, a name, and time."""
    for link, more in [
        ({}, {}),
        (phones(tmp_path), {"seconds": 0.0}),
        (phones(tmp_path), {"unit": ""}),
    ]:
        with pytest.raises(ValueError):
            federation(link, **more)
    for name in ("a" * 201, "two\nlines"):
        with pytest.raises(ValueError, match="200 printable"):
            live.Federation(live.Nearby(phones(tmp_path)), name, [FUNCTION])
    with pytest.raises(ValueError, match="link"):
        live.Federation(phones(tmp_path), NAME, [FUNCTION])


def test_every_device_has_a_name_of_its_own(tmp_path):
    """One that is enrolled twice would be divided by, and asked once."""
    link = Twice(live.Nearby(phones(tmp_path)), lambda t, name, answer: [answer])
    with pytest.raises(ValueError, match="a name of its own"):
        live.Federation(link, NAME, [FUNCTION])


def test_who_is_told_can_be(tmp_path):
    """Said when a federation is made, not once a run is paid for."""
    with pytest.raises(ValueError, match="heard is told of each round, as print is, got None"):
        live.Federation(live.Nearby(phones(tmp_path)), NAME, [FUNCTION], heard=None)
