"""How many equal Gaussian releases an account admits: sums, zCDP, Renyi orders, and all at once.

Each release has the noise multiplier 200 / epsilon. Sums charge k releases at delta / k each; zCDP
is its closed form; the last column is one Gaussian release of the same total, exactly: no account
that is asked one release at a time can admit more.

Run: python bench/filters.py
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator

from claims import Claim, at_most, settle
from tacit.accounting.decimals import exact
from tacit.accounting.events import gaussian
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.loss.gaussian import gaussian_epsilon
from tacit.accounting.relation import Relation
from tacit.ledger.filters import Renyi

LIMITS = ((0.1, 1e-8), (1.0, 1e-6), (3.0, 1e-5), (10.0, 1e-5), (50.0, 1e-6))
MOST = 10_000


def most(fits: Callable[[int], bool]) -> int:
    """The largest number that fits, up to MOST."""
    return bisect_left(range(1, MOST), True, key=lambda count: not fits(count))


def sums(noise: float, epsilon: float, delta: float) -> int:
    return most(lambda count: count * gaussian_epsilon(noise, delta / count) <= epsilon)


def zcdp(noise: float, epsilon: float, delta: float) -> int:
    root = math.sqrt(-math.log(delta))
    return math.floor(2 * noise**2 * (math.sqrt(root**2 + epsilon) - root) ** 2)


def orders(noise: float, epsilon: float, delta: float) -> int:
    """As a ledger counts, at the orders that `Renyi.fitting` chooses."""
    chosen = Renyi.fitting(epsilon, delta)
    promise = Guarantee(
        "public", "person", Relation.ADD_REMOVE, gaussian(noise), epsilon, delta, "plain sum"
    )
    cost = chosen.cost(promise)

    def fits(count: int) -> bool:
        total = tuple(count * number for number in cost)
        return chosen.reading(total, exact(epsilon), exact(delta))[0] <= exact(epsilon)

    return most(fits)


def together(noise: float, epsilon: float, delta: float) -> int:
    return most(lambda count: gaussian_epsilon(noise / math.sqrt(count), delta) <= epsilon)


def main() -> Iterator[Claim]:
    """Prints one row a limit."""
    parts = []
    print(f"{'epsilon, delta':>16}{'sums':>8}{'zCDP':>8}{'orders':>8}{'at once':>9}")
    for epsilon, delta in LIMITS:
        noise = 200 / epsilon
        counts = [each(noise, epsilon, delta) for each in (sums, zcdp, orders, together)]
        shown = "{:>8}{:>8}{:>8}{:>9}".format(*counts)
        print(f"{f'{epsilon:g}, {delta:g}':>16}{shown}")
        parts.append(counts[2] / counts[3])
    yield at_most("orders over at once, the largest", max(parts), 1.0)


if __name__ == "__main__":
    settle(main())
