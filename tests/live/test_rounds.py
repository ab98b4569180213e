"""Rounds on a network: the same as in memory, for the same keys; orders that say what is asked."""

import json
import threading

import jax
import numpy as np
import pytest

import tacit
from live.dying import POINTS, Dying, Gone, dies
from live.listening import Heard
from live.phones import FUNCTION, MANY, NAME, VECTORS, both, federation, ledger, mean, phones
from tacit import Ledger, live
from tacit.ledger import Finished, LedgerError
from tacit.live import own_ledger
from tacit.live.message import Message
from tacit.noise import keys
from tacit.population.checkpoint import Checkpoint
from tacit.population.release import Release
from tacit.population.run import keys_of

SEED = 5
ZEROED = tacit.Central(100.0, 1e-5, tacit.Relation.ZERO_OUT)
PLANS = {
    "everyone": lambda: both(3),
    "at most": lambda: both(4, tacit.AtMost(2)),
    "few bytes": lambda: tacit.Federated(8.0, ZEROED, upload=16).plan(both(2).sums),
    "local": lambda: tacit.Local(9.0).plan(both(3).sums),
}


@pytest.mark.parametrize("name", PLANS)
def test_a_run_is_the_one_in_memory(tmp_path, monkeypatch, name):
    """One person at a time, from the same device keys: the same answers in all rounds.

    So cohorts, reports, divisors and noise are those of memory; what may differ is the last bit of
    a device's own float32 numbers, which two compiled programs round each in its way.
    """
    plan = PLANS[name]()
    drawn = _device_keys(plan)
    monkeypatch.setattr(own_ledger.keys, "fresh", lambda: next(drawn))
    people = tacit.Arrays(VECTORS, NAME)
    one = people.grant(plan, FUNCTION.learner, ledger(tmp_path), seed=SEED, at_once=1).run()
    population = federation(phones(tmp_path))
    other = population.grant(plan, FUNCTION.learner, ledger(tmp_path), seed=SEED).run()

    assert np.allclose(one.state, other.state, rtol=1e-5, atol=1e-6)
    assert np.abs(one.state).max() > 0.01


def _device_keys(plan):
    """In the order in which devices are asked, those that a run in memory draws."""
    root = keys.from_seed(SEED)
    many = plan.sums.rounds
    for own in keys_of([root], range(many), many).device:
        for place in range(plan.sums.capacity):
            data = jax.random.key_data(jax.random.fold_in(own, place))
            yield np.asarray(data).astype("<u4").tobytes()


def test_nothing_crosses_but_what_the_plan_says(tmp_path):
    """Every message of a run is read: orders, the public states, and reports of the plan's set.

    No plain term is among them: each is farther from every person's than a report could be by
    chance, and two people with one vector send different reports.
    """
    plan, link = both(2), Heard(live.Nearby(phones(tmp_path)))
    population = live.Federation(link, NAME, [FUNCTION])
    population.grant(plan, FUNCTION.learner, ledger(tmp_path)).run()
    read = [Message.read(each) for each in link.crossed]
    orders = [each for each in read if "function" in each.text]
    states = [each for each in read if not each.text]
    answers = [each for each in read if each.text.keys() == {"order"}]

    assert (2 * MANY, 2, 2 * MANY) == (len(orders), len(states), len(answers)) and 18 == len(read)
    assert 2 == len({each.text["order"] for each in orders})
    assert {"from", "round", "rounds", "place"} <= orders[0].text.keys()
    assert 2 * MANY == len({each.arrays[0].tobytes() for each in answers})
    terms = [vector - state.arrays[0] for state in states for vector in VECTORS]
    for answer in answers:
        assert 1 == len(answer.arrays)
        assert min(np.abs(answer.arrays[0] - term).max() for term in terms) > 1e-3


@pytest.mark.parametrize("upload", [None, 16])
def test_no_key_of_a_run_crosses_but_the_public_one(tmp_path, upload):
    """A round's number is its public randomness. Whoever had the server's key had its noise."""
    plan = tacit.Federated(8.0, ZEROED, upload=upload).plan(both(2).sums)
    link = Heard(live.Nearby(phones(tmp_path)))
    population = live.Federation(link, NAME, [FUNCTION])
    population.grant(plan, FUNCTION.learner, ledger(tmp_path), seed=SEED).run()
    own = keys_of([keys.from_seed(SEED)], range(2), 2)
    device, server, public = (_bytes_of(each) for each in (own.device, own.server, own.public))
    asked = [Message.read(each).text["order"] for each in link.crossed if b'"function"' in each]

    assert {each.hex() for each in public} == set(asked) and 2 == len(set(asked))
    for secret in [keys.from_seed(SEED), *device, *server]:
        assert not any(secret in each or secret.hex().encode() in each for each in link.crossed)


def _bytes_of(several):
    """Of each key."""
    data = np.asarray(jax.random.key_data(several)).reshape(-1, keys.KEY_BYTES // 4)
    return [each.astype("<u4").tobytes() for each in data]


def test_nobody_is_asked_whom_a_round_does_not_ask(tmp_path):
    """Four people in three cohorts: two of these have a place for somebody who is not there."""
    plan, link = both(3, tacit.Cyclic(1)), Heard(live.Nearby(phones(tmp_path)))
    heard = []
    people = live.Federation(link, NAME, [FUNCTION], heard=heard.append)
    people.grant(plan, FUNCTION.learner, ledger(tmp_path)).run()

    assert 2 == plan.sums.capacity and [1, 1, 2] == sorted(each.asked for each in heard)
    assert [1] * MANY == [len(c.ledger.lines()) for c in link.link.clients.values()]


def test_bytes_are_those_of_the_plan(tmp_path):
    """A report has the plan's bytes, and little beside them."""
    plan, link = both(2), Heard(live.Nearby(phones(tmp_path)))
    population = live.Federation(link, NAME, [FUNCTION])
    population.grant(plan, FUNCTION.learner, ledger(tmp_path)).run()
    reports = [Message.read(each) for each in link.crossed[-MANY:]]

    assert {plan.upload_bytes} == {sum(a.nbytes for a in each.arrays) for each in reports}
    assert all(len(each) < plan.upload_bytes + 150 for each in link.crossed[-MANY:])


def banded():
    """Its server remembers the sum before, which is secret."""
    question = tacit.Running(mean(4, tacit.Cyclic(2)), bands=2)
    return tacit.Federated(8.0, ZEROED).plan(question)


def charged(book):
    """What the accounts have, in order."""
    return sorted(spent.epsilon for spent in book.spent(NAME) if spent.epsilon)


def asked_again(folder, link, plan, **more):
    """The one grant of these tests, asked for as after a crash."""
    own = {"grant_id": "one", "checkpoint": Checkpoint(folder / "state.npz"), "seed": SEED, **more}
    people = live.Federation(link, NAME, [FUNCTION])
    return people.grant(plan, FUNCTION.learner, Ledger(folder / "people.db"), **own)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("plan", [lambda: both(3), banded], ids=["means", "bands"])
def test_a_server_that_died_goes_on(tmp_path, monkeypatch, plan, point):
    """Charged once, with the same noise; each device draws one report a round, and sends that."""
    drawn = {"whole": _device_keys(plan()), "cut": _device_keys(plan())}
    released = {}
    for name, at in (("whole", None), ("cut", point)):
        folder = tmp_path / name
        folder.mkdir()
        book, clients = ledger(folder), phones(folder)
        monkeypatch.setattr(own_ledger.keys, "fresh", lambda name=name: next(drawn[name]))
        if at is not None:
            with monkeypatch.context() as patch, pytest.raises(Gone):
                link, watch = at(patch, live.Nearby(clients))
                asked_again(folder, link, plan()).run(watch=watch)
        released[name] = asked_again(folder, live.Nearby(clients), plan()).run()

        assert charged(book) == sorted(each.epsilon for each in plan().guarantees)
        assert {plan().sums.times * 8.0} == {
            client.ledger.spent()[0] for client in clients.values()
        }
    assert np.array_equal(released["whole"].state, released["cut"].state)


class Half(Heard):
    """A link on which two devices do not answer."""

    def asked(self, orders, state, seconds):
        there = {name: own for name, own in orders.items() if name in ("phone0", "phone1")}
        yield from super().asked(there, state, seconds)


@pytest.mark.parametrize("point", POINTS)
def test_one_noise_comes_to_one_sum(tmp_path, monkeypatch, point):
    """Others answer the second time. Of each round one state was heard of, by devices, by whoever
    watched, or in the end: the same noise on two would be none on their difference."""
    clients, heard = phones(tmp_path), {}
    ledger(tmp_path)

    def watch(rounds, state):
        heard.setdefault(rounds, set()).add(np.asarray(state).tobytes())

    with monkeypatch.context() as patch, pytest.raises(Gone):
        first = Heard(live.Nearby(clients))
        link, dies_at = point(patch, first)
        asked_again(tmp_path, link, both(3)).run(watch=[watch, *([dies_at] if dies_at else [])])
    second = Half(live.Nearby(clients))
    release = asked_again(tmp_path, second, both(3)).run(watch=watch)
    watch(3, release.state)
    for message in map(Message.read, first.crossed + second.crossed):
        asked = message.text.get("round", 0) or asked
        # With orders goes the state that they are asked about, which has no words.
        if not message.text:
            watch(asked - 1, message.arrays[0])

    assert [1] * 4 == [len(heard[t]) for t in range(4)]


def test_a_run_that_nobody_watches_is_kept_round_by_round(tmp_path):
    """No device is asked the next round before the last one's state is on the disk."""
    path, kept = tmp_path / "state.npz", []

    class Looking(Heard):
        def asked(self, orders, state, seconds):
            kept.append(path.exists() and json.loads(str(np.load(path)["header"]))["rounds"])
            yield from super().asked(orders, state, seconds)

    ledger(tmp_path)
    asked_again(tmp_path, Looking(live.Nearby(phones(tmp_path))), both(5)).run()

    assert [False, 1, 2, 3, 4] == kept


def cut_in_round(t):
    """A watch under which the server dies once that round is kept."""
    return lambda rounds, state: rounds == t and dies()


def until(folder, clients, t):
    """A run that died once round t was kept; what its checkpoint was then."""
    with pytest.raises(Gone):
        asked_again(folder, live.Nearby(clients), both(3)).run(watch=cut_in_round(t))
    return (folder / "state.npz").read_bytes()


@pytest.mark.parametrize("left", ["older", "none", "another", "without"])
def test_a_run_goes_on_from_its_last_state_alone(tmp_path, left):
    """An older file put back, one lost, another named or none: refused, and it goes on with the
    last."""
    ledger(tmp_path)
    clients, path = phones(tmp_path), tmp_path / "state.npz"
    older, last = until(tmp_path, clients, 1), until(tmp_path, clients, 2)
    changed = {
        "older": lambda: path.write_bytes(older),
        "none": path.unlink,
        "another": lambda: {"checkpoint": Checkpoint(tmp_path / "new.npz")},
        "without": lambda: {"checkpoint": None},
    }[left]()
    asked = changed if isinstance(changed, dict) else {}
    with pytest.raises(LedgerError, match="goes on from the last file that it kept"):
        asked_again(tmp_path, live.Nearby(clients), both(3), **asked)
    path.write_bytes(last)
    release = asked_again(tmp_path, live.Nearby(clients), both(3)).run()

    assert np.isfinite(release.state).all()


def read_again(folder):
    """What the finished run has left."""
    own = folder / "people.db", Checkpoint(folder / "state.npz")
    return Release.read("one", NAME, both(3), FUNCTION.learner, *own, seeded=True)


def test_of_two_that_go_on_at_once_one_is_refused(tmp_path):
    """Before anybody has heard of its sum, and what the other has kept stands."""
    ledger(tmp_path)
    clients, heard = phones(tmp_path), []
    until(tmp_path, clients, 1)

    class Overtaken(Heard):
        def asked(self, orders, state, seconds):
            heard.append(asked_again(tmp_path, live.Nearby(clients), both(3)).run())
            yield from super().asked(orders, state, seconds)

    slower = asked_again(tmp_path, Overtaken(live.Nearby(clients)), both(3))
    with pytest.raises(Finished, match="is finished"):
        slower.run(watch=lambda rounds, state: rounds > 1 and heard.append(state))
    read = read_again(tmp_path)

    assert 1 == len(heard) and np.array_equal(read.state, heard[0].state)


def test_what_is_kept_at_once_is_kept_by_one(tmp_path, monkeypatch):
    """Whoever is slower waits for the other's file to be marked, and writes none."""
    ledger(tmp_path)
    clients = phones(tmp_path)
    until(tmp_path, clients, 1)
    slower = asked_again(tmp_path, live.Nearby(clients), both(3))
    save, began, refused = Checkpoint.save, [], []

    def beside():
        with pytest.raises(LedgerError) as refusal:
            slower.run()
        refused.append(str(refusal.value))

    def writing(self, *own, **before):
        if not began:
            began.append(threading.Thread(target=beside))
            began[0].start()
            # Longer than a round takes: the slower one has its sum, and waits.
            began[0].join(2.0)
            assert began[0].is_alive()
        return save(self, *own, **before)

    monkeypatch.setattr(Checkpoint, "save", writing)
    release = asked_again(tmp_path, live.Nearby(clients), both(3)).run()
    began[0].join()
    read = read_again(tmp_path)

    assert 1 == len(refused) and np.array_equal(read.state, release.state)


def test_whoever_watches_is_told_anew_of_the_state_that_is_gone_on_from(tmp_path):
    """They may not have been told before; and whoever asked it to be the last is heard."""
    ledger(tmp_path)
    clients, told = phones(tmp_path), []
    until(tmp_path, clients, 1)
    grant = asked_again(tmp_path, live.Nearby(clients), both(3))
    release = grant.run(watch=lambda rounds, state: told.append((rounds, state)) or rounds == 1)

    assert [1] == [rounds for rounds, _ in told] and np.array_equal(told[0][1], release.state)


def test_a_whole_number_for_an_epsilon_is_the_same_run(tmp_path):
    """Typed again after a crash, 8 for 8.0."""
    ledger(tmp_path)
    clients = phones(tmp_path)
    until(tmp_path, clients, 1)
    release = asked_again(tmp_path, live.Nearby(clients), both(3, local=8)).run()

    assert np.isfinite(release.state).all()


def test_a_run_without_a_checkpoint_is_not_gone_on_with(tmp_path):
    """Its key is erased as it begins, whoever begins it, once."""
    ledger(tmp_path)
    clients, own = phones(tmp_path), {"checkpoint": None}
    first, second = (
        asked_again(tmp_path, Dying(live.Nearby(clients)), both(3), **own) for _ in range(2)
    )
    with pytest.raises(Gone):
        first.run()
    for again in (second.run, lambda: asked_again(tmp_path, live.Nearby(clients), both(3), **own)):
        with pytest.raises(LedgerError, match="ran and its key is erased"):
            again()

    book = Ledger(tmp_path / "people.db")
    assert charged(book) == sorted(each.epsilon for each in both(3).guarantees)
