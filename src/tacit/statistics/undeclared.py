"""Where nobody can declare bounds: the two lines that find some and ask between them.

One call would be two releases: the search has a charge and a receipt of its own, and what is asked
next may be refused when the search was paid for. And a first step has to be declared, which only
whoever asks can. So nothing is searched unasked: the refusal has both lines, with a promise that is
split so that they cost together what was to be spent. Of several columns each is searched with an
equal share.
"""

from typing import Any

from tacit.accounting.relation import Relation
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import Curated

# Of epsilon, for the search: bounds that are twice too wide cost a quantile half a rank or so.
SEARCH = 1 / 4


def refuse_no_bounds(
    bounds: Any,
    call: str,
    trust: Any,
    name: str,
    people: int | None = None,
    columns: int | None = None,
) -> None:
    """Before anything is charged.

    Args:
      bounds: as they were given.
      call: how the call begins, e.g. "median(values".
      trust, name, people: of the call.
      columns: how many, each with bounds of its own; None of one number a person.

    Raises:
      ValueError: if there are none, with the lines that find them where a curator can.
    """
    if bounds is not None:
        return
    must = "bounds must be two finite numbers" + " for each column" * (columns is not None)
    must = f"{must} that are declared without looking at the data"
    if not isinstance(trust, Curated):
        raise ValueError(f"{must}; only a curator may search for them, by statistics.find_bounds")
    terms = f"ledger=ledger, name={name!r}" + (f", people={people}" if people is not None else "")
    raise ValueError(
        f"{must}; where nobody can, find them with a part of the promise, and ask with the rest:\n"
        f"{_lines(call, trust, terms, columns)}\n"
        "step is the least length that matters: a cent, a second"
    )


def _lines(call: str, trust: Curated, terms: str, columns: int | None) -> str:
    """What finds them, and what asks between them."""
    search = _written(trust, SEARCH / (columns or 1), False)
    line = f"statistics.find_bounds(values, step=1.0, trust={search}, {terms})"
    found = "found.bounds"
    if columns is not None:
        line, found = (
            f"[{line} for values in np.asarray(rows).T]",
            "[each.bounds for each in found]",
        )
    rest = _written(trust, 1 - SEARCH, True)
    return f"  found = {line}\n  statistics.{call}, bounds={found}, trust={rest}, {terms})"


def _written(trust: Curated, share: float, rest: bool) -> str:
    """So much of the promise; the search is pure, so all of delta is left for the rest."""
    if isinstance(trust, NonPrivate):
        return "tacit.NonPrivate()"
    other = f", tacit.Relation.{trust.relation.name}"
    other = "" if trust.relation is Relation.ADD_REMOVE else other
    return f"tacit.Central({share * trust.epsilon!r}, {trust.delta if rest else 0.0!r}{other})"
