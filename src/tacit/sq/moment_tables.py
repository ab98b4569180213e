"""People's number, mean and mean square of each class, of several features: Gaussian naive Bayes.

Put a number between its bounds at p, from 0 to 1. A person gives three shares that add up to one,

    (1 - p)^2,    2 p (1 - p),    p^2,

to their class: with A, B and C their sums over a class, A + B + C counts its people, B/2 + C is the
sum of p and C that of p^2. So of one feature a person moves the sums by L1 norm one whatever p is,
where a one, p and p^2 apart would be three; and no more than one in L2.

Of d features a curator's sum asks for all at once (`MomentTables`): L1 d, L2 sqrt(d). Whoever
randomises their own report is asked about one feature alone (`MomentTablesInTurn`), with the whole
budget, as in `category_tables`. A class that was never declared gives nothing.

**One person replaced.** Shares x and y of two people are not negative, so |x - y|² = |x|² + |y|² -
2 x.y <= 2 d: sums move by sqrt(2 d), and not by twice the length, as they would in a ball, where y
may be -x. A `Tally` holds such vectors, of whole numbers: a curator sums shares in steps of 1/K,
rounded so that those of one feature add up to K, which moves no share by more than one step.
"""

import math
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Float64

from tacit.argument import got, is_whole
from tacit.contribution import Ball, L1Ball, Tally
from tacit.sq.category_tables import Person, TablesSoFar, refuse_no_tables
from tacit.sq.row_and_label import row_and_label

# Sums of one class: of a feature, three shares each.
Shares = Float64[np.ndarray, "features classes three"]
# That a number gives, and that add up to one.
THREE = 3
# Steps of one feature's shares, and of all together, which 32 bits hold twice.
FINEST, MOST_STEPS = 2**20, 2**29


@final
class MomentTables(eqx.Module):
    """Asks everybody for their shares of all features at once, in one round.

    A person is numbers from 0 to 1, and their class.

    Args:
      features: how many numbers, d.
      classes: how many there are, at least two.
      shape: what a person's shares are brought into: `together` says which.
    """

    features: int = eqx.field(static=True)
    classes: int = eqx.field(static=True)
    shape: Ball | L1Ball | Tally

    def __check_init__(self):
        _refuse_no_sizes(self.features, self.classes)

    @classmethod
    def in_l1(cls, features: int, classes: int) -> "MomentTables":
        """For noise that is scaled to sums of absolute values: pure promises."""
        _refuse_no_sizes(features, classes)
        cells = THREE * features * classes
        return cls(features, classes, L1Ball(cells, float(features)))

    @classmethod
    def in_l2(cls, features: int, classes: int) -> "MomentTables":
        """For noise that is scaled to lengths."""
        _refuse_no_sizes(features, classes)
        cells = THREE * features * classes
        return cls(features, classes, Ball(cells, float(features) ** 0.5))

    @classmethod
    def in_steps(cls, features: int, classes: int) -> "MomentTables":
        """For noise that is scaled to lengths, of sums that a curator makes."""
        _refuse_no_sizes(features, classes)
        steps = min(FINEST, 2 ** math.floor(math.log2(MOST_STEPS / max(features, 1))))
        return cls(features, classes, Tally(THREE * features * classes, steps, features * steps))

    @property
    def rounds(self) -> int:
        return 1

    @property
    def steps(self) -> int:
        """K: how many make one."""
        return self.shape.most if isinstance(self.shape, Tally) else 1

    def init(self) -> TablesSoFar:
        return TablesSoFar(jnp.zeros((1, *self.shape.shape)), jnp.int32(0))

    def ask(self, state: TablesSoFar, person: Person) -> Float[Array, " cells"]:
        """Their shares, in their class."""
        del state
        numbers, own = row_and_label(person, self.features)
        shares = jax.vmap(lambda number: shares_of(number, own, self.classes))(numbers)
        return (in_steps(shares, self.steps) if self.steps > 1 else shares).ravel()

    def tell(self, state: TablesSoFar, answer: Float[Array, " cells"]) -> TablesSoFar:
        return TablesSoFar(answer[None] / self.steps, state.rounds + 1)

    def tables(self, state: TablesSoFar) -> Shares:
        """The mean over people of each share."""
        shares = np.asarray(state.shares, np.float64)
        return shares.reshape(self.features, self.classes, THREE)


@final
class MomentTablesInTurn(eqx.Module):
    """Asks about one feature in each round.

    Args:
      features: how many numbers, d.
      classes: how many there are, at least two.
    """

    features: int = eqx.field(static=True)
    classes: int = eqx.field(static=True)

    def __check_init__(self):
        _refuse_no_sizes(self.features, self.classes)

    @property
    def shape(self) -> L1Ball:
        return L1Ball(THREE * self.classes, 1.0)

    @property
    def rounds(self) -> int:
        return self.features

    @property
    def steps(self) -> int:
        return 1

    def init(self) -> TablesSoFar:
        return TablesSoFar(jnp.zeros((self.rounds, THREE * self.classes)), jnp.int32(0))

    def ask(self, state: TablesSoFar, person: Person) -> Float[Array, " cells"]:
        """Their shares of this round's feature."""
        numbers, own = row_and_label(person, self.features)
        number = jax.lax.dynamic_index_in_dim(numbers, state.rounds, keepdims=False)
        return shares_of(number, own, self.classes).ravel()

    def tell(self, state: TablesSoFar, answer: Float[Array, " cells"]) -> TablesSoFar:
        return TablesSoFar(state.shares.at[state.rounds].set(answer), state.rounds + 1)

    def tables(self, state: TablesSoFar) -> Shares:
        """The mean over people of each share."""
        shares = np.asarray(state.shares, np.float64)
        return shares.reshape(self.features, self.classes, THREE)


def shares_of(
    number: Float[Array, ""], own: Float[Array, ""], classes: int
) -> Float[Array, "classes three"]:
    """The three shares of one number, beside the class they belong to."""
    p = jnp.clip(number, 0, 1)
    three = jnp.stack([(1 - p) ** 2, 2 * p * (1 - p), p**2])
    return jnp.where(jnp.arange(classes) == own, 1.0, 0.0)[:, None] * three


def in_steps(
    shares: Float[Array, "features classes three"], steps: int
) -> Float[Array, "features classes three"]:
    """The same in whole steps of which so many make one: the outer two are the nearest, and the
    middle one is what is left of their class."""
    outer = jnp.round(shares[..., ::2] * steps)
    whole = jnp.round(shares.sum(-1) * steps)
    middle = jnp.maximum(whole - outer.sum(-1), 0.0)
    return jnp.stack([outer[..., 0], middle, outer[..., 1]], axis=-1)


def _refuse_no_sizes(features: Any, classes: Any) -> None:
    if not is_whole(features):
        raise ValueError(f"features must be a whole number, got {got(features)}")
    refuse_no_tables((THREE,) * int(features), classes)
