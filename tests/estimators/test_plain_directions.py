"""Directions of rows that are not centred, before the data and after."""

import numpy as np
import pytest

import tacit
from tacit.estimators import TruncatedSVD, in_rounds
from tacit.estimators.plain_directions import PlainMatrix, PlainRounds, plain, shortened

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


def test_rows_are_shortened_before_their_squares_overflow():
    """To the radius, along themselves; a row that is no longer than that stays as it is."""
    rows = np.array([[1e30, 0.0], [-3e300, 4e300], [3.0, 4.0], [0.0, 0.0], [1e-300, 0.0]])
    made = shortened(rows, 5.0, 5.0)

    assert made.dtype == np.float32
    np.testing.assert_allclose(made[:4], [[1, 0], [-0.6, 0.8], [0.6, 0.8], [0, 0]], rtol=1e-6)
    assert not made[4:].any()


@pytest.mark.parametrize("summed", [2**24, 2 * 2])
def test_rows_of_any_length_count_as_long_as_the_radius(summed, monkeypatch):
    """Of a matrix and of rounds, though their squares are beyond float32."""
    monkeypatch.setattr(in_rounds, "MOST_SUMMED", summed)
    model = TruncatedSVD(tacit.NonPrivate(), radius=2.0, n_components=1, seed=0)
    far, near = (
        model.fit(np.tile([[length, 0.0, 0.0]], (50, 1))).explained_second_moment_
        for length in (1e30, 2.0)
    )

    assert far == pytest.approx(near, rel=1e-6) and far == pytest.approx([4.0], rel=1e-2)
