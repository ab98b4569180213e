"""One round that asks everybody for one term, of which most one-call statistics are made.

And who may be asked for what.
"""

from typing import Any

from tacit.accounting.relation import Relation
from tacit.argument import got
from tacit.contribution import Contribution
from tacit.plan import Plan
from tacit.question.participation import Everyone, Once
from tacit.question.sums import Mean
from tacit.trust.federated import Federated
from tacit.trust.people import Curated, Trust, refuse_no_trust, relation_of
from tacit.trust.shuffled import Shuffled


def one_round(trust: Trust, shape: Contribution, people: int) -> Plan:
    """What `trust` promises for the mean of everybody's term.

    Raises:
      ValueError: if it has no such plan.
    """
    who = Once() if isinstance(trust, Shuffled) else Everyone()
    return trust.plan(Mean(shape, who, 1, people))


def refuse_no_curator(trust: Any, asked: str) -> None:
    """Raises a ValueError unless one who holds all rows is trusted, or nothing is promised."""
    refuse_no_trust(trust)
    if not isinstance(trust, Curated):
        raise ValueError(
            f"{asked} is asked of a curator: trust must be Central(epsilon, delta) or "
            f"NonPrivate(), got {got(trust)}"
        )


def refuse_secret_number(trust: Any, asked: str) -> None:
    """Raises a ValueError where how many people there are is a secret."""
    if relation_of(trust) is Relation.ADD_REMOVE:
        raise ValueError(
            f"{asked} asks a public number of people in turn: promise it to the public under "
            "tacit.Relation.REPLACE_ONE, as in Central(epsilon, delta, "
            f"tacit.Relation.REPLACE_ONE), got {Relation.ADD_REMOVE.value}"
        )


def refuse_secret_devices(trust: Trust, asked: str) -> None:
    """Raises a ValueError where devices report and how many there are is a secret."""
    if isinstance(trust, Federated) and relation_of(trust) is Relation.ADD_REMOVE:
        raise ValueError(
            f"a federated {asked} is of a public number of people: promise "
            "Central(epsilon, delta, tacit.Relation.REPLACE_ONE) to the public"
        )
