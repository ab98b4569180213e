"""Statistics of people: one call each, and the learners and questions they are made of.

    tacit.statistics.mean(ages, bounds=(0, 100), trust=tacit.Central(1.0, 0.0),
                          ledger="people.db", people=45_000, name="census")

| call | of each person | where |
| --- | --- | --- |
| `mean` | a number between bounds | every trust model |
| `count` | yes or no | every trust model |
| `histogram` | one of declared categories | every trust model but the federated |
| `quantiles` | a number between bounds | central |

Each answer is an `Answer`: estimate, interval, plan, receipt. `BoundedMean`, `Count`, `Histogram`
and `BoundedQuantiles` are the same before the data: their `plan` promises and predicts, and spends
nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
