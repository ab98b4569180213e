"""Claim: the mean of a normal distribution is found as near as COINPRESS finds it, and nearer.

Standard normal people about a mean far from the origin, under replace-one and add/remove, at zCDP
of rho (a Gaussian release of multiplier sqrt(1/(2 rho))) and with pure noise. COINPRESS (Biswas,
Dong, Kamath, Ullman 2020, Algorithm 2) is run here on the same people, in three rounds of shares
1/8, 1/8, 3/4, with the constants of its authors' code. What is printed is the mean distance from
the distribution's mean, with its standard error over draws, beside what was predicted.

Run: python bench/gaussian_mean.py
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.population.loop import Cohort, Keys, Parts, play_round
from tacit.statistics.gaussian_mean import GaussianMean
from tacit.statistics.wide_rounds import BEYOND

DRAWS = 120
ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE


@dataclass(frozen=True)
class Task:
    """Numbers, people, distance of their mean in roots of d, rho (None: pure, of epsilon 1)."""

    dim: int
    people: int
    far: float
    rho: float | None
    relation: tacit.Relation
    goal: float

    @property
    def radius(self) -> float:
        return self.far * math.sqrt(self.dim)

    @property
    def asked(self) -> GaussianMean:
        return GaussianMean(self.dim, self.radius, 1.0, self._trust, self.people)

    @property
    def _trust(self) -> tacit.Central:
        if self.rho is None:
            return tacit.Central(1.0, 0.0, self.relation)
        epsilon = self.rho + 4 * math.sqrt(self.rho)
        delta = gaussian_delta(1 / math.sqrt(2 * self.rho), epsilon)
        return tacit.Central(epsilon, delta, self.relation)

    def __str__(self) -> str:
        promise = "pure, epsilon 1" if self.rho is None else f"rho {self.rho:g}"
        return f"d={self.dim} n={self.people:,} R={self.far:g} sqrt(d), {promise}, " + (
            self.relation.value
        )


# The goals of the project's study of the subject. The last, .078, is not reached but by luck: these
# people's own mean is off by .0704 on average (by .067 in the study's draws), and with all of
# epsilon the last round would be off by .080. Tried: rounds of places alone (.0828; now .0825);
# numbers clipped one by one and noised in their cube, which without any cost of finding people come
# to .0802 by calculation. Noise must be a fifth less than a ball's or a cube's of pure K-norm.
TASKS = (
    Task(50, 1_000, 10, 0.5, REPLACE, 0.246),
    Task(50, 1_000, 1_000, 0.5, REPLACE, 0.248),
    Task(50, 1_000, 10, 0.5, ADD, 0.230),
    Task(50, 1_000, 10, 0.05, REPLACE, 0.42),
    Task(500, 1_000, 10, 0.5, REPLACE, 1.30),
    Task(50, 10_000, 10, None, REPLACE, 0.11),
    Task(50, 10_000, 10, None, ADD, 0.078),
)


def drawn(task: Task, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean, and people's rows about it."""
    numbers = np.random.default_rng(seed)
    way = numbers.normal(size=task.dim)
    mean = task.radius * way / np.linalg.norm(way)
    return mean, mean + numbers.normal(size=(task.people, task.dim))


def ours(task: Task, people: list[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """The distances of our answers."""
    asked = task.asked
    learner, parts = asked.learner(), Parts.of(asked.plan)
    all_rows = jnp.arange(task.people)[None], jnp.ones((1, task.people), bool), jnp.asarray(1)
    cohort = Cohort(*all_rows)

    @jax.jit
    def answer(rows, key):
        state, carry = learner.init(), parts.server.init()
        for own in jax.random.split(key, asked.plan.sums.rounds):
            state, carry, _ = play_round(
                learner, parts, state, carry, rows, cohort, Keys(own, own, own)
            )
        return state.centre

    found = []
    for seed, (mean, rows) in enumerate(people):
        centre = answer(jnp.asarray(rows, jnp.float32), jax.random.key(seed))
        found.append(float(np.linalg.norm(np.asarray(centre, np.float64) - mean)))
    return found


def coinpress(task: Task, people: list[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """Those of COINPRESS, whose noise is for a replaced person, or one who comes or goes."""
    moved = 2.0 if task.relation is REPLACE else 1.0
    numbers, found = np.random.default_rng(1), []
    log = math.log(1 / BEYOND)
    far = math.sqrt(task.dim + 2 * math.sqrt(task.dim * log) + 2 * log)
    for mean, rows in people:
        centre, radius = np.zeros(task.dim), task.radius
        for share in (1 / 8, 1 / 8, 3 / 4):
            bound = min(math.sqrt(radius**2 + 6 * radius + far**2), radius + far)
            away = rows - centre
            lengths = np.linalg.norm(away, axis=1, keepdims=True)
            away *= np.minimum(1, bound / np.maximum(lengths, 1e-300))
            noise = moved * bound / task.people / math.sqrt(2 * (task.rho or 0) * share)
            centre = centre + away.mean(axis=0) + numbers.normal(size=task.dim) * noise
            radius = far * math.sqrt(1 / task.people + noise**2)
        found.append(float(np.linalg.norm(centre - mean)))
    return found


def main() -> Iterator[Claim]:
    """Each task: ours against its goal, its prediction and the peer."""
    for task in TASKS:
        people = [drawn(task, seed) for seed in range(DRAWS)]
        own = np.array(ours(task, people))
        error, predicted = own.std() / math.sqrt(DRAWS), task.asked.rmse
        print(f"{task}: {own.mean():.4f} ± {error:.4f}, predicted {predicted:.4f}")
        # Two standard errors of what is measured are allowed for.
        yield at_most(f"{task}, mean distance", float(own.mean() - 2 * error), task.goal)
        measured = float(np.sqrt(np.mean(own**2)))
        yield at_most(
            f"{task}, predicted over measured or its inverse",
            max(predicted / measured, measured / predicted),
            1.05,
        )
        if task.rho is not None:
            peer = float(np.mean(coinpress(task, people)))
            yield at_most(f"{task}, of COINPRESS' {peer:.4f}", float(own.mean()) / peer, 1.0)


if __name__ == "__main__":
    settle(main())
