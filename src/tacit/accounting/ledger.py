"""The people's own account: what has been promised to them, charged before anything is computed.

A ledger belongs to a population, not to a session. Each *account* is a population, an observer, a
unit and a relation; a grant charges all the accounts it touches or none, in one durable
transaction, and stores its root key and the fingerprint of the data with the charge. So a crashed
run that is opened again replays the same noise and pays nothing, and what was charged can never be
forgotten in favour of what was released.

Why the sum is a filter: an account admits a grant only while the sums of epsilons and of deltas
stay within its limits, and for any analyst, however adaptive, the privacy loss of the admitted
grants exceeds the sum of their epsilons with probability at most the sum of their deltas (Rogers,
Roth, Ullman, Vadhan 2016, Theorem 5.1), so stopping at the limit is private at the limit.
Accounts are never added to one another: they promise different things.

The sums are exact decimals rounded up, so 0.1 + 0.2 fills a limit of 0.3 and nothing more does.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from tacit.accounting import store
from tacit.accounting.records import Charge, Entry, Opened, Spent, from_row, to_row
from tacit.accounting.relation import Relation
from tacit.accounting.store import LedgerError, charges, grants, limits

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
        key = {
            "population": population,
            "observer": observer,
            "unit": unit,
            "relation": relation.value,
        }
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
        | is known and closed | no key, `new` false |
        | is known and differs in anything | refused |
        | promises nothing | costs nothing: only recorded |

        Raises:
            OverBudget: some account has too little left; nothing was charged.
            LedgerError: the grant is known and differs, or an account has no limit; nothing was
                charged.
        """
        rows = [to_row(charge) for charge in guarantees]
        written = json.dumps(plan, sort_keys=True, allow_nan=False)
        grant = {"population": population, "fingerprint": fingerprint, "plan": written}
        with self._transaction() as connection:
            store.lock(connection, population)
            held = connection.execute(sql.select(grants).filter_by(grant_id=grant_id)).one_or_none()
            if held is not None:
                _same(connection, held, grant, rows)
                return Opened(held.root_key, held.fingerprint, new=False)
            _fits(connection, population, rows)
            _enter(connection, grant_id, {**grant, "root_key": root_key}, rows)
        return Opened(root_key, fingerprint, new=True)

    def close(self, grant_id: str) -> None:
        """Mark a grant complete and erase its key; closing again changes nothing.

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
                connection.execute(done.values(root_key=None, closed=_now()))

    def spent(self, population: str) -> list[Spent]:
        """Every account of a population: what its grants have cost, and its limit."""
        with self._transaction() as connection:
            totals = store.totals(connection, population)
            held = connection.execute(
                sql.select(limits).filter_by(population=population).order_by(*limits.primary_key)
            ).all()
        return [_spent(row, totals) for row in held]

    def history(self, population: str) -> list[Entry]:
        """Every grant of a population, oldest first."""
        with self._transaction() as connection:
            known = sql.select(grants).filter_by(population=population)
            order = grants.c.opened, grants.c.grant_id
            held = connection.execute(known.order_by(*order)).all()
            return [_entry(connection, row) for row in held]

    @contextmanager
    def _transaction(self) -> Iterator[sql.Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise LedgerError("another population's grant already has this grant_id") from error
        except SQLAlchemyError as error:
            raise LedgerError(store.sentence(error)) from error


def _enter(
    connection: sql.Connection, grant_id: str, grant: Mapping[str, Any], rows: list[dict[str, Any]]
) -> None:
    connection.execute(sql.insert(grants).values(grant_id=grant_id, opened=_now(), **grant))
    owner = {"grant_id": grant_id, "population": grant["population"]}
    entries = [{**row, **owner, "position": at} for at, row in enumerate(rows)]
    if entries:
        connection.execute(sql.insert(charges), entries)


def _fits(connection: sql.Connection, population: str, rows: list[dict[str, Any]]) -> None:
    """Refuse unless every account has room for all that this grant charges it."""
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
                f"{_name(key)} has epsilon = {float(left[0])}, delta = {float(left[1])} left of "
                f"{bound.epsilon}, {bound.delta}, and the grant asks for "
                f"{float(more[0])}, {float(more[1])}"
            )


def _same(
    connection: sql.Connection, held: sql.Row, grant: Mapping[str, Any], rows: list[dict[str, Any]]
) -> None:
    for name, value in grant.items():
        if getattr(held, name) != value:
            raise LedgerError(f"grant {held.grant_id!r} was opened with another {name}")
    if store.rows_of(connection, held.grant_id) != rows:
        raise LedgerError(f"grant {held.grant_id!r} was opened with other guarantees")


def _entry(connection: sql.Connection, row: sql.Row) -> Entry:
    guarantees = tuple(from_row(charge) for charge in store.rows_of(connection, row.grant_id))
    plan = json.loads(row.plan)
    return Entry(row.grant_id, row.fingerprint, row.opened, row.closed, plan, guarantees)


def _spent(limit: sql.Row, totals: Mapping[store.Account, store.Cost]) -> Spent:
    cost = totals.get((limit.observer, limit.unit, limit.relation), store.NOTHING)
    bounds = limit.epsilon, limit.delta
    relation = Relation(limit.relation)
    return Spent(limit.observer, limit.unit, relation, float(cost[0]), float(cost[1]), *bounds)


def _name(key: Mapping[str, str]) -> str:
    return f"the account of {key['observer']} per {key['unit']} under {key['relation']}"


def _now() -> str:
    return datetime.now(UTC).isoformat()
