"""Which mechanism learns a concept of a class, what it promises, and how wrong it may be.

| class | mechanism | event |
| --- | --- | --- |
| `Parity` | elimination among people kept by coins | pure, of no more structure |
| `DecisionTree` | the exponential mechanism over all trees | of bounded range |
| those with a table of scores | permute-and-flip | permute-and-flip |

A person more moves all scores one way, so less is spent on them than on a person changed; zeroing
somebody changes them.
"""

from dataclasses import dataclass
from itertools import repeat
from typing import Any, final

import numpy as np
from jaxtyping import Float, PRNGKeyArray

from tacit.accounting import events
from tacit.accounting.events import DpEvent
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget
from tacit.accounting.upper import upper_delta
from tacit.mechanisms.rows.concept_choice import ConceptChoice
from tacit.mechanisms.rows.concept_scores import (
    Conjunctions,
    MonotoneConjunctions,
    Parities,
    ScoredConcepts,
)
from tacit.mechanisms.rows.equations import bits_of, eliminated, equations_of, uniform_solution
from tacit.mechanisms.rows.parity_elimination import ParityElimination
from tacit.mechanisms.rows.tree_choice import TreeChoice, by_label
from tacit.mechanisms.rows.tree_law import TreeLaw
from tacit.noise.exact import stream
from tacit.question.concepts import (
    TABLED,
    Concept,
    Conjunction,
    DecisionTree,
    MonotoneConjunction,
    NoisyParity,
    Parity,
)

# The chance that an answer is worse than a plan's page says.
SURE = 0.05

_SCORED = {
    NoisyParity: Parities,
    MonotoneConjunction: MonotoneConjunctions,
    Conjunction: Conjunctions,
}


def learnt(budget: Budget, concept: Concept, people: int) -> tuple[Any, DpEvent, str]:
    """The mechanism, its event, and what is known of its answer, in words."""
    come_or_gone = budget.relation is Relation.ADD_REMOVE
    if isinstance(concept, Parity):
        made = ParityElimination.add_remove if come_or_gone else ParityElimination.replace_one
        parity = made(concept.dim, budget.epsilon, concept.failure)
        return parity, events.k_norm(budget.epsilon), _fails(parity, people)
    if isinstance(concept, DecisionTree):
        grown = TreeChoice.add_remove if come_or_gone else TreeChoice.replace_one
        tree = grown(concept.dim, concept.depth, budget.epsilon)
        event = events.exponential_mechanism(budget.epsilon)
        return tree, event, _short(tree.error(SURE), concept)
    choice = ConceptChoice(scored(concept), budget.epsilon, 0.5 if come_or_gone else 1.0)
    event = events.permute_and_flip(choice.choice.epsilon)
    return choice, event, _short(choice.error(SURE), concept)


def exactly(concept: Concept) -> Any:
    """The concept that is right about most people; one of those, where there are several."""
    if isinstance(concept, Parity):
        return ExactParity(concept.dim)
    if isinstance(concept, DecisionTree):
        return ExactTree(TreeLaw(concept.depth, 0.0))
    return ExactConcept(scored(concept))


def scored(concept: TABLED) -> ScoredConcepts:
    """The class, with its table of scores."""
    return _SCORED[type(concept)](concept.dim)


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
class ExactTree:
    """One of the trees that are right about most people."""

    law: TreeLaw

    def sample(
        self, key: PRNGKeyArray, rows: Float[np.ndarray, "people numbers"]
    ) -> Float[np.ndarray, " nodes"]:
        return np.array(self.law.draw(stream(key), by_label(rows)), float)


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


def _short(people: float, concept: DecisionTree | TABLED) -> str:
    return (
        f"95% sure to label at most {np.ceil(people):,.0f} people fewer right than the best of "
        f"{concept.concepts:,} concepts does"
    )


def _fails(parity: ParityElimination, people: int) -> str:
    chance = upper_delta(parity.failure(people))
    return (
        f"no answer, or another parity, with a chance of at most {chance}, of people with uniform "
        "bits whose labels are of one"
    )
