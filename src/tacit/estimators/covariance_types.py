"""scikit-learn's names for the shapes of a mixture's components, and its arrays of them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from jaxtyping import Float

from tacit.argument import got
from tacit.learning.component_shapes import AllProducts, AxisSquares, Shapes, SquaredLength

Roots = Float[np.ndarray, "clusters dim dim"]


class CovarianceType(ABC):
    """Which shapes components have, and how scikit-learn writes them."""

    @abstractmethod
    def shapes(self, clusters: int, dim: int) -> Shapes:
        """Of so many components."""

    @abstractmethod
    def covariances(self, roots: Roots) -> np.ndarray:
        """`covariances_` of components with covariances L L'."""

    @abstractmethod
    def precisions_cholesky(self, roots: Roots) -> np.ndarray:
        """`precisions_cholesky_`: of L, the inverse's transpose."""


@final
@dataclass(frozen=True)
class EachItsOwn(CovarianceType):
    """A covariance each: clusters x features x features."""

    def shapes(self, clusters: int, dim: int) -> Shapes:
        return Shapes(AllProducts(dim), clusters)

    def covariances(self, roots: Roots) -> np.ndarray:
        return roots @ roots.swapaxes(1, 2)

    def precisions_cholesky(self, roots: Roots) -> np.ndarray:
        return np.linalg.inv(roots).swapaxes(1, 2)


@final
@dataclass(frozen=True)
class AllOne(CovarianceType):
    """The same covariance for all: features x features."""

    def shapes(self, clusters: int, dim: int) -> Shapes:
        return Shapes(AllProducts(dim), clusters, shared=True)

    def covariances(self, roots: Roots) -> np.ndarray:
        return roots[0] @ roots[0].T

    def precisions_cholesky(self, roots: Roots) -> np.ndarray:
        return np.linalg.inv(roots[0]).T


@final
@dataclass(frozen=True)
class AlongAxes(CovarianceType):
    """A variance for each feature: clusters x features."""

    def shapes(self, clusters: int, dim: int) -> Shapes:
        return Shapes(AxisSquares(dim), clusters)

    def covariances(self, roots: Roots) -> np.ndarray:
        return np.square(np.diagonal(roots, axis1=1, axis2=2))

    def precisions_cholesky(self, roots: Roots) -> np.ndarray:
        return 1 / np.diagonal(roots, axis1=1, axis2=2)


@final
@dataclass(frozen=True)
class AllRound(CovarianceType):
    """One variance for each component: clusters."""

    def shapes(self, clusters: int, dim: int) -> Shapes:
        return Shapes(SquaredLength(dim), clusters)

    def covariances(self, roots: Roots) -> np.ndarray:
        return np.square(roots[:, 0, 0])

    def precisions_cholesky(self, roots: Roots) -> np.ndarray:
        return 1 / roots[:, 0, 0]


TYPES: dict[str, CovarianceType] = {
    "full": EachItsOwn(),
    "tied": AllOne(),
    "diag": AlongAxes(),
    "spherical": AllRound(),
}


def covariance_type_of(name: Any) -> CovarianceType:
    """The type of this name.

    Raises:
      ValueError: if there is none.
    """
    if not (isinstance(name, str) and name in TYPES):
        raise ValueError(f"covariance_type must be one of {', '.join(TYPES)}, got {got(name)}")
    return TYPES[name]
