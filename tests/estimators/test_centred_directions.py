"""Directions about the mean, before the data and after."""

import numpy as np
import pytest

import tacit
from tacit.estimators import PCA, in_rounds
from tacit.estimators.centred_directions import CentredMatrix, CentredRounds, centred, with_constant
from tacit.estimators.declared import Box

CENTRAL, PURE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)
PEOPLE, FEATURES = 4_000, 12
BOX = Box.declared((-4.0, 6.0), FEATURES)
ROWS = np.random.default_rng(0).uniform(-4, 6, size=(PEOPLE, FEATURES))


def test_rows_with_their_constant_are_no_longer_than_one():
    """The farthest corner of the box is as long as that, so that none is shortened, mean or not."""
    made = with_constant(np.full((2, FEATURES), [[6.0], [1.0]]), BOX)

    assert np.linalg.norm(made, axis=1) == pytest.approx([1.0, 0.5 / 1.25**0.5], abs=1e-6)


@pytest.mark.parametrize("trust", [CENTRAL, PURE])
@pytest.mark.parametrize("summed, kind", [(2**24, CentredMatrix), (FEATURES * 8, CentredRounds)])
def test_noise_is_known_before_nearly_as_after(trust, summed, kind, monkeypatch):
    """But for how many people there are, and for where they lie, which an answer tells."""
    monkeypatch.setattr(in_rounds, "MOST_SUMMED", summed)
    asked = centred(trust, PEOPLE, BOX, 2)
    model = PCA(trust, bounds=(-4.0, 6.0), people=PEOPLE, n_components=2, seed=0).fit(ROWS)

    assert isinstance(asked, kind)
    assert asked.noise == pytest.approx(model.noise_, rel=0.05)
    assert asked.lost(1.0) == model.foreseen_loss_
    assert asked.longest == pytest.approx(25.0 * FEATURES)


def test_noise_of_bounds_whose_squares_are_hardly_floats_is_a_number():
    """As of any others, in their unit."""
    near, far = (centred(CENTRAL, PEOPLE, Box.declared((-u, u), 3), 2) for u in (1.0, 1e100))

    assert far.noise == pytest.approx(1e200 * near.noise) and far.lost(1.0) == pytest.approx(
        near.lost(1.0)
    )
