"""Directions of rows that are not centred, before the data and after."""

import numpy as np
import pytest

import tacit
from tacit.estimators import TruncatedSVD, in_rounds
from tacit.estimators.plain_directions import PlainMatrix, PlainRounds, plain

CENTRAL, PURE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)
PEOPLE, FEATURES = 2_000, 12
ROWS = np.random.default_rng(0).normal(size=(PEOPLE, FEATURES))


@pytest.mark.parametrize("trust", [CENTRAL, PURE])
@pytest.mark.parametrize("summed, kind", [(2**24, PlainMatrix), (FEATURES * 8, PlainRounds)])
def test_noise_is_known_before_as_after(trust, summed, kind, monkeypatch):
    """To the last number, of a matrix and of rounds; in the square of the radius."""
    monkeypatch.setattr(in_rounds, "MOST_SUMMED", summed)
    asked, wide = (plain(trust, PEOPLE, FEATURES, radius, 2) for radius in (5.0, 50.0))
    model = TruncatedSVD(trust, radius=5.0, people=PEOPLE, n_components=2, seed=0).fit(ROWS)

    assert isinstance(asked, kind)
    assert asked.noise == model.noise_ and asked.lost(1.0) == model.foreseen_loss_
    assert wide.noise == pytest.approx(100 * asked.noise) and wide.longest == 2_500.0
    assert wide.lost(1.0) == pytest.approx(asked.lost(1.0), rel=1e-4)


def test_a_matrix_tells_what_its_directions_explain():
    """Of all squares, without the noise that is in them; none of rounds."""
    long = ROWS * [3.0, *[0.1] * (FEATURES - 1)]
    model = TruncatedSVD(CENTRAL, radius=10.0, people=PEOPLE, n_components=1, seed=0).fit(long)
    moments = long.T @ long
    true = model.components_[0] @ moments @ model.components_[0] / np.trace(moments)

    assert model.explained_second_moment_ratio_[0] == pytest.approx(true, abs=0.05)
