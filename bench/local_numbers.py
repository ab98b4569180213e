"""Claim: of the local reports of a number the hybrid has the lowest worst error at every budget.

First the tables of exact errors. Numbers of [0, 1]: the largest Var Z by mechanism, with the lowest
marked, beside the piecewise mechanism and the hybrid as published; then the largest relative error,
Var Z / max(r, floor)². Vectors of the cube [-1, 1]^d, in units of d²: PrivUnit-infinity with all
coordinates, with the best number of them, and with one bit of one; of the unit L1 ball: the sampled
vertex named, or in signs. Last, seconds for each mechanism's reports over seconds for drawing two
32-bit words a number, in the same run, least of several, with ChaCha20 keys.

Run: python bench/local_numbers.py
"""

import math
import os
import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version

import jax
import jax.numpy as jnp

from claims import Claim, at_most, settle
from tacit.mechanisms.local.local_laplace import LocalLaplace
from tacit.mechanisms.local.piecewise import Hybrid, Piecewise
from tacit.mechanisms.local.privunit_infinity import PrivUnitInfinity
from tacit.mechanisms.local.sampled_vertex import MOST_NAMED, VertexResponse, VertexSigns
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.scalarreldp import ScalarRelDP
from tacit.noise import keys

EPSILONS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
DIMS = (2, 10, 100, 10_000, 10**6)
FLOORS = (0.01, 0.1, 0.5)
PEOPLE, ROUNDS = 10**6, 5


def published(epsilon: float) -> tuple[float, float]:
    """The worst errors of Wang et al. 2019 on [0, 1]: piecewise, and hybrid above 0.61."""
    half, full = math.exp(epsilon / 2), math.exp(epsilon)
    hybrid = (half + 3) / (3 * half * (half - 1)) + (full + 1) ** 2 / (half * (full - 1) ** 2)
    return half / (3 * (half - 1) ** 2), hybrid / 4


def line(start: str, errors: list[float], competitors: int) -> str:
    """A row, with a star at the lowest of the first `competitors`."""
    least = min(errors[:competitors]) * (1 + 1e-9)
    stars = ["*" if i < competitors and e <= least else " " for i, e in enumerate(errors)]
    return f"{start:>14}" + "".join(
        f"{e:>14.5g} {star}" for e, star in zip(errors, stars, strict=True)
    )


def numbers() -> Claim:
    """Of the hybrid against the best of the others."""
    worst = 0.0
    kinds = (ScalarDP, LocalLaplace, Piecewise, Hybrid)
    titles = [*(kind.__name__ for kind in kinds), "Wang piecewise", "Wang hybrid"]
    print(f"\n{'epsilon':>14}" + "".join(f"{t:>15} " for t in titles))
    for epsilon in EPSILONS:
        errors = [kind.best(epsilon, 1.0).worst_error for kind in kinds]
        print(line(f"{epsilon}", [*errors, *published(epsilon)], len(kinds)))
        worst = max(worst, errors[-1] / min(errors))
    return at_most("hybrid's worst error over the least, the largest", worst, 1 + 1e-9)


def relative() -> None:
    print(f"\n{'floor, epsilon':>14}{'ScalarRelDP':>15} {'Hybrid':>15}   (relative)")
    for floor in FLOORS:
        for epsilon in EPSILONS:
            grown = ScalarRelDP.best(epsilon, 1.0, floor).worst_relative(floor)
            even = Hybrid.best(epsilon, 1.0).worst_error / floor**2
            print(line(f"{floor}, {epsilon}", [grown, even], 2))


def vectors() -> None:
    titles = ("all / d²", "best / d²", "one bit / d²", "named", "signs")
    print(f"\n{'d, epsilon':>14}" + "".join(f"{t:>15} " for t in titles) + " coordinates")
    for dim in DIMS:
        for epsilon in EPSILONS:
            best = PrivUnitInfinity.best(dim, epsilon, 1.0)
            whole = PrivUnitInfinity.on_all(dim, epsilon, 1.0)
            bit = PrivUnitInfinity.with_cap(dim, epsilon, 1.0, 1, 1)
            cube = [mechanism.worst_error / dim**2 for mechanism in (whole, best, bit)]
            named = math.inf
            if dim <= MOST_NAMED:
                named = VertexResponse.of(dim, epsilon, 1.0).worst_error
            ball = [named, VertexSigns.of(dim, epsilon, 1.0).worst_error]
            start = line(f"{dim}, {epsilon}", cube, 3)
            print(start + line("", ball, 2)[14:] + f"{best.taken:>12}")


def seconds(work: Callable[[], object]) -> float:
    """The wall time of one call, its result included."""
    start = time.perf_counter()
    jax.block_until_ready(work())
    return time.perf_counter() - start


def times() -> None:
    print(f"\n{'mechanism':>24}{'rows':>9}{'dim':>9}{'s':>9}{'over its bits':>15}")
    key = keys.jax_key(keys.from_seed(0))
    sample = jax.jit(lambda mechanism, key, values: mechanism.sample(key, values))
    flat = jnp.linspace(0, 1, PEOPLE)
    work = [
        *((kind.best(2.0, 1.0), flat) for kind in (ScalarDP, LocalLaplace, Piecewise, Hybrid)),
        (ScalarRelDP.best(4.0, 1.0, 0.1), flat),
        *((PrivUnitInfinity.on_all(d, 4.0, 1.0), jnp.ones((n, d))) for n, d in ((1000, 1000),)),
        (PrivUnitInfinity.on_all(10**6, 4.0, 1.0), jnp.ones((8, 10**6))),
        (VertexResponse.of(1000, 4.0, 1.0), jnp.ones((1000, 1000))),
        (VertexSigns.of(1000, 4.0, 1.0), jnp.ones((1000, 1000))),
    ]
    for mechanism, values in work:
        draw = jax.jit(lambda key, shape=values.shape: jax.random.bits(key, (2, *shape)))
        draw = draw.lower(key).compile()
        report = sample.lower(mechanism, key, values).compile()
        took = [
            (
                seconds(lambda report=report, m=mechanism, v=values: report(m, key, v)),
                seconds(lambda draw=draw: draw(key)),
            )
            for _ in range(ROUNDS)
        ]
        best, floor = (min(column) for column in zip(*took, strict=True))
        rows, dim = values.shape if values.ndim == 2 else (len(values), 1)
        name = type(mechanism).__name__
        print(f"{name:>24}{rows:>9}{dim:>9}{best:>9.4f}{best / floor:>15.2f}")


def main() -> Iterator[Claim]:
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, ", end="")
    print(f"jax {version('jax')}, {jax.devices()[0].platform}")
    claim = numbers()
    relative()
    vectors()
    times()
    yield claim


if __name__ == "__main__":
    settle(main())
