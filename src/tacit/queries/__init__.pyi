from .attributes import Listed
from .biased_tables import BiasedTables
from .binned import Binned
from .domain import Domain
from .dyadic_tree import Factorisation, dyadic
from .factorisation_norm import gamma2
from .least_maximum import FourierError, LeastMaximumFit
from .linear_answer import LinearAnswer
from .linear_counts import LinearCounts, linear
from .marginal_answer import MarginalAnswer
from .marginal_counts import Marginals, marginals
from .weighting import Even, ForGaussian, ForLaplace
from .whole_table import LeastSquaresFit

__all__ = [
    "BiasedTables",
    "Binned",
    "Domain",
    "Even",
    "Factorisation",
    "ForGaussian",
    "ForLaplace",
    "FourierError",
    "LeastMaximumFit",
    "LeastSquaresFit",
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
