"""Claim: noise for ten million people is found within two seconds, whatever the cohort.

A small share of many people is where a grid of losses is largest: most of a person's loss is next
to nothing, and the rest as large as without a sample. Whole plans for (2, 1e-7) in 100 rounds are
timed, in processor seconds; the first of a turn includes what is imported on the way. Each plan is
of one person more than the last, so that no noise is known from before.

Run: python bench/calibration.py
"""

import itertools
import time
from collections.abc import Iterator

import tacit
from claims import Claim, at_most, settle
from tacit.accounting.event_json import to_json

PEOPLE, ROUNDS, EPSILON, DELTA = 10**7, 100, 2.0, 1e-7
TURNS, SECONDS = 3, 2.0
# The least multipliers for each cohort, drawn by a coin for each person and of a fixed size: to one
# more in the fourth digit.
MULTIPLIERS = {1_000: (0.4607, 0.4608), 10_000: (0.6049, 0.6050), 50_000: (0.7620, 0.7641)}
_others = itertools.count(PEOPLE)


def planned(
    trust: tacit.Central | tacit.Federated, who: tacit.Poisson | tacit.Fixed
) -> tuple[tacit.Plan, float]:
    """The plan, and the processor seconds it took."""
    question = tacit.Mean(tacit.Ball(10, 1.0), who, ROUNDS, next(_others))
    start = time.process_time()
    plan = trust.plan(question)
    return plan, time.process_time() - start


def main() -> Iterator[Claim]:
    """Every cohort, in both trust models, with a coin for each person and with a fixed size."""
    moving = tacit.Central(EPSILON, DELTA)
    fixed = tacit.Central(EPSILON, DELTA, tacit.Relation.REPLACE_ONE)
    for cohort, (most, most_fixed) in MULTIPLIERS.items():
        yield from found(moving, tacit.Poisson(cohort / PEOPLE), f"about {cohort:,}", most)
        yield from found(fixed, tacit.Fixed(cohort), f"exactly {cohort:,}", most_fixed)


def found(
    central: tacit.Central, who: tacit.Poisson | tacit.Fixed, cohort: str, most: float
) -> Iterator[Claim]:
    """How long both trust models take over this cohort, and what noise they come to."""
    for trust in (central, tacit.Federated(64.0, central)):
        turns = [planned(trust, who) for _ in range(TURNS)]
        promise = turns[0][0].guarantees[0]
        name = f"{type(trust).__name__}, {cohort} of {PEOPLE:,}"
        yield at_most(f"{name}: processor s", [took for _, took in turns], SECONDS)
        noise = to_json(promise.event)["of"]["of"]["noise_multiplier"]
        yield at_most(f"{name}: multiplier", noise, most)
        yield at_most(f"{name}: its epsilon", promise.epsilon, EPSILON)


if __name__ == "__main__":
    settle(main())
