"""Statistics of people: one call each, and the learners and questions they are made of.

    tacit.statistics.mean(ages, bounds=(0, 100), trust=tacit.Central(1.0, 0.0),
                          ledger="people.db", people=45_000, name="census")

| call | of each person | where |
| --- | --- | --- |
| `mean` | a number between bounds | every trust model |
| `covariance` | several numbers between bounds | every trust model; local ones for few columns |
| `count` | yes or no | every trust model |
| `histogram` | one of declared categories | every trust model but the federated |
| `quantiles`, `median` | a number between bounds | every trust model |
| `cdf` | a number between bounds | every trust model |
| `find_bounds` | a number, and a first step | a curator |
| `mean_by_signs` | a number of a normal law of known spread | local and shuffled |
| `mean_by_directions` | numbers of a normal law of known spread | every trust model |
| `select_hypothesis` | a number or category, and its laws | a curator, local and shuffled |

With `ledger=book.once("mean age")` a call that is cut off goes on when it is made again, with the
same noise and at no further charge; without a name it is charged anew.

Each answer is an `Answer`: estimate, interval, plan, receipt; of `covariance` it is `Covariances`,
with the error of every number. `BoundedMean`, `BoundedCovariance`, `Count`, `Histogram`,
`BoundedQuantiles` and `Cumulative` are the same before the data: their `plan` promises and
predicts, and spends nothing; so is `HypothesisSelection`, of `LawsOfNumbers` or
`LawsOfCategories`, whose answer is a `SelectedHypothesis`, and without a curator
`HypothesisKnockOut`. `BoundsSearch` is what `find_bounds` asks, answered by `FoundBounds`;
`MeanBySigns` is what
`mean_by_signs` asks, and `MeanByDirections` what `mean_by_directions` does; `GaussianMean` is of
vectors of a known spread about a mean that may be far away, `NormalCovariance`, answered by a
`FoundCovariance`, of normal vectors about zero, and `NormalLaw`, answered by a `FoundLaw`, of both
where neither is known.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
