"""Claim: of one direction, the Bingham law keeps more of Adult's squares than the first eigenvector
of a matrix with the difference of two Wisharts where people are very few for epsilon, and less
everywhere else, as stated below; it is drawn from a few proposals, and within 5 ms of 118 columns.

Rows are `bench/pca.py`'s, of Adult and of `beside.py`'s clients: each of length one, none centred.
Kept is the share of everybody's squares along the direction, in the mean over seeds of the noise,
with its standard error, beside the most that one direction has. Neither has a delta. Under
replace-one both have half of the rate. Time is the processor's, of one proposal and of a whole draw
(the median after the first), for people of one direction and of ten equal ones. The people of a
draw are few, and epsilon as large, so that it is not the sum of their squares that is timed; the
eigenvectors of these, which any way needs, are printed beside.

Run: python bench/leading.py
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import jax
import numpy as np

import beside
import pca
import tacit
from claims import Claim, Skipped, at_least, at_most, settle, skipped
from tacit.data import adult
from tacit.estimators import TruncatedSVD
from tacit.mechanisms.rows.angular_envelope import AngularEnvelope
from tacit.mechanisms.rows.bingham import BinghamDirection
from tacit.mechanisms.rows.quick_chance import QuickChance
from tacit.noise import keys, wide_normals

SEEDS, LEVELS, TURNS, DRAWS = 20, 2**12, 1_000, 100
# Of the columns of the connections of `pca.py`.
SECONDS = {118: 0.005}
ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE
# People, epsilon, relation; and what the Bingham law keeps of what the other does, at least: of
# Adult, of clients.
CASES = [
    (5_000, 0.1, REPLACE, 1.2, 0.8),
    (5_000, 0.1, ADD, 0.8, 0.85),
    (5_000, 1.0, ADD, 0.95, 0.95),
    (10_000, 0.1, REPLACE, 0.8, 0.85),
    (None, 0.1, ADD, 0.95, 0.95),
]


def share(rows: np.ndarray, direction: np.ndarray) -> float:
    """Of all squares, along it."""
    return float(np.square(rows @ direction).sum() / np.square(rows).sum())


def bingham(rows: np.ndarray, epsilon: float, relation: tacit.Relation) -> list[float]:
    """What is kept, by seed."""
    moved = 2 if relation is REPLACE else 1
    mechanism = BinghamDirection(rows.shape[1], 1.0, LEVELS, epsilon, moved)
    short = np.trunc(rows * LEVELS) / LEVELS
    return [share(rows, mechanism.sample(jax.random.key(seed), short)) for seed in range(SEEDS)]


def wishart(rows: np.ndarray, epsilon: float, relation: tacit.Relation) -> list[float]:
    """The same of the matrix."""
    trust = tacit.Central(epsilon, 0.0, relation)
    own = {"radius": 1.0, "people": len(rows), "n_components": 1}
    models = (TruncatedSVD(trust, **own, seed=seed).fit(rows) for seed in range(SEEDS))
    return [share(rows, model.components_[0]) for model in models]


def of_table(name: str, rows: np.ndarray, which: int) -> Iterator[Claim]:
    """Every case, beside the most that can be kept."""
    for people, epsilon, relation, *least in CASES:
        own = rows[:people]
        kept = [np.array(way(own, epsilon, relation)) for way in (bingham, wishart)]
        most = np.linalg.eigvalsh(own.T @ own)[-1] / np.square(own).sum()
        means, errors = [each.mean() for each in kept], [each.std() / SEEDS**0.5 for each in kept]
        named = f"{name}, {len(own)} people, epsilon {epsilon:g}, {relation.value}"
        print(
            f"{named}: Bingham {means[0]:.4f} +- {errors[0]:.4f}, Wisharts {means[1]:.4f} +- "
            f"{errors[1]:.4f}, at most {most:.4f}",
            flush=True,
        )
        yield at_least(f"{named}, kept over the matrix's", means[0] / means[1], least[which])


def proposals() -> Iterator[Claim]:
    """How many, and how long one draw takes."""
    for dim in (10, 118, 256):
        for many in (1, 10):
            squares = np.diag(np.append(np.full(many, 20_000), np.zeros(dim - many)) * LEVELS**2)
            envelope = AngularEnvelope.of(squares.astype(float), Fraction(1, LEVELS**2))
            parts = wide_normals.parts(jax.random.key(dim), 0, TURNS, dim)
            begun = time.process_time()
            logs = list(QuickChance.of(envelope).guesses(wide_normals.near(parts)))
            own = (time.process_time() - begun) / TURNS
            tries = 1 / np.mean([math.exp(each) for each in logs])
            print(f"{dim} columns, {many} alike: {tries:.1f} proposals of {1e3 * own:.2f} ms")
            yield at_most(
                f"{dim} columns, {many} alike, proposals over root d", float(tries) / dim**0.5, 1.4
            )


def timed(work: Callable[[Any], object], given: Iterable[Any]) -> list[float]:
    """Of each, processor seconds; the first, which compiles, is left out."""
    found = []
    for each in given:
        begun = time.process_time()
        work(each)
        found.append(time.process_time() - begun)
    return found[1:]


def whole_draws() -> Iterator[Claim]:
    """How long they take, of keys as releases have them."""
    releases = [keys.jax_key(keys.from_seed(place)) for place in range(DRAWS + 1)]
    for dim in (10, 118, 256):
        for many in (1, 10):
            rows = np.repeat(np.eye(dim)[:many], 20, axis=0)
            mechanism = BinghamDirection(dim, 1.0, LEVELS, 1_000.0, 1)
            own = timed(partial(mechanism.sample, rows=rows), releases)
            floor = 1e3 * np.median(timed(np.linalg.eigh, [rows.T @ rows] * (DRAWS + 1)))
            print(
                f"{dim} columns, {many} alike: a draw {1e3 * np.median(own):.1f} ms, "
                f"eigenvectors {floor:.1f} ms"
            )
            if dim in SECONDS:
                yield at_most(f"{dim} columns, {many} alike, seconds of a draw", own, SECONDS[dim])


def main() -> Iterator[Claim]:
    """Prints every case."""
    yield from proposals()
    yield from whole_draws()
    if pca.FILES.is_dir():
        rows = pca.encoded(adult.load(pca.FILES).train)
        yield from of_table("Adult", rows[np.random.default_rng(0).permutation(len(rows))], 0)
    else:
        yield skipped(f"no {pca.FILES}")
    clients = beside.clients()
    if isinstance(clients, Skipped):
        yield clients
    else:
        yield from of_table("clients", clients, 1)


if __name__ == "__main__":
    settle(main())
