from .attributes import Binned, Listed
from .biased_tables import BiasedTables
from .domain import Domain
from .linear_answer import LinearAnswer
from .linear_counts import LinearCounts, linear
from .marginal_answer import MarginalAnswer
from .marginal_counts import Marginals, marginals

__all__ = [
    "BiasedTables",
    "Binned",
    "Domain",
    "LinearAnswer",
    "LinearCounts",
    "Listed",
    "MarginalAnswer",
    "Marginals",
    "linear",
    "marginals",
]
