"""Runs whose sums are made under masks: exact, noisy as they promise, and charged once."""

import numpy as np
import pytest
from scipy.stats import chi2

import tacit
from live.dying import Gone
from live.masked.group import STAGES, Listening, moved, phone, phones, plan, quiet, run
from live.phones import DIM, FUNCTION, MANY, NAME, VECTORS, ledger
from tacit import live
from tacit.live.message import Message
from tacit.live.order import Reply
from tacit.population.checkpoint import Checkpoint


def test_everybody_reports_and_sums_are_exact(tmp_path, monkeypatch):
    """But for cutting terms to the grid; the release has the promises of the plan."""
    quiet(monkeypatch)
    heard, release, _ = run(tmp_path)

    assert [(4, 4, True)] * 2 == [(each.asked, each.reported, each.counted) for each in heard]
    assert np.allclose(release.state, moved(VECTORS, 2), atol=1e-3)
    assert release.private and ["public", "server"] == sorted(
        each.observer for each in release.plan.guarantees
    )


def within(terms):
    """In the ball that the plan asks for."""
    return terms / np.maximum(1.0, np.linalg.norm(terms, axis=1, keepdims=True))


def test_noise_is_that_of_the_shares(tmp_path):
    """Of 40 rounds at a step of one half: between two thirds of what four shares have and more, at
    one chance in a million."""
    own = plan(rounds=40, epsilon=20.0)
    heard, release, link = run(tmp_path, own=own)
    states = [Message.read(each).arrays[0] for each in link.states]
    residuals = [
        2 * (after - before) - within(VECTORS - before).sum(axis=0) / (0.9 * MANY)
        for before, after in zip(states, [*states[1:], np.asarray(release.state)], strict=True)
    ]
    share = own.server.share
    squares = np.sum(np.square(residuals)) / (MANY * share.variance / (0.9 * MANY) ** 2)

    assert 40 == len(heard) and all(each.counted for each in heard)
    assert chi2.ppf(1e-6, 240) < squares < chi2.isf(1e-6, 240)
    assert not chi2.ppf(1e-6, 240) < squares * 4 / 9 < chi2.isf(1e-6, 240)


def test_sums_of_devices_that_are_not_quiet_are_not_exact(tmp_path):
    """Of one round: farther from it in some number than what is cut could bring them."""
    _, release, _ = run(tmp_path, own=plan(1))

    assert not np.allclose(release.state, moved(VECTORS, 1), atol=1e-3)


@pytest.mark.parametrize("rounds", [8, 200])
def test_what_crosses_is_under_masks(rounds, tmp_path, monkeypatch):
    """Reports are as long as the plan says, and each of their bits is a coin, though no device adds
    noise and states hardly change: at one chance in a million.

    Without masks, or under one for all rounds, bits hardly change: what is summed would be as large
    as their number times that of the reports."""
    quiet(monkeypatch)
    own = plan(rounds)
    _, _, link = run(tmp_path, own=own)
    reports = [Reply.read(answer).report[0] for _, stage, _, answer in link.came if stage == 2]
    bits = np.unpackbits(np.stack(reports), axis=1, bitorder="little")
    bits = bits[:, : own.device.report_bits]
    seen = bits.sum(axis=0) - len(reports) / 2

    assert {-(-own.device.report_bits // 8)} == {each.size for each in reports}
    assert np.sum(np.square(seen) / (len(reports) / 4)) < chi2.isf(1e-6, bits.shape[1])
    assert len({each.tobytes() for each in reports}) == len(reports)


def test_a_run_has_a_name_that_no_other_has(tmp_path):
    """All rounds of one run say it, and those of another run of the same plan another."""
    links = [run(tmp_path, clients=phones(tmp_path))[2] for _ in range(2)]
    names = [
        {Message.read(each).text["reporting"]["run"] for each in orders.values()}
        for link in links
        for orders in link.sent[::STAGES]
    ]

    assert [1] * 4 == [len(name) for name in names]
    assert names[0] == names[1] != names[2] == names[3]


def gone_on_with(folder, clients, dies_at, left=MANY):
    """A run that dies in its second round, as the first device answers at that stage, and is gone
    on with so many devices: what was heard of its rounds, and the release."""

    def dying(t, stage, name, answer):
        if (t, stage) == (1, dies_at):
            raise Gone
        return [answer]

    def granted(link):
        people = live.Federation(link, NAME, [FUNCTION], heard=heard.append)
        own = {"grant_id": "one", "checkpoint": Checkpoint(folder / "state.npz")}
        return people.grant(plan(3), FUNCTION.learner, ledger(folder), **own)

    heard, there = [], {f"phone{who}" for who in range(left)}
    with pytest.raises(Gone):
        granted(Listening(clients, dying)).run()
    link = Listening(clients, lambda t, stage, name, a: [a] if name in there else [])
    return heard, granted(link).run(), link


@pytest.mark.parametrize("stage", range(STAGES))
def test_a_server_that_died_goes_on_with_the_round(tmp_path, monkeypatch, stage):
    """At whatever stage: devices say again what they said, and the run is charged once."""
    quiet(monkeypatch)
    clients = phones(tmp_path)
    heard, release, _ = gone_on_with(tmp_path, clients, stage)

    assert [(1, True), (2, True), (3, True)] == [(each.round, each.counted) for each in heard]
    assert np.allclose(release.state, moved(VECTORS, 3), atol=1e-3)
    assert {3} == {len(c.ledger.lines()) for c in clients.values()}
    assert {release.plan.guarantees[0].epsilon} == {c.ledger.spent()[0] for c in clients.values()}


@pytest.mark.parametrize("stage, counts", [(0, True), *((stage, False) for stage in (1, 2, 3, 4))])
def test_who_answers_the_second_time_makes_no_second_sum(tmp_path, stage, counts):
    """One device is gone then. What the others have dealt, masked or signed stands, for to
    other words nobody answers a stage again: a round that had come so far has no sum."""
    heard, _, _ = gone_on_with(tmp_path, phones(tmp_path), stage, left=MANY - 1)

    assert [True, counts, True] == [each.counted for each in heard]


def test_a_run_is_charged_once_on_each_device(tmp_path):
    """Its promise is of all rounds; another run is another charge."""
    own, clients = plan(3, epsilon=4.0), phones(tmp_path)
    run(tmp_path, own=own, clients=clients)
    spent = clients["phone0"].ledger.spent()
    assert spent == (own.guarantees[0].epsilon, own.guarantees[0].delta)
    (tmp_path / "again").mkdir()
    run(tmp_path / "again", own=own, clients=clients)

    assert 2 * spent[0] == clients["phone0"].ledger.spent()[0]
    assert (
        "round 1 of 3 of towards@1, epsilon 4 for the whole run, in sums under masks of"
        in (clients["phone0"].ledger.lines()[0])
    )


def test_sums_that_promise_something_else_are_refused_before_anybody_is_asked(tmp_path):
    """Devices hide that one person is replaced."""
    sums = tacit.Mean(tacit.Ball(6, 1.0), tacit.Everyone(), 1, MANY)
    own = tacit.Aggregated(4.0, 1e-5, tacit.Relation.ZERO_OUT).plan(sums)
    with pytest.raises(ValueError, match=r"must be tacit\.Relation\.REPLACE_ONE"):
        run(tmp_path, own=own)


def test_cohorts_too_small_for_their_threshold_are_refused_before_anybody_is_asked(tmp_path):
    """And charged."""
    own = tacit.Aggregated(4.0, 1e-5).plan(
        tacit.Mean(tacit.Ball(DIM, 1.0), tacit.AtMost(1), 2, MANY + 1)
    )
    clients = phones(tmp_path) | {"phone4": phone(tmp_path, 0)}
    with pytest.raises(ValueError, match="need 3 devices, and the smallest round asks 2"):
        run(tmp_path, own=own, clients=clients)
