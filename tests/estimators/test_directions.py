"""Directions of a matrix: the largest first, with a sign of their own."""

import numpy as np
import pytest

import tacit
from tacit.estimators import PCA, TruncatedSVD
from tacit.estimators.directions import (
    FoundDirections,
    MatrixNoise,
    explained_of,
    fewest,
    largest,
    largest_noise,
    matrix_noise,
    refuse_no_count,
    row_of,
)
from tacit.statistics.covariances import BoundedCovariance

PURE, DELTA = (
    BoundedCovariance((-1.0, 1.0), 59, tacit.Central(1.0, delta), 1_000) for delta in (0.0, 1e-6)
)


def test_directions_are_those_of_the_largest_eigenvalues():
    """In their order, each with its largest number positive; negative eigenvalues are zero."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    rows, values = largest(turn @ np.diag([5.0, -1.0, 2.0]) @ turn.T)

    assert np.allclose(values, [5.0, 2.0, 0.0])
    assert np.allclose(np.abs(rows @ turn), np.eye(3)[[0, 2, 1]])
    assert (rows[np.arange(3), np.abs(rows).argmax(axis=1)] > 0).all()


def spiked(people: float, plan_of: BoundedCovariance, seed: int) -> tuple[float, float]:
    """What the first of two hundred columns is said to explain, of one along which people have this
    many deviations s of noise's rows and nothing beside; and what it does."""
    host, size = np.random.default_rng(seed), 200
    exact = np.zeros((size, size))
    exact[0, 0] = people
    noise = host.normal(size=(size, size)) / np.sqrt(size)
    noise = (noise + noise.T) / 2**0.5
    if plan_of is PURE:
        one, other = host.normal(size=(2, size, size + 1))
        noise = (one @ one.T - other @ other.T) / (size * 2**0.5)
    found = FoundDirections.of_matrix(
        exact + noise, matrix_noise(errors(), plan_of.plan), 1, np.zeros(size)
    )
    assert found.explained is not None
    return float(found.explained[0]), float(found.directions[0, 0] ** 2)


def errors() -> np.ndarray:
    """Of two hundred columns, whose rows are off by one together."""
    return np.sqrt((1 + np.eye(200)) / 201)


@pytest.mark.parametrize(
    "plan_of, people, short",
    [(DELTA, 1.5, 0.25), (DELTA, 3.0, 0.1), (DELTA, 20.0, 0.03), (PURE, 3.0, 0.13)],
)
def test_a_direction_explains_what_is_not_noise(plan_of, people, short):
    """All variance lies along one axis: what a direction explains is what it has of that axis, or
    less where the trace is not told from noise, or noise is of Wisharts.

    Of 1.5 deviations it has a half, where the eigenvalue alone, noise included, is more than all
    there is."""
    said, true = np.mean([spiked(people, plan_of, seed) for seed in range(40)], axis=0)

    assert true - short < said < true + 0.02


def test_noise_alone_explains_nothing():
    """Gaussian or of Wisharts, but for one matrix in six (Tracy and Widom); and then a little."""
    for plan_of in (PURE, DELTA):
        said = np.array([spiked(0.0, plan_of, seed)[0] for seed in range(100)])

        assert (said > 0).sum() <= 30 and said.mean() < 0.05 and said.max() < 0.4


def test_shares_are_of_the_trace_and_of_no_less_than_noise_makes():
    """Noise may leave less of a trace than its largest eigenvalues; without one, nothing."""
    cases = [
        ([2.0, 2.0], [2.0, 2.0], 0.0, [0.5, 0.5]),
        ([5.0, 1.0], [5.0, 1.0], 3.0, [4 / 6, 0.0]),
        ([5.0, 0.0], [5.0, -9.0], 3.0, [1.0, 0.0]),
        ([3.1, 0.0], [3.1, -3.0], 3.0, [0.61**0.5 / 3, 0.0]),
        ([0.0, 0.0], [0.0, 0.0], 0.0, [0.0, 0.0]),
        ([5e200, 1e200], [5e200, 1e200], 3e200, [4 / 6, 0.0]),
    ]
    for values, diagonal, noise, shares in cases:
        assert explained_of(np.array(values), np.diag(diagonal), noise, noise) == pytest.approx(
            shares
        )


def loud(noise: float, columns: int) -> MatrixNoise:
    """So loud that it makes such an eigenvalue in so many columns, all alike."""
    return MatrixNoise(np.full((columns, columns), noise / columns**0.5), 1.0)


@pytest.mark.parametrize("asked, kept", [(0.5, 1), (0.61, 2), (0.89, 2), (0.91, 3), (0.97, 3)])
def test_a_share_keeps_the_fewest_directions_that_explain_it(asked, kept):
    """By the numbers that are told; all that are above the noise, where these do not suffice."""
    assert fewest(asked, np.array([0.6, 0.3, 0.05, 0.0])) == kept
    matrix = np.diag([6.0, 3.0, 0.6, 0.4])
    found = FoundDirections.of_matrix(matrix, loud(0.5, 4), asked, np.zeros(4))

    assert found.explained is not None and len(found.explained) == len(found.directions) == kept
    assert found.explained.sum() >= min(
        asked, explained_of(np.diag(matrix), matrix, 0.5, 0.5).sum()
    )


def test_one_direction_is_kept_where_all_is_noise():
    """There is no share of nothing."""
    assert fewest(0.9, np.zeros(3)) == 1
    assert (
        len(FoundDirections.of_matrix(np.diag([2.0, 1.0]), loud(2.0, 2), 0.9, np.zeros(2)).squares)
        == 1
    )


def test_nothing_is_said_of_shares_where_noise_is_not_known():
    """All directions are found, or as many as are declared."""
    for wanted, many in ((None, 2), (1, 1)):
        found = FoundDirections.of_matrix(np.diag([2.0, 1.0]), None, wanted, np.zeros(2))
        assert found.explained is None and found.noise is None and len(found.directions) == many


@pytest.mark.parametrize("plan_of", [PURE, DELTA], ids=["Wisharts", "Gaussian"])
def test_noise_alone_is_hardly_above_what_is_said_of_it(plan_of):
    """Drawn as it is released, of 59 columns: near, in the mean, and seldom more than a tenth above
    it. Of Gaussian noise the edge is 2 deviations of a row, of Wisharts a sixth more."""
    told = largest_noise(plan_of.rmse, plan_of.plan)
    edge = told / row_of(plan_of.rmse)
    host, rows = np.random.default_rng(2), 59
    tops = []
    for _ in range(40):
        square = host.normal(size=(rows, rows)) / 2**0.5
        drawn = (square + square.T) * row_of(plan_of.rmse) / (rows + 1) ** 0.5
        if plan_of is PURE:
            one, other = host.normal(size=(2, rows, rows + 1))
            drawn = (one @ one.T - other @ other.T) * row_of(plan_of.rmse) / (rows + 1) / 2**0.5
        tops.append(np.linalg.eigvalsh(drawn)[-1])

    assert edge == pytest.approx(2.3548 if plan_of is PURE else 2.0, rel=1e-4)
    assert 0.9 <= np.mean(tops) / told <= 1.0 and max(tops) <= 1.1 * told


def test_rows_of_any_unit_are_added_up():
    """Whose squares are no floats, too; the one with the most noise."""
    loud = np.array([[3.0, 4.0], [4.0, 0.0]])
    for unit in (1e-200, 1.0, 1e200):
        assert row_of(unit * loud) == pytest.approx(5 * unit)
    assert row_of(np.zeros((2, 2))) == 0.0


@pytest.mark.parametrize("many", [0, 5, 1.5, 0.0, -0.5, float("nan"), "mle", True])
def test_what_is_no_number_of_directions_is_refused(many):
    """The sentence names what there may be."""
    with pytest.raises(ValueError, match="from 1 to the number of features, 4, a share above 0"):
        refuse_no_count(many, 4)


@pytest.mark.parametrize("estimator", [PCA(bounds=(-1, 1)), TruncatedSVD(radius=1.0)])
def test_noise_that_is_not_known_is_none(estimator):
    """Of reports cut to a radius: as the loss is, beside it; and no shares are told."""
    curator = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    trust = tacit.Federated(8.0, curator, radius=0.5)
    found = estimator.set_params(trust=trust, n_components=2, seed=0).fit(np.ones((9, 2)))

    assert found.noise_ is None and found.foreseen_loss_ is None
    assert len(found.components_) == 2


@pytest.mark.parametrize("estimator", [PCA(bounds=(-1, 1)), TruncatedSVD(radius=1.0)])
def test_no_share_is_of_noise_that_is_not_known(estimator, tmp_path):
    """Of reports cut to a radius; and nothing is charged for what cannot be answered."""
    curator = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    ledger = tacit.Ledger(tmp_path / "l.db")
    asked = {"trust": tacit.Federated(8.0, curator, radius=0.5), "ledger": ledger}
    with pytest.raises(ValueError, match="noise of these reports is not known"):
        estimator.set_params(n_components=0.9, **asked).fit(np.ones((9, 2)))

    assert [] == ledger.history("people")
