"""Which rounds find a covariance best: foreseen by playing them on eigenvalues.

Rounds are few or many, and have small shares of the promise or large ones (`whitening`). Which are
best depends on how many people there are, in how many dimensions, and on how long they may be; all
of that is public. So a few ways are played beforehand, on people of three kinds: as short as they
may be in every direction; in half of all directions and as long as they may be in the others; and
evenly spread between in logarithms. The way is taken whose worst kind comes out best.

**Played** without people: an answer is what clipping makes of eigenvalues (`clipped_squares`), what
n people differ from that (c_i c_j/n in number (i, j) of variance, twice that on the diagonal, for
eigenvalues c that come out), and noise. The rest is the learner's own code.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from tacit.statistics.clipped_squares import SCALES, ClippedSquares
from tacit.statistics.shares import ShareNoise
from tacit.statistics.whitening import Rung, first, told

# Of level rounds, how many and the share of each; of those between, shares that rise.
LEVELS = ((0, 0.0), (2, 0.005), (2, 0.03), (1, 0.1))
BETWEEN = (
    (),
    (0.1, 0.2),
    (0.15, 0.25),
    (0.05, 0.1, 0.2),
    (0.05, 0.1, 0.2, 0.3),
    (0.05, 0.05, 0.1, 0.15, 0.25),
)
# A round's B²/d is one and this over sqrt(d): the last is tight.
WIDE, TIGHT = 2.0, 1.0
# So many random numbers tell a root mean square within a few hundredths.
ENOUGH = 4_000

_told = jax.jit(jax.vmap(told, (0, 0, None)))


@final
@dataclass(frozen=True)
class Ladder:
    """Rounds of squares, from public numbers.

    Args:
      dim, people: of the question.
      least, most: between which deviations people have in every direction.
      noise: on the diagonal of an answer, in units of the unit ball's bound, by share.
      levels: how many level rounds come first.
      shares: of all rounds.
    """

    dim: int
    people: int
    least: float
    most: float
    noise: ShareNoise
    levels: int
    shares: tuple[float, ...]

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """B²/d of each round."""
        wide = (WIDE,) * (len(self.shares) - 1)
        return tuple(1 + beyond / math.sqrt(self.dim) for beyond in (*wide, TIGHT))

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """All rounds'."""
        each = zip(self.bounds, self.noise.at(self.shares), strict=True)
        return tuple(
            Rung.of(self.dim, bound, noise, at >= self.levels)
            for at, (bound, noise) in enumerate(each)
        )

    @cached_property
    def error(self) -> float:
        """The foreseen distance of the worst kind of people (root mean square)."""
        return max(map(self.played, self._kinds))

    def is_below(self, error: float) -> bool:
        """Whether its own error is; no longer looked at than until it is not."""
        return all(self.played(kind) < error for kind in self._kinds)

    @property
    def _kinds(self) -> Iterable[Float[np.ndarray, " dim"]]:
        """People's eigenvalues."""
        low, high = self.least**2, self.most**2
        half = np.where(np.arange(self.dim) < self.dim // 2, high, low)
        return half, np.full(self.dim, low), np.geomspace(low, high, self.dim)

    def played(self, kind: Float[np.ndarray, " dim"]) -> float:
        """The foreseen distance for people of these eigenvalues (root mean square)."""
        draws, noises = self._draws, self.noise.at(self.shares)
        state = jax.tree.map(lambda each: np.stack([each] * draws), first(self.dim, self.most))
        people = _People.drawn(self.people, (draws, self.dim, self.dim))
        # The same random numbers in the last rounds of all ladders, to compare them.
        left = range(len(self.shares), 0, -1)
        for rung, bound, noise, seed in zip(self.rungs, self.bounds, noises, left, strict=True):
            host, law = np.random.default_rng(seed), ClippedSquares(self.dim, bound * self.dim)
            inverse = np.asarray(state.inverse, np.float64)
            answer = people.clipped(inverse * np.sqrt(kind), law)
            answer = answer / law.bound + noise * _symmetric(host, answer.shape)
            state = _told(state, jnp.asarray(answer, jnp.float32), rung)
        scales = 1 / np.sqrt(kind)
        found = scales[:, None] * np.asarray(state.covariance, np.float64) * scales
        return math.sqrt(np.sum((found - np.eye(self.dim)) ** 2) / draws)

    @property
    def _draws(self) -> int:
        return math.ceil(ENOUGH / (self.dim * (self.dim + 1) / 2))


class _People(NamedTuple):
    """By what these people differ from their law, in every round alike: numbers of their squares
    that are not clipped, and what clipping makes of them beside that."""

    whole: Float[np.ndarray, "draws dim dim"]
    beside: Float[np.ndarray, "draws dim dim"]

    @classmethod
    def drawn(cls, people: int, shape: tuple[int, ...]) -> "_People":
        host = np.random.default_rng(0)
        return cls(*((2 / people) ** 0.5 * _symmetric(host, shape) for _ in range(2)))

    def clipped(
        self, ways: Float[np.ndarray, "draws dim dim"], law: ClippedSquares
    ) -> Float[np.ndarray, "draws dim dim"]:
        """The mean squares of clipped people whose numbers are these ways of white ones."""
        own = ways @ (np.eye(law.dim) + self.whole) @ np.swapaxes(ways, 1, 2)
        values, vectors = np.linalg.eigh(own)
        found = vectors * law.clipped(np.maximum(values, 1e-12))[:, None]
        axes, roots, turn = np.linalg.svd(ways)
        lengths = law.clipped(np.maximum(roots**2, 1e-12))
        scales = np.mean(roots**2, axis=1)
        told = np.interp(scales, SCALES, law.slopes) * scales
        left = np.sqrt(np.maximum(1 - (told / np.mean(lengths, axis=1)) ** 2, 0.0))
        spread = left[:, None, None] * np.sqrt(lengths[:, :, None] * lengths[:, None])
        beside = spread * (turn @ self.beside @ np.swapaxes(turn, 1, 2))
        return found @ np.swapaxes(vectors, 1, 2) + axes @ beside @ np.swapaxes(axes, 1, 2)


def ladder_for(dim: int, people: int, least: float, most: float, noise: ShareNoise) -> Ladder:
    """The rounds of the least foreseen error."""
    best = Ladder(dim, people, least, most, noise, 0, (1.0,))
    for (many, share), between in product(LEVELS, BETWEEN):
        shares = (*(share,) * many, *between, 1 - many * share - math.fsum(between))
        tried = Ladder(dim, people, least, most, noise, many, shares)
        best = tried if tried.is_below(best.error) else best
    return best


def _symmetric(
    host: np.random.Generator, shape: tuple[int, ...]
) -> Float[np.ndarray, "draws dim dim"]:
    """Of variance one on the diagonal and a half off it."""
    drawn = host.normal(size=shape)
    return (drawn + np.swapaxes(drawn, 1, 2)) / 2
