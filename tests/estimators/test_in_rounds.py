"""Directions in rounds: when they are asked for, and what comes of them in the data's units."""

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import hadamard

import tacit
from tacit.estimators import PCA, TruncatedSVD, in_rounds
from tacit.estimators.in_rounds import is_reported_whole, lost_to, search_of
from tacit.learning.subspace_rounds import values_of

REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL, LOUD = tacit.Central(1.0, 1e-6), tacit.Central(16.0, 1e-6)
FEDERATED = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE))
PEOPLE, FEATURES = 4_000, 30


def rows() -> np.ndarray:
    """Two directions among many columns, about a mean that is longer than either."""
    host = np.random.default_rng(0)
    turn = np.linalg.qr(host.normal(size=(FEATURES, 2)))[0]
    spread = host.normal(size=(PEOPLE, 2)) * [3.0, 2.0] @ turn.T
    return np.clip(spread + 0.1 * host.normal(size=(PEOPLE, FEATURES)) + 1.0, -4, 6)


X = rows()


@pytest.fixture
def narrow(monkeypatch):
    """No sum has room for all squares of these columns."""
    monkeypatch.setattr(in_rounds, "MOST_SUMMED", FEATURES * 24)


@pytest.mark.parametrize(
    "trust, dim, whole",
    [
        (CENTRAL, 4096, True),
        (CENTRAL, 4097, False),
        (tacit.NonPrivate(), 4097, False),
        (tacit.Local(8.0), 361, True),
        (tacit.Local(8.0), 362, False),
        (tacit.Local(8.0, upload=200), 4, False),
        (FEDERATED, 362, False),
    ],
)
def test_the_matrix_is_asked_for_while_there_is_room_for_it(trust, dim, whole):
    """In a sum for whom a curator is trusted, in each report else; never in a limited report."""
    assert is_reported_whole(trust, dim) is whole
    if not isinstance(trust, tacit.Federated):
        assert (search_of(trust, 10_000, dim, 0, 2).rounds is None) is whole


def test_a_share_of_the_variance_and_all_directions_need_the_matrix():
    """Rounds are of a declared number; one that is refused anyway is left to its refusal."""
    for wanted in (None, 0.5, 0, 5_001, "2"):
        assert search_of(CENTRAL, 10_000, 5_000, 0, wanted).rounds is None
    assert search_of(CENTRAL, 10_000, 5_000, 0, np.int64(2)).rounds is not None


def test_of_federated_reports_the_way_of_the_least_loss_is_taken():
    """Noise on sums grows with the length of reports, and a matrix's are long."""
    assert search_of(FEDERATED, 10_000, 4, 0, 2).rounds is None
    loud = tacit.Federated(100.0, tacit.Central(0.5, 1e-6, REPLACE))
    found = search_of(loud, 100_000, 300, 0, 2).rounds

    assert found is not None
    assert found.lost < in_rounds.lost_of_whole(found)
    assert found.plan.sums.participation == tacit.Once()
    unknown = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE), radius=0.1)
    assert search_of(unknown, 10_000, 300, 0, 2).rounds is None


def test_secret_numbers_of_devices_are_refused_where_only_rounds_are_left():
    """Cohorts are cut from a public number of people."""
    secret = tacit.Federated(8.0, CENTRAL)
    assert search_of(secret, 10_000, 300, 0, 2).rounds is None
    with pytest.raises(ValueError, match="a federated search for directions is of a public"):
        search_of(secret, 10_000, 400, 0, 2)


def test_more_columns_are_tried_where_noise_does_not_grow_with_them(narrow):
    """And no more than there is room for."""
    found = search_of(CENTRAL, PEOPLE, FEATURES, 0, 2).rounds
    assert found is not None and found.columns == 24
    assert search_of(tacit.NonPrivate(), PEOPLE, FEATURES, 0, 2).rounds.columns == 24


def test_directions_and_squares_of_rounds_are_near_the_exact_ones(narrow):
    """Of rows that are not centred, in their own units; the receipt is of a ball."""
    model = TruncatedSVD(CENTRAL, radius=10.0, people=PEOPLE, n_components=2, seed=0).fit(X)
    values, vectors = np.linalg.eigh(X.T @ X / PEOPLE)

    assert np.linalg.svd(model.components_ @ vectors[:, -2:])[1].min() > 0.97
    assert np.abs(model.explained_second_moment_ - values[:-3:-1]).max() < model.noise_
    assert model.singular_values_ == pytest.approx((model.explained_second_moment_ * PEOPLE) ** 0.5)
    assert model.explained_second_moment_ratio_ is None and model.n_components_ == 2
    assert model.receipt_["plan"]["question"]["sums"]["contribution"]["type"] == "Ball"


@pytest.mark.parametrize("trust, near", [(LOUD, 0.3), (tacit.NonPrivate(), 1e-3)])
def test_directions_of_rounds_are_the_covariances(trust, near, narrow):
    """The mean comes with them, and none of it is in them; fewer people than declared are fewer."""
    bounds = (np.full(FEATURES, -4.0), np.full(FEATURES, 6.0))
    model = PCA(trust, bounds=bounds, people=2 * PEOPLE, n_components=2, seed=0).fit(X)
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))

    assert np.linalg.svd(model.components_ @ vectors[:, -2:])[1].min() > 1 - near / 4
    assert np.abs(model.mean_ - X.mean(axis=0)).max() < 2 * near
    off = np.abs(model.explained_variance_ - values[:-3:-1]).max()
    assert off < (model.noise_ if near > 0.01 else near * values[-1])
    assert model.covariance_ is None and model.explained_variance_ratio_ is None
    assert model.transform(X[:3]).shape == (3, 2)


def test_limited_reports_find_a_direction():
    """That was refused: a report of all squares has no limit of bytes."""
    trust, exact = tacit.Local(8.0, upload=400), np.array([0.6, 0.0, 0.8, 0.0])
    host = np.random.default_rng(0)
    people = np.clip(host.normal(size=(20_000, 1)) * exact, -1.5, 1.5)
    model = PCA(trust, bounds=(-1.5, 1.5), n_components=1, seed=0).fit(people)

    assert abs(model.components_[0] @ exact) > 0.97


def far_out(axes: int, many: int) -> np.ndarray:
    """People along the columns of an orthogonal matrix, on both sides: half along the first."""
    first = np.repeat(np.arange(many), 32 * axes // many)
    along = np.concatenate([first, np.resize(np.arange(many, axes), len(first))])
    signs = np.where(np.arange(len(along)) % 2, 1.0, -1.0)
    return signs[:, None] * hadamard(axes)[along]


AXES, SOUGHT = 64, 2


def lost_by(kind, own: dict, seeds: int) -> tuple[float, float]:
    """What fits lose of the directions that most lie along, on average; and what was foreseen."""
    people, sought = far_out(AXES, SOUGHT), hadamard(AXES)[:SOUGHT] / AXES**0.5
    trust, lost, foreseen = tacit.Central(0.3, 1e-6), [], 0.0
    for seed in range(seeds):
        model = kind(trust, **own, people=len(people), n_components=SOUGHT, seed=seed).fit(people)
        lost.append(1 - np.sum((model.components_ @ sought.T) ** 2) / SOUGHT)
        foreseen = model.foreseen_loss_
    return float(np.mean(lost)), foreseen


def test_noise_of_a_matrix_turns_its_directions_as_far_as_is_foreseen():
    """Those of squares as public numbers have them, twelve times, with normal noise."""
    many, rest, deviation = 12, AXES - SOUGHT, 0.001
    squares = np.diag(np.repeat(values_of(SOUGHT, AXES), (SOUGHT, rest)))
    drawn = deviation * np.random.default_rng(0).normal(size=(many, AXES, AXES))
    noise = np.tril(drawn) + np.swapaxes(np.tril(drawn, -1), 1, 2)
    found = np.linalg.eigh(squares + noise)[1][:, :SOUGHT, -SOUGHT:]
    lost = 1 - np.sum(found**2) / (many * SOUGHT)
    foreseen = lost_to(deviation * AXES**0.5, SOUGHT, AXES)
    free = many * SOUGHT * rest
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], free) / free

    assert 0.0005 < foreseen < 0.02
    assert 0.9 * low * foreseen < lost < high * foreseen


KINDS = [(TruncatedSVD, {"radius": AXES**0.5}), (PCA, {"bounds": (-1.0, 1.0)})]


@pytest.mark.parametrize("kind, own", KINDS)
def test_what_a_matrix_is_foreseen_to_lose_is_lost(kind, own):
    """Squares of normal noise, to first order, on all axes but those that are sought."""
    seeds = 12
    lost, foreseen = lost_by(kind, own, seeds)
    free = SOUGHT * (AXES - SOUGHT) * seeds
    low, high = stats.chi2.ppf([1e-4, 1 - 1e-4], free) / free

    assert 0.001 < foreseen < 0.02
    assert 0.9 * low * foreseen < lost < high * foreseen


@pytest.mark.parametrize("kind, own", KINDS)
def test_no_more_is_lost_in_rounds_than_is_foreseen(kind, own, monkeypatch):
    """And half of it at least."""
    monkeypatch.setattr(in_rounds, "MOST_SUMMED", AXES**2 - 1)
    lost, foreseen = lost_by(kind, own, 4)

    assert foreseen < 0.05
    assert foreseen / 2 < lost < foreseen


@pytest.mark.parametrize("wanted", [None, 0.5])
@pytest.mark.parametrize(
    "kind, own", [(TruncatedSVD, {"radius": 10.0}), (PCA, {"bounds": (-4.0, 6.0)})]
)
def test_a_loss_is_foreseen_of_a_declared_number_alone(kind, own, wanted):
    """A share of the variance, or all directions: what is lost of them is not one number."""
    model = kind(LOUD, **own, people=PEOPLE, n_components=wanted).fit(X)
    assert model.foreseen_loss_ is None


def test_no_loss_is_foreseen_of_a_sum_that_says_nothing():
    """Of a mean outside of the ball that is declared for it."""
    central = tacit.Central(1.0, 1e-6, REPLACE)
    unknown = tacit.Federated(8.0, central, radius=0.1)
    model = TruncatedSVD(unknown, radius=10.0, n_components=2, seed=0).fit(X)
    assert model.foreseen_loss_ is None


def test_of_many_columns_what_has_room_is_planned():
    """Wide rounds whose pure noise no sum has room for are not taken."""
    asked = PCA(tacit.Central(1.0, 0.0, REPLACE), bounds=(0.0, 1.0), n_components=3, people=1_000)
    assert asked.plan(10_000).plan.guarantees[0].epsilon <= 1.0


def test_of_columns_that_nothing_has_room_for_it_is_said_what_would_do():
    """By name."""
    asked = PCA(tacit.Central(0.01, 0.0, REPLACE), bounds=(0.0, 1.0), n_components=3, people=1_000)
    said = "columns and n_components must be fewer, epsilon larger or delta positive"
    with pytest.raises(ValueError, match=said):
        asked.plan(10_000)
