"""The concept that is right about most people, as it is. **Guarantee**: none.

Each is sampled as its private mechanism is (`server.concepts`); the key is used where several
trees, lists or labelings are best.
"""

from dataclasses import dataclass
from itertools import repeat
from typing import Any, final

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.mechanisms.rows.concept_scores import ScoredConcepts
from tacit.mechanisms.rows.equations import bits_of, eliminated, equations_of, uniform_solution
from tacit.mechanisms.rows.line_law import LineLaw, counted_along
from tacit.mechanisms.rows.rule_list_law import RuleListLaw
from tacit.mechanisms.rows.tree_choice import by_label
from tacit.mechanisms.rows.tree_law import TreeLaw
from tacit.noise.exact import stream
from tacit.question.concepts import Concept, DecisionTree, Parity, RuleList
from tacit.question.line_concepts import AlongLine


def exactly(concept: Concept) -> Any:
    """The concept that is right about most people; one of those, where there are several."""
    if isinstance(concept, Parity):
        return ExactParity(concept.dim)
    if isinstance(concept, DecisionTree):
        return BestRule(TreeLaw(concept.depth, 0.0), concept.labels)
    if isinstance(concept, RuleList):
        return BestRule(RuleListLaw(concept.length, 0.0), concept.labels)
    if isinstance(concept, AlongLine):
        return BestLabeling(LineLaw(concept.labelings, 0.0), concept.labels)
    return ExactConcept(concept.scored)


@final
@dataclass(frozen=True)
class ExactParity:
    """A parity that labels everybody right, none of the bits left open; None if there is none."""

    dim: int

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " dim"] | None:
        del key
        pivots = eliminated(equations_of(rows))
        if pivots is None:
            return None
        return bits_of(uniform_solution(repeat(0), pivots, self.dim), self.dim)


@final
@dataclass(frozen=True)
class BestRule:
    """One of the trees, or lists, that are right about most people."""

    law: TreeLaw | RuleListLaw
    labels: int

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " nodes"]:
        people = by_label(rows, self.labels)
        return np.array(self.law.draw(stream(key), people, self.law.roots(people)), float)


@final
@dataclass(frozen=True)
class BestLabeling:
    """One of the labelings of a line that are right about most people."""

    law: LineLaw
    labels: int

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people 2"]
    ) -> Float[np.ndarray, " numbers"]:
        counts = counted_along(rows, self.law.labelings.points, self.labels)
        return np.array(self.law.draw(stream(key), self.law.sums(counts)), float)


@final
@dataclass(frozen=True)
class ExactConcept:
    """The first of the concepts that are right about most people."""

    scored: ScoredConcepts

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " numbers"]:
        del key
        return np.array(self.scored.answer(int(np.argmax(self.scored.scores(rows)))), float)
