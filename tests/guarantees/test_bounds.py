"""Every bound against every other valid one, and against the truth, on a few hundred settings.

The accountant must lie above what a release costs and below every other bound that could have been
used for it. What a release costs is computed here a second time, without the library's grids and
transforms: a *law* is one direction of a pair, given by its exact hockey-stick profile and by
quadrature nodes of its loss, and

    delta of two releases (e) = the mean over the first one's loss l of delta of the other (e - l),

which needs the profile at every real e. Discrete losses that are multiples of one number are
convolved as they are. An accountant's epsilon e with slack s is *right* at delta if the exact delta
at e is at most delta, and at e - s at least delta; *tight*, if just below e it is more than delta.
Each family ends with what must fail the same comparison.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer
from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon
from scipy.optimize import root_scalar
from scipy.special import expit, log_ndtr, ndtr
from scipy.stats import beta, binom, norm

from tacit.accounting import events
from tacit.accounting.accountant import Certified, cross_check, delta, epsilon
from tacit.accounting.kind import MOST_CELLS
from tacit.accounting.kinds import kind_of
from tacit.accounting.pairs.subsampled import amplified
from tacit.accounting.relation import Relation
from tacit.accounting.theorems import classical, iteration, shuffle_bounds

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
DELTAS = (1e-3, 1e-6, 1e-10)
ROUNDING = 1e-8
TIGHT = 1e-3
GRID = 3e-4

Truth = Callable[[float], float]


@dataclass(frozen=True)
class Law:
    """One direction of a pair: nodes of its loss, its mass there, and its profile at any epsilon.

    Mass that is not at the nodes is an infinite loss.
    """

    losses: np.ndarray
    masses: np.ndarray
    profile: Callable[[np.ndarray], np.ndarray]


def truth(*releases: Sequence[Law]) -> Truth:
    """The exact delta of all releases, each given by its directions; the larger direction."""

    def one(laws: Sequence[Law], at: float) -> float:
        *first, last = laws
        losses, masses = np.zeros(1), np.ones(1)
        for law in first:
            losses = np.add.outer(losses, law.losses).ravel()
            masses = np.multiply.outer(masses, law.masses).ravel()
        return float(masses @ last.profile(at - losses)) + max(0.0, 1 - float(masses.sum()))

    return lambda at: max(one(laws, at) for laws in zip(*releases, strict=True))


def repeats(make: Callable[[float], Sequence[Law]], count: int) -> Truth:
    """The exact delta of `count` equal releases, whose nodes may depend on epsilon."""
    return lambda at: truth(*[make(at)] * count)(at)


def lattice(unit: float, masses: np.ndarray, count: int) -> Truth:
    """The exact delta of `count` releases whose losses are unit * (n - 1 - 2 i), of masses[i]."""
    total = np.ones(1)
    for _ in range(count):
        total = np.convolve(total, masses)
    losses = unit * (len(total) - 1 - 2 * np.arange(len(total)))
    return lambda at: float(-np.expm1(np.minimum(at - losses, 0.0)) @ total)


def is_right(account: Certified, exact: Truth) -> bool:
    """Not below the exact epsilon, and not above it by more than the slack."""
    high, low = account.epsilon, account.epsilon - account.slack
    if not math.isfinite(high):
        return False
    private = exact(high * (1 + 1e-12)) <= account.delta * (1 + ROUNDING)
    return private and (low <= 0 or exact(low * (1 - 1e-9)) >= account.delta * (1 - ROUNDING))


def is_tight(account: Certified, exact: Truth, by: float = TIGHT, step: float = 1e-6) -> bool:
    """A fraction `by` less, or a millionth or what `step` is given, would not be private."""
    less = account.epsilon * (1 - by) - step
    return less <= 0 or exact(less) > account.delta


def nodes(edges: Sequence[float], panels: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on `panels` equal parts of every piece between edges."""
    points, weights = np.polynomial.legendre.leggauss(12)
    pieces = [np.linspace(a, b, panels + 1) for a, b in itertools.pairwise(edges)]
    ends = np.unique(np.concatenate(pieces))
    half = np.diff(ends) / 2
    return ((ends[:-1] + half)[:, None] + half[:, None] * points).ravel(), np.outer(
        half, weights
    ).ravel()


def root(function: Truth, low: float, high: float) -> float:
    """Where the function changes its sign."""
    return root_scalar(function, bracket=(low, high), xtol=1e-14).root


def above(at: np.ndarray, profile: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """A symmetric pair's profile at every real epsilon, from that at the positive ones."""
    at = np.asarray(at, float)
    positive = profile(np.abs(at))
    return np.where(at >= 0, positive, -np.expm1(np.minimum(at, 0)) + np.exp(at) * positive)


# The laws.


def gaussian_profile(distance: float, at: np.ndarray) -> np.ndarray:
    """N(0, 1) against N(distance, 1)."""
    at, half = np.asarray(at, float), distance / 2
    return ndtr(half - at / distance) - np.exp(at + log_ndtr(-half - at / distance))


def gaussian(multiplier: float) -> tuple[Law, Law]:
    """The Gaussian mechanism, symmetric."""
    distance = 1 / multiplier
    x, widths = nodes((-12 - distance, 12 + distance), 60)
    one = Law(
        distance * (x + distance / 2),
        norm.pdf(x) * widths,
        lambda at: gaussian_profile(distance, at),
    )
    return one, one


def laplace(multiplier: float, kink: float = 0.0) -> tuple[Law, Law]:
    """The Laplace mechanism, symmetric; quadrature is broken where the loss is `kink`."""
    a = 1 / multiplier
    split = min(max((1 - kink / a) / 2, 0.0), 1.0)
    edges = sorted({0.0, split, 1.0})
    x, widths = nodes(edges, 20)
    losses = np.concatenate([[a, -a], a * (1 - 2 * x)])
    masses = np.concatenate([[0.5, 0.5 * math.exp(-a)], 0.5 * a * np.exp(-a * x) * widths])

    def profile(at: np.ndarray) -> np.ndarray:
        within = -np.expm1((np.clip(at, -a, a) - a) / 2)
        return np.where(at < -a, -np.expm1(np.minimum(at, 0.0)), within)

    one = Law(losses, masses, profile)
    return one, one


def mixed_profile(rate: float, distance: float, at: np.ndarray) -> np.ndarray:
    """(1 - rate) N(0, 1) + rate N(distance, 1) against N(0, 1)."""
    at = np.asarray(at, float)
    inner = np.expm1(at) / rate
    seen = inner > -1
    base = np.log1p(np.where(seen, inner, 0.0))
    return np.where(seen, rate * gaussian_profile(distance, base), -np.expm1(at))


def refined(
    rate: float, distance: float, kink: float, ends: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes that gather where the mixture's loss is `kink` or its negative.

    There a small rate bends another sampled release's profile within a small range.
    """
    edges = {*np.linspace(*ends, 16)}
    for at in (kink, -kink):
        seen = math.expm1(at) + rate
        middle = math.log(seen / rate) / distance + distance / 2 if seen > 0 else ends[0]
        near = middle + np.outer([-1, 1], np.geomspace(1e-6, 1, 13)).ravel()
        edges |= {middle, *near.tolist()}
    return nodes([ends[0], *sorted(x for x in edges if ends[0] < x < ends[1]), ends[1]], 3)


def poisson(rate: float, multiplier: float, kink: float = 0.0) -> tuple[Law, Law]:
    """The Poisson-sampled Gaussian: the person removed, and added."""
    distance = 1 / multiplier
    x, widths = refined(rate, distance, kink, (-12, 12 + distance))
    absent = norm.pdf(x) * widths
    present = (1 - rate) * absent + rate * norm.pdf(x - distance) * widths
    losses = np.logaddexp(math.log1p(-rate), math.log(rate) + distance * (x - distance / 2))

    def added(at: np.ndarray) -> np.ndarray:
        left = -np.expm1(at + math.log1p(-rate))
        seen = left > 0
        base = np.log(rate) + at - np.log(np.where(seen, left, 1.0))
        return np.where(seen, left * gaussian_profile(distance, base), 0.0)

    return Law(losses, present, lambda at: mixed_profile(rate, distance, at)), Law(
        -losses, absent, added
    )


def fixed_size(
    rate: float, multipliers: np.ndarray, chances: np.ndarray, kink: float = 0.0
) -> tuple[Law, Law]:
    """Sampling of a fixed size: the Gaussian of each multiplier, with its chance (which is told).

    Above loss 0 it is the mixture against N(0, 1); below, its mirror image; the rest is at 0.
    """
    losses, masses = [np.zeros(1)], [np.zeros(1)]
    for z, chance in zip(multipliers, chances, strict=True):
        x, widths = refined(rate, 1 / z, kink, (1 / (2 * z), 1 / z + 12))
        absent = chance * norm.pdf(x) * widths
        present = (1 - rate) * absent + rate * chance * norm.pdf(x - 1 / z) * widths
        loss = np.logaddexp(math.log1p(-rate), math.log(rate) + (x - 1 / (2 * z)) / z)
        losses += [loss, -loss]
        masses += [present, absent]
    masses[0] = np.array([1 - sum(float(m.sum()) for m in masses)])

    def profile(at: np.ndarray) -> np.ndarray:
        parts = zip(multipliers, chances, strict=True)
        return np.sum([chance * mixed_profile(rate, 1 / z, at) for z, chance in parts], axis=0)

    one = Law(np.concatenate(losses), np.concatenate(masses), lambda at: above(at, profile))
    return one, one


def response(epsilon_0: float, count: int) -> Truth:
    """`count` randomised responses, from integer binomials and logarithms."""
    honest, lie = -math.log1p(math.exp(-epsilon_0)), -math.log1p(math.exp(epsilon_0))
    logs = np.array(
        [math.log(math.comb(count, i)) + (count - i) * honest + i * lie for i in range(count + 1)]
    )
    losses = (count - 2 * np.arange(count + 1)) * epsilon_0
    return lambda at: math.fsum(-np.expm1(np.minimum(at - losses, 0.0)) * np.exp(logs))


# Pure releases.

PURE = list(itertools.product((0.01, 0.1, 0.5, 1.0, 3.0), (1, 2, 10, 100, 1000), DELTAS))


def kov_closed_form(epsilon_0: float, count: int, spare: float) -> float:
    """The simplified optimal theorem of Kairouz, Oh and Viswanath: the smallest of its three."""
    mean = count * epsilon_0 * math.tanh(epsilon_0 / 2)
    root = math.e + math.sqrt(count) * epsilon_0 / spare
    spreads = (math.log(root), math.log(1 / spare))
    bounds = [mean + epsilon_0 * math.sqrt(2 * count * spread) for spread in spreads]
    return min(count * epsilon_0, *bounds)


def renyi_of_response(epsilon_0: float, count: int, at: float) -> float:
    """Mironov's own conversion, e + log(1/delta)/(a - 1), over many orders."""
    orders = 1 + np.geomspace(1e-3, 1e4, 4000)
    keep, flip = np.log(expit(epsilon_0)), np.log(expit(-epsilon_0))
    total = np.logaddexp(
        orders * keep + (1 - orders) * flip, orders * flip + (1 - orders) * keep
    ) / (orders - 1)
    return float(np.min(count * total - math.log(at) / (orders - 1)))


@pytest.mark.parametrize(("epsilon_0", "count", "at"), PURE)
def test_pure_releases(epsilon_0: float, count: int, at: float) -> None:
    """The accountant is exact, so at most basic, advanced, KOV, zCDP, Hoeffding's and Renyi's."""
    event = events.repeated(events.local(epsilon_0), count)
    ours = epsilon(event, at, REPLACE)
    each, none = [epsilon_0] * count, [0.0] * count
    rivals = [
        classical.basic(each, none)[0],
        classical.advanced(epsilon_0, 0.0, count, at)[0],
        classical.heterogeneous(each, none, at)[0],
        classical.optimal(epsilon_0, 0.0, count, at),
        kov_closed_form(epsilon_0, count, at),
        classical.zcdp_epsilon(count * classical.zcdp_of_pure(epsilon_0), at),
        classical.zcdp_epsilon(count * classical.tight_zcdp_of_pure(epsilon_0), at),
        renyi_of_response(epsilon_0, count, at),
        cross_check(event, at, REPLACE).epsilon,
    ]
    assert ours.epsilon <= min(rivals) * (1 + 1e-12)
    assert is_right(ours, response(epsilon_0, count))
    assert is_tight(ours, response(epsilon_0, count), 1e-6)


@pytest.mark.parametrize("at", DELTAS)
def test_pure_releases_of_two_kinds(at: float) -> None:
    """Twenty responses of 0.1 and three of 0.5, by a double sum; below every mixed theorem."""
    kinds = [(0.1, 20), (0.5, 3)]
    event = events.composed([events.repeated(events.local(e), k) for e, k in kinds])
    ours, each = epsilon(event, at, ZERO), [e for e, k in kinds for _ in range(k)]
    few = np.arange(4)
    masses = binom.pmf(few, 3, expit(-0.5))
    many = response(0.1, 20)

    def exact(at: float) -> float:
        return float(
            sum(m * many(at - (3 - 2 * i) * 0.5) for i, m in zip(few, masses, strict=True))
        )

    rho = sum(classical.tight_zcdp_of_pure(e) for e in each)
    hoeffding = classical.heterogeneous(each, [0.0] * len(each), at)[0]
    rivals = [hoeffding, classical.zcdp_epsilon(rho, at), cross_check(event, at, ZERO).epsilon]
    assert ours.epsilon <= min(rivals) * (1 + GRID)
    assert is_right(ours, exact) and is_tight(ours, exact)


@pytest.mark.parametrize("wrong", [events.repeated(events.local(0.1), 99), events.local(9.0)])
def test_a_dropped_pure_release_would_be_caught(wrong) -> None:
    """99 responses are not 100, and 9 is not below what 100 of 0.1 cost at 1e-6."""
    ours = epsilon(wrong, 1e-6, REPLACE)
    exact = response(0.1, 100)
    assert not (is_right(ours, exact) and is_tight(ours, exact))


# Releases of which only (epsilon, delta) is known.


@pytest.mark.parametrize(
    ("epsilon_0", "count", "at", "share"),
    list(itertools.product((0.05, 0.3, 1.0), (1, 5, 40, 500), DELTAS, (0.0, 0.1, 0.9))),
)
def test_approximate_releases(epsilon_0: float, count: int, at: float, share: float) -> None:
    """The accountant is the optimal theorem's number, and at most the advanced one's."""
    each = share * at / count
    event = events.repeated(events.epsilon_delta(epsilon_0, each), count)
    ours, optimal = epsilon(event, at, ADD), classical.optimal(epsilon_0, each, count, at)
    advanced = classical.advanced(epsilon_0, each, count, (1 - share) * at)[0]
    basic = classical.basic([epsilon_0] * count, [each] * count)[0]
    pure = response(epsilon_0, count)

    def exact(at: float) -> float:
        return -math.expm1(math.log1p(-pure(at)) + count * math.log1p(-each))

    assert ours.epsilon <= min(optimal, advanced, basic) * (1 + TIGHT)
    assert math.isclose(ours.epsilon, optimal, rel_tol=TIGHT)
    assert is_right(ours, exact) and is_tight(ours, exact)


def test_a_forgotten_delta_would_be_caught() -> None:
    """Without their own deltas forty releases fall below the exact epsilon."""
    ours = epsilon(events.repeated(events.epsilon_delta(0.3, 0.0), 40), 1e-6, ADD)
    assert ours.epsilon < classical.optimal(0.3, 0.9e-6 / 40, 40, 1e-6) * (1 - TIGHT)


# Gaussians and Laplace.


@pytest.mark.parametrize(
    ("multiplier", "count", "at"),
    list(itertools.product((0.5, 1.0, 4.0, 20.0, 100.0), (1, 10, 1000), DELTAS)),
)
def test_gaussians(multiplier: float, count: int, at: float) -> None:
    """Exact under every relation; below zCDP, Renyi, and the theorems on each one's promise."""
    event = events.repeated(events.gaussian(multiplier), count)
    ours = epsilon(event, at, ADD)
    each = 0.5 * at / count
    one = epsilon(events.gaussian(multiplier), each, ADD).epsilon
    rivals = [
        classical.zcdp_epsilon(count / (2 * multiplier**2), at),
        classical.gdp_epsilon(math.sqrt(count) / multiplier, at),
        classical.basic([one] * count, [each] * count)[0],
        classical.optimal(one, each, count, at) if one < 300 else math.inf,
        classical.advanced(one, each, count, 0.5 * at)[0] if one < 300 else math.inf,
        cross_check(event, at, ADD).epsilon,
    ]

    def exact(at: float) -> float:
        return float(gaussian_profile(math.sqrt(count) / multiplier, np.array(at)))

    assert ours.epsilon <= min(rivals) * (1 + 1e-9)
    assert is_right(ours, exact) and is_tight(ours, exact, 1e-6)
    assert all(epsilon(event, at, relation) == ours for relation in Relation)


@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize("multiplier", [0.1, 0.7, 3.0, 30.0])
@pytest.mark.parametrize("count", [1, 2])
def test_laplaces(multiplier: float, count: int, at: float) -> None:
    """One and two Laplace releases by quadrature of the loss's own density."""
    ours = epsilon(events.repeated(events.laplace(multiplier), count), at, ADD)

    def exact(at: float) -> float:
        bends = laplace(multiplier, at - 1 / multiplier)
        return truth(*[bends] * count)(at)

    pure = epsilon(events.repeated(events.local(1 / multiplier), count), at, ADD)
    rivals = pure.epsilon, cross_check(events.repeated(events.laplace(multiplier), count), at, ADD)
    assert is_right(ours, exact) and is_tight(ours, exact)
    assert ours.epsilon <= min(rivals[0], rivals[1].epsilon) * (1 + GRID)


@pytest.mark.parametrize("at", DELTAS)
def test_a_gaussian_and_a_laplace(at: float) -> None:
    """One of each: the Laplace loss's density against the Gaussian's closed profile."""
    event = events.composed([events.laplace(2.0), events.gaussian(1.5)])
    exact = truth(laplace(2.0), gaussian(1.5))
    assert is_right(epsilon(event, at, ADD), exact) and is_tight(epsilon(event, at, ADD), exact)


@pytest.mark.parametrize("make", [events.gaussian, events.laplace])
def test_two_thirds_of_the_noise_would_be_caught(make) -> None:
    """The account of 3 times the distance is no account of noise 2, nor one release of two."""
    exact = truth(*[{events.gaussian: gaussian, events.laplace: laplace}[make](2.0)] * 2)
    assert not is_right(epsilon(events.repeated(make(3.0), 2), 1e-6, ADD), exact)
    assert not is_right(epsilon(make(2.0), 1e-6, ADD), exact)


# Integers.


def integers(weights: Callable[[np.ndarray], np.ndarray], reach: int) -> np.ndarray:
    logs = weights(np.arange(-reach, reach + 1))
    masses = np.exp(logs - logs.max())
    return masses / masses.sum()


@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize(("sigma", "shift"), [(0.8, 1), (3.0, 1), (10.0, 7)])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_discrete_gaussians(sigma: float, shift: int, count: int, at: float) -> None:
    """All sums of noise, one by one: losses are linear in them."""
    ours = epsilon(events.repeated(events.discrete_gaussian(sigma, shift), count), at, ADD)
    one = integers(lambda k: -(k**2) / (2 * sigma**2), math.ceil(25 * sigma))
    exact = shifted(lattice(shift / (2 * sigma**2), one, count), count * shift**2 / 2 / sigma**2)
    assert is_right(ours, exact) and is_tight(ours, exact)
    rough = epsilon(events.repeated(events.discrete_gaussian(sigma * 1.5, shift), count), at, ADD)
    assert not is_right(rough, exact)


@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize(("parameter", "shift"), [(1.0, 1), (0.3, 4), (0.02, 30)])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_discrete_laplaces(parameter: float, shift: int, count: int, at: float) -> None:
    """All sums of noise cut to [0, shift], where the loss is linear."""
    ours = epsilon(events.repeated(events.discrete_laplace(parameter, shift), count), at, ADD)
    reach = math.ceil(50 / parameter) + shift
    noise = integers(lambda k: -parameter * np.abs(k), reach)
    cut = np.clip(np.arange(-reach, reach + 1), 0, shift)
    exact = lattice(parameter, np.bincount(cut, noise), count)
    assert is_right(ours, exact) and is_tight(ours, exact)
    rough = epsilon(
        events.repeated(events.discrete_laplace(parameter / 1.5, shift), count), at, ADD
    )
    assert not is_right(rough, exact)


def shifted(curve: Truth, by: float) -> Truth:
    return lambda at: curve(at - by)


# Reports and choices.


@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize("count", [1, 3, 60])
@pytest.mark.parametrize(
    ("event", "epsilon_0", "truthful"),
    [
        (events.priv_unit(1.0, 0.55), 1.0, 0.55),
        (events.priv_unit(5.0, 0.8), 5.0, 0.8),
        (events.randomized_response(0.5, 4), math.log(5.0), 0.625),
        (events.randomized_response(0.9, 30), math.log1p(30 / 9), 0.13),
    ],
)
def test_reports_of_three_losses(event, epsilon_0, truthful, count: int, at: float) -> None:
    """PrivUnit and k-ary response by exact convolution of their three losses."""
    ours = epsilon(events.repeated(event, count), at, REPLACE)
    lie = truthful * math.exp(-epsilon_0)
    exact = lattice(epsilon_0 / 2, np.array([truthful, 1 - truthful - lie, lie]), count)
    generic = epsilon(events.repeated(events.local(epsilon_0), count), at, REPLACE)
    assert ours.epsilon <= generic.epsilon * (1 + GRID)
    assert ours.epsilon <= cross_check(events.repeated(event, count), at, REPLACE).epsilon * (
        1 + GRID
    )
    assert is_right(ours, exact) and is_tight(ours, exact)
    fewer = epsilon(events.repeated(event, 2 * count), at, REPLACE)
    assert not (is_right(fewer, exact) and is_tight(fewer, exact))


def choices(eta: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Losses and masses of one exponential mechanism on random scores of sensitivity 1."""
    rng = np.random.default_rng(seed)
    scores = rng.uniform(-3, 3, 5) / eta
    logs = [eta * s / 2 for s in (scores, scores + rng.choice([-1.0, 1.0], 5))]
    first, second = (each - np.logaddexp.reduce(each) for each in logs)
    return first - second, np.exp(first)


def two_points(eta: float, top: float) -> tuple[np.ndarray, np.ndarray]:
    """The choice whose losses are top and top - eta only."""
    likely = math.expm1(eta - top) / math.expm1(eta) * math.exp(top)
    return np.array([top, top - eta]), np.array([likely, 1 - likely])


def atoms(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> Truth:
    """The exact delta of releases given by their few losses and masses."""
    losses, masses = np.zeros(1), np.ones(1)
    for loss, mass in pairs:
        losses = np.add.outer(losses, loss).ravel()
        masses = np.multiply.outer(masses, mass).ravel()
    return lambda at: float(-np.expm1(np.minimum(at - losses, 0.0)) @ masses)


@pytest.mark.parametrize("eta", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("at", [1e-2, 1e-6])
def test_exponential_mechanisms(eta: float, count: int, at: float) -> None:
    """Above every real choice; one choice is exact; never above pure, zCDP or Renyi bounds."""
    event = events.repeated(events.exponential_mechanism(eta), count)
    ours = epsilon(event, at, ADD)
    tops = np.linspace(0.02, 0.98, 49) * eta
    found = [atoms([two_points(eta, top)] * count)(ours.epsilon) for top in tops]
    found += [
        atoms([choices(eta, 9 * i + j) for i in range(count)])(ours.epsilon) for j in range(9)
    ]
    assert max(found) <= at * (1 + ROUNDING)
    rivals = [
        epsilon(events.repeated(events.local(eta), count), at, ADD).epsilon,
        classical.zcdp_epsilon(count * eta**2 / 8, at),
        cross_check(event, at, ADD).epsilon,
    ]
    assert ours.epsilon <= min(rivals) * (1 + 1e-12)


@pytest.mark.parametrize("eta", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("at", [1e-2, 1e-6])
def test_one_exponential_mechanism_is_exact_and_half_its_range_would_be_caught(eta, at) -> None:
    """One choice costs what its worst two points do; half the range lies below real choices."""

    def exact(at: float) -> float:
        worst = math.expm1((at - eta) / 2) ** 2 / -math.expm1(-eta)
        return worst if at < eta else 0.0

    ours = epsilon(events.exponential_mechanism(eta), at, ADD)
    assert is_right(ours, exact) and is_tight(ours, exact)
    half = epsilon(events.exponential_mechanism(eta / 2), at, ADD).epsilon
    assert max(atoms([two_points(eta, top)])(half) for top in (0.6 * eta, 0.75 * eta)) > at


def norm_losses(dimension: int, eta: float, size: int) -> np.ndarray:
    """Losses of actual Euclidean-norm noise: a gamma radius, and a uniform direction."""
    rng = np.random.default_rng(dimension)
    radius = rng.gamma(dimension, 1 / eta, size)
    cosine = 2 * rng.beta((dimension - 1) / 2, (dimension - 1) / 2, size) - 1
    moved = np.sqrt(radius**2 - 2 * radius * cosine + 1)
    return eta * (1 - 2 * radius * cosine) / (moved + radius)


@pytest.mark.parametrize(("dimension", "eta"), [(2, 1.0), (7, 3.0), (200, 8.0)])
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("at", [0.03, 1e-3])
def test_euclidean_norms(dimension: int, eta: float, count: int, at: float) -> None:
    """Delta at our epsilon is within Clopper and Pearson's 1e-6 bounds on 200,000 samples.

    A loss that exceeds epsilon by an independent exponential does so with probability delta.
    """
    event = events.repeated(events.euclidean_norm(eta, dimension), count)
    ours, size = epsilon(event, at, ADD).epsilon, 200_000
    sums = norm_losses(dimension, eta, size * count).reshape(size, count).sum(axis=1)
    clock = np.random.default_rng(7).exponential(size=size)

    def least(at: float) -> float:
        hits = int((sums - clock > at).sum())
        return float(beta.ppf(1e-6, hits, size - hits + 1)) if hits else 0.0

    hits = int((sums - clock > ours * (1 - TIGHT)).sum())
    assert least(ours) <= at <= beta.isf(1e-6, hits + 1, size - hits)
    assert least(ours / 1.5) > at
    pure = epsilon(events.repeated(events.local(eta), count), at, ADD).epsilon
    assert ours <= min(pure, cross_check(event, at, ADD).epsilon) * (1 + GRID)


@pytest.mark.parametrize("count", [1, 2, 20])
@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize(("dimension", "eta"), [(2, 2.0), (5, 2.0), (40, 6.0)])
def test_euclidean_norms_are_below_renyi(dimension, eta, count: int, at: float) -> None:
    """At deltas no sample reaches, the second opinion is still the looser one."""
    event = events.repeated(events.euclidean_norm(eta, dimension), count)
    pure = epsilon(events.repeated(events.local(eta), count), at, ADD).epsilon
    second = cross_check(event, at, ADD).epsilon
    assert epsilon(event, at, ADD).epsilon <= min(pure, second) * (1 + GRID)


# Sampling.

SAMPLED = list(itertools.product((0.001, 0.02, 0.3), (0.6, 1.0, 4.0), DELTAS))


@pytest.mark.parametrize(("rate", "multiplier", "at"), SAMPLED)
def test_poisson_samples(rate: float, multiplier: float, at: float) -> None:
    """One and two releases, both directions, by quadrature; below amplification and Renyi."""
    one = events.poisson(rate, events.gaussian(multiplier))
    for count in (1, 2):
        ours = epsilon(events.repeated(one, count), at, ADD)
        exact = repeats(lambda at: poisson(rate, multiplier, at), count)
        # Losses as rare and large as these leave a coarse grid of the cells that memory allows.
        step = max(1e-6, kind_of(one).reach(one) / MOST_CELLS)
        assert is_right(ours, exact) and is_tight(ours, exact, step=step)
        rough = epsilon(
            events.repeated(events.poisson(rate, events.gaussian(1.5 * multiplier)), count), at, ADD
        )
        assert ours.epsilon == 0 or not is_right(rough, exact)
    share = at / 2
    if share / rate < 0.5:
        base = epsilon(events.gaussian(multiplier), share / rate, ADD).epsilon
        closed = 2 * amplified(base, share / rate, rate)[0]
        assert epsilon(events.repeated(one, 2), at, ADD).epsilon <= closed * (1 + GRID)


@pytest.mark.parametrize(("rate", "multiplier"), [(0.02, 1.0), (0.3, 0.6)])
@pytest.mark.parametrize("at", [1e-3, 1e-10])
def test_three_poisson_samples_and_other_events(rate: float, multiplier: float, at: float) -> None:
    """A Poisson sample with a Gaussian and a Laplace beside it, by two integrals."""
    exact = truth(laplace(2.0), poisson(rate, multiplier), gaussian(3.0))
    beside = [events.laplace(2.0), events.gaussian(3.0)]
    ours = epsilon(
        events.composed([*beside, events.poisson(rate, events.gaussian(multiplier))]), at, ADD
    )
    assert is_right(ours, exact) and is_tight(ours, exact)


@pytest.mark.parametrize("relation", [ADD, ZERO])
@pytest.mark.parametrize(("rate", "multiplier"), [(0.02, 1.0), (0.3, 0.6)])
def test_the_wrong_direction_would_be_caught(rate, multiplier, relation) -> None:
    """Adding a person alone costs less: an account of that direction falls below the other."""
    _, added = poisson(rate, multiplier)
    alone = truth([added])
    cheaper = root(lambda e: alone(e) - 1e-6, 1e-9, -math.log1p(-rate))
    ours = epsilon(events.poisson(rate, events.gaussian(multiplier)), 1e-6, relation)
    assert cheaper < ours.epsilon * (1 - TIGHT)
    assert truth(poisson(rate, multiplier))(cheaper) > 1e-6 * (1 + TIGHT)


TRAININGS = [(0.01, 1.0, 1000, 1e-5), (0.001, 0.8, 500, 1e-6), (0.05, 2.0, 300, 1e-8)]


@pytest.mark.parametrize(("rate", "multiplier", "steps", "at"), TRAININGS)
def test_many_poisson_samples(rate: float, multiplier: float, steps: int, at: float) -> None:
    """Between dp_accounting's optimistic and pessimistic losses; below every closed theorem."""
    event = events.repeated(events.poisson(rate, events.gaussian(multiplier)), steps)
    ours = epsilon(event, at, ADD)

    def theirs(pessimistic: bool) -> float:
        interval = 5e-4 if pessimistic else 2e-4
        one = peer.from_gaussian_mechanism(
            multiplier,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=interval,
            sampling_prob=rate,
            use_connect_dots=pessimistic,
        )
        return one.self_compose(steps).get_epsilon_for_delta(at)

    assert theirs(False) <= ours.epsilon <= theirs(True) * (1 + GRID)
    assert ours.epsilon - ours.slack <= theirs(True)
    fewer = events.repeated(events.poisson(rate, events.gaussian(multiplier)), steps // 10)
    assert epsilon(fewer, at, ADD).epsilon < theirs(False)
    assert ours.epsilon <= cross_check(event, at, ADD).epsilon
    base = epsilon(events.gaussian(multiplier), at / (2 * steps * rate), ADD).epsilon
    one = amplified(base, at / (2 * steps * rate), rate)
    assert ours.epsilon <= classical.advanced(*one, steps, at / 2)[0]
    assert ours.epsilon <= classical.optimal(*one, steps, at)
    assert ours.epsilon <= classical.basic([one[0]] * steps, [one[1]] * steps)[0]


@pytest.mark.parametrize(
    ("rate", "steps", "target", "at"),
    [(0.01, 10_000, 1.0, 1e-5), (0.02, 2000, 0.5, 1e-6), (0.002, 100_000, 0.2, 1e-9)],
)
def test_the_moments_noise_is_enough(rate, steps: int, target: float, at: float) -> None:
    """With the noise of the moments theorem the accountant promises at least as much."""
    multiplier = classical.sgd_noise_moments(rate, steps, target, at)
    event = events.repeated(events.poisson(rate, events.gaussian(multiplier)), steps)
    assert epsilon(event, at, ADD).epsilon <= target
    rough = events.repeated(events.poisson(rate, events.gaussian(multiplier / 4)), steps)
    assert epsilon(rough, at, ADD).epsilon > target


@pytest.mark.parametrize(("people", "steps", "target"), [(100, 1000, 0.5), (500, 20_000, 1.0)])
@pytest.mark.parametrize("at", [1e-5, 1e-7])
def test_the_course_noise_is_enough(people: int, steps: int, target: float, at: float) -> None:
    """With the noise of amplification and advanced composition the same."""
    noise = classical.sgd_noise_advanced(1.0, people, steps, target, at)
    one = events.without_replacement(people, 1, events.gaussian(noise / 2))
    assert epsilon(events.repeated(one, steps), at, REPLACE).epsilon <= target


@pytest.mark.parametrize(
    ("sample", "multiplier", "at"), list(itertools.product((1, 20, 300), (0.6, 1.0, 4.0), DELTAS))
)
def test_samples_of_a_fixed_size(sample: int, multiplier: float, at: float) -> None:
    """One and two releases without replacement; never below Poisson sampling's own pair."""
    one = events.without_replacement(1000, sample, events.gaussian(multiplier))
    rate = sample / 1000
    unit = np.array([multiplier]), np.ones(1)
    for count in (1, 2):
        ours = epsilon(events.repeated(one, count), at, REPLACE)
        exact = repeats(lambda at: fixed_size(rate, *unit, at), count)
        assert is_right(ours, exact) and is_tight(ours, exact)
        below = repeats(lambda at: poisson(rate, multiplier, at), count)
        assert below(ours.epsilon) <= at * (1 + ROUNDING)
    if at == 1e-6 and sample == 20:
        second = cross_check(events.repeated(one, 2), at, REPLACE).epsilon
        assert epsilon(events.repeated(one, 2), at, REPLACE).epsilon <= second
        # The convention's factor of two: the same noise over one person's norm is not enough.
        rough = events.without_replacement(1000, sample, events.gaussian(2 * multiplier))
        assert not is_right(epsilon(rough, at, REPLACE), truth(fixed_size(rate, *unit)))


@pytest.mark.parametrize(("people", "draws"), [(50, 5), (1000, 20)])
@pytest.mark.parametrize("multiplier", [1.0, 4.0])
@pytest.mark.parametrize("at", DELTAS)
def test_draws_with_replacement(people: int, draws: int, multiplier: float, at: float) -> None:
    """The theorem's own profile is met; forgetting repeated draws would be caught."""
    event = events.with_replacement(people, draws, events.gaussian(multiplier))
    ours = epsilon(event, at, REPLACE)
    rate = float(binom.sf(0, draws, 1 / people))
    drawn = np.arange(1, draws + 1)
    chances = binom.pmf(drawn, draws, 1 / people) / rate
    exact = truth(fixed_size(rate, multiplier / drawn, chances))
    assert is_right(ours, exact) and is_tight(ours, exact)
    once = events.without_replacement(people, draws, events.gaussian(multiplier))
    assert epsilon(once, at, REPLACE).epsilon < ours.epsilon * (1 - TIGHT) or at > 1e-6


def mixture_curve(shifts: np.ndarray, chances: np.ndarray) -> Truth:
    """A rising mixture of N(shift, 1) against N(0, 1), both ways, split where the loss is e."""

    def loss(x: float) -> float:
        logs = np.log(chances) + shifts * (x - shifts / 2)
        return float(np.logaddexp.reduce(logs))

    def at_least(at: float) -> float:
        x = root(lambda x: loss(x) - at, -60, 60)
        removed = float(chances @ norm.sf(x - shifts)) - math.exp(at) * float(norm.sf(x))
        if loss(-60) >= -at:
            return removed
        y = root(lambda x: loss(x) + at, -60, 60)
        added = float(norm.cdf(y)) - math.exp(at) * float(chances @ norm.cdf(y - shifts))
        return max(removed, added)

    return at_least


@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize(("rate", "records", "multiplier"), [(0.02, 3, 2.0), (0.2, 8, 4.0)])
def test_people_with_several_records(rate, records: int, multiplier: float, at: float) -> None:
    """One release is the mixture over how many are drawn; one record less would be caught."""
    drawn = np.arange(records + 1)
    exact = mixture_curve(drawn / multiplier, binom.pmf(drawn, records, rate))
    ours = epsilon(events.poisson_records(rate, records, events.gaussian(multiplier)), at, ADD)
    assert is_right(ours, exact) and is_tight(ours, exact)
    fewer = events.poisson_records(rate, records - 1, events.gaussian(multiplier))
    assert not is_right(epsilon(fewer, at, ADD), exact)


def truncated_instance(people: int, rate: float, capacity: int, multiplier: float) -> Truth:
    """A real cohort cut to its capacity: everyone holds -1 but the person, who holds +1 or is away.

    The law of the number kept is enumerated; delta is a trapezoid rule on a fine grid.
    """

    def sums(present: bool) -> dict[int, float]:
        law: dict[int, float] = {}
        for others, joined in itertools.product(range(people), range(1 + present)):
            chance = float(binom.pmf(others, people - 1, rate))
            chance *= (rate if joined else 1 - rate) if present else 1.0
            kept = min(1.0, capacity / (others + joined)) if joined else 0.0
            alone, shared = min(others, capacity), min(others + 1, capacity)
            law[-alone] = law.get(-alone, 0.0) + chance * (1 - kept)
            if kept:
                law[2 - shared] = law.get(2 - shared, 0.0) + chance * kept
        return law

    x = np.linspace(-12 * multiplier - people, 12 * multiplier + 2, 40_001)

    def density(law: dict[int, float]) -> np.ndarray:
        return np.sum([m * norm.pdf(x, s, multiplier) for s, m in law.items()], axis=0)

    p, q = density(sums(True)), density(sums(False))

    def at_least(at: float) -> float:
        ways = (p - math.exp(at) * q, q - math.exp(at) * p)
        return max(float(np.trapezoid(np.maximum(way, 0.0), x)) for way in ways)

    return at_least


@pytest.mark.parametrize(("rate", "capacity"), [(0.3, 2), (0.5, 1), (0.2, 8)])
@pytest.mark.parametrize("at", [1e-2, 1e-5])
def test_a_cut_cohort_never_costs_more_than_said(rate: float, capacity: int, at: float) -> None:
    """A real cohort of eight, cut at random, stays within the account of truncated sampling."""
    ours = epsilon(events.truncated_poisson(8, rate, capacity, 1.5), at, ADD)
    found = truncated_instance(8, rate, capacity, 1.5)
    assert found(ours.epsilon) <= at * (1 + 1e-6)
    assert (
        not found(epsilon(events.truncated_poisson(8, rate, capacity, 2.5), at, ADD).epsilon) <= at
    )


@pytest.mark.parametrize("at", [1e-3, 1e-6])
@pytest.mark.parametrize("capacity", [22, 35])
def test_a_cut_cohort_is_two_cohorts(capacity: int, at: float) -> None:
    """The union of a cohort that is full and one that is not; dp_accounting's is never below it."""
    people, rate, multiplier = 1000, 0.02, 1.2
    others = np.arange(capacity, people)
    chances = binom.pmf(others, people - 1, rate)
    full = float(chances.sum())
    replaced = float(chances @ (rate * capacity / (others + 1))) / full
    kinds = [(1 - full, poisson(rate, multiplier)), (full, poisson(replaced, multiplier / 2))]

    def exact(at: float) -> float:
        ways = zip(*(laws for _, laws in kinds), strict=True)
        chance = [chance for chance, _ in kinds]
        return max(
            sum(c * float(law.profile(np.array(at))) for c, law in zip(chance, way, strict=True))
            for way in ways
        )

    event = events.truncated_poisson(people, rate, capacity, multiplier)
    ours = epsilon(event, at, ADD)
    assert is_right(ours, exact) and is_tight(ours, exact)
    theirs = peer.from_truncated_subsampled_gaussian_mechanism(
        dataset_size=people,
        sampling_probability=rate,
        truncated_batch_size=capacity,
        noise_multiplier=multiplier,
        value_discretization_interval=1e-3,
    ).self_compose(10)
    many = epsilon(events.repeated(event, 10), at, ADD).epsilon
    second = cross_check(events.repeated(event, 10), at, ADD).epsilon
    assert many <= min(theirs.get_epsilon_for_delta(at), second) * (1 + GRID)


# Shuffling.


def clones(local_epsilon: float, people: int, chance: float) -> Truth:
    """The pair of counts, by binomial tails for each number of clones."""
    big = math.exp(local_epsilon)
    number = np.arange(int(binom.isf(1 - 1e-16, people - 1, chance)), people)
    chances = binom.pmf(number, people - 1, chance)

    def at_least(at: float) -> float:
        if at >= local_epsilon:
            return 0.0
        low = number.astype(float)
        # The counts (a, c + 1 - a) lose more than `at` from this a on.
        least = (low + 1) * (math.exp(at) * big - 1) / ((big - 1) * (math.exp(at) + 1))
        first = np.floor(least)
        true, false = big / (big + 1), 1 / (big + 1)
        own, other = binom.sf(first - 1, low, 0.5), binom.sf(first, low, 0.5)
        p, q = true * own + false * other, false * own + true * other
        return float(chances @ np.maximum(p - math.exp(at) * q, 0.0))

    return at_least


@pytest.mark.parametrize("local_epsilon", [0.2, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("people", [10, 2000, 20_000])
@pytest.mark.parametrize("at", [1e-3, 1e-6, 1e-10])
def test_shuffled_reports(local_epsilon: float, people: int, at: float) -> None:
    """The clone pair is met; below every closed form whose premises hold, and below e0."""
    ours = epsilon(events.shuffled(local_epsilon, people), at, REPLACE)
    rivals = [local_epsilon]
    if local_epsilon <= math.log(people / (16 * math.log(4 / at))):
        rivals.append(shuffle_bounds.clones_closed_form(local_epsilon, people, at))
    if local_epsilon <= 0.5 and people >= 1000:
        rivals.append(shuffle_bounds.erlingsson2019(local_epsilon, people, at))
    exact = clones(local_epsilon, people, math.exp(-local_epsilon))
    assert ours.epsilon <= min(rivals)
    assert is_right(ours, exact) and is_tight(ours, exact, 3e-3)


@pytest.mark.parametrize("local_epsilon", [0.2, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("people", [10, 2000, 20_000])
@pytest.mark.parametrize("at", DELTAS)
def test_shuffled_reports_of_one_randomiser(local_epsilon: float, people: int, at: float) -> None:
    """Below the generic blanket bounds and the clones; above binary response, that attains it."""
    least = 2 / (math.exp(local_epsilon) + 1)
    ours = epsilon(events.blanket(local_epsilon, least, people), at, REPLACE)
    rivals = [
        shuffle_bounds.blanket_hoeffding(local_epsilon, people, at),
        shuffle_bounds.blanket_bennett(local_epsilon, people, at),
        epsilon(events.shuffled(local_epsilon, people), at, REPLACE).epsilon,
    ]
    binary = clones(local_epsilon, people, least)
    assert ours.epsilon <= min(rivals) * (1 + GRID)
    assert is_right(ours, binary) and is_tight(ours, binary, 3e-3)


@pytest.mark.parametrize("symbols", [2, 3, 4])
@pytest.mark.parametrize("local_epsilon", [0.7, 2.0])
@pytest.mark.parametrize("people", [1, 2, 5])
def test_a_few_real_reports_shuffled(symbols: int, local_epsilon: float, people: int) -> None:
    """k-ary response, every data set of the others: none costs more than either account."""
    lie = 1 / (math.exp(local_epsilon) + symbols - 1)
    rows = np.full((symbols, symbols), lie) + np.eye(symbols) * (1 - symbols * lie)
    mass = symbols * lie
    for at in (1e-1, 1e-2, 1e-4):
        one = epsilon(events.blanket(local_epsilon, mass, people), at, REPLACE)
        any_ = epsilon(events.shuffled(local_epsilon, people), at, REPLACE)
        for others in itertools.combinations_with_replacement(range(symbols), people - 1):
            found = histograms(rows, others)
            assert found(one.epsilon) <= at * (1 + ROUNDING)
            assert found(any_.epsilon) <= at * (1 + ROUNDING)


def histograms(rows: np.ndarray, others: Sequence[int]) -> Truth:
    """The delta between first values 0 and 1 of the shuffled reports, by all histograms."""

    def law(values: Sequence[int]) -> dict[tuple[int, ...], float]:
        counts = {(0,) * len(rows): 1.0}
        for value in values:
            grown: dict[tuple[int, ...], float] = {}
            for key, mass in counts.items():
                for symbol, chance in enumerate(rows[value]):
                    after = (*key[:symbol], key[symbol] + 1, *key[symbol + 1 :])
                    grown[after] = grown.get(after, 0.0) + mass * chance
            counts = grown
        return counts

    p, q = law([0, *others]), law([1, *others])
    return lambda at: sum(max(p[key] - math.exp(at) * q[key], 0.0) for key in p)


def test_more_people_than_there_are_would_be_caught() -> None:
    """Twice the people, or the blanket of three symbols for two, falls below the real thing."""
    binary = clones(1.0, 2000, 2 / (math.e + 1))
    assert not is_right(epsilon(events.shuffled(1.0, 6000), 1e-6, REPLACE), binary)
    three = events.blanket(1.0, 3 / (math.e + 2), 2000)
    assert not is_right(epsilon(three, 1e-6, REPLACE), binary)


# Last iterates.


@pytest.mark.parametrize("contraction", [0.5, 0.9, 0.99, 1.0])
@pytest.mark.parametrize("steps", [1, 10, 300])
@pytest.mark.parametrize("at", DELTAS)
def test_last_iterates_without_projection(contraction: float, steps: int, at: float) -> None:
    """Quadratic losses attain it: X <- c X + shift + noise, whose law is Gaussian."""
    event = events.last_iterate(steps, contraction, 0.2, 1.0, None)
    powers = contraction ** np.arange(steps)
    apart = 0.2 * powers.sum() / math.sqrt((powers**2).sum())
    ours = epsilon(event, at, REPLACE)

    def exact(at: float) -> float:
        return float(gaussian_profile(apart, np.array(at)))

    every = epsilon(events.repeated(events.gaussian(1 / 0.2), steps), at, REPLACE)
    assert is_right(ours, exact) and is_tight(ours, exact, 1e-6)
    assert ours.epsilon <= every.epsilon * (1 + 1e-9)
    if contraction < 1:
        closed = iteration.noisy_gd(contraction, steps, 0.2)
        assert ours.epsilon <= classical.gdp_epsilon(closed, at) * (1 + 1e-9)
    less = events.last_iterate(steps, contraction, 0.2 * 2 / 3, 1.0, None)
    assert not is_right(epsilon(less, at, REPLACE), exact)


def projected(steps: int, shift: float, diameter: float) -> Truth:
    """Two projected walks of drift +shift/2 and -shift/2, by steps of a fine Markov chain.

    Both are rounded to the same cells, which can only lose information.
    """
    cells = 300
    edges = np.linspace(-diameter / 2, diameter / 2, cells + 1)
    middles = (edges[1:] + edges[:-1]) / 2

    def walk(drift: float) -> np.ndarray:
        below = norm.cdf(edges[None, 1:-1] - middles[:, None] - drift)
        steps_of = np.diff(below, axis=1, prepend=0.0, append=1.0)
        law = np.zeros(cells)
        law[cells // 2] = 1.0
        return law @ np.linalg.matrix_power(steps_of, steps)

    p, q = walk(shift / 2), walk(-shift / 2)
    return lambda at: float(np.maximum(p - math.exp(at) * q, 0.0).sum())


@pytest.mark.parametrize("steps", [5, 50, 400])
@pytest.mark.parametrize("diameter", [1.0, 8.0])
@pytest.mark.parametrize("at", [1e-2, 1e-6])
def test_projected_last_iterates(steps: int, diameter: float, at: float) -> None:
    """Above a real projected walk; below composition, the closed form and Altschuler-Talwar."""
    shift = 0.2
    event = events.last_iterate(steps, 1.0, shift, 1.0, diameter)
    ours = epsilon(event, at, ADD).epsilon
    assert projected(steps, shift, diameter)(ours) <= at
    assert (
        ours <= epsilon(events.repeated(events.gaussian(1 / shift), steps), at, ADD).epsilon + 1e-9
    )
    crossing = diameter / shift
    if crossing <= steps:
        closed = iteration.projected_noisy_gd(steps, shift, crossing)
        assert ours <= classical.gdp_epsilon(closed, at) * (1 + 1e-9)
    orders = np.concatenate([np.arange(1.1, 4, 0.2), np.arange(4, 64)])
    descent = iteration.SampledDescent(1.0, 1.0, shift, 5, 5, 1 / shift, steps, diameter)
    divergences = iteration.altschuler_talwar(orders, descent)
    same = iteration.last_iterate(
        iteration.NoisyDescent(ADD, 1.0, 1.0, 0.0, shift, 5, 1 / shift, steps, diameter)
    )
    rival = compute_epsilon(orders.tolist(), divergences.tolist(), at)[0]
    assert epsilon(same, at, ADD).epsilon <= rival * (1 + 1e-9)


@pytest.mark.parametrize("at", DELTAS)
@pytest.mark.parametrize("noise", [1.0, 5.0])
def test_one_noisy_step_is_the_last_of_a_pass(noise: float, at: float) -> None:
    """For the last record of a pass the iteration theorem and ours have one premise: one step."""
    orders = np.concatenate([np.arange(1.1, 11, 0.1), np.arange(11, 256)])
    divergences = iteration.fmtt18(orders, 100, 100, 1.0, noise)
    rival = compute_epsilon(orders.tolist(), divergences.tolist(), at)[0]
    descent = iteration.NoisyDescent(REPLACE, 1.0, 1.0, 0.0, 0.5, 1, noise, 1, None)
    ours = epsilon(iteration.last_iterate(descent), at, REPLACE)
    assert 0.5 * rival < ours.epsilon <= rival
    halved = iteration.NoisyDescent(ADD, 1.0, 1.0, 0.0, 0.5, 1, noise, 1, None)
    exact = float(gaussian_profile(2 / noise, np.array(ours.epsilon)))
    assert math.isclose(exact, at, rel_tol=1e-6)
    assert epsilon(iteration.last_iterate(halved), at, REPLACE).epsilon < ours.epsilon * 0.9


# The other question: delta at an epsilon.


@pytest.mark.parametrize("at", [0.05, 0.5, 2.0])
@pytest.mark.parametrize(
    ("event", "exact"),
    [
        (
            events.repeated(events.poisson(0.3, events.gaussian(1.0)), 2),
            [poisson(0.3, 1.0)] * 2,
        ),
        (
            events.composed([events.laplace(2.0), events.gaussian(1.5)]),
            [laplace(2.0), gaussian(1.5)],
        ),
        (events.repeated(events.gaussian(2.0), 2), [gaussian(2.0)] * 2),
    ],
)
def test_deltas_are_as_certain_as_epsilons(event, exact, at: float) -> None:
    """Delta at a given epsilon is at least the exact one, and above it by at most its slack."""
    ours, found = delta(event, at, ADD), truth(*exact)(at)
    assert ours.delta >= found * (1 - ROUNDING)
    assert ours.delta - ours.slack <= found * (1 + ROUNDING)
    assert ours.delta <= found * (1 + 1e-2)
