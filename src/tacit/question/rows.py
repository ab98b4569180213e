"""Questions that need everybody's rows at once: quantiles, trimmed means, any function of blocks.

Their answers are not functions of one sum, so only a curator who holds the data can give them, in
one round. What is asked is a statistic, by name; which mechanism answers is for `trust` to say.

| statistic | what it is | neighbours |
| --- | --- | --- |
| `Quantile` | the quantile, near in rank: the exponential mechanism on a grid | all |
| `Quantiles` | several such quantiles, in the way that is predicted to be off least | all |
| `SmoothQuantile` | the quantile, near in value: smooth sensitivity | replace-one |
| `TrimmedMean` | the mean without both ends: smooth sensitivity | replace-one |
| `ProposedQuantile` | the quantile, or NaN where it is too sensitive | replace-one |
| `BlockMeans`, `BlockMedians` | any function of blocks: sample and aggregate | replace-one |
| a class of `concepts` | which rule labels most people right: PAC learning | all |
| `NearestLaw` | which of several public laws is nearest: minimum distance | all |
| `LeadingDirection` | along which most of everybody's squares lie: the Bingham law | all |
| `NearDatabase`, `TaughtShares` | rows like people's: the net mechanism, MWEM | all |
| `Minimiser` | a linear model's weights: objective perturbation | all |
| `LastIterate` | where noisy descent ends: amplification by iteration | replace-one, zero-out |
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast, final, get_args

from jaxtyping import ArrayLike

from tacit.argument import counted, got, is_number, is_whole
from tacit.contribution import Ball, Contribution, Interval, OneHot, Outer, Product
from tacit.contribution.shape import refuse_no_shape
from tacit.question.concepts import Concept, examples
from tacit.question.databases import Database, combinations_of
from tacit.question.laws import NearestLaw
from tacit.question.participation import Everyone
from tacit.question.sums import Mean, refuse_nobody
from tacit.solve.losses import Loss
from tacit.solve.one_versus_rest import OneVersusRest
from tacit.solve.regularisers import L2


@final
@dataclass(frozen=True)
class Quantile:
    """The value that a `share` of all numbers are below, to one of `cells` parts of the interval.

    Args:
      share: from 0 to 1; one half is the median.
      cells: the grid of the answer, from 1 to 2^30 - 1.
    """

    share: float = 0.5
    cells: int = 2**20

    size = 1

    def __post_init__(self):
        _check_share(self.share)
        _check_cells(self)


@final
@dataclass(frozen=True)
class Quantiles:
    """The values that each of several shares of all numbers are below, in order.

    Args:
      shares: from 0 to 1, rising.
      cells: the grid of the answers, from 1 to 2^30 - 1.
      exact: whether the number of people declared is exactly how many there are; nothing is spent
        on asking then, and each of those it is off by may be one rank.
    """

    shares: tuple[float, ...]
    cells: int = 2**20
    exact: bool = False

    def __post_init__(self):
        listed = isinstance(self.shares, tuple | list)
        if not (listed and len(self.shares) >= 1):
            raise ValueError(
                f"shares must be a tuple of shares, got {'none' if listed else got(self.shares)}"
            )
        for share in self.shares:
            _check_share(share)
        if not all(one < other for one, other in pairwise(self.shares)):
            raise ValueError(f"shares must rise, got {tuple(self.shares)}")
        object.__setattr__(self, "shares", tuple(map(float, self.shares)))
        if not isinstance(self.exact, bool):
            raise ValueError(f"exact must be True or False, got {got(self.exact)}")
        _check_cells(self)

    @property
    def size(self) -> int:
        return len(self.shares)


@final
@dataclass(frozen=True)
class SmoothQuantile:
    """The value that a `share` of all numbers are at most, with noise of its smooth sensitivity."""

    share: float = 0.5

    size = 1

    def __post_init__(self):
        _check_share(self.share)


@final
@dataclass(frozen=True)
class TrimmedMean:
    """The mean of all numbers but a `trim` of them at each end, with noise of its smooth
    sensitivity."""

    trim: float

    size = 1

    def __post_init__(self):
        if not (is_number(self.trim) and 0 <= self.trim < 0.5):
            raise ValueError(
                f"trim must be a share of at least 0 and below 1/2, got {got(self.trim)}"
            )


@final
@dataclass(frozen=True)
class ProposedQuantile:
    """The quantile with noise for a sensitivity of `bound`, or NaN if the data may not allow it."""

    bound: float
    share: float = 0.5

    size = 1

    def __post_init__(self):
        _check_positive("bound", self.bound)
        _check_share(self.share)


@final
@dataclass(frozen=True)
class BlockMeans:
    """The noisy means, over disjoint blocks of people, of what a function says of a block's rows.

    Args:
      function: of the rows of one block, giving one number for each output. It must depend on
        nothing else.
      blocks: how many, at most the number of people.
      outputs: the public interval that each output is clipped to.
    """

    function: Callable[[Any], ArrayLike] = field(metadata={"recorded": False})
    blocks: int
    outputs: tuple[Interval, ...]

    def __post_init__(self):
        _check_blocks(self)

    @property
    def size(self) -> int:
        return len(self.outputs)


@final
@dataclass(frozen=True)
class BlockMedians:
    """The medians, over disjoint blocks of people, with noise of their smooth sensitivity.

    Like `BlockMeans`; a few blocks on which the function goes wrong do not move a median.
    """

    function: Callable[[Any], ArrayLike] = field(metadata={"recorded": False})
    blocks: int
    outputs: tuple[Interval, ...]

    def __post_init__(self):
        _check_blocks(self)

    @property
    def size(self) -> int:
        return len(self.outputs)


@final
@dataclass(frozen=True)
class Minimiser:
    """The weights of a linear model that minimise a loss and a penalty on them.

    A person's row is their features, of a `Ball`, and after them one number, their label: the
    contribution is the `Product` of the two.

    Args:
      loss: a convex one of `tacit.solve.losses`, with a bound on its slope and curvature.
      penalty: `L2`, on every weight, that of a constant feature too.
    """

    loss: Loss
    penalty: L2

    def __post_init__(self):
        _refuse_own_losses(self)

    @property
    def outputs_each(self) -> int:
        """How many weights a feature has."""
        return math.prod(self.loss.outputs)


@final
@dataclass(frozen=True)
class LastIterate:
    """Where noisy gradient descent on the same objective ends; its other iterates stay hidden.

    Args:
      loss: a convex one of `tacit.solve.losses`, with a bound on its slope and curvature.
      penalty: `L2`, on every weight, that of a constant feature too.
      radius: of the ball of weights that descent stays in.
      steps: how many. More of them cost ever less, since nobody sees them.
    """

    loss: Loss
    penalty: L2
    radius: float
    steps: int

    def __post_init__(self):
        _refuse_own_losses(self)
        _check_positive("radius", self.radius)
        object.__setattr__(self, "steps", counted(self.steps))
        if not (is_whole(self.steps) and self.steps >= 1):
            raise ValueError(f"steps must be a whole number of at least 1, got {got(self.steps)}")

    @property
    def outputs_each(self) -> int:
        """How many weights a feature has."""
        return math.prod(self.loss.outputs)


@final
@dataclass(frozen=True)
class LeadingDirection:
    """A direction, of length one, along which nearly the most of everybody's squares lie.

    The contribution is an `Outer`: its dimension is that of the direction, from 2 to 512.
    """


OF_BLOCKS = BlockMeans | BlockMedians
OF_NUMBERS = Quantile | Quantiles | SmoothQuantile | TrimmedMean | ProposedQuantile
OF_LABELLED = Minimiser | LastIterate
OF_ROWS = NearestLaw | LeadingDirection | Database | Concept
Statistic = OF_NUMBERS | OF_BLOCKS | OF_LABELLED | OF_ROWS


@final
@dataclass(frozen=True)
class OfRows:
    """One statistic of everybody's rows.

    Args:
      contribution: the shape one person's row is brought into: an `Interval` for a statistic of
        numbers, a `Product` of a `Ball` and a label's shape for a linear model, a `OneHot` of all
        cells for laws, of all combinations for databases, an `Outer` for a direction,
        `concepts.examples` for concepts, any for blocks.
      people: the declared number of people.
      statistic: what is asked.

    Raises:
      ValueError: if the contribution is of another shape, if there are more blocks than people or
        no outputs, or if a linear model's loss or penalty is somebody's own.
    """

    contribution: Contribution
    people: int
    statistic: Statistic

    def __post_init__(self):
        if not isinstance(self.statistic, Statistic):
            raise ValueError(
                "statistic must be a Quantile, Quantiles, SmoothQuantile, TrimmedMean, "
                "ProposedQuantile, BlockMeans, BlockMedians, NearestLaw, LeadingDirection, "
                "NearDatabase, TaughtShares, Minimiser, LastIterate or a class of concepts, got "
                f"{got(self.statistic)}"
            )
        refuse_no_shape("contribution", self.contribution)
        object.__setattr__(self, "people", counted(self.people))
        refuse_nobody(self.people)
        self._refuse_misfit()

    def _refuse_misfit(self) -> None:
        name, shape = type(self.statistic).__name__, type(self.contribution).__name__
        if isinstance(self.statistic, OF_BLOCKS):
            self._refuse_blocks(self.statistic)
        elif isinstance(self.statistic, OF_LABELLED):
            self._refuse_unlabelled(self.statistic)
        elif isinstance(self.statistic, NearestLaw):
            self._refuse_cells(self.statistic)
        elif isinstance(self.statistic, LeadingDirection):
            self._refuse_no_squares()
        elif isinstance(self.statistic, Database):
            self._refuse_other_combinations(self.statistic)
        elif isinstance(self.statistic, Concept):
            self._refuse_other_examples(self.statistic)
        elif not isinstance(self.contribution, Interval):
            raise ValueError(f"{name} is about numbers of an Interval, got {shape}")

    @property
    def repeatable(self) -> bool:
        """Whether the same rows have the same answer: a function of somebody's own may not."""
        return not isinstance(self.statistic, OF_BLOCKS)

    @property
    def size(self) -> int:
        """How many numbers the answer has."""
        if isinstance(self.statistic, OF_LABELLED):
            return self.features.dim * self.statistic.outputs_each
        if isinstance(self.statistic, LeadingDirection):
            return cast(Outer, self.contribution).dim
        return self.statistic.size

    @property
    def features(self) -> Ball:
        """Of a linear model, what a person's features are brought into."""
        return cast(Ball, cast(Product, self.contribution).parts[0])

    def _refuse_blocks(self, statistic: BlockMeans | BlockMedians) -> None:
        if not statistic.blocks <= self.people:
            raise ValueError(
                f"blocks must be a whole number from 1 to the {self.people} people, got "
                f"{statistic.blocks}"
            )

    def _refuse_unlabelled(self, statistic: Minimiser | LastIterate) -> None:
        parts = self.contribution.parts if isinstance(self.contribution, Product) else ()
        if not (len(parts) == 2 and isinstance(parts[0], Ball) and parts[1].shape == ()):
            raise ValueError(
                f"{type(statistic).__name__} is about a Product of a Ball of features and one "
                f"label, got {type(self.contribution).__name__}"
            )

    def _refuse_no_squares(self) -> None:
        if not (isinstance(self.contribution, Outer) and 2 <= self.contribution.dim <= 512):
            raise ValueError(
                "LeadingDirection is about an Outer of 2 to 512 dimensions, got "
                f"{got(self.contribution)}"
            )

    def _refuse_cells(self, statistic: NearestLaw) -> None:
        if self.contribution != OneHot(statistic.cells):
            raise ValueError(
                f"NearestLaw of these masses is about OneHot({statistic.cells}), got "
                f"{type(self.contribution).__name__}"
            )

    def _refuse_other_combinations(self, database: Database) -> None:
        if self.contribution != combinations_of(database):
            raise ValueError(
                f"{type(database).__name__} of these columns is about "
                f"OneHot({database.cells.combinations}), got {type(self.contribution).__name__}"
            )

    def _refuse_other_examples(self, concept: Concept) -> None:
        if self.contribution != examples(concept):
            raise ValueError(
                f"{type(concept).__name__} is about {concept.dim} bits and a label, "
                f"Product(Counts({concept.dim}, {concept.dim}, 1), OneHot(2)), got "
                f"{type(self.contribution).__name__}"
            )

    @property
    def sums(self) -> Mean:
        return Mean(self.contribution, Everyone(), 1, self.people)


def _check_share(share: float) -> None:
    if not (is_number(share) and 0 <= share <= 1):
        raise ValueError(
            f"share must be a number from 0 to 1, one half for the median, got {got(share)}"
        )


def _check_cells(statistic: Quantile | Quantiles) -> None:
    object.__setattr__(statistic, "cells", counted(statistic.cells))
    if not (is_whole(statistic.cells) and 1 <= statistic.cells < 2**30):
        raise ValueError(
            f"cells must be a whole number from 1 to 2^30 - 1, got {got(statistic.cells)}"
        )


def _check_positive(name: str, value: float) -> None:
    if not (is_number(value) and 0 < value < math.inf):
        raise ValueError(f"{name} must be a number, positive and finite, got {got(value)}")


def _check_blocks(statistic: BlockMeans | BlockMedians) -> None:
    if not callable(statistic.function):
        raise ValueError(f"function must be one of a block's rows, got {got(statistic.function)}")
    object.__setattr__(statistic, "blocks", counted(statistic.blocks))
    if not (is_whole(statistic.blocks) and statistic.blocks >= 1):
        raise ValueError(
            f"blocks must be a whole number of at least 1, got {got(statistic.blocks)}"
        )
    outputs = statistic.outputs
    several = isinstance(outputs, tuple | list)
    if not (several and all(isinstance(each, Interval) for each in outputs)):
        raise ValueError(f"outputs must be a tuple of Intervals, got {got(outputs)}")
    object.__setattr__(statistic, "outputs", tuple(outputs))
    if not outputs:
        raise ValueError("a function of blocks needs at least one output, got none")


def _refuse_own_losses(statistic: Minimiser | LastIterate) -> None:
    # Their bounds are proved, and a name and numbers say all that they do.
    loss, penalty = statistic.loss, statistic.penalty
    binary = loss.loss if type(loss) is OneVersusRest else loss
    if type(binary) not in get_args(Loss) or type(penalty) is not L2:
        raise ValueError(
            "a linear model is of a loss of tacit.solve.losses, or OneVersusRest of one, and a "
            f"penalty L2, got {got(loss)} and {got(penalty)}"
        )
