"""Whom people trust, as an estimator is told, and how many people there are.

| trust | neighbours | the number of people, `people=None` |
| --- | --- | --- |
| `Central`, `Federated` under replace-one or zero-out | the promise's | public: that of the rows |
| `Local`, `Shuffled` | replace-one | public: that of the rows |
| `Central`, `Federated` under add/remove | add/remove | refused: it has to be declared |
| `NonPrivate` | none | that of the rows |

Under add/remove the promise is that nobody can tell whether a person is there at all, and a model
whose penalty or noise follows the number of rows would. A declared number need only be near: sums
are divided by it. Where it is public, a declared number has to be the true one.
"""

from tacit.accounting.relation import Relation
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

Trust = Central | Local | Shuffled | Federated | NonPrivate
CURATED = (Central, NonPrivate)
EVERY = (Central, Local, Shuffled, Federated, NonPrivate)
MOST_PEOPLE = 2**48


def declared_trust(trust: Trust | None, allowed: tuple[type, ...]) -> Trust:
    """The trust that was declared.

    Raises:
      ValueError: if none was, or none of those `allowed`.
    """
    if trust is None:
        raise ValueError("trust must be declared, e.g. tacit.Central(1.0, 1e-6)")
    if not isinstance(trust, allowed):
        names = ", ".join(kind.__name__ for kind in allowed)
        raise ValueError(f"trust must be one of {names}, got {type(trust).__name__}")
    return trust


def relation_of(trust: Trust) -> Relation | None:
    """Between whom the promise is; None without one."""
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
      ValueError: if it has to be declared and is not, or is not a positive whole number.
    """
    if people is None and relation_of(trust) is Relation.ADD_REMOVE:
        raise ValueError(
            "under add/remove the number of people is no public number: declare about how many "
            "there are, e.g. people=10_000, or promise tacit.Relation.REPLACE_ONE, where it is"
        )
    declared = rows if people is None else people
    if not (1 <= declared < MOST_PEOPLE and declared == int(declared)):
        raise ValueError(f"people must be a positive whole number, got {people}")
    return int(declared)
