"""Shares of people at or below places, from sums alone: exact but for noise."""

import math

import jax
import numpy as np
import pytest

import tacit
from measured import answers
from tacit.statistics import Cumulative, cdf
from tacit.statistics.tree import cells_for

VALUES = np.random.default_rng(3).gamma(9.0, 4.3, 4_000)
AT = (20.0, 40.0, 60.0)


def book(folder):
    """With room for everything."""
    opened = tacit.Ledger(folder / "p.db")
    for observer in ("public", "server", "shuffler"):
        for relation in tacit.Relation:
            opened.limit("p", observer, relation, 50.0, 1e-3)
    return opened


def test_shares_are_exact_without_privacy(tmp_path):
    """Of people between places."""
    found = cdf(
        VALUES, AT, bounds=(0, 100), trust=tacit.NonPrivate(), ledger=tmp_path / "l", name="p"
    )
    exact = [np.mean(VALUES <= place) for place in AT]

    assert found.estimate == pytest.approx(exact, abs=1e-6)
    assert found.labels == ("20", "40", "60") and found.rank_rmse == 0
    assert repr(found).startswith("share of p at or below")
    assert "about 0 people off in rank" in repr(found)


def test_who_is_at_a_place_is_counted_up_to_it(tmp_path):
    """All of them, as `tables.cdf` counts, and nobody who is a little above; in whole years, and in
    places that a float does not hold."""
    terms = {"bounds": (0, 1), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l", "name": "p"}
    at = (0.0, 0.1, 0.3, 0.7, 1.0)
    values = np.repeat([0.0, 0.1, 0.3, 0.7, np.nextafter(0.7, 1), 1.0], 10)

    assert cdf(values, at, **terms).estimate == pytest.approx(np.array([1, 2, 3, 4, 6]) / 6)
    ages = np.repeat([17, 18, 19], [30, 50, 20])
    found = cdf(ages, (17, 18), **(terms | {"bounds": (0, 100)}))
    assert found.estimate == pytest.approx([0.3, 0.8])


TRUSTS = [
    tacit.Central(1.0, 0.0),
    tacit.Local(4.0),
    tacit.Shuffled(1.0, 1e-6),
    tacit.Federated(4.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)),
]


@pytest.mark.parametrize("trust", TRUSTS, ids=lambda trust: type(trust).__name__)
def test_shares_are_as_near_as_predicted(trust, tmp_path):
    """Within five times the stated error each; what is stated is far below everybody, and less than
    of finer cells."""
    asked = Cumulative(AT, (0, 100), trust, 4_000)
    found = asked.of(VALUES, book(tmp_path), "p", seed=1)
    exact = np.array([np.mean(VALUES <= place) for place in AT])

    assert np.abs(4_000 * (np.array(found.estimate) - exact)).max() < 5 * asked.rmse
    assert 0 < found.rank_rmse == asked.rmse < 150
    assert asked.rmse < 0.4 * cells_for(trust, 4_000).rmse
    assert found.plan == asked.plan


MISSING = [
    tacit.NonPrivate(),
    tacit.Central(20.0, 0.0),
    tacit.Central(20.0, 0.0, tacit.Relation.REPLACE_ONE),
    tacit.Central(50.0, 1e-6, tacit.Relation.ZERO_OUT),
    tacit.Local(30.0),
    tacit.Shuffled(50.0, 1e-6),
    tacit.Federated(200.0, tacit.Central(50.0, 1e-6, tacit.Relation.REPLACE_ONE)),
]


@pytest.mark.parametrize("at", [(40.0, 60.0, 90.0), (*np.arange(45.0, 65.0), 90.0)])
@pytest.mark.parametrize("trust", MISSING, ids=lambda trust: type(trust).__name__)
def test_whose_number_is_missing_is_left_out(trust, at, tmp_path):
    """Of shares, and of whom they are divided by: a fourth of the people have 20, a half of them
    80, and a fourth none, whom no place is up to; in the middle of the bounds is nobody."""
    given = np.repeat([20.0, 80.0, np.nan], [1_000, 2_000, 1_000])
    terms = {"bounds": (0, 100), "trust": trust, "people": 4_000}
    opened = tacit.Ledger(tmp_path / "p.db")
    opened.limit_for("p", Cumulative(at, **terms).plan)
    found = cdf(given, at, **terms, ledger=opened, name="p", seed=1)

    assert found.estimate == pytest.approx([1 / 3] * (len(at) - 1) + [1.0], abs=0.05)


def test_who_is_missing_is_a_node_of_its_own():
    """One that no more noise is in than in others; and none where people come or go."""
    trusts = [tacit.Central(1.0, 0.0), *TRUSTS[1:], MISSING[2]]
    more = [Cumulative(AT, (0, 100), trust, 4_000).counted for trust in trusts]
    sizes = [each.shape.answer_shape[0] - sum(each.sizes) for each in more]

    assert sizes == [0, 1, 1, 1, 1]


def test_shares_are_of_who_is_there(tmp_path):
    """Who may be fewer than were declared."""
    terms = {"bounds": (0, 100), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l", "name": "p"}
    middles = (np.arange(4_096) + 0.5) / 40.96
    found = cdf(middles, (25.0, 75.0), **terms, people=9_000)

    assert found.estimate == pytest.approx([0.25, 0.75], abs=2e-5)


PURE, PUBLIC = tacit.Central(0.5, 0.0), tacit.Central(0.5, 0.0, tacit.Relation.REPLACE_ONE)


def off(asked, values):
    """How many people the shares of 400 people are off by in 400 releases, root mean square."""
    counted = asked.counted
    terms, learner = counted.terms(asked.cells.shares(values), 1), counted.learner
    nodes = jax.vmap(lambda each: learner.ask(learner.init(), each))(terms)
    drawn = answers(counted.plan, np.asarray(nodes), 400, 1)
    upto = np.array([counted.below(np.asarray(each, np.float64)) for each in drawn])
    exact = np.array([np.mean(values <= place) for place in asked.at])
    found = upto[:, asked.cells.ends] / upto[:, -1:]
    return 400 * np.sqrt(np.mean(np.square(found - exact)))


@pytest.mark.parametrize("trust", [PURE, PUBLIC])
@pytest.mark.parametrize("places", [1, 3, 15, 40])
def test_nobody_is_farther_off_than_the_error(places, trust):
    """Be all on one side of the places, on both, between two of them, or everywhere."""
    asked = Cumulative(tuple(np.arange(1.0, places + 1)), (0, places + 1), trust, 400)
    sides = np.full(400, 0.5), np.full(400, places + 0.5), np.full(400, places // 2 + 0.5)
    spread = np.repeat([0.5, places + 0.5], 200), np.arange(400) % (places + 1) + 0.5

    assert max(off(asked, values) for values in (*sides, *spread)) < 1.08 * asked.rmse


def test_the_error_is_met():
    """By people a twentieth of whom are on one side, far from none: they are off by 0.951 of it,
    and within a tenth of that; two-thirds of the noise would be a third off."""
    asked = Cumulative((4.0,), (0, 16), PURE, 400)

    assert asked.counted.branches == (2,)
    found = off(asked, np.repeat([3.0, 9.0], [20, 380])) / asked.rmse
    assert found == pytest.approx(math.hypot(0.95, 0.05), rel=0.1)


def test_few_places_have_few_cells():
    """One place two, whose error is that of two counts; sixteen cells would have four times it."""
    one = Cumulative((50.0,), (0, 100), PURE, 400)

    assert one.cells.cells == 2 and one.rmse == pytest.approx(np.sqrt(2) / 0.5, rel=0.02)
    assert Cumulative((25.0, 50.0, 75.0), (0, 100), PURE, 400).cells.cells == 4
    assert Cumulative(tuple(range(1, 41)), (0, 100), PURE, 400).counted.levels == 2


def test_places_are_fewer_than_cells():
    """What is refused names how many there may be."""
    many = tuple(map(float, range(256)))
    with pytest.raises(ValueError, match="fewer than 256 places, got 256"):
        Cumulative(many, (0, 1_000), TRUSTS[-1], 400)


@pytest.mark.parametrize(
    "at", [(), 5.0, (2.0, 1.0), (1.0, np.nan), (np.nan,), ("a",), {1.0: 2.0}, {1.0}]
)
def test_places_rise(at):
    """What does not is refused when it is asked."""
    with pytest.raises(ValueError, match="at must be a tuple of numbers, rising"):
        Cumulative(at, (0, 100), tacit.NonPrivate(), 10)
    assert Cumulative(np.array(AT), (0, 100), tacit.NonPrivate(), 10).at == AT


@pytest.mark.parametrize("at", [(-1.0, 50.0), (50.0, 100.5), (np.inf,), (120.0,)])
def test_places_lie_between_the_bounds(at):
    """All who are further out count as at a bound, so that a share there would be of nobody's."""
    with pytest.raises(ValueError, match="at must lie between the bounds, 0 and 100, got"):
        Cumulative(at, (0, 100), tacit.NonPrivate(), 10)
    assert Cumulative((0.0, 100.0), (0, 100), tacit.NonPrivate(), 10).at == (0.0, 100.0)


def test_a_secret_number_of_devices_is_refused():
    """As for every statistic of devices."""
    trust = tacit.Federated(4.0, tacit.Central(1.0, 1e-6))
    with pytest.raises(ValueError, match="public number of people"):
        Cumulative(AT, (0, 100), trust, 10)
