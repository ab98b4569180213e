"""One round that asks everybody for one term: what every one-call statistic of a sum is made of."""

from tacit.accounting.relation import Relation
from tacit.contribution import Contribution
from tacit.plan import Plan
from tacit.question.participation import Everyone, Once
from tacit.question.sums import Mean
from tacit.trust.federated import Federated
from tacit.trust.people import Trust, relation_of
from tacit.trust.shuffled import Shuffled


def one_round(trust: Trust, shape: Contribution, people: int) -> Plan:
    """What `trust` promises for the mean of everybody's term.

    Raises:
      ValueError: if it has no such plan.
    """
    who = Once() if isinstance(trust, Shuffled) else Everyone()
    return trust.plan(Mean(shape, who, 1, people))


def refuse_secret_devices(trust: Trust, asked: str) -> None:
    """Raises a ValueError where devices report and how many there are is a secret."""
    if isinstance(trust, Federated) and relation_of(trust) is Relation.ADD_REMOVE:
        raise ValueError(
            f"a federated {asked} is of a public number of people: promise "
            "Central(epsilon, delta, tacit.Relation.REPLACE_ONE) to the public"
        )
