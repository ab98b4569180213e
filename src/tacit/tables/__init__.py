"""Tables where they live: private statistics of records in DataFrames, files and databases.

    visits = tacit.Table("visits.parquet", person="patient", name="patients", ledger="patients.db")
    visits.budget(epsilon=3, delta=1e-6)
    ask = visits.by(ward=["A", "B", "C"]).ask(
        n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5)
    print(ask.plan(tacit.Central(1.0, 1e-6)))
    answer = ask.run(tacit.Central(1.0, 1e-6))

A table has a row for each record and a column that says whose it is. The engine it lies in bounds
what each person's rows add up to and sums whole numbers; what leaves it is one row for each group,
and that only after noise.

| question | what is answered for each group |
| --- | --- |
| `count` | how many rows |
| `count_if` | of how many rows a condition holds |
| `people` | how many people |
| `total` | the sum of a column between bounds |
| `mean` | its mean |
| `variance` | its mean, variance and standard deviation |
| `covariance` | the covariance of every two of several columns |
| `share` | of what share of the rows where a condition is known it holds |
| `median`, `quantiles` | numbers below which half of the rows lie, or other shares of them |
| `histogram` | how many rows have each declared value, or lie in each bin |
| `top` | which declared values are the most frequent, and how many rows have them |
| `cdf` | the shares of rows at or below public places |

`linear` asks a workload of queries about a column of all people, with noise that cancels in them.
"""

from typing import Any

from tacit import first_use

_imported, __dir__, __all__ = first_use.names(__name__, __file__)
# What others call some of these.
_INSTEAD = {"sum": "total", "std": "variance", "avg": "mean"}


def __getattr__(name: str) -> Any:
    """What the name stands for, imported when it is first used."""
    if name in _INSTEAD:
        raise AttributeError(f"there is no tables.{name}: ask for tables.{_INSTEAD[name]}")
    return _imported(name)
