"""Claim: a mixture that is learnt with privacy gives other people nearly the likelihood that
scikit-learn's gives them without: by the mean over data sets, and by defaults alone.

**Five round towns** are the reference task: 10,000 people with 4 columns, of 5 components of
deviation 0.12 whose means lie 0.6 from the middle, in bounds from -1 to 1. **Three long ones** are
another shape: 5,000 people with 2 columns, of 3 components in ten times wider bounds, uneven and
up to four times as long as they are wide. Each data set has a seed of its own, and the noise, too;
none of them was looked at when constants were chosen. Beside a mixture stand scikit-learn's best of
5 starts, the `peer`, and `one` normal law, without privacy. **Districts** are where `beside.py`'s
lie, in ten degrees by ten: a half of them, drawn anew each time, is learnt from.

**Time** is that of a fit of 100,000 people of the first task after another of the same shape.

Run: python bench/mixture.py
"""

import math
import time
from collections.abc import Callable, Iterator

import numpy as np
import sklearn.mixture

import beside
import tacit
from claims import Claim, Skipped, at_least, at_most, settle
from tacit.estimators import GaussianMixture

SEEDS, TESTED = 8, 10_000
# Degrees east and north that are declared as the middle.
DISTRICTS = (-119.5, 37.5)
Drawn = tuple[np.ndarray, np.ndarray]


def towns(seed: int, people: int = 10_000) -> Drawn:
    """Rows to learn from, and others."""
    host = np.random.default_rng(1_000 + seed)
    middles = host.normal(size=(5, 4))
    middles *= 0.6 / np.linalg.norm(middles, axis=1, keepdims=True)
    held = middles[host.integers(0, 5, people + TESTED)]
    rows = held + 0.12 * host.normal(size=held.shape)
    return rows[:people], rows[people:]


def long_towns(seed: int) -> Drawn:
    """The same of the other shape."""
    host = np.random.default_rng(2_000 + seed)
    middles, shares = host.uniform(-7, 7, (3, 2)), host.dirichlet(np.full(3, 5.0))
    turns = np.linalg.qr(host.normal(size=(3, 2, 2)))[0]
    roots = turns * np.array([2.0, 0.5])
    whose = host.choice(3, 5_000 + TESTED, p=shares)
    off = np.einsum("nij,nj->ni", roots[whose], host.normal(size=(len(whose), 2)))
    rows = middles[whose] + off
    return rows[:5_000], rows[5_000:]


def halves(rows: np.ndarray) -> Callable[[int], Drawn]:
    """Of the same people, about the middle of their bounds."""
    rows = rows - DISTRICTS

    def draw(seed: int) -> Drawn:
        mixed = np.random.default_rng(3_000 + seed).permutation(rows)
        return mixed[: len(rows) // 2], mixed[len(rows) // 2 :]

    return draw


def fit(rows: np.ndarray, trust, far: float, components: int, seed: int, kind: str = "full"):
    return GaussianMixture(
        trust,
        bounds=(-far, far),
        people=len(rows),
        n_components=components,
        covariance_type=kind,
        seed=seed,
    ).fit(rows)


def stated(what: str, values: list[float]) -> float:
    """The mean, printed with its standard error."""
    mean, error = float(np.mean(values)), np.std(values, ddof=1) / math.sqrt(len(values))
    print(f"{what}: {mean:.3f} +- {error:.3f}", flush=True)
    return mean


def likelihoods(
    named: str, draw: Callable[[int], Drawn], far: float, components: int, cases
) -> Iterator[Claim]:
    """Every case of one task."""
    drawn = [draw(seed) for seed in range(SEEDS)]
    peers = [
        sklearn.mixture.GaussianMixture(many, n_init=starts, random_state=0)
        for many, starts in ((components, 5), (1, 1))
    ]
    scores = [[float(peer.fit(rows).score(others)) for rows, others in drawn] for peer in peers]
    stated(f"{named}, peer", scores[0])
    stated(f"{named}, one", scores[1])
    for trust, kind, least, lost in cases:
        found = [
            fit(rows, trust, far, components, seed, kind) for seed, (rows, _) in enumerate(drawn)
        ]
        own = [each.score(others) for each, (_, others) in zip(found, drawn, strict=True)]
        case = f"{named}, epsilon {trust.epsilon:g}, delta {trust.delta:g}, {kind}"
        print(f"{case}, foreseen to lose {found[0].foreseen_loss_:.3f}")
        mean = stated(f"{case}, log-likelihood", own)
        if least is not None:
            yield at_least(f"{case}, log-likelihood", mean, least)
        gaps = [peer - each for peer, each in zip(scores[0], own, strict=True)]
        if lost is not None:
            yield at_most(f"{case}, nats below the peer", stated(f"{case}, lost", gaps), lost)


def of_many() -> Iterator[Claim]:
    """Printed, with no claim but that it ends."""
    rows, _ = towns(0, 100_000)
    for epsilon in (0.9, 1.0):
        start = time.perf_counter()
        fit(rows, tacit.Central(epsilon, 1e-6), 1.0, 5, 0)
        spent = time.perf_counter() - start
        print(f"100,000 people, epsilon {epsilon:g}: {spent:.1f} s", flush=True)
    yield at_most("100,000 people, seconds of the second fit", spent, 60.0)


def main() -> Iterator[Claim]:
    """Prints every case."""
    reference, pure = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)
    cases = [
        (reference, "full", 1.2, 0.05),
        (reference, "spherical", 1.2, 0.03),
        (tacit.Central(0.3, 1e-6), "full", None, 0.2),
        (pure, "full", 1.15, 0.1),
    ]
    yield from likelihoods("five round towns", towns, 1.0, 5, cases)
    yield from likelihoods(
        "three long towns", long_towns, 10.0, 3, [(reference, "full", None, 0.05)]
    )
    districts = beside.districts()
    if isinstance(districts, Skipped):
        yield districts
    else:
        cases = [(reference, "full", None, 0.2), (pure, "full", None, 0.35)]
        yield from likelihoods("districts", halves(districts), 5.0, 5, cases)
    yield from of_many()


if __name__ == "__main__":
    settle(main())
