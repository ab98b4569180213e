"""Limits of means and covariances: they hold as often as is said, and are not idle."""

from types import SimpleNamespace

import numpy as np
import pytest

import tacit
from measured import answers
from tacit.statistics.covariances import BoundedCovariance
from tacit.statistics.moment_limits import _squares

REPLACE = tacit.Relation.REPLACE_ONE
BOUNDS, PEOPLE, RUNS, CONFIDENCE = ([0.0, -1.0], [100.0, 1.0]), 2_000, 300, 0.8
KINDS = (tacit.Relation.ADD_REMOVE, REPLACE)
TRUSTS = [tacit.Central(1.0, delta, each) for each in KINDS for delta in (0.0, 1e-6)]
PAIRS = np.triu_indices(2)


def rows() -> np.ndarray:
    """One column near an end of its bounds, so that means bear on covariances; both correlated."""
    host = np.random.default_rng(0)
    first = np.clip(host.normal(85, 12, PEOPLE), 0, 100)
    return np.column_stack([first, np.clip((first - 50) / 50 + host.normal(0, 0.3, PEOPLE), -1, 1)])


def found(trust, people: np.ndarray, declared: int = PEOPLE) -> list:
    asked = BoundedCovariance(BOUNDS, 2, trust, declared)
    drawn = answers(asked.plan, asked.terms(people), RUNS, 0)
    return [asked.read(SimpleNamespace(answer=own), ("a", "b")) for own in drawn]


def missed(limits: list, exact: np.ndarray, part: float = 1.0) -> np.ndarray:
    """How often each exact number is outside of this part of its interval."""
    off = [np.abs(exact - (own.lower + own.upper) / 2) for own in limits]
    return np.mean(
        [far > part * (own.upper - own.lower) / 2 for far, own in zip(off, limits, strict=True)],
        axis=0,
    )


@pytest.mark.parametrize("trust", TRUSTS, ids=lambda trust: f"{trust.relation}, {trust.delta:g}")
def test_limits_hold_as_often_as_is_said(trust):
    """At 80%, up to five deviations of the number of runs; two-thirds of them would not."""
    people = rows()
    read = found(trust, people)
    spare = 5 * (CONFIDENCE * (1 - CONFIDENCE) / RUNS) ** 0.5
    covered = missed(
        [own.covariance_limits(CONFIDENCE) for own in read], np.cov(people.T, bias=True)
    )
    means = missed([own.mean_limits(CONFIDENCE) for own in read], people.mean(axis=0))
    narrow = missed([own.mean_limits(CONFIDENCE) for own in read], people.mean(axis=0), part=2 / 3)

    assert covered.max() < 1 - CONFIDENCE + spare and means.max() < 1 - CONFIDENCE + spare
    assert covered[PAIRS].min() > 0.06 and means.min() > 0.1
    assert narrow.max() > 1 - CONFIDENCE + spare


@pytest.mark.parametrize("apart", [0.0, 0.3, 2.0])
def test_squares_are_above_all_that_are_so_near(apart):
    """Of random matrices, and along the weights themselves, where nothing is to spare."""
    host = np.random.default_rng(0)
    weights = host.normal(size=(200, 3, 3))
    weights[:50] = np.einsum("ni,nj->nij", weights[:50, 0], weights[:50, 0])
    weights = (weights + weights.transpose(0, 2, 1)) / 2
    turned = host.normal(size=weights.shape)
    turned = (turned + turned.transpose(0, 2, 1)) / 2
    above = _squares(weights, np.full(200, apart))
    for along in (weights, -weights, turned):
        near = weights + apart * along / np.linalg.norm(along, axis=(1, 2))[:, None, None]
        assert np.linalg.eigvalsh(above - near @ near).min() > -1e-9
    longest = (1 + apart / np.linalg.norm(weights[:50], axis=(1, 2)))[:, None, None] * weights[:50]
    tight = np.linalg.eigvalsh(above[:50]) - np.linalg.eigvalsh(longest @ longest)

    assert np.abs(tight[:, -1]).max() < 1e-9 * (1 + np.abs(above).max())


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("people", [0, 1, 3])
def test_of_few_people_limits_are_what_bounds_allow(people, delta):
    """At most: they hold for nobody and for one, whatever noise says."""
    own = rows()[:people]
    exact = np.cov(own.T, bias=True) if people > 1 else np.zeros((2, 2))
    for read in found(tacit.Central(0.1, delta), own, 3)[:20]:
        lower, upper = read.covariance_limits()
        assert (lower <= exact).all() and (exact <= upper).all()
        assert np.diag(upper) == pytest.approx([2500.0, 1.0]) and (np.diag(lower) == 0).all()
        assert (np.abs(lower) <= [[2500.1, 50.1], [50.1, 1.1]]).all()
        assert read.mean_limits().lower == pytest.approx([0, -1])


def test_without_noise_limits_are_the_numbers():
    """But for what people's numbers are rounded by."""
    exact, corners = np.cov(rows().T, bias=True), np.array([[0.0, -1.0], [100.0, 1.0]] * 9)
    (own,) = found(tacit.NonPrivate(), rows())[:1]
    (ends,) = found(tacit.NonPrivate(), corners, 18)[:1]
    lower, upper = own.covariance_limits()

    assert (lower <= exact).all() and (exact <= upper).all()
    assert (upper - lower < np.array([[4.0, 0.1], [0.1, 0.002]])).all()
    assert ends.covariance == pytest.approx(np.cov(corners.T, bias=True), rel=1e-3)


def test_of_reports_bounds_are_all_that_is_known():
    """Whatever they say."""
    local = found(tacit.Local(8.0), rows()[:40], 40)[0].covariance_limits()

    assert local.lower == pytest.approx(np.array([[0, -50.0], [-50.0, 0]]))
    assert local.upper == pytest.approx(np.array([[2500.0, 50.0], [50.0, 1.0]]))


@pytest.mark.parametrize("confidence", [0, 1, -0.5, "0.9", float("nan"), True])
def test_a_confidence_that_is_none_is_refused(confidence):
    """Of a mean and of a covariance."""
    (own,) = found(tacit.NonPrivate(), rows())[:1]
    for asked in (own.mean_limits, own.covariance_limits):
        with pytest.raises(ValueError, match="confidence must be above 0 and below 1"):
            asked(confidence)
