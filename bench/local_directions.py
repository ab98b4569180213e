"""Claim: the mean of normal vectors is found from one direction a person, each asked once, within
.22 of it in 50 dimensions from 100,000 people at a local epsilon of 2; and as near as predicted.

People are standard normal vectors about a mean whose numbers are uniform within the radius R.
Everybody is asked through the library as a user asks. Beside it are the errors predicted of
`mean_by_signs`, each number asked of its own part of the people, of a mean of vectors in a ball of
radius R sqrt(d) + sqrt(d) by the report that the library chooses, and of the same answers if all
had been asked from the mean itself, `least`.

Run: python bench/local_directions.py
"""

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit.statistics import MeanByDirections, MeanBySigns

REPLACE = tacit.Relation.REPLACE_ONE
# Dimensions, radius, people, trust, draws, and the most that the error may be; None without a goal.
TASKS = (
    (50, 10.0, 100_000, tacit.Local(2.0), 30, 0.22),
    (10, 10.0, 100_000, tacit.Local(1.0), 60, 0.086),
    (10, 100.0, 20_000, tacit.Local(1.0), 60, None),
    (10, 10.0, 10_000, tacit.Shuffled(1.0, 1e-6), 60, None),
    (10, 10.0, 10_000, tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE)), 60, None),
    (10, 10.0, 10_000, tacit.Central(1.0, 1e-6, REPLACE), 60, None),
)


def squares(asked: MeanByDirections, draws: int) -> np.ndarray:
    """Of the distances of answers from the mean, one for each draw."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(draws):
            drawn = np.random.default_rng(seed)
            mean = drawn.uniform(-asked.radius, asked.radius, asked.dim)
            rows = mean + drawn.normal(size=(asked.people, asked.dim))
            book = tacit.Ledger(Path(folder) / f"{seed}.db")
            book.limit_for("people", asked.plan)
            found.append(np.sum((asked.of(rows, book, "people", seed=seed).estimate - mean) ** 2))
    return np.array(found)


def others(asked: MeanByDirections, epsilon: float) -> tuple[float, float]:
    """Errors predicted of signs, each number's own people's, and of vectors in a ball."""
    dim, local = asked.dim, tacit.Local(epsilon)
    signs = MeanBySigns(asked.radius, 1.0, local, asked.people // dim).rmse * math.sqrt(dim)
    far = (asked.radius + 1) * math.sqrt(dim)
    ball = tacit.Mean(tacit.Ball(dim, far), tacit.Everyone(), 1, asked.people)
    return signs, math.sqrt(local.plan(ball).error or math.nan)


def main() -> Iterator[Claim]:
    """Each task: the error measured and predicted, and what there is beside it."""
    for dim, radius, people, trust, draws, goal in TASKS:
        task = f"d={dim} R={radius:g} n={people:,} {type(trust).__name__}"
        asked = MeanByDirections(dim, radius, 1.0, trust, people)
        far = squares(asked, draws)
        measured = math.sqrt(far.mean())
        error = far.std() / math.sqrt(draws) / (2 * measured)
        rounds = asked.searched
        print(
            f"{task}: root mean square {measured:.4f} ± {error:.4f}, predicted {asked.rmse:.4f}, "
            f"least {rounds.least:.4f}; {rounds.coarse} coarse rounds and {rounds.fine} fine"
        )
        # Two standard errors of what is measured are allowed for.
        high, low = asked.rmse / (measured + 2 * error), (measured - 2 * error) / asked.rmse
        yield at_most(f"{task}, predicted over measured or its inverse", max(high, low), 1.05)
        if goal is not None:
            yield at_most(f"{task}, error", measured - 2 * error, goal)
        if isinstance(trust, tacit.Local):
            signs, ball = others(asked, trust.epsilon)
            print(f"{task}: by signs {signs:.4f}, in a ball {ball:.3f}")
            yield at_most(f"{task}, of the error by signs", measured / signs, 0.98)
            yield at_most(f"{task}, of the error in a ball", measured / ball, 0.2)


if __name__ == "__main__":
    settle(main())
