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
from dataclasses import dataclass
from typing import cast, final

from tacit.argument import counted, got
from tacit.contribution import Ball, Contribution, Interval, OneHot, Outer, Product
from tacit.contribution.shape import refuse_no_shape
from tacit.contribution.words import in_words
from tacit.question.blocks import OfBlocks
from tacit.question.concepts import Concept, about, examples
from tacit.question.databases import Database, combinations_of
from tacit.question.laws import NearestLaw
from tacit.question.linear_models import LinearModel
from tacit.question.order_statistics import OrderStatistic
from tacit.question.participation import Everyone
from tacit.question.sums import Mean, refuse_nobody


@final
@dataclass(frozen=True)
class LeadingDirection:
    """A direction, of length one, along which nearly the most of everybody's squares lie.

    The contribution is an `Outer`: its dimension is that of the direction, from 2 to 512.
    """

    words = "the direction of most"


Statistic = (
    OrderStatistic | OfBlocks | LinearModel | NearestLaw | LeadingDirection | Database | Concept
)


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

    of_means = False

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
        if isinstance(self.statistic, OfBlocks):
            self._refuse_blocks(self.statistic)
        elif isinstance(self.statistic, LinearModel):
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
        return not isinstance(self.statistic, OfBlocks)

    @property
    def size(self) -> int:
        """How many numbers the answer has."""
        if isinstance(self.statistic, LinearModel):
            return self.features.dim * math.prod(self.statistic.loss.outputs)
        if isinstance(self.statistic, LeadingDirection):
            return cast(Outer, self.contribution).dim
        return self.statistic.size

    @property
    def features(self) -> Ball:
        """Of a linear model, what a person's features are brought into."""
        return cast(Ball, cast(Product, self.contribution).parts[0])

    def _refuse_blocks(self, statistic: OfBlocks) -> None:
        if not statistic.blocks <= self.people:
            raise ValueError(
                f"blocks must be a whole number from 1 to the {self.people} people, got "
                f"{statistic.blocks}"
            )

    def _refuse_unlabelled(self, statistic: LinearModel) -> None:
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
                f"{type(concept).__name__} is about {about(concept)} and a label, "
                f"{examples(concept)}, got {type(self.contribution).__name__}"
            )

    @property
    def words(self) -> str:
        if isinstance(self.statistic, Concept):
            name = type(self.statistic).__name__
            return f"the {name} of {about(self.statistic)} that labels most people right"
        return f"{self.statistic.words} of {in_words(self.contribution)}"

    @property
    def sums(self) -> Mean:
        return Mean(self.contribution, Everyone(), 1, self.people)
