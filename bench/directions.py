"""Claim: directions that are asked for in rounds, without the matrix of all squares, keep as much
of people's squares as is stated below; and a noisy matrix of low rank is as near to the exact one
as is foreseen, within a tenth.

**Adult** is `bench/pca.py`'s: 110 columns, of which rounds are not needed; they are asked for all
the same, beside the matrix, to see what they cost. Beside it stand `beside.py`'s **clients**, on
whom nothing was tuned. **Made** people have four directions that hold
three quarters of their squares, the rest even over all columns: 4,500 of them, more than a
curator's matrix has room for; and 400 in the local model, where a report has room for 361. Kept is
the share of everybody's squares that lies in the directions found, over the same of the exact ones.

**Low rank** is what four directions of a noisy matrix and their squares make. How far it is from
the exact matrix A (the largest size of an eigenvalue), over what is foreseen: the first eigenvalue
of A that is not kept, and twice the largest that the noise typically has, `noise_`.

Run: python bench/directions.py
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import beside
import pca
import tacit
from claims import Claim, Skipped, at_least, at_most, settle, skipped
from tacit.data import adult
from tacit.estimators import TruncatedSVD
from tacit.estimators.in_rounds import least_lost
from tacit.estimators.plain_directions import PlainRounds
from tacit.learning.subspace_rounds import SubspaceRounds
from tacit.statistics.answer import released

SEEDS, MANY = 10, 4
SHARES = (0.3, 0.2, 0.15, 0.1)
# Trust, people, columns, and the least that is to be kept of what the exact ones keep.
MADE = [
    (tacit.Central(1.0, 1e-6), 20_000, 4_500, 0.95),
    (tacit.Local(8.0), 100_000, 400, 0.88),
]


def in_rounds(rows: np.ndarray, trust: tacit.Central, seed: int) -> np.ndarray:
    """The directions of rounds, though there is room for the matrix."""
    dim, people = rows.shape[1], len(rows)
    rounds = least_lost(SubspaceRounds(trust, people, dim, 0, MANY, MANY, (1.0,)))
    asked = PlainRounds(rounds, 1.0, "there is room for the matrix, too")
    with tempfile.TemporaryDirectory() as folder:
        ledger = tacit.Ledger(Path(folder) / "ledger.db")
        ledger.limit_for("people", asked.plan)
        terms = asked.terms(rows), "people", ledger, seed, None, "directions"
        made = released(asked.plan, asked.learner(), *terms)
    return asked.found(made).directions


def held(rows: np.ndarray, directions: np.ndarray) -> float:
    return float(np.square(rows @ directions.T).sum() / np.square(rows).sum())


def of_table(name: str, rows: np.ndarray, least: float) -> Iterator[Claim]:
    """Both ways, and what is left out."""
    trust, values = tacit.Central(0.1, 1e-6), np.linalg.eigvalsh(rows.T @ rows / len(rows))
    shares = [held(rows, in_rounds(rows, trust, seed)) for seed in range(SEEDS)]
    error, floor = np.std(shares, ddof=1) / SEEDS**0.5, values[-MANY:].sum() / values.sum()
    print(f"{name} in rounds: kept {np.mean(shares):.4f} +- {error:.4f}, exactly {floor:.4f}")
    yield at_least(f"{name} in rounds, epsilon 0.1, kept", float(np.mean(shares)), least)
    yield at_most(f"{name}, distance of low rank over what is foreseen", _off(rows, trust), 1.1)


def _off(rows: np.ndarray, trust: tacit.Central) -> float:
    """The largest over seeds."""
    moments = rows.T @ rows / len(rows)
    beyond = np.linalg.eigvalsh(moments)[-MANY - 1]
    ratios = []
    for seed in range(SEEDS):
        own = {"radius": 1.0, "people": len(rows), "n_components": MANY, "seed": seed}
        model = TruncatedSVD(trust, **own).fit(rows)
        low = model.components_.T * model.explained_second_moment_ @ model.components_
        noise = model.noise_
        assert noise is not None, "a curator's noise is known"
        ratios.append(np.linalg.norm(moments - low, 2) / (beyond + 2 * noise))
    print(f"distance of low rank over what is foreseen, {min(ratios):.3f} to {max(ratios):.3f}")
    return max(ratios)


def made_people(people: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows no longer than one, and the exact directions."""
    host = np.random.default_rng(0)
    axes = np.linalg.qr(host.normal(size=(dim, MANY)))[0].astype(np.float32)
    along = (host.normal(size=(people, MANY)) * np.sqrt(SHARES)).astype(np.float32)
    rows = along @ axes.T
    rows += (0.25 / dim) ** 0.5 * host.standard_normal(rows.shape, np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1), axes.T


def main() -> Iterator[Claim]:
    """Prints every case."""
    if pca.FILES.is_dir():
        yield from of_table("Adult", pca.encoded(adult.load(pca.FILES).train), 0.655)
    else:
        yield skipped(f"no {pca.FILES}")
    clients = beside.clients()
    if isinstance(clients, Skipped):
        yield clients
    else:
        yield from of_table("clients", clients, 0.695)
    for trust, people, dim, least in MADE:
        rows, axes = made_people(people, dim)
        model = TruncatedSVD(trust, radius=1.0, people=people, n_components=MANY, seed=0).fit(rows)
        kept = held(rows, model.components_) / held(rows, axes)
        named = f"{type(trust).__name__}, {people:,} people with {dim:,} columns"
        print(f"{named}: {model.plan_.sums.rounds} rounds of {model.plan_.sums.contribution.shape}")
        yield at_least(f"{named}, kept of what can be", kept, least)


if __name__ == "__main__":
    settle(main())
