"""A grant that is asked for again: whether it is the one that was opened, told without its data.

What a grant is bound to (people's data, learner, software) is kept as a fingerprint, so that the
same noise is never added to something else, which would cancel it out.

Why the fingerprint is keyed: a bare digest of the data would let anyone who reads the ledger and
knows every row but one test guesses of that row, for ever. What is stored is its HMAC under the
grant's root key, which says nothing to whoever lacks the key and still recognises the same data. It
is erased together with the key, after which nothing of the data is left to test. So a finished
grant cannot be told from one of other data, and is refused: what it released is read from its
checkpoint, which is known by the digest that was written down when the grant was closed.
"""

import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from tacit.ledger.accounts import RefusedGrant

if TYPE_CHECKING:
    import sqlalchemy as sql


class Finished(RefusedGrant):
    """A grant that was asked for again when it was closed already; nothing was charged."""


def keyed(root_key: bytes, fingerprint: Mapping[str, str]) -> str:
    """What is kept of a fingerprint: the HMAC of every part with its name, as JSON."""
    bound = {name: _keyed(root_key, name, text) for name, text in fingerprint.items()}
    return json.dumps(bound, sort_keys=True)


def written(plan: Mapping[str, Any]) -> str:
    """What is kept of a plan."""
    return json.dumps(plan, sort_keys=True, allow_nan=False)


def refuse_another(
    held: "sql.Row",
    stored: Sequence[Mapping[str, Any]],
    grant: Mapping[str, Any],
    fingerprint: Mapping[str, str],
    rows: list[dict[str, Any]],
) -> None:
    """Raises the RefusedGrant that says in what the grant asked for differs from the one held.

    Args:
      held: the grant as it was opened.
      stored: what it was charged, by row.
      grant: what is asked for, by the names of the columns.
      fingerprint: what that is bound to, by name, causes first.
      rows: what it would be charged.

    Raises:
      Finished: it is the same, and closed.
      RefusedGrant: it is another one, or its key is erased.
    """
    refuse_other_columns(held, grant)
    # Before format 5 it was not kept who had certified a charge.
    unsigned = [{**row, "accountant": ""} for row in rows]
    if [*map(_read, stored)] not in ([*map(_read, rows)], [*map(_read, unsigned)]):
        raise _opened_with("other charges", held)
    _refuse_without_key(held)
    _refuse_other_causes(held, fingerprint)


def refuse_other_question(held: "sql.Row", grant: Mapping[str, Any], question: str) -> None:
    """Raises what `refuse_another` would of a plan or question that is not the one that was opened:
    before any data are read for it."""
    refuse_other_columns(held, grant)
    _refuse_without_key(held)
    if "question" in _bound(held):
        _refuse_other(held, {"question": question})


def refuse_other_columns(held: "sql.Row", grant: Mapping[str, Any]) -> None:
    """Raises the RefusedGrant that names the first column in which they differ."""
    for name, value in grant.items():
        if _meant(name, getattr(held, name)) != _meant(name, value):
            raise _opened_with(f"another {name}", held)


def _meant(name: str, text: str) -> Any:
    """What a column says: a plan with an epsilon of 4 is the one with 4.0."""
    return json.loads(text) if name == "plan" else text


def _read(row: Mapping[str, Any]) -> dict[str, Any]:
    """A charge, whose event is read, too."""
    return {**row, "event": json.loads(row["event"])}


def _refuse_without_key(held: "sql.Row") -> None:
    if held.closed is not None:
        raise Finished(
            f"grant {held.grant_id!r} is finished and its key erased, and nothing was charged: "
            "what it released, unless it was closed before its end, is where it was kept (its "
            "checkpoint, if it had one, which tacit.Release.read reads), and what is to be "
            "released anew needs another name"
        )
    if held.root_key is None:
        raise RefusedGrant(
            f"grant {held.grant_id!r} ran and its key is erased, because what comes of it may be "
            "something else the second time: what was charged stays charged, and a new grant needs "
            "another name (one on devices is gone on with if it has a checkpoint)"
        )


def refuse_begun(held: "sql.Row") -> NoReturn:
    """Raises the RefusedGrant of a run that is not gone on with from here: it is, or was, begun
    somewhere else."""
    _refuse_without_key(held)
    raise RefusedGrant(
        f"grant {held.grant_id!r} goes on from the last file that it kept, and from no other, "
        "because sums may differ the second time: ask with that file, as checkpoint=Checkpoint("
        "...), unless another process goes on with it; where it is lost the run is over, what was "
        f"charged stays charged, and ledger.close({held.grant_id!r}) gives it up"
    )


def _refuse_other_causes(held: "sql.Row", fingerprint: Mapping[str, str]) -> None:
    if sorted(_bound(held)) != sorted(fingerprint):
        raise RefusedGrant(f"grant {held.grant_id!r} was opened by another version of the software")
    _refuse_other(held, fingerprint)


def _bound(held: "sql.Row") -> Mapping[str, str]:
    # Before format 3 it was one digest, of which parts cannot be compared.
    return json.loads(held.fingerprint) if held.fingerprint.startswith("{") else {}


def _refuse_other(held: "sql.Row", fingerprint: Mapping[str, str]) -> None:
    bound = _bound(held)
    others = [
        name
        for name, text in fingerprint.items()
        if not hmac.compare_digest(bound[name], _keyed(held.root_key, name, text))
    ]
    if others:
        # What follows from it differs as well, and might tell how the data do.
        raise _opened_with(f"other {others[0]}", held)


def _opened_with(another: str, held: "sql.Row") -> RefusedGrant:
    """What differs, what that costs, and how to go on."""
    return RefusedGrant(
        f"grant {held.grant_id!r} was opened with {another}; nothing more was charged: ask with "
        "what it was opened with to go on, or under another name for a new grant"
    )


def _keyed(root_key: bytes, name: str, text: str) -> str:
    return hmac.new(root_key, f"{len(name)} {name}{text}".encode(), hashlib.sha256).hexdigest()
