"""Rounds that find directions: who is asked, in what noise, and what is foreseen to be lost."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tacit
from tacit.learning.subspace_rounds import EXACT_ROUNDS, SHARES, SubspaceRounds, shares_tried
from tacit.trust.people import Trust

CENTRAL, LOCAL = tacit.Central(1.0, 1e-6), tacit.Local(8.0)
DIM, MANY, COLUMNS = 60, 2, 12


def rounds(trust: Trust = CENTRAL, shares=(0.2, 0.8), people: int = 4000) -> SubspaceRounds:
    return SubspaceRounds(trust, people, DIM, 0, MANY, COLUMNS, shares)


def test_a_curators_rounds_have_the_noise_of_their_shares():
    """Of one ball for all columns; its deviation is the plan's, by share."""
    asked = rounds()

    assert asked.plan.sums.contribution.shape == (DIM * COLUMNS,)
    assert 1 <= asked.plan.sums.contribution.radius <= 1 + 1e-5
    assert asked.noise == asked.plan.server.deviations
    assert asked.noise[0] == pytest.approx(2 * asked.noise[1], rel=1e-3)
    assert asked.by_share.at((0.2, 0.8)) == pytest.approx(asked.noise, rel=1e-3)
    more = replace(asked, columns=2 * COLUMNS)
    assert more.noise == pytest.approx(asked.noise, rel=1e-3)


def test_people_who_report_by_themselves_are_in_one_round_each():
    """With noise as the plan predicts it."""
    asked = rounds(LOCAL, (0.5, 0.5))

    assert asked.plan.sums.participation == tacit.Once()
    assert asked.noise == (math.sqrt(asked.plan.error / (DIM * COLUMNS)),) * 2
    assert asked.by_share.at((0.5, 0.5)) == pytest.approx(asked.noise, rel=1e-6)
    third = replace(asked, shares=(1 / 3,) * 3)
    assert asked.by_share.at((1 / 3,)) == pytest.approx(third.noise[:1], rel=1e-3)


def test_noise_that_is_not_known_is_refused():
    """A projection of reports leaves a bias that depends on people."""
    central = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    with pytest.raises(ValueError, match="the noise of these reports is not known"):
        _ = rounds(tacit.Federated(8.0, central, radius=0.1), (0.5, 0.5)).noise


@pytest.mark.parametrize("shares", [(1.0,), (0.2, 0.8), (0.2, 0.3, 0.5)])
def test_what_is_foreseen_to_be_lost_is_lost(shares):
    """Of the people whom the prediction is about, played without a population: within a half."""
    asked, host = rounds(shares=shares, people=1500), np.random.default_rng(0)
    value, beside = asked.values
    moments = np.array([value] * MANY + [beside] * (DIM - MANY))
    lost = []
    for _ in range(40):
        basis = np.linalg.qr(host.normal(size=(DIM, COLUMNS)))[0]
        for noise in asked.noise:
            answer = moments[:, None] * basis + noise * host.normal(size=(DIM, COLUMNS))
            basis = np.linalg.qr(answer)[0]
        found = np.linalg.svd(answer, full_matrices=False)[0][:, :MANY]
        lost.append(1 - np.sum(found[:MANY] ** 2) / MANY)

    assert 0.005 < asked.lost < 0.5
    assert np.mean(lost) == pytest.approx(asked.lost, rel=0.5)


def test_without_noise_nothing_is_lost_in_the_end_and_all_of_it_is_in_much():
    """Many rounds are asked where nothing is promised; drowned ones leave what a start holds."""
    exact = rounds(tacit.NonPrivate())

    assert shares_tried(exact) == ((1 / EXACT_ROUNDS,) * EXACT_ROUNDS,)
    assert exact.foreseen((0.0,) * EXACT_ROUNDS) < 1e-9
    assert exact.foreseen((1e6,)) == pytest.approx(1 - (math.sqrt(COLUMNS) - 1) ** 2 / DIM)
    assert shares_tried(rounds()) == SHARES
    assert [len(each) for each in shares_tried(rounds(LOCAL))] == [1, 2, 3, 4]


def test_the_largest_noise_is_about_the_last_rounds():
    """Its largest singular value, of a table of independent numbers."""
    asked, host = rounds(), np.random.default_rng(0)
    drawn = asked.noise[-1] * host.normal(size=(20, DIM, COLUMNS))
    largest = np.linalg.svd(drawn, compute_uv=False)[:, 0]

    assert asked.largest_noise == pytest.approx(largest.mean(), rel=0.1)
