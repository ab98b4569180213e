"""Columns that are quiet beside the noise are left out where directions are nearer for it."""

import numpy as np
import pytest

import tacit
from tacit.estimators import TruncatedSVD
from tacit.estimators.directions import FoundDirections, MatrixNoise
from tacit.estimators.kept_columns import above, kept_columns

COLUMNS, BUSY, MANY = 100, 12, 6


def noise_of(deviation: float, columns: int = COLUMNS) -> MatrixNoise:
    """Gaussian, of this deviation on the diagonal."""
    return MatrixNoise(deviation * np.sqrt((1 + np.eye(columns)) / 2), 2.0)


def noisy(exact: np.ndarray, deviation: float, seed: int) -> np.ndarray:
    drawn = deviation * np.random.default_rng(seed).normal(size=exact.shape)
    return exact + (drawn + drawn.T) / 2


def people(busy: int) -> np.ndarray:
    """Squares that lie along six directions of so many columns, the others being empty: each twice
    what a row of noise of deviation one is long."""
    exact = np.zeros((COLUMNS, COLUMNS))
    turn = np.linalg.qr(np.random.default_rng(7).normal(size=(busy, busy)))[0][:, :MANY]
    exact[:busy, :busy] = 15.0 * turn @ turn.T
    return exact


def held(exact: np.ndarray, directions: np.ndarray) -> float:
    """The share of all squares along them."""
    return float(np.trace(directions @ exact @ directions.T) / np.trace(exact))


def test_directions_of_few_columns_are_nearer():
    """Of twelve columns among a hundred, in the mean over seeds; by more than a tenth of all
    squares."""
    exact, gained = people(BUSY), []
    for seed in range(20):
        moments = noisy(exact, 1.0, seed)
        found = FoundDirections.of_matrix(moments, noise_of(1.0), MANY, np.zeros(COLUMNS))
        whole = np.linalg.eigh(moments)[1][:, -MANY:].T
        gained.append(held(exact, found.directions) - held(exact, whole))
        assert np.allclose(found.directions @ found.directions.T, np.eye(MANY))

    assert np.mean(gained) > 0.1


@pytest.mark.parametrize("deviation", [0.0, 0.3, 1.0])
def test_directions_across_all_columns_keep_them(deviation):
    """Then they are the matrix's own, whatever the noise: as they are of noise alone, but for one
    in ten."""
    for seed in range(10):
        moments = noisy(people(COLUMNS), deviation, seed)
        assert len(kept_columns(moments, noise_of(deviation).within, MANY)) == COLUMNS
    nobody = np.zeros((COLUMNS, COLUMNS))
    fewer = [
        len(kept_columns(noisy(nobody, 1.0, seed), noise_of(1.0).within, MANY)) < COLUMNS
        for seed in range(50)
    ]
    assert sum(fewer) <= 5


def test_without_noise_nothing_is_left_out():
    """Not even columns that nobody has something in; nor where noise is not known."""
    assert len(kept_columns(people(BUSY), noise_of(0.0).within, MANY)) == COLUMNS
    found = FoundDirections.of_matrix(people(BUSY), None, MANY, np.zeros(COLUMNS))
    exact = FoundDirections.of_matrix(people(BUSY), noise_of(0.0), MANY, np.zeros(COLUMNS))
    np.testing.assert_array_equal(found.directions, exact.directions)


def test_no_fewer_columns_are_kept_than_directions():
    """Of as many as there are columns all are kept; of one, one may be."""
    exact = np.diag([100.0] + [0.0] * (COLUMNS - 1))
    moments = noisy(exact, 1.0, 0)

    assert len(kept_columns(moments, noise_of(1.0).within, COLUMNS)) == COLUMNS
    assert 0 in kept_columns(noisy(exact / 4, 1.0, 0), noise_of(1.0).within, 1)
    for many in (2, 50, 99):
        assert len(kept_columns(moments, noise_of(1.0).within, many)) >= many


def test_columns_are_kept_in_their_order():
    """Whichever has the largest squares; and louder noise is that of the columns it is in."""
    moments = noisy(people(BUSY)[::-1, ::-1], 1.0, 3)
    kept = kept_columns(moments, noise_of(1.0).within, MANY)

    assert kept.tolist() == sorted(kept.tolist()) and len(kept) < COLUMNS
    assert np.isin(np.arange(COLUMNS - BUSY, COLUMNS), kept).sum() >= BUSY - 2


def test_what_is_above_noise_is_finite_for_any_unit():
    """Whose squares are no floats, too; and nothing of what noise makes alone, or below zero."""
    assert above(np.array([5.0, 3.0, 2.0, -9.0]), 3.0) == pytest.approx([4.0, 0.0, 0.0, 0.0])
    assert above(np.array([5e200]), 3e200)[0] == pytest.approx(4e200)


def test_shares_are_of_the_whole_and_without_the_noise_that_is_left():
    """What directions of few columns explain is near to what they have, which the noise of all
    columns would take off twice."""
    exact, said, true = people(BUSY), [], []
    for seed in range(20):
        found = FoundDirections.of_matrix(
            noisy(exact, 1.0, seed), noise_of(1.0), MANY, np.zeros(COLUMNS)
        )
        assert found.explained is not None
        said.append(found.explained.sum())
        true.append(held(exact, found.directions))

    assert np.mean(said) == pytest.approx(np.mean(true), abs=0.08)


def test_an_estimator_leaves_out_rare_categories():
    """Those that a fit with a declared number of directions has; with a share it keeps all."""
    host = np.random.default_rng(0)
    rows = np.zeros((3_000, 60))
    rows[np.arange(3_000), host.integers(0, 8, 3_000)] = 1.0
    trust = tacit.Central(0.1, 1e-6)
    fitted = [
        TruncatedSVD(trust, radius=1.0, people=3_000, n_components=many, seed=0).fit(rows)
        for many in (8, 0.9)
    ]
    some, every = ((model.components_ == 0).all(axis=0).sum() for model in fitted)

    assert some > 20 and every == 0


def test_only_directions_that_are_asked_for_count():
    """One loud direction of ten columns, and five of thirty each: for one, the ten are enough, or a
    few more as they happen to be tried; for six, all are needed."""
    exact, end = np.zeros((200, 200)), 0
    for columns in (10, *(30,) * 5):
        along = slice(end, end + columns)
        exact[along, along] = 16.0 / columns
        end += columns

    assert 10 <= len(kept_columns(exact, lambda kept: len(kept) ** 0.5, 1)) < 16
    assert len(kept_columns(exact, lambda kept: len(kept) ** 0.5, 6)) > 150
