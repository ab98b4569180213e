"""Claim: a million reports on 1024 categories are made and counted in 3 s, at optimal variance.

First the table: exact errors, n times the expected squared L2 distance divided by k (nearly a rare
category's variance a person), for each oracle over a grid of (k, epsilon) with the lowest marked,
beside the least that uniform w-subsets of k categories allow, and the default's. Then each oracle
at n = 10^6, k = 1024 and epsilon = 1: seconds for all clients together and for the server, least of
several runs; the clients' over the floor, the time to draw nothing but the random bits that they
draw; and the squared error over what its formula says, averaged over the runs. The default is to
stay below 3 s, the oracles with a bit for every person and category below 12 s, the errors within
3% of theory.

Run: python bench/frequency.py
"""

import math
import os
import platform
import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from claims import Claim, at_most, settle
from tacit.mechanisms.frequency.lowest_error import lowest_error, oracles
from tacit.mechanisms.frequency.randomised_response import FrequencyOracle
from tacit.noise import keys

PEOPLE, CATEGORIES, EPSILON = 10**6, 1024, 1.0
ROUNDS, LIMIT = 20, 3.0
# Of oracles with a bit for every person and category.
SLOW_ROUNDS, SLOW_LIMIT = 3, 12.0
OFF = 0.03
# Many categories, so that all oracles but the listed subsets take part.
ORACLES = oracles(CATEGORIES)
# Random 32-bit words a person: branches and residues take two each, the others one.
WORDS = {
    "RandomisedResponse": 4,
    "SubsetSelection": 8,
    "ProjectiveGeometry": 6,
    "LocalHashing": 8,
    "HadamardResponse": 3,
}


def best_of_all_subsets(epsilon: float, categories: int) -> float:
    """The error of uniform w-subsets (Ye and Barg 2018), at the best w."""
    size = np.arange(1, categories)
    odds = size * math.exp(epsilon)
    own = odds / (odds + categories - size)
    other = (size - own) / (categories - 1)
    spread = own * (1 - own) + (categories - 1) * other * (1 - other)
    return float((spread / (own - other) ** 2).min())


def table() -> None:
    """Prints the errors a category."""
    titles = [type(oracle(EPSILON, CATEGORIES)).__name__ for oracle in ORACLES]
    print(
        f"{'k':>6}{'epsilon':>9}" + "".join(f"{t:>21}" for t in (*titles, "all subsets", "default"))
    )
    for k in (2, 4, 10, 32, 100, 1024, 10_000):
        for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0):
            errors = [oracle(epsilon, k).error(1) / k for oracle in ORACLES]
            cells = "".join(f"{e:>19.5g}{' *' if e == min(errors) else '  '}" for e in errors)
            print(f"{k:>6}{epsilon:>9}{cells}{best_of_all_subsets(epsilon, k) / k:>21.5g}", end="")
            print(f"{lowest_error(epsilon, k).error(1) / k:>21.5g}")


def drawn(oracle: FrequencyOracle) -> int:
    """The random words that one report takes."""
    if oracle.report_bits < oracle.categories:
        return WORDS[type(oracle).__name__]
    # The bits of a report have a probability of so many digits; a fair coin is one word more.
    digits = oracle.support.other.denominator.bit_length() - 1
    return digits * -(-oracle.categories // 32) + 1


def floor(oracle: FrequencyOracle, rounds: int) -> float:
    """The least seconds to draw the clients' random bits, and to fold them into one word each."""
    count = drawn(oracle)

    @jax.jit
    def fold(key):
        def draw(i, total):
            return total ^ jax.random.bits(jax.random.fold_in(key, i), (PEOPLE,), jnp.uint32)

        return jax.lax.fori_loop(0, count, draw, jnp.zeros(PEOPLE, jnp.uint32))

    seconds = []
    for i in range(rounds + 1):
        start = time.perf_counter()
        jax.block_until_ready(fold(keys.jax_key(keys.from_seed(i))))
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


def measure(oracle: FrequencyOracle, rounds: int) -> tuple[float, float]:
    """Prints one line; returns the seconds and the mean of the errors over theory."""
    values = np.minimum(np.random.default_rng(0).geometric(0.01, PEOPLE) - 1, CATEGORIES - 1)
    truth = np.bincount(values, minlength=CATEGORIES) / PEOPLE
    people = jnp.asarray(values, jnp.int32)
    clients, servers, ratios = [], [], []
    for i in range(rounds + 1):
        key = keys.jax_key(keys.from_seed(i))
        start = time.perf_counter()
        reports = jax.block_until_ready(oracle.sample(key, people))
        middle = time.perf_counter()
        estimates = oracle.estimate(reports)
        clients.append(middle - start)
        servers.append(time.perf_counter() - middle)
        ratios.append(((estimates - truth) ** 2).sum() / oracle.error(PEOPLE))
    client, server = min(clients[1:]), min(servers[1:])
    print(
        f"{type(oracle).__name__:<20}{oracle.report_bits:>6} bits{client:>9.3f} s client"
        f"{server:>9.3f} s server{client + server:>9.3f} s{clients[0]:>9.2f} s first"
        f"{client / floor(oracle, min(rounds, 5)):>7.2f} x floor"
        f"{np.mean(ratios):>9.4f} ± {np.std(ratios) / math.sqrt(len(ratios)):.4f} of theory"
    )
    return client + server, float(np.mean(ratios))


def main() -> Iterator[Claim]:
    table()
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    print(f"\n{platform.machine()}, {os.cpu_count()} cores, load {load}, jax {jax.__version__}")
    print(f"n = {PEOPLE}, k = {CATEGORIES}, epsilon = {EPSILON}")
    for maker in ORACLES:
        oracle = maker(EPSILON, CATEGORIES)
        listed = oracle.report_bits >= CATEGORIES
        seconds, ratio = measure(oracle, SLOW_ROUNDS if listed else ROUNDS)
        name = type(oracle).__name__
        yield at_most(f"{name}, squared error off its theory's", abs(ratio - 1), OFF)
        if listed or type(oracle) is type(lowest_error(EPSILON, CATEGORIES)):
            yield at_most(f"{name}, seconds", seconds, SLOW_LIMIT if listed else LIMIT)


if __name__ == "__main__":
    settle(main())
