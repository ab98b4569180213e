"""Sets of linear queries about one column, answered together: their noise cancels where it can.

    ages = tacit.queries.linear(
        years, Prefix(120), trust=tacit.Central(1.0, 1e-6), ledger="people.db", name="census")

| workload (`tacit.question`) | what is answered |
| --- | --- |
| `Prefix(N)` | how many people are in the first j of N cells, for each j |
| `Ranges(N)` | how many are in the cells from i to j, for all i <= j |
| `Queries(matrix)` | any weighted sums of the N counts |
| `Kronecker(first, second)`, `Union(...)` | of two columns at once; several workloads together |

A histogram gives all of these too, but a sum of 500 of its counts has the noise of 500 numbers.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
