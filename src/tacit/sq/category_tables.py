"""How many people of each class have each category, of several features: what naive Bayes asks.

A person has a code for each of g features, and a class: one cell in each of g tables. A curator's
sum asks for all tables at once (`CategoryTables`): a person moves g counts by one each, L1 g and L2
sqrt(g). Who randomises their own report would divide its budget by g for that; so there each
person is asked about one feature alone (`CategoryTablesInTurn`), and everybody's budget is whole.
Reports then are fewer by g, and noise more by sqrt(g), where the division costs g or more.

A code that was never declared, and a class, are in no cell.
"""

from itertools import accumulate
from typing import NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float64, Int, Int32, Num

from tacit.argument import got, is_whole
from tacit.contribution import Counts, OneHot
from tacit.sq.row_and_label import row_and_label

Person = tuple[Num[Array, " features"], Num[Array, ""]]
Tables = list[Float64[np.ndarray, "classes categories"]]
# Each is a number of the sum, with noise of its own.
MOST_CELLS = 1_048_576


class TablesSoFar(NamedTuple):
    """The shares of people in cells, a row for each feature asked about, and how many these are."""

    shares: Float[Array, "rounds cells"]
    rounds: Int32[Array, ""]


@final
class CategoryTables(eqx.Module):
    """Asks everybody for their cells of all tables at once, in one round.

    A person is their codes, from 0, and their class.

    Args:
      categories: how many codes each feature has.
      classes: how many there are, at least two.
    """

    categories: tuple[int, ...] = eqx.field(static=True, converter=tuple)
    classes: int = eqx.field(static=True)

    def __check_init__(self):
        refuse_no_tables(self.categories, self.classes)

    @property
    def shape(self) -> Counts:
        return Counts(self.classes * sum(self.categories), len(self.categories), 1)

    @property
    def rounds(self) -> int:
        return 1

    def init(self) -> TablesSoFar:
        return TablesSoFar(jnp.zeros((1, self.shape.categories)), jnp.int32(0))

    def ask(self, state: TablesSoFar, person: Person) -> Float[Array, " cells"]:
        """A one in their cell of each table."""
        del state
        codes, own = row_and_label(person, len(self.categories))
        cells = cell_of(codes, own, jnp.asarray(self.categories), self.classes)
        places = jnp.asarray(self._firsts) + jnp.maximum(cells, 0)
        return jnp.zeros(self.shape.categories).at[places].add(cells >= 0)

    def tell(self, state: TablesSoFar, answer: Float[Array, " cells"]) -> TablesSoFar:
        return TablesSoFar(answer[None], state.rounds + 1)

    def tables(self, state: TablesSoFar) -> Tables:
        """The share of people in each cell, of each feature."""
        shares = np.asarray(state.shares, np.float64)[0]
        each = zip(self.categories, self._firsts, strict=True)
        return [
            shares[first : first + self.classes * many].reshape(self.classes, many)
            for many, first in each
        ]

    @property
    def _firsts(self) -> list[int]:
        """Where each table begins."""
        return [0, *accumulate(self.classes * many for many in self.categories[:-1])]


@final
class CategoryTablesInTurn(eqx.Module):
    """Asks about one feature in each round: for the number of the cell.

    Args: as of `CategoryTables`.
    """

    categories: tuple[int, ...] = eqx.field(static=True, converter=tuple)
    classes: int = eqx.field(static=True)

    def __check_init__(self):
        refuse_no_tables(self.categories, self.classes)

    @property
    def shape(self) -> OneHot:
        return OneHot(self.classes * max(self.categories))

    @property
    def rounds(self) -> int:
        return len(self.categories)

    def init(self) -> TablesSoFar:
        return TablesSoFar(jnp.zeros((self.rounds, self.shape.categories)), jnp.int32(0))

    def ask(self, state: TablesSoFar, person: Person) -> Int[Array, ""]:
        """Their cell of this round's table; -1 for none."""
        codes, own = row_and_label(person, len(self.categories))
        code = jax.lax.dynamic_index_in_dim(codes, state.rounds, keepdims=False)
        many = jnp.asarray(self.categories)[state.rounds]
        return cell_of(code, own, many, self.classes)

    def tell(self, state: TablesSoFar, answer: Float[Array, " cells"]) -> TablesSoFar:
        return TablesSoFar(state.shares.at[state.rounds].set(answer), state.rounds + 1)

    def tables(self, state: TablesSoFar) -> Tables:
        """The share of people in each cell, of each feature."""
        shares = np.asarray(state.shares, np.float64)
        return [
            own[: self.classes * many].reshape(self.classes, many)
            for own, many in zip(shares, self.categories, strict=True)
        ]


def cell_of(
    code: Num[Array, "*features"], own: Num[Array, ""], many: Int[Array, "*features"], classes: int
) -> Int32[Array, "*features"]:
    """The cell of a code and a class, class by class; -1 if one of them is none."""
    known = (code >= 0) & (code < many) & (own >= 0) & (own < classes)
    cell = own.astype(jnp.int32) * many + code.astype(jnp.int32)
    return jnp.where(known, cell, -1).astype(jnp.int32)


def refuse_no_tables(categories: tuple[int, ...], classes: int) -> None:
    """Raises a ValueError unless these are numbers of categories and of classes."""
    if not (is_whole(classes) and classes >= 2):
        raise ValueError(f"classes must be a whole number of at least 2, got {got(classes)}")
    if not (categories and all(is_whole(each) and each >= 1 for each in categories)):
        raise ValueError("each feature must have at least one category")
    cells = classes * sum(categories)
    if not cells <= MOST_CELLS:
        raise ValueError(f"there may be at most 1,048,576 cells, got {cells:,}")
