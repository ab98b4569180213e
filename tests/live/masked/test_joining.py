"""What a device joins: what it agrees to, among members that it knows, and once."""

import itertools
import logging
from dataclasses import replace

import numpy as np
import pytest

import tacit
from live.masked.group import CAP, Listening, member, moved, phone, phones, plan, quiet, run
from live.masked.test_session import session
from live.phones import FUNCTION, MANY, VECTORS
from tacit import live
from tacit.live.function import state_message
from tacit.live.masked.joining import MOST_JOINED, JoinedRounds, alike
from tacit.live.masked.sharing import Sharing
from tacit.live.masked.stages import Stage
from tacit.live.message import Message, MessageError
from tacit.live.order import Reply, RoundOrder, hashed
from tacit.live.reporting import digest


@pytest.mark.parametrize(
    "client, why",
    [
        (lambda path: phone(path, 1, live.Cap(1000.0, 7.0)), "it would exceed this device's cap"),
        (lambda path: phone(path, 1, live.Cap(2.0, 7.0, 0.1)), "it would exceed"),
        (lambda path: phone(path, 1, colluding=0.5), "2 members may be colluding"),
        (
            lambda path: live.Client(VECTORS[1], [FUNCTION], live.OwnLedger(path / "1.db", CAP)),
            "in no group",
        ),
    ],
    ids=["no delta", "epsilon", "fears more", "no member"],
)
def test_a_device_joins_what_it_agrees_to(tmp_path, monkeypatch, client, why):
    """The others go on without it, and nothing of it is spent."""
    quiet(monkeypatch)
    clients = {**phones(tmp_path), "phone1": client(tmp_path)}
    heard, release, _ = run(tmp_path, own=plan(1), clients=clients)

    assert [1] == list(heard[0].refused.values()) and why in next(iter(heard[0].refused))
    assert 0.0 == clients["phone1"].ledger.spent()[0]
    assert np.allclose(release.state, moved(VECTORS[[0, 2, 3]]), atol=1e-3)


def test_people_that_a_device_does_not_know_are_refused(tmp_path):
    """A roster of four, and an order for five: one would be made up."""
    own = tacit.Aggregated(4.0, 1e-5).plan(
        tacit.Mean(tacit.Ball(6, 1.0), tacit.Everyone(), 1, MANY + 1)
    )
    clients = phones(tmp_path) | {"phone4": phone(tmp_path, 0)}
    heard, _, _ = run(tmp_path, own=own, clients=clients)

    assert "this device knows 4 members, and the order is for 5" in heard[0].refused


def test_a_device_that_was_begun_anew_is_out_of_its_round(tmp_path, monkeypatch):
    """Its keys are gone: it says so, and never begins the same round twice."""
    quiet(monkeypatch)
    clients = phones(tmp_path)

    def change(t, now, name, answer):
        if (now, name) == (1, "phone3"):
            clients["phone1"] = phone(tmp_path, 1)
        return [answer]

    heard, release, link = run(tmp_path, change, plan(1), clients)
    order = link.sent[0]["phone1"]
    state = link.states[0]
    again = Reply.read(clients["phone1"].answer(order, state)).refused

    assert {"this device has no part in that round": 1} == heard[0].refused
    assert "has its keys no longer" in str(again)
    assert np.allclose(release.state, moved(VECTORS[[0, 2, 3]]), atol=1e-3)


def test_an_order_whose_keys_are_gone_does_not_make_a_run_count_longer(tmp_path):
    """Nothing is sent for it, so a device that was begun anew has its cap back in time."""
    _, _, link = run(tmp_path, own=plan(1))
    now = [1.7e9]
    order, state = link.sent[0]["phone1"], link.states[0]
    _on_a_clock(tmp_path, lambda: now[0]).answer(order, state)
    client, spent = _on_a_clock(tmp_path, lambda: now[0]), []
    for _ in range(2):
        now[0] += 6 * 86_400
        assert "its keys no longer" in str(Reply.read(client.answer(order, state)).refused)
        spent.append(client.ledger.spent()[0])

    assert spent[0] > 0 and 0.0 == spent[1]


def test_an_order_that_comes_again_has_the_same_answer(tmp_path):
    """As long as the device is in that round."""
    _, _, link = run(tmp_path, own=plan(1))
    first = next(each[3] for each in link.came if each[2] == "phone1")

    assert first == link.link.clients["phone1"].answer(link.sent[0]["phone1"], link.states[0])


def test_more_rounds_than_a_run_has_are_refused(tmp_path):
    """Under another number, in the name of the same run."""
    _, _, link = run(tmp_path, own=plan(1))
    text, _ = Message.read(link.sent[0]["phone1"])
    more = Message({**text, "order": "77" * 32}).packed()
    said = Reply.read(link.link.clients["phone1"].answer(more, link.states[0])).refused

    assert "had all the rounds" in str(said)


class Lying(Listening):
    """A link that tells one device another state, in an order for that state."""

    def asked(self, orders, state, seconds):
        if not state:
            return super().asked(orders, state, seconds)
        other = state_message(FUNCTION.start + 1).packed()
        order = replace(RoundOrder.read(orders["phone1"]), state=hashed(other))
        rest = {name: own for name, own in orders.items() if name != "phone1"}
        lied = self.link.asked({"phone1": order.packed()}, other, seconds)
        return itertools.chain(super().asked(rest, state, seconds), lied)


def test_devices_that_were_told_other_states_do_not_share(tmp_path):
    """Each has signed what it was told, and all of them refuse the others."""
    heard, release, _ = run(tmp_path, own=plan(1), link=Lying(phones(tmp_path)))

    assert not heard[0].counted and 4 == sum(heard[0].refused.values())
    assert all("signed by a member, for this order" in why for why in heard[0].refused)
    assert np.array_equal(release.state, np.zeros(6))


@pytest.mark.parametrize(
    "change",
    [
        {"number": bytes(32)},
        {"sender": "others"},
        {"round": 2},
        {"rounds": 3},
        {"function": {**FUNCTION.text, "version": 2}},
        {"reporting": {}},
        {"randomiser": "ef"},
        {"state": "ef"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_all_are_asked_is_signed_whole(change):
    """Devices of one round sign alike in any place, and otherwise if anything else is another."""
    order = RoundOrder(b"n" * 32, "phones", 1, 2, 0, FUNCTION.text, {"run": "ab"}, "ab", "cd")

    assert alike(order) == alike(replace(order, place=3))
    assert alike(order) != alike(replace(order, **change))


def test_the_last_rounds_are_kept():
    """And no others: their secrets are gone with them."""
    joined = JoinedRounds()
    numbers = [bytes([at]) * 32 for at in range(MOST_JOINED + 2)]
    for number in numbers:
        joined.add(number, session(0))

    for number in numbers[:2]:
        with pytest.raises(MessageError, match="no part in that round"):
            joined.session(number)
    assert MOST_JOINED == len({id(joined.session(number)) for number in numbers[2:]})


def test_a_stage_of_no_round_is_refused(tmp_path, caplog):
    """In a sentence, and the log has it."""
    client = phone(tmp_path, 0)
    text = {"order": "ab" * 32, "stage": "survivors"}
    asked = Message(text, (np.arange(3, dtype=np.uint32),)).packed()
    with caplog.at_level(logging.WARNING):
        said = Reply.read(client.answer(asked, b"")).refused

    assert "this device has no part in that round" == said and said in caplog.text


def test_a_place_beyond_those_who_are_asked_costs_nothing(tmp_path):
    """Refused before the charge; so is a run of rounds without end."""
    _, _, link = run(tmp_path, own=plan(1))
    text, _ = Message.read(link.sent[0]["phone1"])
    client = phone(tmp_path / "fresh", 1) if (tmp_path / "fresh").mkdir() is None else None
    for change, why in (
        ({"place": 4}, "this round asks 4 devices"),
        (_rounds(text, 200_000), "100,000 rounds of one device at most"),
    ):
        said = Reply.read(client.answer(Message({**text, **change}).packed(), link.states[0]))
        assert why in str(said.refused) and 0.0 == client.ledger.spent()[0]


def _rounds(text, many):
    """The order for as many, with the digest of what it makes."""
    ways = Sharing.read(text["reporting"])
    more = replace(ways, question=replace(ways.question, rounds=many))
    return {
        "rounds": many,
        "reporting": more.text,
        "randomiser": digest(more.device()),
    }


def test_a_round_that_was_begun_too_long_ago_is_not_gone_on_with(tmp_path):
    """Its run counts no more, so nothing of it is sent: held-back stages are worth nothing."""
    now = [1.7e9]
    clients = phones(tmp_path) | {"phone1": _on_a_clock(tmp_path, lambda: now[0])}

    def change(t, stage, name, answer):
        if (stage, name) == (2, "phone3"):
            now[0] += 8 * 86_400
        return [answer]

    heard, _, _ = run(tmp_path, change, plan(1), clients)

    assert {"this round was begun too long ago": 1} == heard[0].refused


def test_a_stage_that_is_refused_does_not_make_a_run_count_longer(tmp_path):
    """Nothing was sent for it: six days apart the run counts once more, and then no longer."""
    _, _, link = run(tmp_path, own=plan(1))
    now = [1.7e9]
    client = _on_a_clock(tmp_path, lambda: now[0])
    begun = Reply.read(client.answer(link.sent[0]["phone1"], link.states[0]))
    junk = Stage(begun.number, "survivors", {1: ()}, {}).packed()
    spent = []
    for _ in range(2):
        now[0] += 6 * 86_400
        assert "not this round's next stage" in str(Reply.read(client.answer(junk, b"")).refused)
        spent.append(client.ledger.spent()[0])

    assert spent[0] > 0 and 0.0 == spent[1]


def _on_a_clock(path, clock):
    ledger_ = live.OwnLedger(path / "clock.db", CAP, clock)
    return live.Client(VECTORS[1], [FUNCTION], ledger_, member(1))


def test_of_two_who_begin_one_round_at_once_the_first_goes_on(tmp_path, monkeypatch):
    """While one keeps its answer another is quicker: its keys are those that were sent."""
    _, _, link = run(tmp_path, own=plan(1))
    order, state = link.sent[0]["phone1"], link.states[0]
    (tmp_path / "two").mkdir()
    client = phone(tmp_path / "two", 1)
    keep, answers = live.OwnLedger.keep, []

    def slower(ledger_, number, report):
        if not answers:
            answers.append(None)
            answers.append(client.answer(order, state))
        return keep(ledger_, number, report)

    monkeypatch.setattr(live.OwnLedger, "keep", slower)
    first = client.answer(order, state)
    session = client._joined.session(Reply.read(first).number)

    assert first == answers[1] == session.begun()
