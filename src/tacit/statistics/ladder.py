"""Which rounds find a covariance best: foreseen by playing them on eigenvalues.

Rounds are few or many, have small shares of the promise or large ones, and clip more or less
(`whitening`). Which are best depends on how many people there are, in how many dimensions, and on
how long they may be: all public. So a few ways are played beforehand, on three kinds of people: as
short as they may be; as long in half of all directions (in the only one); and evenly between in
logarithms. That is taken whose worst kind comes out best. There are worse: pure rounds of 2,000 are
off by half as much again where one of six directions is a thousand times shorter than the others.

**Played** without people: an answer is what clipping makes of eigenvalues (`clipped_squares`), what
n people differ from that (r c_i c_j/n in number (i, j) of variance, on the diagonal (3 r - 1)
c_i²/n, of which a little is left out, for eigenvalues c that come out and `spreads` r),
and noise of its own law. The rest is the learner's own code.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple, final

import jax
import numpy as np
from jaxtyping import Float
from scipy import special

from tacit.statistics.clipped_squares import SCALES, ClippedSquares, clipped_squares
from tacit.statistics.log_lengths import LogLengths
from tacit.statistics.shares import ShareNoise
from tacit.statistics.whitening import Rung, Whitened, first, told

# Of level rounds, how many and the share of each; of those between, shares that rise.
LEVELS = ((0, 0.0), (1, 0.005), (1, 0.02), (2, 0.02))
BETWEEN = (
    (),
    (0.1, 0.2),
    (0.15, 0.25),
    (0.05, 0.1, 0.2),
    (0.05, 0.1, 0.2, 0.3),
    (0.05, 0.05, 0.1, 0.15, 0.25),
)
# B²/d is one and this over sqrt(d): of rounds before the last, and of the last, which is tight.
# Where noise is large, all are: it is in proportion to B².
WIDTHS = ((2.0, 1.0), (0.0, 0.0))
# So many random numbers tell which of two is better, and so many how far off it is.
FEW, MANY = 4_000, 20_000

Draws = Float[np.ndarray, "draws dim dim"]

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
      widths: of `WIDTHS`.
    """

    dim: int
    people: int
    least: float
    most: float
    noise: ShareNoise
    levels: int
    shares: tuple[float, ...]
    widths: tuple[float, float] = WIDTHS[0]

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """B²/d of each round."""
        wide, tight = self.widths
        each = *(wide,) * (len(self.shares) - 1), tight
        return tuple(1 + beyond / math.sqrt(self.dim) for beyond in each)

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """All rounds'."""
        noises = self.noise.at(self.shares)
        each = zip(self.bounds, noises, (*self._lengths, *(None,) * len(noises)), strict=False)
        return tuple(Rung.of(self.dim, *one) for one in each)

    @cached_property
    def _lengths(self) -> tuple[LogLengths, ...]:
        """Those of level rounds."""
        each = LogLengths.between(self.dim, (self.least / self.most) ** 2, 1.0)
        found = []
        for noise in self.noise.at(self.shares[: self.levels]):
            found.append(each)
            each = each.after(noise, self.people)
        return tuple(found)

    @cached_property
    def rmse(self) -> float:
        """The foreseen distance of the worst kind of people (root mean square)."""
        return self.worst(MANY)

    def worst(self, numbers: int) -> float:
        """The same, told by so many random numbers."""
        return max(self.played(kind, numbers) for kind in self._kinds)

    def below(self, rmse: float) -> float:
        """What few tell, if it is; no longer looked at than until it is not, and then infinite."""
        worst = 0.0
        for kind in self._kinds:
            found = self.played(kind, FEW)
            # NaN too: what overflows tells nothing.
            if not found < rmse:
                return math.inf
            worst = max(worst, found)
        return worst

    @property
    def _kinds(self) -> Iterable[Float[np.ndarray, " dim"]]:
        """People's eigenvalues."""
        low, high = self.least**2, self.most**2
        half = np.where(np.arange(self.dim) < max(1, self.dim // 2), high, low)
        return half, np.full(self.dim, low), np.geomspace(low, high, self.dim)

    @property
    def _few(self) -> int:
        """Draws of so many numbers as tell which is better."""
        return math.ceil(FEW / (self.dim * (self.dim + 1) / 2))

    def played(self, kind: Float[np.ndarray, " dim"], numbers: int = MANY) -> float:
        """The foreseen distance for people of these eigenvalues (root mean square).

        Args:
          kind: their variances.
          numbers: random ones, at least; more tell it better.
        """
        draws = self._few * math.ceil(numbers / FEW)
        state = _begun(self.dim, self.most, draws)
        people = _People.drawn(self.people, (draws, self.dim, self.dim))
        # The same random numbers in the last rounds of all ladders, to compare them.
        left = range(len(self.shares), 0, -1)
        for at, (rung, noise, seed) in enumerate(
            zip(self.rungs, self.noise.at(self.shares), left, strict=True)
        ):
            ways = np.asarray(state.inverse, np.float64) * np.sqrt(kind)
            answer = self._answer(people, ways, at)
            noises = _noise(seed, answer.shape, self.noise.pure)
            state = _told_by(self._few, state, (answer + noise * noises).astype(np.float32), rung)
        scales = 1 / np.sqrt(kind)
        found = scales[:, None] * np.asarray(state.covariance, np.float64) * scales
        return math.sqrt(np.sum((found - np.eye(self.dim)) ** 2) / draws)

    def _answer(self, people: "_People", ways: Draws, at: int) -> Draws:
        """Of a round, before noise."""
        if at < self.levels:
            return people.lengths(ways, self._lengths[at])
        law = clipped_squares(self.dim, self.bounds[at] * self.dim)
        return people.clipped(ways, law) / law.bound


class _People(NamedTuple):
    """By what these people differ from their law, in every round alike: numbers of their squares
    that are not clipped, and what clipping makes of them beside that."""

    people: int
    whole: Draws
    beside: Draws

    @classmethod
    def drawn(cls, people: int, shape: tuple[int, ...]) -> "_People":
        host = np.random.default_rng(0)
        drawn = ((2 / people) ** 0.5 * _symmetric(host, shape) for _ in range(2))
        return cls(people, *drawn)

    def lengths(self, ways: Draws, law: LogLengths) -> Draws:
        """The mean of g in a level round, as the first number: the rest is not looked at."""
        squares = np.square(np.linalg.norm(ways, axis=(1, 2)))
        spread = np.linalg.norm(ways @ np.swapaxes(ways, 1, 2), axis=(1, 2))
        # |w|² as of a gamma law of the same mean and variance.
        degrees = squares**2 / (2 * spread**2)
        logs = np.log(squares / degrees) + special.digamma(degrees)
        own = np.sqrt(special.polygamma(1, degrees) / self.people)
        drawn = self.beside[:, 0, 0] / (2 / self.people) ** 0.5
        part = np.clip((logs + own * drawn - law.low) / law.span, 0.0, 1.0)
        return part[:, None, None] * np.ones((law.dim, law.dim))

    def clipped(self, ways: Draws, law: ClippedSquares) -> Draws:
        """The mean squares of clipped people whose numbers are these ways of white ones."""
        own = ways @ (np.eye(law.dim) + self.whole) @ np.swapaxes(ways, 1, 2)
        values, vectors = np.linalg.eigh(own)
        found = vectors * law.clipped(np.maximum(values, 1e-12))[:, None]
        axes, roots, turn = np.linalg.svd(ways)
        lengths = law.clipped(np.maximum(roots**2, 1e-12))
        scales = np.mean(roots**2, axis=1)
        told = np.interp(scales, SCALES, law.slopes) * scales / np.mean(lengths, axis=1)
        left = np.sqrt(np.maximum(np.interp(scales, SCALES, law.spreads) - told**2, 0.0))
        spread = left[:, None, None] * np.sqrt(lengths[:, :, None] * lengths[:, None])
        beside = spread * (turn @ self.beside @ np.swapaxes(turn, 1, 2))
        return found @ np.swapaxes(vectors, 1, 2) + axes @ beside @ np.swapaxes(axes, 1, 2)


@lru_cache(maxsize=64)
def ladder_for(dim: int, people: int, least: float, most: float, noise: ShareNoise) -> Ladder:
    """The rounds of the least foreseen error."""
    best = Ladder(dim, people, least, most, noise, 0, (1.0,))
    rmse = best.worst(FEW)
    for (many, share), between, widths in product(LEVELS, BETWEEN, WIDTHS):
        shares = (*(share,) * many, *between, 1 - many * share - math.fsum(between))
        tried = Ladder(dim, people, least, most, noise, many, shares, widths)
        if (found := tried.below(rmse)) < rmse:
            best, rmse = tried, found
    return best


@lru_cache(maxsize=8)
def _begun(dim: int, most: float, draws: int) -> Whitened:
    """What is known of all draws before the first round."""
    each = jax.tree.map(np.asarray, first(dim, most))
    return jax.tree.map(lambda one: np.broadcast_to(one, (draws, *one.shape)), each)


def _told_by(few: int, state: Whitened, answer: np.ndarray, rung: Rung) -> Whitened:
    """What all draws are told, so few at a time: one program is made for any number."""

    def part(start: int) -> Whitened:
        own = jax.tree.map(lambda each: each[start : start + few], (state, answer))
        return _told(*own, rung)

    parts = map(part, range(0, len(answer), few))
    return jax.tree.map(lambda *each: np.concatenate(each), *parts)


@lru_cache(maxsize=32)
def _noise(seed: int, shape: tuple[int, ...], pure: bool) -> Draws:
    """Of variance one on the diagonal and a half off it: of two Wisharts, or normal."""
    host = np.random.default_rng(seed)
    if not pure:
        return _symmetric(host, shape)
    one, other = (host.normal(size=(*shape[:-1], shape[-1] + 1)) for _ in range(2))
    squares = (each @ np.swapaxes(each, 1, 2) for each in (one, other))
    return (next(squares) - next(squares)) / (2 * math.sqrt(shape[-1] + 1))


def _symmetric(host: np.random.Generator, shape: tuple[int, ...]) -> Draws:
    """Of variance one on the diagonal and a half off it."""
    drawn = host.normal(size=shape)
    return (drawn + np.swapaxes(drawn, 1, 2)) / 2
