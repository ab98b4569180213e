"""How often a table's 95% intervals hold: of each aggregate, over 2,000 groups with the same rows.

Groups share nobody and have noise of their own, so they are as many runs: 500 people each, a row a
person, whose numbers fill the bounds evenly. All aggregates are asked at once, so each has a share
of the budget, but for a covariance, which is asked by itself; with delta 0, and with 1e-6. Each
interval is by itself, of no two numbers together.

Three hold more often than they say, none less often. A variance's and a covariance's are widened
by what numbers may be off their grid, by how far off means may be, and by the part of the chance
that limits of the means take; what they would have without is known only where means are. Pure
noise is besides taken for as large as that of weights none of which is smaller than any between
these limits (`tables.products`). A quantile's is from the
least to the largest level that noise does not refute, and rows here are spread over more levels
than it tells apart; where they lie in heaps each end misses with half of the chance, which a test
holds: an interval that held less often here would hold too seldom there.
"""

from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import Any

import ibis
import numpy as np
import pandas as pd

import tacit
from claims import Claim, at_least, at_most, settle
from tacit import tables

GROUPS, EACH, EPSILON = 2_000, 500, 1.5
SIDE = 50
# These are no more than noise and its reach.
EXACT = ("n", "who", "sum", "stay", "share", "h[0 to 10]", "h[10 to 30]", "spread_mean", "c[10]")
# And these have more in them, which the page says.
PURE = {"spread": 0.985, "spread_std": 0.985, "both_days_age": 0.985, "middle": 0.999}
WIDENED = {
    0.0: PURE,
    1e-6: {"spread": 0.975, "spread_std": 0.975, "both_days_age": 0.98, "middle": 0.999},
}


def rows() -> pd.DataFrame:
    """The same in every group."""
    days, age = (np.tile(each, GROUPS) for each in numbers())
    group = np.repeat(np.arange(GROUPS), EACH)
    frame = pd.DataFrame({"person": np.arange(GROUPS * EACH), "days": days, "age": age})
    return frame.assign(a=group // SIDE, b=group % SIDE)


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Days, and ages that rise with them, but for some."""
    days = np.linspace(0, 30, EACH)
    return days, np.round((2 * days + np.arange(EACH) * 7 % 60), 1)


def truths() -> dict[str, float]:
    """What each number is."""
    days, age = numbers()
    share = float((days > 20).mean())
    means = {"stay": days.mean(), "spread": days.var(), "spread_mean": days.mean()}
    return {"n": EACH, "who": EACH, "sum": days.sum(), "share": share, **means} | {
        "spread_std": days.std(),
        "h[0 to 10]": float((days < 10).sum()),
        "h[10 to 30]": float((days >= 10).sum()),
        "c[10]": float((days <= 10).mean()),
        "middle": 15.0,
        "both_days_age": float(np.cov(days, age, ddof=0)[0, 1]),
    }


def covered(delta: float) -> dict[str, float]:
    """How often each interval held."""
    asked: dict[str, Any] = {
        "n": tables.count(),
        "who": tables.people(),
        "sum": tables.total("days", 0, 30),
        "stay": tables.mean("days", 0, 30),
        "share": tables.share(ibis._.days > 20),
        "spread": tables.variance("days", 0, 30),
        "h": tables.histogram("days", bins=[0, 10, 30]),
        "c": tables.cdf("days", bins=[0, 10, 30]),
        "middle": tables.median("days", 0, 30, steps=64),
    }
    both: dict[str, Any] = {"both": tables.covariance({"days": (0, 30), "age": (0, 120)})}
    with TemporaryDirectory() as folder:
        table = tacit.Table(rows(), "person", "people", f"{folder}/people.db")
        table.budget(epsilon=2 * EPSILON, delta=1e-3)
        by = table.by(a=list(range(GROUPS // SIDE)), b=list(range(SIDE)))
        trust = tacit.Central(EPSILON, delta)
        whole = [by.ask(**each, rows_per_person=1).run(trust).frame for each in (asked, both)]
        frame: Any = pd.concat(whole, axis=1)
    return {
        name: float(((frame[f"{name}_low"] <= true) & (true <= frame[f"{name}_high"])).mean())
        for name, true in truths().items()
    }


def main() -> Iterator[Claim]:
    print(f"{GROUPS:,} groups of {EACH} people, epsilon {EPSILON:g} for each question")
    for delta in WIDENED:
        for name, held in covered(delta).items():
            yield at_least(f"delta {delta:g}: {name} held", held, 0.93)
            if name in EXACT:
                yield at_most(f"delta {delta:g}: {name} held", held, 0.97)
            if name in WIDENED[delta]:
                yield at_most(f"delta {delta:g}: {name} held", held, WIDENED[delta][name])


if __name__ == "__main__":
    settle(main())
