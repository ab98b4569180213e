"""How often a table's 95% intervals hold: of each aggregate, over 2,000 groups with the same rows.

Groups share nobody and have noise of their own, so they are as many runs: 500 people each, a row a
person, whose numbers fill the bounds evenly. All aggregates are asked at once, so each has a share
of the budget, but for a covariance and a median of heaps, each asked by itself; with delta 0, and
with 1e-6. Each interval is by itself, of no two numbers together.

Two kinds hold more often than they say, none less often. A variance's and a covariance's are
widened by what numbers may be off their grid, by how far off means may be, and by the part of the
chance that limits of the means take; what they would have without is known only where means are. A
quantile's is from the least to the largest level that noise does not refute, and `days` are spread
over more levels than it tells apart. Where rows lie in two heaps, `heaps`, every number from one to
the other is a median: the interval holds all of them as often as it says and no more often, so that
one that was narrower whatever the rows are would hold too seldom there.
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
EXACT = (
    "n",
    "who",
    "sum",
    "stay",
    "share",
    "h[0 to 10]",
    "h[10 to 30]",
    "spread_mean",
    "c[10]",
    "heaps",
)
# And these have more in them, which the page says.
WIDENED = {"spread": 0.975, "spread_std": 0.975, "both_days_age": 0.98, "middle": 0.999}
DELTAS = 0.0, 1e-6
HEAPS = 10.0, 20.0
# Where whole numbers are coarse beside pure noise, what is proved of many of its sums is too much.
OF_HEAPS = EPSILON / 10


def rows() -> pd.DataFrame:
    """The same in every group."""
    days, age = (np.tile(each, GROUPS) for each in numbers())
    group = np.repeat(np.arange(GROUPS), EACH)
    frame = pd.DataFrame({"person": np.arange(GROUPS * EACH), "days": days, "age": age})
    heap = np.tile(np.repeat(HEAPS, EACH // 2), GROUPS)
    return frame.assign(heap=heap, a=group // SIDE, b=group % SIDE)


def numbers() -> tuple[np.ndarray, np.ndarray]:
    """Days, and ages that rise with them, but for some."""
    days = np.linspace(0, 30, EACH)
    return days, np.round((2 * days + np.arange(EACH) * 7 % 60), 1)


def truths() -> dict[str, tuple[float, float]]:
    """What each number is, from the least to the largest that is right."""
    days, age = numbers()
    share = float((days > 20).mean())
    means = {"stay": days.mean(), "spread": days.var(), "spread_mean": days.mean()}
    each = {"n": EACH, "who": EACH, "sum": days.sum(), "share": share, **means} | {
        "spread_std": days.std(),
        "h[0 to 10]": float((days < 10).sum()),
        "h[10 to 30]": float((days >= 10).sum()),
        "c[10]": float((days <= 10).mean()),
        "middle": 15.0,
        "both_days_age": float(np.cov(days, age, ddof=0)[0, 1]),
    }
    return {name: (true, true) for name, true in each.items()} | {"heaps": HEAPS}


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
    heaps: dict[str, Any] = {"heaps": tables.median("heap", 0, 30, steps=30)}
    both: dict[str, Any] = {"both": tables.covariance({"days": (0, 30), "age": (0, 120)})}
    with TemporaryDirectory() as folder:
        table = tacit.Table(rows(), "person", "people", f"{folder}/people.db")
        table.budget(epsilon=3 * EPSILON, delta=1e-3)
        by = table.by(a=list(range(GROUPS // SIDE)), b=list(range(SIDE)))
        trusts = [tacit.Central(each, delta) for each in (EPSILON, EPSILON, OF_HEAPS)]
        whole = [
            by.ask(**each, rows_per_person=1).run(trust).frame
            for each, trust in zip((asked, both, heaps), trusts, strict=True)
        ]
        frame: Any = pd.concat(whole, axis=1)
    return {
        name: float(((frame[f"{name}_low"] <= least) & (most <= frame[f"{name}_high"])).mean())
        for name, (least, most) in truths().items()
    }


def main() -> Iterator[Claim]:
    print(f"{GROUPS:,} groups of {EACH} people, epsilon {EPSILON:g} for each question")
    for delta in DELTAS:
        for name, held in covered(delta).items():
            yield at_least(f"delta {delta:g}: {name} held", held, 0.93)
            if name in EXACT:
                yield at_most(f"delta {delta:g}: {name} held", held, 0.97)
            if name in WIDENED:
                yield at_most(f"delta {delta:g}: {name} held", held, WIDENED[name])


if __name__ == "__main__":
    settle(main())
