"""Laws of reported numbers: private, with their files' blankets, and those that are drawn."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
import tacit
from tacit.device.number_law import number_law
from tacit.device.report_law import law_of
from tacit.mechanisms.local.local_laplace import LocalLaplace
from tacit.mechanisms.local.piecewise import Hybrid, Piecewise
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.scalarreldp import ScalarRelDP
from tacit.noise import words

SCALARS = [
    ScalarDP.on_grid(1.0, 1, 2.0),
    ScalarDP.on_grid(3.0, 4, 2.0),
    ScalarRelDP.on_levels(2.0, 3, 0.25, 2.0),
    Piecewise.on_grid(1.5, 6, 4, 2.0),
    Hybrid(
        Piecewise.on_grid(1.0, 8, 5, 2.0), Piecewise.on_grid(1.0, 1, 1, 2.0), words.word(3 * 2**62)
    ),
]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda each: type(each).__name__)
def test_a_law_is_private_and_has_the_blanket_its_file_states(scalar):
    """Which that file finds otherwise: so every report is here, with its chance."""
    law = number_law(scalar)
    ratio = (law.max(axis=0) / law.min(axis=0)).max()

    assert law.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert math.exp(scalar.epsilon) * 0.99 < ratio <= math.exp(scalar.epsilon) * (1 + 1e-9)
    assert law.min(axis=0).sum() == pytest.approx(scalar.blanket, rel=1e-9)


@pytest.mark.parametrize("value", [0.5, 0.9])
@pytest.mark.parametrize("scalar", [SCALARS[1], SCALARS[3]], ids=["ScalarDP", "Piecewise"])
def test_reports_follow_the_law(scalar, value):
    """At a grid point and between two, whose rows are mixed there: chi-square, 40,000 reports."""
    at = value * scalar.levels / scalar.maximum
    below, up = int(at), at - int(at)
    law = number_law(scalar)
    mixed = (1 - up) * law[below] + up * law[below + 1]
    sent = np.asarray(scalar.sample(quick_keys.key(0), jnp.full(40_000, value)), np.float64)
    places = np.round((sent - sent.min()) / scalar.step).astype(int)
    seen = np.bincount(places, minlength=len(mixed))

    assert chisquare(seen, 40_000 * mixed).pvalue > 1e-4
    assert chisquare(seen, 40_000 * law[below + 2]).pvalue < 1e-6


def test_a_hybrid_is_its_parts_by_its_coin():
    """Three of four times the wide part's report; else the bit's, more one end's the nearer it is,
    and drawn so: 40,000 at the upper end, within five deviations."""
    hybrid = SCALARS[4]
    law, wide, bit = (number_law(each) for each in (hybrid, hybrid.wide, hybrid.bit))

    assert law[:, : wide.shape[1]] == pytest.approx(0.75 * wide)
    for place, row in enumerate(law[:, wide.shape[1] :]):
        share = place / (len(law) - 1)
        assert row == pytest.approx(0.25 * ((1 - share) * bit[0] + share * bit[1]))
    sent = np.asarray(hybrid.sample(quick_keys.key(1), jnp.full(40_000, hybrid.wide.maximum)))
    ends = [sum(np.isclose(sent, end)) for end in _reports(hybrid.bit)]
    assert ends[1] / sum(ends) == pytest.approx(bit[1, 1], abs=0.03)
    assert sum(ends) / len(sent) == pytest.approx(0.25, abs=0.02)


def _reports(bit: Piecewise) -> list[float]:
    """Both numbers that a bit's report may be."""
    middle = (bit.levels + bit.width - 1) / 2
    return [bit.maximum / 2 + bit.step * (place - middle) for place in (0, 1)]


def test_how_many_queries_a_number_takes():
    """M, the sum of the largest chances: of one bit 2e/(1 + e), below two for any epsilon."""
    bit, wide = (number_law(each).max(axis=0).sum() for each in (SCALARS[0], SCALARS[3]))

    assert bit == pytest.approx(2 * math.e / (1 + math.e), rel=1e-9)
    # Every place is in the window of some point.
    assert 1 < wide < math.exp(1.5)


def test_a_plans_device_has_a_law():
    """That of a number under the local model."""
    plan = tacit.Local(1.0).plan(tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 100))

    assert law_of(plan.device).sum(axis=1) == pytest.approx(1)


def test_what_cannot_be_listed_is_refused():
    """Infinitely many reports, or too many."""
    with pytest.raises(ValueError, match="a number on a grid, have a law that can be listed"):
        number_law(LocalLaplace.__new__(LocalLaplace))
    with pytest.raises(ValueError, match=r"at most 2\^24 chances"):
        number_law(Piecewise.on_grid(8.0, 8192, 714, 2.0))
