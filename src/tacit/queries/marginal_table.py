"""One table of marginals: estimates and limits of each cell, as arrays and as a DataFrame."""

from collections.abc import Container
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Real

from tacit.queries.closure import Set
from tacit.queries.domain import Domain


class MarginalTable(NamedTuple):
    """One table: estimates in people, whole numbers where they are made so; limits of each cell."""

    estimates: Real[np.ndarray, "*sizes"]
    low: Float[np.ndarray, "*sizes"]
    high: Float[np.ndarray, "*sizes"]


def frame_of(domain: Domain, places: Set, table: MarginalTable) -> Any:
    """A DataFrame with a row for each cell, of the columns of these numbers."""
    import pandas as pd

    labels = [domain.attributes[i][1].labels for i in places]
    index = pd.MultiIndex.from_product(labels, names=[domain.names[i] for i in places])
    found = {name: each.ravel() for name, each in table._asdict().items()}
    named = found | {"people": found.pop("estimates")}
    return pd.DataFrame(named, index)[["people", "low", "high"]].reset_index()


def places_of(domain: Domain, columns: tuple[str, ...], asked: Container[Set]) -> Set:
    """The numbers of the columns of a table, rising.

    Args:
      asked: the tables there are.

    Raises:
      ValueError: if they are part of no table that was asked for.
    """
    places = domain.places(columns)
    if places not in asked:
        raise ValueError(
            f"no table that was asked for has the columns {', '.join(columns)} together"
        )
    return places
