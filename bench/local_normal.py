"""Claim: the mean of a normal law is found from one random bit a person nearly as near as any local
report allows; clipping and adding noise are many times as far.

Standard normal people about a mean that is uniform within the radius R, each asked once. The limit
is sqrt(pi/2) (e^epsilon + 1)/(e^epsilon - 1)/sqrt(n), that of everybody's signs at the mean itself,
which no local report is below for an epsilon up to one. Beside it are the error predicted for
`BoundedMean` by the report that the library chooses for it, and that of Laplace noise, between the
same bounds: R and sqrt(2 ln n) more, within which all n people are but for a chance below
1/sqrt(ln n).

A round's reports are drawn as what they are, given the mean: a number of "above"s that is binomial,
of people's share and randomised response in one. The learner is the library's own.

Run: python bench/local_normal.py
"""

import math
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit.statistics import BoundedMean, MeanBySigns
from tacit.statistics.sign_search import SignSearch

DRAWS = 1_500
# Radius, people, epsilon, and the most that the error may be of the limit.
TASKS = (
    (10.0, 300, 1.0, 1.1),
    (10.0, 1_000, 1.0, 1.1),
    (10.0, 10_000, 1.0, 1.1),
    (1.0, 10_000, 1.0, 1.1),
    (100.0, 10_000, 1.0, 1.1),
    (1_000.0, 10_000, 1.0, 1.1),
    (10.0, 100_000, 0.5, 1.1),
    (10.0, 100_000, 1.0, 1.1),
    (10.0, 100_000, 2.0, 1.1),
)


def distances(asked: MeanBySigns, seed: int, draws: int = DRAWS) -> np.ndarray:
    """Of the answers from the mean, one for each draw."""
    learner, plan = SignSearch.of(asked.searched), asked.plan
    cohorts = np.array_split(np.arange(asked.people), plan.sums.rounds)
    sizes = jnp.array([len(each) for each in cohorts])

    def one(key):
        for_mean, for_rounds = jax.random.split(key)
        mean = jax.random.uniform(for_mean, minval=-asked.radius, maxval=asked.radius)

        def step(state, drawn):
            own, size = drawn
            above = jax.scipy.stats.norm.cdf(mean - state.centre)
            chance = learner.other + (learner.own - learner.other) * above
            reports = jax.random.binomial(own, size, chance) / plan.sums.cohort
            share = (reports - learner.other) / (learner.own - learner.other)
            return learner.tell(state, jnp.stack([1 - share, share])), None

        keys = jax.random.split(for_rounds, plan.sums.rounds)
        return jax.lax.scan(step, learner.init(), (keys, sizes))[0].centre - mean

    keys = jax.random.split(jax.random.key(seed), draws)
    return np.asarray(jax.jit(lambda keys: jax.lax.map(one, keys, batch_size=50))(keys))


def clipped(radius: float, people: int, epsilon: float) -> tuple[float, float]:
    """Errors predicted of the bounded mean, and of Laplace noise between the same bounds."""
    far = radius + math.sqrt(2 * math.log(people))
    bounded = BoundedMean((-far, far), tacit.Local(epsilon), people).rmse
    return bounded, math.sqrt((1 + 2 * (2 * far / epsilon) ** 2) / people)


def main() -> Iterator[Claim]:
    """Each task: the error against the limit, what was predicted, and the clipped means'."""
    for place, (radius, people, epsilon, most) in enumerate(TASKS):
        task = f"R={radius:g} n={people:,} epsilon {epsilon:g}"
        asked = MeanBySigns(radius, 1.0, tacit.Local(epsilon), people)
        squares = distances(asked, place).astype(np.float64) ** 2
        measured = math.sqrt(squares.mean())
        error = squares.std() / math.sqrt(DRAWS) / (2 * measured)
        factor = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
        limit = math.sqrt(math.pi / 2) * factor / math.sqrt(people)
        bounded, laplace = clipped(radius, people, epsilon)
        print(
            f"{task}, {asked.searched.rounds} rounds: root mean square {measured:.4f} ± "
            f"{error:.4f}, predicted {asked.rmse:.4f}, limit {limit:.4f}; bounded mean "
            f"{bounded:.3f}, Laplace noise {laplace:.3f}"
        )
        # Two standard errors of what is measured are allowed for.
        yield at_most(f"{task}, of the limit", (measured - 2 * error) / limit, most)
        high, low = asked.rmse / (measured + 2 * error), (measured - 2 * error) / asked.rmse
        yield at_most(f"{task}, predicted over measured or its inverse", max(high, low), 1.05)
        yield at_most(f"{task}, of the bounded mean's error", measured / bounded, 0.5)


if __name__ == "__main__":
    settle(main())
