"""Runs whose sums are made under masks: exact, noisy as they promise, and charged once."""

import numpy as np
import pytest
from scipy.stats import chi2

import tacit
from live.masked.group import moved, phone, phones, plan, quiet, run
from live.phones import DIM, MANY, VECTORS
from tacit.live.message import Message
from tacit.live.order import Reply


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
