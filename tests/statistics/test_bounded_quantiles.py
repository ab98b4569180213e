"""What is said of quantiles is true of people's own numbers: rounding is a part of it."""

import numpy as np
import pytest

import tacit
from tacit.statistics import BoundedQuantiles, quantiles

SHARES = (0.1, 0.5, 0.9)
CENTRAL = tacit.Central(0.5, 0.0)
WIDE = (-1e9, 1e9)
AGES = np.random.default_rng(0).integers(18, 90, 5_000).astype(float)


def asked(trust, bounds, tmp_path):
    """The quantiles of all ages, from one seed where noise is drawn."""
    book = tacit.Ledger(tmp_path / f"{bounds}.db")
    book.limit_for("p", BoundedQuantiles(SHARES, bounds, trust, 5_000).plan)
    terms = {"bounds": bounds, "trust": trust, "ledger": book, "name": "p", "people": 5_000}
    return quantiles(AGES, SHARES, **terms, seed=None if trust == tacit.NonPrivate() else 1)


def off_in_rank(share, low, high):
    """Of the numbers from `low` to `high` the nearest to its rank, in people."""
    return max(np.sum(low > AGES) - share * 5_000, share * 5_000 - np.sum(high >= AGES))


def test_ranks_are_said_of_rounded_numbers(tmp_path):
    """Nobody is at most zero, but some age within half a step of it is as near as is said."""
    found = asked(CENTRAL, WIDE, tmp_path)
    said = " ".join(repr(found).split())

    assert found.step == BoundedQuantiles(SHARES, WIDE, CENTRAL, 5_000).step == 10_000
    assert "of 5,000 declared, of numbers rounded to steps of 10,000; " in said
    assert off_in_rank(0.5, *found.estimate[[1, 1]]) > found.ranks
    for share, each in zip(SHARES, found.estimate, strict=True):
        assert off_in_rank(share, each - 5_000, each + 5_000) <= found.ranks


@pytest.mark.parametrize("bounds", [(0, 100), (1, 5), (0.1, 0.7), (-3e5, 7e5), (0, 2**0.5)])
def test_a_step_is_how_far_apart_two_numbers_are(bounds, tmp_path):
    """Released numbers are whole steps above the lower bound, but for what floats round."""
    found = asked(CENTRAL, bounds, tmp_path)
    steps = (found.estimate - bounds[0]) / found.step

    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-3)
    assert bounds[1] - bounds[0] <= 2**20 * found.step


def test_without_privacy_numbers_are_rounded_as_float32(tmp_path):
    """Between 0 and 2e9 two ages are not told apart, and that is said."""
    found = asked(tacit.NonPrivate(), (0, 2e9), tmp_path)

    assert np.abs(found.estimate - np.quantile(AGES, SHARES)).max() <= found.step < 120
    assert "of their ranks, of 5,000 declared, of numbers rounded to steps of 119.209" in " ".join(
        repr(found).split()
    )


def test_cells_are_printed_with_their_width(tmp_path):
    """Their error is predicted for people who are in many cells, and not where all are in one."""
    found = asked(tacit.Local(4.0), WIDE, tmp_path)
    said = " ".join(repr(found).split())

    assert found.step in (2e9 / 256, 2e9 / 4096)
    assert "predicted for numbers that fill an eighth of the bounds evenly)" in said
    assert f"read within cells {found.step:,.0f} wide" in said


def test_steps_beside_which_a_number_is_small_are_remarked(tmp_path):
    """Of what is released and declared; between bounds that fit the numbers nothing is said."""
    wide = asked(CENTRAL, WIDE, tmp_path)

    assert [each for each in wide.remarks if "within ten steps of zero, each 10,000 wide" in each]
    assert not asked(CENTRAL, (0, 100), tmp_path).remarks
