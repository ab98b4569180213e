"""A digital-goods auction: what should a film cost, if nobody's bid may show?

A film can be sold any number of times. Each bidder says what they would pay, between 0 and 1 euro;
the seller names one price x, and everyone who bid at least x buys. That earns

    revenue(x) = x * #{i : b_i >= x}.

Naming the best price gives bids away: one bidder's change of mind can move it far, and a bidder who
knows that shades the bid. McSherry and Talwar (2007) choose the price at random, with probability
proportional to e^(epsilon revenue(x) / 2): the *exponential mechanism*. Every bid then moves the
probability of any outcome by a factor of at most e^epsilon, so it is private, and lying about it
gains a factor of at most e^epsilon too.

**What it costs.** Let OPT be the best revenue on the price list R, and t > 0. With probability at
least 1 - e^-t the price chosen earns more than

    OPT - 2/epsilon (ln |R| + t),

give or take the mechanism's rounding. The loss does not grow with the number of bidders: with few
of them privacy is dear, with many it is nearly free. Most auctions do better than the bound, which
counts every price but the best as the worst it may be; for the smallest epsilons it says nothing.

**Two things to get right.** They are what goes wrong when one writes this oneself.

1. *The price list is public.* It may not be made of the bids, or a price on it betrays one. Here
   it is every whole cent from 1 to 100.
2. *The sensitivity is that of the numbers in the machine.* A bidder who joins or leaves moves every
   revenue by at most one euro. But a float32 product of a price and a count is rounded, and its
   error can be more than privacy allows for. In cents, revenues are whole numbers, exact up to
   2^24, and one bidder moves each by at most 100 = `SENSITIVITY`.

Run: python examples/digital_goods_auction.py
"""

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Float64, Int32

from tacit.mechanisms import Exponential
from tacit.noise import keys

BIDDERS = 2_000
PRICES = np.arange(1, 101)
# Cents by which one bidder moves the revenue of the dearest price.
SENSITIVITY = 100.0
# Revenues must be whole float32 numbers.
MOST_BIDDERS = 2**24 // 100

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)
# The bound fails with probability 5 per cent at most.
T = math.log(20)
# An auction is held once. We repeat it to see how often the bound holds.
REPEATS = 2_000


class Row(NamedTuple):
    """What one epsilon earned, in euros, over all repeats."""

    epsilon: float
    best: float
    mean: float
    bound: float
    above_bound: int


def bids(people: int) -> Float64[np.ndarray, " people"]:
    """Made-up bidders: a third would pay up to 25 cents, the others around 70."""
    random = np.random.default_rng(0)
    keen = random.random(people) < 2 / 3
    low = random.uniform(0.0, 0.25, people)
    return np.where(keen, random.beta(9.0, 4.0, people), low).clip(0.0, 1.0)


def revenues(valuations: Float64[np.ndarray, " people"]) -> Float32[np.ndarray, " prices"]:
    """Cents earned at each price: whole numbers, exact in float32."""
    if len(valuations) > MOST_BIDDERS:
        raise ValueError(f"there must be at most {MOST_BIDDERS} bidders, got {len(valuations)}")
    cents = np.floor(valuations * 100)
    buyers = (cents[:, None] >= PRICES).sum(axis=0)
    return (PRICES * buyers).astype(np.float32)


@jax.jit
def auctions(
    mechanism: Exponential, seeds: Array, scores: Float32[Array, " prices"]
) -> Int32[Array, " repeats"]:
    """The price's place on the list, once for each seed."""
    return jax.vmap(lambda key: mechanism.sample(key, scores))(seeds)


def auction(epsilon: float, scores: Float32[np.ndarray, " prices"]) -> Row:
    """Holds the auction `REPEATS` times at one epsilon."""
    mechanism = Exponential(epsilon, SENSITIVITY)
    # A seed, so that the table can be repeated. In earnest it is `keys.fresh()`, used once.
    seeds = jax.random.split(keys.jax_key(keys.from_seed(1)), REPEATS)
    earned = scores[np.asarray(auctions(mechanism, seeds, jnp.asarray(scores)))]
    best = float(scores.max())
    # `shortfall` is the theorem's 2/epsilon (ln |R| + t), with the rounding included.
    bound = best - mechanism.shortfall(len(PRICES), 1, T)
    above = int((earned >= bound).sum())
    return Row(epsilon, best / 100, float(earned.mean(dtype=float)) / 100, bound / 100, above)


def main() -> list[Row]:
    """Prints revenue against OPT for each epsilon; returns the rows."""
    scores = revenues(bids(BIDDERS))
    rows = [auction(epsilon, scores) for epsilon in EPSILONS]
    print(f"{BIDDERS} bidders, {len(PRICES)} prices; best price {PRICES[scores.argmax()]} cents")
    print(f"bound with probability {1 - math.exp(-T):.2f}, of {REPEATS} auctions\n")
    print(f"{'epsilon':>8}{'OPT':>10}{'revenue':>10}{'of OPT':>9}{'bound':>10}{'above it':>10}")
    for row in rows:
        share, above = row.mean / row.best, row.above_bound / REPEATS
        print(
            f"{row.epsilon:>8}{row.best:>10.2f}{row.mean:>10.2f}{share:>9.1%}"
            f"{row.bound:>10.2f}{above:>10.1%}"
        )
    return rows


if __name__ == "__main__":
    main()
