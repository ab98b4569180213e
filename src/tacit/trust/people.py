"""Who is trusted, between whom the promise is, and whether it makes the number of people a secret.

| trust | neighbours | the number of people, `people=None` |
| --- | --- | --- |
| `Central`, `Federated` under replace-one or zero-out | the promise's | public: that of the rows |
| `Local`, `Shuffled` | replace-one | public: that of the rows |
| `Aggregated` | replace-one or zero-out | public: that of the rows |
| `Central`, `Federated` under add/remove | add/remove | refused: it has to be declared |
| `NonPrivate` | none | that of the rows |

Under add/remove the promise is that nobody can tell whether a person is there at all, and a model
whose penalty or noise follows the number of rows would. A declared number need only be near: sums
are divided by it. Where it is public, a declared number has to be the true one.
"""

from typing import Any

from tacit.accounting.relation import Relation
from tacit.argument import got, is_whole
from tacit.question.sums import MOST_PEOPLE
from tacit.trust.aggregated import Aggregated
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

Trust = Central | Local | Shuffled | Aggregated | Federated | NonPrivate
# One who is trusted holds every row; nobody does, and all that is seen of a person is their report.
Curated = Central | NonPrivate
Reported = Local | Shuffled


def refuse_no_trust(trust: Any) -> None:
    """Raises the ValueError that names the trust models, if this is none."""
    if not isinstance(trust, Trust):
        raise ValueError(
            "trust must be Central(epsilon, delta), Local(epsilon), Shuffled(epsilon, delta), "
            "Aggregated(epsilon, delta), Federated(local, central) or NonPrivate(), got "
            f"{got(trust)}"
        )


def relation_of(trust: Trust) -> Relation | None:
    """Between whom the promise is; None without one; a ValueError for what is no trust model."""
    refuse_no_trust(trust)
    match trust:
        case NonPrivate():
            return None
        case Federated(central=central):
            return central.relation
        case Local():
            return Relation.REPLACE_ONE
    return trust.relation


def people_of(people: int | None, trust: Trust, rows: int) -> int:
    """The public number of people.

    Args:
      people: as declared.
      trust: the promise.
      rows: how many there are.

    Raises:
      ValueError: if it has to be declared and is not, or is not a positive whole number below 2^48.
    """
    if people is None and relation_of(trust) is Relation.ADD_REMOVE:
        raise ValueError(
            "under add/remove the number of people is no public number: declare about how many "
            "there are, e.g. people=10_000, or promise tacit.Relation.REPLACE_ONE, where it is"
        )
    declared = rows if people is None else people
    if not (is_whole(declared) and declared >= 1):
        raise ValueError(f"people must be a positive whole number, got {got(people)}")
    if not declared < MOST_PEOPLE:
        raise ValueError(f"people must be fewer than 2^48, about 2.8e14, got {got(declared)}")
    return int(declared)
