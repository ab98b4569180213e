from .attributes import Binned, Listed
from .biased_tables import BiasedTables
from .domain import Domain
from .dyadic_tree import Factorisation, dyadic
from .factorisation_norm import gamma2
from .linear_answer import LinearAnswer
from .linear_counts import LinearCounts, linear
from .marginal_answer import MarginalAnswer
from .marginal_counts import Marginals, marginals

__all__ = [
    "BiasedTables",
    "Binned",
    "Domain",
    "Factorisation",
    "LinearAnswer",
    "LinearCounts",
    "Listed",
    "MarginalAnswer",
    "Marginals",
    "dyadic",
    "gamma2",
    "linear",
    "marginals",
]
