"""Directions of a matrix: the largest first, with a sign of their own."""

import numpy as np
import pytest

import tacit
from tacit.estimators import PCA, TruncatedSVD
from tacit.estimators.directions import (
    count_of,
    largest,
    largest_of_noise,
    refuse_no_count,
    shares_of,
)


def test_directions_are_those_of_the_largest_eigenvalues():
    """In their order, each with its largest number positive; negative eigenvalues are zero."""
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    rows, values = largest(turn @ np.diag([5.0, -1.0, 2.0]) @ turn.T)

    assert np.allclose(values, [5.0, 2.0, 0.0])
    assert np.allclose(np.abs(rows @ turn), np.eye(3)[[0, 2, 1]])
    assert (rows[np.arange(3), np.abs(rows).argmax(axis=1)] > 0).all()


def test_shares_are_of_the_trace_or_of_what_was_found():
    """Noise may leave less of a trace than its largest eigenvalues; without one, nothing."""
    assert shares_of(np.array([2.0]), np.diag([2.0, 2.0])).tolist() == [0.5]
    assert shares_of(np.array([2.0]), np.diag([2.0, -3.0])).tolist() == [1.0]
    assert shares_of(np.array([0.0]), np.zeros((2, 2))).tolist() == [0.0]


@pytest.mark.parametrize(
    "asked, kept", [(None, 4), (2, 2), (1, 1), (0.5, 1), (0.6, 1), (0.61, 2), (0.9, 2), (0.95, 3)]
)
def test_a_share_keeps_the_fewest_directions_that_hold_it(asked, kept):
    """Of the sum of those above the noise: nothing is held by what noise alone may have made."""
    assert count_of(asked, np.array([6.0, 3.0, 1.0, 0.5]), 0.5) == kept


def test_one_direction_is_kept_where_all_is_noise():
    """There is no share of nothing."""
    assert count_of(0.9, np.array([2.0, 1.0]), 2.0) == 1
    assert count_of(0.9, np.zeros(3), 0.0) == 1


def test_noise_alone_is_hardly_above_what_is_said_of_it():
    """Twenty matrices of 60 rows with two scales: near the bound, and not a tenth above it."""
    host, scales = np.random.default_rng(2), np.repeat([1.0, 0.2], 30)
    errors = np.outer(scales, scales) * np.sqrt((1 + np.eye(60)) / 2)
    drawn = host.normal(size=(20, 60, 60))
    symmetric = (np.triu(drawn) + np.triu(drawn, 1).transpose(0, 2, 1)) * errors
    tops = np.linalg.eigvalsh(symmetric)[:, -1]

    assert 0.8 <= tops.mean() / largest_of_noise(errors) and tops.max() <= 1.1 * (
        largest_of_noise(errors)
    )


@pytest.mark.parametrize("many", [0, 5, 1.5, 0.0, -0.5, float("nan"), "mle", True])
def test_what_is_no_number_of_directions_is_refused(many):
    """The sentence names what there may be."""
    with pytest.raises(ValueError, match="from 1 to the number of features, 4, a share above 0"):
        refuse_no_count(many, 4)


@pytest.mark.parametrize("estimator", [PCA(bounds=(-1, 1)), TruncatedSVD(radius=1.0)])
def test_no_share_is_of_noise_that_is_not_known(estimator, tmp_path):
    """Of reports cut to a radius; and nothing is charged for what cannot be answered."""
    curator = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)
    ledger = tacit.Ledger(tmp_path / "l.db")
    asked = {"trust": tacit.Federated(8.0, curator, radius=0.5), "ledger": ledger}
    with pytest.raises(ValueError, match="noise of these reports is not known"):
        estimator.set_params(n_components=0.9, **asked).fit(np.ones((9, 2)))

    assert [] == ledger.history("people")
