"""Theorems of the field, each a module, to lay beside the accountant's numbers.

| module | what about |
| --- | --- |
| `classical` | composition, group privacy, concentrated and Gaussian privacy |
| `iteration` | gradient descent of which only the end is shown |
| `laplace_thresholds` | which of many sums reach a threshold |
| `mean_breach`, `reconstruction` | how often an onlooker reconstructs what was sent |
| `shuffle_bounds` | shuffled reports |
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
