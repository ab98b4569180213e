"""A dry run: what devices would do, at no charge to anybody."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import tacit
from live.masked import group
from live.phones import FUNCTION, MANY, NAME, VECTORS, Away, both, federation, ledger, mean, phones
from live.test_agreement import ORDER, STATE
from tacit import live
from tacit.live import spending
from tacit.live.charge import Cost
from tacit.live.masked.member import Member, SigningKey
from tacit.live.order import Reply, RoundOrder


class Answering:
    """A link whose devices all give one answer to an order, and which keeps the orders."""

    devices = tuple(f"phone{who}" for who in range(MANY))

    def __init__(self, answer):
        self.answer, self.orders = answer, []

    def asked(self, orders, state, seconds):
        for name, order in orders.items():
            self.orders.append(RoundOrder.read(order))
            yield name, self.answer(self.orders[-1])


class Only:
    """A link on which so many of the first alone answer."""

    def __init__(self, clients, many):
        self._link, self._many = live.Nearby(clients), many
        self.devices = self._link.devices

    def asked(self, orders, state, seconds):
        return islice(self._link.asked(orders, state, seconds), self._many)


def spent(clients):
    return {(each.ledger.spent(), len(each.ledger.lines())) for each in clients.values()}


def test_who_would_report_is_told_and_nothing_is_charged(tmp_path):
    """Nor drawn or kept: no ledger has a line of it, and no round has come."""
    clients, heard = phones(tmp_path), []
    said = federation(clients, heard=heard.append).dry_run(both(2), FUNCTION.learner)

    assert f"beforehand: {MANY} of {MANY} devices would report" == str(said)
    assert {((0.0, 0.0), 0)} == spent(clients) and not heard


@pytest.mark.parametrize("epsilon, would", [(24.0, MANY), (23.9, 0)])
def test_the_cap_has_to_have_room_for_the_whole_run(tmp_path, epsilon, would):
    """After what was sent before: of three rounds of 8, each charged once, to the last bit."""
    clients = phones(tmp_path, cap=live.Cap(epsilon + 8.0, 7.0))
    people = federation(clients, heard=lambda _: None)
    people.grant(both(1), FUNCTION.learner, ledger(tmp_path)).run()
    said = people.dry_run(both(3), FUNCTION.learner)

    assert (would, MANY - would) == (said.reported, sum(said.refused.values()))
    assert would or "exceed this device's cap" in str(said)


def test_delta_has_to_have_room_too(tmp_path):
    """Of a cube, whose sampler is a little off its law: of one report, and not of a hundred."""
    cube = tacit.Local(8.0).plan(tacit.Mean(tacit.Cube(6, -1.0, 1.0), tacit.Everyone(), 1, MANY))
    off = cube.device.facts.tv_distance
    assert off > 0
    client = phones(tmp_path, cap=live.Cap(8.0, 7.0, 2 * (1 + np.exp(8.0)) * off))["phone0"]
    cost = Cost(0.08, off)
    client.ledger.refuse_no_room(cost, 1)
    with pytest.raises(ValueError, match="exceed"):
        client.ledger.refuse_no_room(cost, 100)


def test_a_device_refuses_what_it_would_refuse(tmp_path):
    """A function that is another one there, for one."""
    away = live.Function("towards", 1, Away(), VECTORS[0])
    people = live.Federation(live.Nearby(phones(tmp_path)), NAME, [away])
    said = people.dry_run(both(2), away.learner)

    assert 0 == said.reported and MANY == sum(said.refused.values()) and "towards" in str(said)


def test_cohorts_are_asked_for_what_one_device_may_be(tmp_path):
    """All who are enrolled are asked, each for the two rounds of four that it may be in."""
    link = Answering(lambda order: Reply(order.number).packed())
    people = live.Federation(link, NAME, [FUNCTION])
    said = people.dry_run(tacit.Local(8.0).plan(mean(4, tacit.Cyclic(2))), FUNCTION.learner)

    assert (MANY, MANY, 0) == (said.asked, said.reported, said.silent)
    assert {(0, 2, 0)} == {(each.round, each.rounds, each.place) for each in link.orders}
    assert 1 == len({each.number for each in link.orders})


@pytest.mark.parametrize(
    "answer, malformed, strange",
    [
        (lambda order: Reply(order.number, (np.ones(6, np.float32),)).packed(), MANY, 0),
        (lambda order: b"junk", MANY, 0),
        (lambda order: Reply(bytes(32)).packed(), 0, MANY),
    ],
    ids=["a report", "junk", "of another order"],
)
def test_what_is_no_word_is_counted(answer, malformed, strange):
    """A report, which nobody asked for, is none either."""
    people = live.Federation(Answering(answer), NAME, [FUNCTION])
    said = people.dry_run(both(2), FUNCTION.learner)

    assert (0, malformed, strange) == (said.reported, said.malformed, said.strange)


@pytest.mark.parametrize(
    "said",
    [(), (np.zeros(31, np.uint8),), (np.zeros(32, np.int8),)],
    ids=["none", "short", "other"],
)
def test_a_member_that_does_not_say_whom_it_knows_is_not_believed(said):
    """It says so in 32 bytes."""
    people = live.Federation(
        Answering(lambda order: Reply(order.number, said).packed()), NAME, [FUNCTION]
    )
    heard = people.dry_run(group.plan(), FUNCTION.learner)

    assert (0, MANY) == (heard.reported, heard.malformed)


OTHER = SigningKey(bytes([99]) * 32).public
STALE_3 = {**group.ROSTER, "phone3": OTHER}
RENAMED = {name if name == "phone0" else f"a {name}": key for name, key in group.ROSTER.items()}
STALE_0 = {**group.ROSTER, "phone0": OTHER}


@pytest.mark.parametrize(
    "rosters, would",
    [
        ([group.ROSTER, dict(reversed(group.ROSTER.items())), group.ROSTER, STALE_0], 3),
        ([STALE_3, STALE_3, STALE_3, group.ROSTER], 3),
        ([group.ROSTER, group.ROSTER, STALE_0, STALE_0], 0),
        ([STALE_3, group.ROSTER, STALE_0, STALE_0], 0),
        ([RENAMED, *[group.ROSTER] * 3], 3),
    ],
    ids=["one knows an old key", "one's own key is old", "halves", "three parties", "other names"],
)
def test_members_who_know_others_than_most_are_told(tmp_path, rosters, would):
    """They have as many, and would refuse each other: the order of a roster is no matter, and where
    no more than half know the same nobody is said to report."""
    clients = {
        f"phone{who}": live.Client(
            VECTORS[who],
            [FUNCTION],
            live.OwnLedger(tmp_path / f"{who}.db", group.CAP),
            Member(f"phone{who}", group.KEYS[who], roster),
        )
        for who, roster in enumerate(rosters)
    }
    said = federation(clients).dry_run(group.plan(), FUNCTION.learner)

    assert (would, MANY - would) == (said.reported, sum(said.refused.values()))
    assert "it knows other members, or other keys of theirs, than most" in str(said)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("rounds, would", [(2, MANY), (3, 0)])
def test_a_stretch_has_to_have_room_for_all_rounds(tmp_path, monkeypatch, masked, rounds, would):
    """Beside those that were answered in it, however little they spend: of three one was. Rounds
    under masks are lines as well, though their promise is spent once."""
    monkeypatch.setattr(spending, "MOST_ROUNDS", 3)
    people = federation((group.phones if masked else phones)(tmp_path), heard=lambda _: None)
    people.grant(both(1), FUNCTION.learner, ledger(tmp_path)).run()
    said = people.dry_run(group.plan(rounds) if masked else both(rounds), FUNCTION.learner)

    assert (would, MANY - would) == (said.reported, sum(said.refused.values()))
    assert would or "at most 3 rounds in any 7 days" in str(said)


@pytest.mark.skipif(os.name != "posix", reason="a file that is open is not taken away")
def test_a_ledger_that_cannot_be_written_is_told(tmp_path):
    """Its file was taken from under it, so that nothing may be written to it any more, and can
    still be read."""
    clients = phones(tmp_path)
    (tmp_path / "0.db").rename(tmp_path / "elsewhere.db")
    assert (0.0, 0.0) == clients["phone0"].ledger.spent()
    said = federation(clients).dry_run(both(2), FUNCTION.learner)

    assert MANY - 1 == said.reported
    assert {"this device's ledger cannot be written": 1} == said.refused


@pytest.mark.skipif(os.name != "posix", reason="a process may write as much as there is room for")
def test_a_full_disk_is_told_and_one_with_room_is_as_it_was(tmp_path):
    """Where a process may write no byte more: in the ledger nothing has changed either way."""
    path = tmp_path / "own.db"
    book = live.OwnLedger(path, live.Cap(8.0, 7.0))
    before = path.read_bytes()
    book.refuse_no_room(Cost(1.0, 0.0), 8)
    full = (
        "import resource, sys; from tacit.live.own_ledger import *\n"
        "from tacit.live.cap import Cap\n"
        "from tacit.ledger.accounts import LedgerError\n"
        "book = OwnLedger(sys.argv[1], Cap(8.0, 7.0))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "try: book.refuse_no_room(Cost(1.0, 0.0), 8)\n"
        "except LedgerError as error: sys.exit(7)"
    )
    assert 7 == subprocess.run([sys.executable, "-c", full, str(path)], check=False).returncode
    assert before == path.read_bytes() and ["own.db"] == [each.name for each in tmp_path.iterdir()]


@pytest.mark.parametrize("least, counted", [(3, True), (4, False)])
def test_fewer_than_the_least_cohort_are_told(tmp_path, least, counted):
    """One of four is gone: no report of such a round would count."""
    people = live.Federation(Only(phones(tmp_path), 3), NAME, [FUNCTION])
    plan = tacit.Local(8.0).plan(
        mean(1, tacit.question.DropOuts(tacit.Everyone(), 0.1, least=least))
    )
    said = people.dry_run(plan, FUNCTION.learner)

    assert (3, counted) == (said.reported, said.counted)
    assert counted != ("too few, so that none counts" in str(said))


def test_fewer_than_take_masks_off_are_told(tmp_path):
    """As many have to answer as a round under masks needs."""
    people = live.Federation(Only(group.phones(tmp_path), 2), NAME, [FUNCTION])
    said = people.dry_run(group.plan(2), FUNCTION.learner)

    assert (2, False) == (said.reported, said.counted)


def test_what_does_not_fit_is_refused_before_anybody_is_asked(tmp_path):
    """As a grant refuses it."""
    link = Answering(lambda order: b"")
    people = live.Federation(link, NAME, [FUNCTION])
    with pytest.raises(ValueError, match="none of those that were given"):
        people.dry_run(both(2), Away())
    with pytest.raises(ValueError, match="hidden"):
        hidden = tacit.Central(1.0, 1e-6).plan(mean(2, tacit.Poisson(0.5)))
        people.dry_run(hidden, FUNCTION.learner)
    assert not link.orders


def test_members_of_a_group_say_it_too(tmp_path):
    """A promise of a whole run is spent once; a device that is no member says so."""
    clients = group.phones(tmp_path)
    plan = group.plan(3)
    said = federation(clients).dry_run(plan, FUNCTION.learner)
    cap = live.Cap(100.0, 7.0, 0.1)
    assert plan.guarantees[0].epsilon < 100.0 < 3 * plan.guarantees[0].epsilon
    (tmp_path / "close").mkdir()
    close = {f"phone{who}": group.phone(tmp_path / "close", who, cap) for who in range(MANY)}

    assert MANY == said.reported and {((0.0, 0.0), 0)} == spent(clients)
    assert MANY == federation(close).dry_run(plan, FUNCTION.learner).reported
    (tmp_path / "alone").mkdir()
    alone = federation(phones(tmp_path / "alone")).dry_run(plan, FUNCTION.learner)
    assert 0 == alone.reported and "in no group" in str(alone)


def test_an_order_of_round_0_is_charged_by_nobody(tmp_path):
    """However often a device is asked: it says the same, without a report."""
    client = phones(tmp_path)["phone0"]
    order = replace(ORDER, round=0, rounds=1).packed()
    answers = {client.answer(order, STATE) for _ in range(3)}

    assert {Reply(ORDER.number).packed()} == answers and {((0.0, 0.0), 0)} == spent({"": client})
