"""Concepts: which rule of a public class labels people's bits best; see `question.rows`.

An example is one person's bits with a label of 0 or 1 (of a tree or a list, from 0 to k - 1), and a
concept gives a label to any bits. A class of concepts is public; which of them is right about most
people is what is asked.

| class | its concepts | how many |
| --- | --- | --- |
| `Parity` | the sum, modulo 2, of some of the bits; labels are of one of them | 2^dim |
| `NoisyParity` | the same or its opposite, whatever the labels | 2^(dim+1) |
| `MonotoneConjunction` | all of some bits are 1 | 2^dim |
| `Conjunction` | some bits are 1 and some others are 0 | 3^dim |
| `RuleList` | L rules, each about one bit, and a label for the rest | (2 dim)^L k^(L+1) |
| `DecisionTree` | a full binary tree of depth D, a bit tested at each node | dim^(2^D-1) k^(2^D) |

Those of `line_concepts` are about one of n points on a line in place of bits. A person without a
label counts for no concept. What is no bit counts as 0 or 1.
"""

from dataclasses import dataclass
from typing import final

from tacit.argument import got, is_number
from tacit.contribution import Counts, OneHot, Product
from tacit.mechanisms.rows.concept_scores import Conjunctions, MonotoneConjunctions, Parities
from tacit.mechanisms.rows.rule_list_law import RuleListLaw
from tacit.mechanisms.rows.tree_law import TreeLaw
from tacit.question.concept_sizes import MOST_LABELS, refuse_bits, refuse_size
from tacit.question.line_concepts import AlongLine

# A choice, which step 3 of `tree_choice` has room for, and with both values of each bit too.
MOST_BITS = 4096
# By depth of trees and length of lists: tables of so many pairs of bits, one for each bit of the
# root at last.
MOST_TESTED = {1: MOST_BITS, 2: 1024, 3: 256}


@final
@dataclass(frozen=True)
class Parity:
    """The parity that labels everybody, for people whose labels are of one: 0 or 1 for each bit,
    whether it is of it; NaN where there is no answer.

    Args:
      dim: how many bits a person has, from 2 to 4,096.
      failure: of people with uniform bits, how often there may be no answer or another one where
        they are as many as that takes; it says how many parts people are dealt into.
    """

    dim: int
    failure: float = 0.05

    def __post_init__(self):
        refuse_bits(self, MOST_BITS)
        if not (is_number(self.failure) and 1e-9 <= self.failure < 1):
            raise ValueError(f"failure must be in [1e-9, 1), got {got(self.failure)}")

    @property
    def size(self) -> int:
        return self.dim


@final
@dataclass(frozen=True)
class NoisyParity:
    """The parity, or its opposite, that is right about most: 0 or 1 for each bit, and last 1 for
    the opposite.

    Args:
      dim: how many bits a person has, from 2 to 21.
    """

    dim: int

    def __post_init__(self):
        refuse_bits(self, 21)

    @property
    def size(self) -> int:
        return self.dim + 1

    @property
    def scored(self) -> Parities:
        """With the table of its scores."""
        return Parities(self.dim)

    @property
    def concepts(self) -> int:
        """How many there are."""
        return self.scored.concepts


@final
@dataclass(frozen=True)
class MonotoneConjunction:
    """The conjunction of bits that is right about most: 1 for each bit that must be 1, else 0.

    Args:
      dim: how many bits a person has, from 2 to 22.
    """

    dim: int

    def __post_init__(self):
        refuse_bits(self, 22)

    @property
    def size(self) -> int:
        return self.dim

    @property
    def scored(self) -> MonotoneConjunctions:
        """With the table of its scores."""
        return MonotoneConjunctions(self.dim)

    @property
    def concepts(self) -> int:
        """How many there are."""
        return self.scored.concepts


@final
@dataclass(frozen=True)
class Conjunction:
    """The conjunction of bits and opposites of bits that is right about most: 1 for each bit that
    must be 1, -1 for each that must be 0, 0 for others.

    Args:
      dim: how many bits a person has, from 2 to 13.
    """

    dim: int

    def __post_init__(self):
        refuse_bits(self, 13)

    @property
    def size(self) -> int:
        return self.dim

    @property
    def scored(self) -> Conjunctions:
        """With the table of its scores."""
        return Conjunctions(self.dim)

    @property
    def concepts(self) -> int:
        """How many there are."""
        return self.scored.concepts


@final
@dataclass(frozen=True)
class DecisionTree:
    """The full binary tree that is right about most.

    Its answer is the bits tested, level by level from the root (node i has the children 2i + 1 for
    a bit of 0 and 2i + 2 for a bit of 1), and then the leaves' labels from left to right.

    Args:
      dim: how many bits a person has, from 2 to 4,096, 1,024 or 256, by depth.
      depth: how many bits are tested before a label is given, from 1 to 3.
      labels: how many a person may have, from 2 to 32.
    """

    dim: int
    depth: int
    labels: int = 2

    def __post_init__(self):
        refuse_size(self, "depth", 1, len(MOST_TESTED))
        refuse_bits(self, MOST_TESTED[self.depth])
        refuse_size(self, "labels", 2, MOST_LABELS)

    @property
    def tests(self) -> int:
        """How many nodes test a bit."""
        return 2**self.depth - 1

    @property
    def size(self) -> int:
        return 2 * self.tests + 1

    @property
    def concepts(self) -> int:
        """How many there are; trees that label all bits alike are several."""
        return TreeLaw(self.depth, 0.0).trees(self.dim, self.labels)


@final
@dataclass(frozen=True)
class RuleList:
    """The decision list that is right about most: "if bit i is v, then y; else if ...; else y".

    Its answer is its rules, 2 i + v each, then their labels, and last the label of the rest.

    Args:
      dim: how many bits a person has, from 2 to 4,096, 1,024 or 256, by length.
      length: how many rules there are, from 1 to 3.
      labels: how many a person may have, from 2 to 32.
    """

    dim: int
    length: int
    labels: int = 2

    def __post_init__(self):
        refuse_size(self, "length", 1, len(MOST_TESTED))
        refuse_bits(self, MOST_TESTED[self.length])
        refuse_size(self, "labels", 2, MOST_LABELS)

    @property
    def size(self) -> int:
        return 2 * self.length + 1

    @property
    def concepts(self) -> int:
        """How many there are; lists that label all bits alike are several."""
        return RuleListLaw(self.length, 0.0).lists(self.dim, self.labels)


TABLED = NoisyParity | MonotoneConjunction | Conjunction
FACTORED = DecisionTree | RuleList
Concept = Parity | TABLED | FACTORED | AlongLine


def examples(concept: Concept) -> Product:
    """The shape of one person's row: their bits, or their point, and their label."""
    if isinstance(concept, AlongLine):
        return Product(OneHot(concept.points), OneHot(concept.labels))
    return Product(Counts(concept.dim, concept.dim, 1), OneHot(labels_of(concept)))


def labels_of(concept: Concept) -> int:
    """How many labels a person may have: 0, 1, and so on."""
    return concept.labels if isinstance(concept, FACTORED | AlongLine) else 2


def about(concept: Concept) -> str:
    """What a class is about, in words."""
    along = isinstance(concept, AlongLine)
    return f"{concept.points:,} points" if along else f"{concept.dim:,} bits"
