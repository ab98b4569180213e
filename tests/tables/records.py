"""Small tables of visits, made up."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tacit import Ledger, Table, tables


def visits(rows: int, people: int, seed: int) -> pd.DataFrame:
    """Some rows have no ward, no days, or are nobody's; some days are beyond any bounds."""
    rng = np.random.default_rng(seed)
    days = rng.choice([0.0, 1.5, 3.0, 7.0, 30.0, 1e9, -5.0, np.nan, np.inf], rows)
    ward = rng.choice(np.array(["A", "B", "C", None], object), rows)
    patient = [None if x == people else f"p{x}" for x in rng.integers(0, people + 1, rows)]
    frame = pd.DataFrame({"patient": patient, "ward": ward, "days": days})
    frame["sex"] = rng.choice(np.array(["f", "m", None], object), rows)
    return frame


def single(rows: int) -> pd.DataFrame:
    """Visits of as many people."""
    return visits(rows, 10**6, seed=2).assign(patient=[f"p{i}" for i in range(rows)])


def crowded() -> pd.DataFrame:
    """One in every ward, one with the same row many times, two alone in theirs, one nobody's."""
    rows = [("a", ward, 1.5) for ward in "ABCD"] * 2 + [("b", "A", 30.0)] * 6
    rows += [("c", None, 1.0), ("c", "own", 2.0), ("d", "B", 3.0), (None, "A", 30.0)]
    frame = pd.DataFrame(rows, columns=["patient", "ward", "days"])
    frame["sex"] = (["f", "m", None] * 6)[: len(frame)]
    return frame.assign(long=frame.days > 2)


def table(rows: Any, folder: Path, **own: Any) -> Table:
    """A table of patients with an account of their own, without a limit yet."""
    return Table(rows, "patient", "patients", Ledger(folder / "people.db"), **own)


def some(*names: str) -> dict[str, Any]:
    """Of everything, these."""
    return {name: everything()[name] for name in names or everything()}


def everything() -> dict[str, Any]:
    """One of each aggregate."""
    return {
        "n": tables.count(),
        "who": tables.people(),
        "stay": tables.mean("days", 0, 30),
        "sum": tables.total("days", -10, 20),
        "spread": tables.variance("days", 0, 10),
        "share": tables.share("long"),
        "sexes": tables.histogram("sex", categories=["f", "m", None]),
        "bins": tables.histogram("days", bins=[0, 2, 10, 30]),
        "stays": tables.quantiles("days", [0.25, 0.9], 0, 30, steps=20),
        "middle": tables.median("days", 0, 10, steps=5),
        "first": tables.top("sex", categories=["f", "m", None], k=2),
        "both": tables.covariance({"days": (0, 10), "long": (0, 3)}),
        "upto": tables.cdf("days", bins=[0, 2, 10, 29]),
    }
