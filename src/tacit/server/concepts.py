"""Which mechanism learns a concept of a class, what it promises, and how wrong it may be.

| class | mechanism | event |
| --- | --- | --- |
| `Parity` | elimination among people kept by coins | pure, of no more structure |
| `DecisionTree`, `RuleList`, along a line | the exponential mechanism over all | of bounded range |
| those with a table of scores | permute-and-flip | permute-and-flip |

A person more moves all scores one way, so less is spent on them than on a person changed; zeroing
somebody changes them.
"""

from typing import Any

import numpy as np

from tacit.accounting import events
from tacit.accounting.events import DpEvent
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import Budget
from tacit.accounting.upper import upper_delta
from tacit.mechanisms.rows.concept_choice import ConceptChoice
from tacit.mechanisms.rows.line_choice import LineChoice
from tacit.mechanisms.rows.parity_elimination import ParityElimination
from tacit.mechanisms.rows.rule_list_choice import RuleListChoice
from tacit.mechanisms.rows.tree_choice import TreeChoice
from tacit.question.concepts import FACTORED, TABLED, Concept, Parity, RuleList
from tacit.question.line_concepts import AlongLine

# The chance that an answer is worse than a plan's page says: a choice. With half of it a rule drawn
# from all is said to be right about (k/epsilon) ln 2 people fewer, of scores that one moves by k.
UNSURE = 0.05


def learnt(budget: Budget, concept: Concept, people: int) -> tuple[Any, DpEvent, str]:
    """The mechanism, its event, and what is known of its answer, in words."""
    moved = scores_moved(budget.relation)
    if isinstance(concept, Parity):
        parity = ParityElimination.for_failure(concept.dim, budget.epsilon, moved, concept.failure)
        return parity, events.k_norm(budget.epsilon), _fails(parity, people)
    if isinstance(concept, FACTORED | AlongLine):
        rule = _factored(concept, budget.epsilon, moved)
        event = events.exponential_mechanism(budget.epsilon)
        return rule, event, _short(rule.shortfall(UNSURE), concept)
    choice = ConceptChoice(concept.scored, budget.epsilon, moved / 2)
    event = events.permute_and_flip(choice.choice.epsilon)
    return choice, event, _short(choice.shortfall(UNSURE), concept)


def _factored(
    concept: FACTORED | AlongLine, epsilon: float, moved: int
) -> TreeChoice | RuleListChoice | LineChoice:
    """What draws from all of a class without a list of it."""
    if isinstance(concept, AlongLine):
        return LineChoice(concept.labelings, epsilon, moved, concept.labels)
    if isinstance(concept, RuleList):
        return RuleListChoice(concept.dim, concept.length, epsilon, moved, concept.labels)
    return TreeChoice(concept.dim, concept.depth, epsilon, moved, concept.labels)


def scores_moved(relation: Relation) -> int:
    """By how much one person moves the difference of two concepts' scores, at most."""
    return 1 if relation is Relation.ADD_REMOVE else 2


def _short(people: float, concept: FACTORED | TABLED | AlongLine) -> str:
    return (
        f"{1 - UNSURE:.0%} sure to label at most {np.ceil(people):,.0f} people fewer right than "
        f"the best of {concept.concepts:,} concepts does"
    )


def _fails(parity: ParityElimination, people: int) -> str:
    chance = upper_delta(parity.failure(people))
    return (
        f"no answer, or another parity, with a chance of at most {chance}, of people with uniform "
        "bits whose labels are of one"
    )
