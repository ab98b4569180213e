"""The people's own account: what has been promised to them, charged before anything is computed.

A ledger belongs to a population, not to a session. Each *account* is a population, an observer, a
unit and a relation; a grant charges all the accounts it touches or none, in one durable
transaction, and stores its root key and a fingerprint of the data with the charge. So a crashed
run that is opened again replays the same noise and pays nothing, and what was charged can never be
forgotten in favour of what was released.

Why the fingerprint is keyed: a bare digest of the data would let anyone who reads the ledger and
knows every row but one test guesses of that row, for ever. What is stored is its HMAC under the
grant's root key, which says nothing to whoever lacks the key and still recognises the same data. It
is erased together with the key, after which nothing of the data is left to test.

Why the sum is a filter: an account admits a grant only while the sums of epsilons and of deltas
stay within its limits, and for any analyst, however adaptive, the privacy loss of the admitted
grants exceeds the sum of their epsilons with probability at most the sum of their deltas (Rogers,
Roth, Ullman, Vadhan 2016, Theorem 5.1), so stopping at the limit is private at the limit.
Accounts are never added to one another: they promise different things.

The sums are exact decimals rounded up, so 0.1 + 0.2 fills a limit of 0.3 and nothing more does.
"""

import hashlib
import hmac
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from tacit.accounting import store
from tacit.accounting.records import Charge, Entry, Opened, Spent, to_entry, to_row, to_spent
from tacit.accounting.relation import Relation
from tacit.accounting.store import LedgerError, grants, limits

__all__ = ["Charge", "Entry", "Ledger", "LedgerError", "Opened", "OverBudget", "Spent"]

_ACCOUNT = ("observer", "unit", "relation")


class OverBudget(Exception):
    """A grant asks for more than an account has left; nothing was charged."""


class Ledger:
    """A durable ledger in a file, or in any database SQLAlchemy can reach.

    Args:
        where: the path of an SQLite file (made if absent), or a database URL.

    Raises:
        LedgerError: the file or database cannot be opened, or is not a ledger.
    """

    def __init__(self, where: str | Path) -> None:
        self._engine = store.open_engine(where)

    def limit(
        self,
        population: str,
        observer: str,
        relation: Relation,
        epsilon: float,
        delta: float,
        unit: str = "person",
    ) -> None:
        """Set an account's limit; the same limit again changes nothing.

        An account without a limit cannot be charged. An epsilon of infinity with a delta of 1 only
        keeps the record.

        Raises:
            LedgerError: the account already has another limit.
            ValueError: epsilon is not positive, or delta not in [0, 1].
        """
        if not epsilon > 0:
            raise ValueError(f"epsilon must be positive, got {epsilon}")
        if not 0 <= delta <= 1:
            raise ValueError(f"delta must be in [0, 1], got {delta}")
        account = zip(_ACCOUNT, (observer, unit, relation.value), strict=True)
        key = {"population": population, **dict(account)}
        with self._transaction() as connection:
            held = connection.execute(sql.select(limits).filter_by(**key)).one_or_none()
            if held is None:
                connection.execute(sql.insert(limits).values(**key, epsilon=epsilon, delta=delta))
            elif (held.epsilon, held.delta) != (epsilon, delta):
                raise LedgerError(
                    f"the limit of {_name(key)} is epsilon = {held.epsilon}, delta = {held.delta}"
                    " and cannot be set to another"
                )

    def charge(
        self,
        grant_id: str,
        population: str,
        guarantees: Sequence[Charge],
        root_key: bytes,
        fingerprint: str,
        plan: Mapping[str, Any],
    ) -> Opened:
        """Charge a grant, or open it again; durable before this returns.

        | the grant | result |
        | --- | --- |
        | is new and fits every account | charged; the given key, `new` true |
        | is known, with the same guarantees, fingerprint and plan | the stored key, `new` false |
        | is known and closed, with the same guarantees and plan | no key, `new` false |
        | is known and differs in any of these | refused |
        | promises nothing, and no account's epsilon is limited | only recorded |
        | promises nothing, and some account's epsilon is limited | refused |

        Args:
            fingerprint: any text that changes with the data; only its HMAC under the root key is
                stored.

        Raises:
            OverBudget: some account has too little left, or is limited while the grant promises
                nothing; nothing was charged.
            LedgerError: the grant is known and differs, or an account has no limit; nothing was
                charged.
        """
        rows = [to_row(charge) for charge in guarantees]
        written = json.dumps(plan, sort_keys=True, allow_nan=False)
        grant = {"grant_id": grant_id, "population": population, "plan": written}
        with self._transaction() as connection:
            store.lock(connection, population)
            held = connection.execute(sql.select(grants).filter_by(grant_id=grant_id)).one_or_none()
            if held is not None:
                _same(connection, held, grant, fingerprint, rows)
                return Opened(held.root_key, new=False)
            _fits(connection, population, rows)
            secret = {"root_key": root_key, "fingerprint": _keyed(root_key, fingerprint)}
            store.enter(connection, {**grant, **secret, "opened": _now()}, rows)
        return Opened(root_key, new=True)

    def close(self, grant_id: str) -> None:
        """Mark a grant complete, erase its key and fingerprint; closing again changes nothing.

        Raises:
            LedgerError: the grant is not known.
        """
        with self._transaction() as connection:
            known = sql.select(grants.c.closed).filter_by(grant_id=grant_id)
            held = connection.execute(known).one_or_none()
            if held is None:
                raise LedgerError(f"no grant {grant_id!r} is in this ledger")
            if held.closed is None:
                done = sql.update(grants).filter_by(grant_id=grant_id)
                erased = {"root_key": None, "fingerprint": None}
                connection.execute(done.values(**erased, closed=_now()))

    def spent(self, population: str) -> list[Spent]:
        """Every account of a population: what its grants have cost, and its limit."""
        with self._transaction() as connection:
            totals = store.totals(connection, population)
            held = connection.execute(
                sql.select(limits).filter_by(population=population).order_by(*limits.primary_key)
            ).all()
        accounts = [(row.observer, row.unit, row.relation) for row in held]
        costs = [totals.get(account, store.NOTHING) for account in accounts]
        return [to_spent(row, *cost) for row, cost in zip(held, costs, strict=True)]

    def history(self, population: str) -> list[Entry]:
        """Every grant of a population, oldest first."""
        with self._transaction() as connection:
            known = sql.select(grants).filter_by(population=population)
            order = grants.c.opened, grants.c.grant_id
            held = connection.execute(known.order_by(*order)).all()
            return [to_entry(row, store.rows_of(connection, row.grant_id)) for row in held]

    @contextmanager
    def _transaction(self) -> Iterator[sql.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise LedgerError("another population's grant already has this grant_id") from error
        except SQLAlchemyError as error:
            raise LedgerError(store.sentence(error)) from error


def _fits(connection: sql.Connection, population: str, rows: list[dict[str, Any]]) -> None:
    """Refuse unless every account has room for all that this grant charges it."""
    if not rows:
        _unlimited(connection, population)
    totals = store.totals(connection, population)
    asked = store.add_up(rows)
    for account, more in asked.items():
        key: dict[str, str] = dict(zip(_ACCOUNT, account, strict=True))
        bounds = sql.select(limits.c.epsilon, limits.c.delta)
        bound = connection.execute(bounds.filter_by(population=population, **key)).one_or_none()
        if bound is None:
            raise LedgerError(f"{_name(key)} has no limit; set one before the first grant")
        already = totals.get(account, store.NOTHING)
        left = [store.exact(b) - a for b, a in zip(bound, already, strict=True)]
        if any(m > rest for m, rest in zip(more, left, strict=True)):
            raise OverBudget(
                f"{_name(key)} has {_said(left)} left of {_said(bound)}, and the grant asks for "
                f"{_said(more)}"
            )


def _said(cost: Iterable[float | Decimal]) -> str:
    epsilon, delta = map(float, cost)
    return f"epsilon = {epsilon:.6g}, delta = {delta:.6g}"


def _unlimited(connection: sql.Connection, population: str) -> None:
    """Refuse unless no account limits its epsilon: what promises nothing may reveal everything."""
    bounds = sql.select(limits.c.epsilon).filter_by(population=population)
    if any(math.isfinite(bound) for bound in connection.execute(bounds).scalars()):
        raise OverBudget(f"the grant promises nothing, and {population} has accounts with limits")


def _same(
    connection: sql.Connection,
    held: sql.Row,
    grant: Mapping[str, Any],
    fingerprint: str,
    rows: list[dict[str, Any]],
) -> None:
    opened = f"grant {held.grant_id!r} was opened with"
    for name, value in grant.items():
        if getattr(held, name) != value:
            raise LedgerError(f"{opened} another {name}")
    if store.rows_of(connection, held.grant_id) != rows:
        raise LedgerError(f"{opened} other guarantees")
    if held.closed is not None:
        return
    if not hmac.compare_digest(held.fingerprint, _keyed(held.root_key, fingerprint)):
        raise LedgerError(f"{opened} another fingerprint")


def _keyed(root_key: bytes, fingerprint: str) -> str:
    return hmac.new(root_key, fingerprint.encode(), hashlib.sha256).hexdigest()


def _name(key: Mapping[str, str]) -> str:
    return f"the account of {key['observer']} per {key['unit']} under {key['relation']}"


def _now() -> str:
    return datetime.now(UTC).isoformat()
