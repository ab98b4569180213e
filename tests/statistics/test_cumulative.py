"""Shares of people below places, from sums alone: near, and read between the ends of cells."""

import numpy as np
import pytest

import tacit
from tacit.statistics import Cumulative, cdf
from tacit.statistics.cumulative import ends_of, places_of

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
    """But for where people are within a cell."""
    found = cdf(
        VALUES, AT, bounds=(0, 100), trust=tacit.NonPrivate(), ledger=tmp_path / "l", name="p"
    )
    exact = [np.mean(VALUES < place) for place in AT]

    assert found.estimate == pytest.approx(exact, abs=2e-3)
    assert found.labels == ("20", "40", "60") and found.rank_error == 0
    assert "about 0 people off in rank" in repr(found)


TRUSTS = [
    tacit.Central(1.0, 0.0),
    tacit.Local(4.0),
    tacit.Shuffled(1.0, 1e-6),
    tacit.Federated(4.0, tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)),
]


@pytest.mark.parametrize("trust", TRUSTS, ids=lambda trust: type(trust).__name__)
def test_shares_are_as_near_as_predicted(trust, tmp_path):
    """Within five times the stated error each; what is stated is far below everybody."""
    asked = Cumulative(AT, (0, 100), trust, 4_000)
    found = asked.of(VALUES, book(tmp_path), "p", seed=1)
    exact = np.array([np.mean(VALUES < place) for place in AT])

    assert np.abs(4_000 * (np.array(found.estimate) - exact)).max() < 5 * asked.error
    assert 0 < found.rank_error == asked.error < 500
    assert found.plan == asked.plan


def test_a_missing_number_counts_as_the_middle(tmp_path):
    """And not as either bound."""
    given, asked = np.where(np.arange(400) % 4 == 0, np.nan, 80.0), (40.0, 60.0, 90.0)
    terms = {"bounds": (0, 100), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l", "name": "p"}

    assert cdf(given, asked, **terms).estimate == pytest.approx([0.0, 0.25, 1.0], abs=1e-6)


def test_shares_are_of_who_is_there(tmp_path):
    """Who may be fewer than were declared."""
    terms = {"bounds": (0, 100), "trust": tacit.NonPrivate(), "ledger": tmp_path / "l", "name": "p"}
    middles = (np.arange(4_096) + 0.5) / 40.96
    found = cdf(middles, (25.0, 75.0), **terms, people=9_000)

    assert found.estimate == pytest.approx([0.25, 0.75], abs=2e-5)


def test_places_are_read_between_ends():
    """The middle of where nobody is; ends for what nobody and everybody is below."""
    below = np.array([0.0, 0.25, 0.25, 1.0])

    assert places_of(np.array([0.125, 0.25, 0.625]), below) * 3 == pytest.approx([0.5, 1.5, 2.5])
    assert places_of(np.array([0.0, 1.0]), below) * 3 == pytest.approx([0.0, 3.0])
    assert ends_of((10.0, 20.0), np.array([0.0, 0.3, 1.0])).tolist() == [10.0, 13.0, 20.0]


@pytest.mark.parametrize("at", [(), 5.0, (2.0, 1.0), (1.0, float("nan")), ("a",)])
def test_places_rise(at):
    """What does not is refused when it is asked."""
    with pytest.raises(ValueError, match="at must be a tuple of numbers, rising"):
        Cumulative(at, (0, 100), tacit.NonPrivate(), 10)


def test_a_secret_number_of_devices_is_refused():
    """As for every statistic of devices."""
    trust = tacit.Federated(4.0, tacit.Central(1.0, 1e-6))
    with pytest.raises(ValueError, match="public number of people"):
        Cumulative(AT, (0, 100), trust, 10)
