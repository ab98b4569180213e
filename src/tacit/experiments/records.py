"""What people of an experiment hold, what models are tested on, and what everybody has.

Test records belong to nobody who is learned from. Where it is known whose a record is, people
hold their own, of which at most so many count; else people are made up, who are dealt so many each.
What is public may start a model, and nothing else may: pretraining is handed no other record.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from jaxtyping import Int, Shaped

from tacit.data.dataset import DataError, Dataset
from tacit.data.people import batches, by_owner
from tacit.features.chunks import Heard
from tacit.federated.classifying import Classifier
from tacit.population.arrays import Arrays
from tacit.population.program import digest_of

# How records are dealt, and in which order they are looked at.
DEALT = 20
# Records as a model takes them; asks whether to go on.
Prepared = Callable[[Shaped[np.ndarray, "records ..."], Heard], Shaped[np.ndarray, "records ..."]]


@final
@dataclass(frozen=True, eq=False)
class Start:
    """Where learning begins.

    Args:
      model: before the first round.
      prepared: records as the model takes them, each for itself; asks now and then whether to go
        on, where that takes long.
    """

    model: Classifier
    prepared: Prepared


def unprepared(
    inputs: Shaped[np.ndarray, "records ..."], heard: Heard
) -> Shaped[np.ndarray, "records ..."]:
    """Of a model that takes records as they are."""
    del heard
    return inputs


@final
@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Inputs and their labels, of people and to look at.

    Args:
      name: of the data set.
      inputs, labels: that people hold.
      test_inputs, test_labels: that models are looked at with.
      owners: whose each is that people hold; None if they are to be dealt.
      public: what everybody has, in arrays.

    Raises:
      DataError: if there is nothing to learn from, or no label to look at.
    """

    name: str
    inputs: Shaped[np.ndarray, "records ..."]
    labels: Int[np.ndarray, "records ..."]
    test_inputs: Shaped[np.ndarray, "test ..."]
    test_labels: Int[np.ndarray, "test ..."]
    owners: Int[np.ndarray, " records"] | None = None
    public: Any = None

    def __post_init__(self):
        for part, labels in {"learn from": self.labels, "look at": self.test_labels}.items():
            if not (labels >= 0).any():
                raise DataError(f"{self.name} must have a label to {part}, got none")

    @classmethod
    def of_pictures(cls, data: Dataset) -> Self:
        """Pictures that are nobody's yet."""
        parts = data.train_images, data.train_labels, data.test_images, data.test_labels
        return cls(data.name, *parts)

    @property
    def digest(self) -> str:
        """Of all that is here."""
        own = self.inputs, self.labels, self.test_inputs, self.test_labels
        there = self.owners is not None, self.public is not None
        return digest_of(own, there, self.owners, self.public)

    def people(self, each: int) -> int:
        """How many there are: who own a record, or who can be dealt so many each."""
        if self.owners is not None:
            return len(np.unique(self.owners))
        return len(self.labels) // each

    def held(self, start: Start, each: int, heard: Heard = lambda: None) -> "Held":
        """By people, at most so many each, as the model takes them.

        All are prepared at once, for what prepares them may take long to make.
        """
        order = np.random.default_rng(DEALT)
        every = start.prepared(np.concatenate([self.inputs, self.test_inputs]), heard)
        inputs, looked_at = np.split(every, [len(self.inputs)])
        if self.owners is None:
            dealt = batches(inputs, self.labels, each, order)
            people = dealt, np.ones(dealt[1].shape[:2], bool)
        else:
            rows, present, _ = by_owner(self.owners, each, order)
            people = (inputs[rows], self.labels[rows]), present
        # In an order of their own, for the first of a file may be harder than the rest.
        shown = order.permutation(len(self.test_labels))
        own = Arrays(people, self.name)
        return Held(start.model, own, looked_at[shown], self.test_labels[shown])


@final
@dataclass(frozen=True, eq=False, repr=False)
class Held:
    """A model, who there is to play, and what to look at with, in an order of no meaning."""

    model: Classifier
    people: Arrays
    inputs: Shaped[np.ndarray, "test ..."]
    labels: Int[np.ndarray, "test ..."]
