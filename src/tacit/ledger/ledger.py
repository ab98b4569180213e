"""The people's own account: what has been promised to them, charged before anything is computed.

A ledger belongs to a population, not to a session. Each *account* is a population, an observer, a
unit and a relation, with a limit and the filter (`filters`) that says what still fits. A grant
charges all the accounts it touches or none, in one durable transaction, and stores its root key and
a fingerprint of the data with the charge. So a crashed run that is opened again replays the same
noise and pays nothing, and what was charged can never be forgotten in favour of what was released.
Accounts are never added to one another: they promise different things. Each bounds what was made
for its observer, and charged to it; what was made for the public everybody sees besides.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, final, runtime_checkable

from tacit.accounting.relation import Relation, spelled
from tacit.argument import counted, got, is_made, is_whole, refuse_no_name
from tacit.late import LatePart
from tacit.ledger import again, limits
from tacit.ledger.accounts import (
    Balance,
    Key,
    LedgerError,
    RefusedGrant,
    Spent,
    fitting,
    key_of,
)
from tacit.ledger.again import Finished
from tacit.ledger.filters import Basic, Cost, Filter
from tacit.ledger.over_budget import OverBudget
from tacit.ledger.records import (
    Charge,
    Entry,
    Opened,
    Partition,
    from_row,
    refuse_no_line,
    to_entry,
    to_row,
)

if TYPE_CHECKING:
    import sqlalchemy as sql

    from tacit.ledger import database, store
else:
    # A plan needs no database, and SQLAlchemy is much of what its command imports.
    database, store = LatePart("tacit.ledger.database"), LatePart("tacit.ledger.store")

__all__ = [
    "Charge",
    "Entry",
    "Finished",
    "HeldOpen",
    "Ledger",
    "LedgerError",
    "LedgerOrPath",
    "Opened",
    "OverBudget",
    "Partition",
    "Spent",
    "Unknown",
    "opened",
]


@runtime_checkable
class Charging(Protocol):
    """What charges the people's accounts if it is granted: a plan."""

    def charges(self) -> Sequence[Charge]: ...


class Unknown(LedgerError):
    """A grant that is not in this ledger."""


class Ledger:
    """A durable ledger in a file, or in any database SQLAlchemy can reach.

    Args:
      where: the path of an SQLite file (made if absent), or a database URL.
      grant_id: as of `once`, which makes it.

    A copy, pickled or not, is the same accounts opened again. It holds the URL, with its password
    if there is one.

    Raises:
      LedgerError: the file or database cannot be opened, or is not a ledger of this format.
    """

    def __init__(self, where: str | Path, grant_id: str | None = None) -> None:
        self._where, self._database, self.grant_id = where, database.Database(where), grant_id
        self._filters: dict[tuple[str, Key], Filter] = {}
        store.prepare(self._database)

    def __reduce__(self) -> tuple[type["Ledger"], tuple[str | Path, str | None]]:
        return Ledger, (self._where, self.grant_id)

    def __repr__(self) -> str:
        own = "" if self.grant_id is None else f".once({self.grant_id!r})"
        return f"Ledger({self._database.name!r}){own}"

    def once(self, grant_id: str) -> "Ledger":
        """These accounts, for one call that may be made again if it is cut off.

            statistics.mean(ages, ..., ledger=ledger.once("mean age"))

        Its grant has this name. After Ctrl-C or a crash the very same call goes on with it: the
        noise is the same, and nothing more is charged. One that differs, in its data, its plan or
        who learns, is refused, and so is any once it has finished. Until then the ledger holds the
        key of its noise; `close` gives the grant up, and erases that.

        Raises:
          ValueError: it is no name.
        """
        refuse_no_name("grant_id", grant_id)
        return Ledger(self._where, grant_id)

    def held_open(self, grant_id: str) -> "HeldOpen":
        """These accounts, for one grant that whoever asks for this closes themselves."""
        return HeldOpen(self._where, grant_id)

    def limit(
        self,
        population: str,
        observer: str,
        relation: Relation | str,
        epsilon: float,
        delta: float,
        unit: str = "person",
        filter: Filter = Basic(),
    ) -> None:
        """Set an account's limit and its filter; the same again changes nothing.

        An account without a limit cannot be charged. An epsilon of infinity with a delta of 1 only
        keeps the record. A delta of 0 holds only what is exactly pure, as local reports are. A pure
        release by a trusted server states a delta for its sampler, however small, which
        `print(plan)` shows; `limit_for` sets a limit that has room for it. So a new account that is
        for a trusted server's releases, and has none, is warned of.

        Args:
          relation: or its word, as `tacit ledger` writes it: "add/remove", "replace-one",
            "zero-out".

        Raises:
          LedgerError: the account already has another limit or filter.
          ValueError: epsilon is not positive, or delta not in [0, 1]; the population, observer,
            unit, relation or filter is none that a grant could charge.
        """
        known: Relation = spelled(relation)
        limits.refuse_no_account(population, observer, known, unit, filter)
        limits.refuse_no_limit(epsilon, delta)
        key = observer, unit, known.value
        account = Balance(key, float(epsilon), float(delta), filter)
        if self._open(population, [account]):
            limits.warn_without_delta(population, account)

    def limit_for(self, population: str, plan: Charging, *others: Charging, times: int = 1) -> None:
        """Set the limits of all accounts that these plans charge: each plan just fits, once.

        All are set or none, for plain sums (`Basic`); the same again changes nothing. A plan that
        promises nothing charges nothing, and sets none. A limit is never raised, so room for more
        is asked for here: these people then agree to `times` the epsilon and the delta, whatever
        is released for it. For many releases an account of `limit` with a `Renyi` filter has more
        room at the same promise.

        Args:
          times: how often each plan is to fit.

        Raises:
          LedgerError: one of the accounts has another limit or filter.
          ValueError: the population is no name, a plan none, or `times` no whole number from 1.
        """
        refuse_no_name("population", population)
        if not (is_whole(times) and times >= 1):
            raise ValueError(f"times must be a whole number, at least 1, got {got(times)}")
        for each in (plan, *others):
            if not is_made(each, Charging):
                raise ValueError(f"limits are for plans, got {got(each)}")
        asked = [charge for each in (plan, *others) for charge in each.charges()]
        self._open(population, fitting(asked, counted(times)))

    def divide(
        self, population: str, name: str, parts: Sequence[str], fixed_by: str | None = None
    ) -> None:
        """Declare a population's parts, which grants may then charge; the same again is nothing.

        Every unit is in one part, which must not change after the first charge on a part.

        Args:
          fixed_by: what fixes a unit's part outside of its data; without it no part can be
            charged under replace-one.

        Raises:
          LedgerError: the population is divided otherwise.
          ValueError: the population or the division is no name, or the parts are no list of names,
            none, or two of one name.
        """
        refuse_no_name("population", population)
        refuse_no_name("name", name)
        new = Partition(name, cast(tuple[str, ...], parts), fixed_by)
        with self._database.writing() as connection:
            held = store.partition(connection, population)
            if held is None:
                store.add_partition(connection, population, new)
            elif held != new:
                raise LedgerError(f"{population} {held.unlike(new)}")

    def charge(
        self,
        grant_id: str,
        population: str,
        charges: Sequence[Charge],
        root_key: bytes,
        fingerprint: Mapping[str, str],
        plan: Mapping[str, Any],
        *,
        asked: str = "",
        note: str = "",
    ) -> Opened:
        """Charge a grant, or open it again; durable before this returns.

        | the grant | result |
        | --- | --- |
        | is new and fits every account | charged; the given key, `new` true |
        | is known, with the same charges, fingerprint and plan | the stored key, `new` false |
        | is known and differs in any of these | refused, by the name of the first that does |
        | is known and its key erased, whatever it is asked with | refused |
        | promises nothing, and no account's epsilon is limited | only recorded |
        | promises nothing, and some account's epsilon is limited | refused |

        Args:
          fingerprint: what the grant is bound to, by name, causes first: any text that changes
            with it. Only its HMAC under the root key is stored.
          asked: the question in words, for people to read.
          note: what whoever asks writes beside it; a grant that is known keeps its first.

        Raises:
          OverBudget: some account has too little left, or is limited while the grant promises
            nothing; nothing was charged.
          Finished: the grant is known, is not another one by its plan, and is closed.
          LedgerError: the grant is known and differs, an account has no limit, a part was not
            declared, or the ledger cannot be written; nothing was charged.
          ValueError: a filter needs an event's divergences, and none are proved for it under its
            relation; or the words asked or noted are not text of one line.
        """
        refuse_no_line("asked", asked)
        refuse_no_line("note", note)
        rows = [to_row(charge) for charge in charges]
        # Divergences are computed before the lock is taken.
        costs = self._costs(population, charges)
        grant = {"grant_id": grant_id, "population": population, "plan": again.written(plan)}
        secret = {"root_key": root_key, "fingerprint": again.keyed(root_key, fingerprint)}
        with self._database.writing() as connection:
            store.lock(connection, population)
            open_accounts = store.accounts(connection, population)
            held = store.grant(connection, grant_id)
            if held is not None:
                stored = store.rows_of(connection, grant_id)
                again.refuse_another(held, stored, grant, fingerprint, rows)
                return Opened(held.root_key, new=False)
            _declared(connection, population, charges)
            after = limits.charged(open_accounts, population, charges, costs)
            said = {"opened": _now(), "asked": asked, "note": note}
            store.enter(connection, {**grant, **secret, **said}, rows, costs)
            for account in after:
                store.settle(connection, population, open_accounts[account.key], account)
        return Opened(root_key, new=True)

    def refuse_overspending(
        self,
        population: str,
        grants: Sequence[Sequence[Charge]],
        opening: Sequence[Balance] = (),
    ) -> None:
        """Refuse grants that do not all fit, one after the other; nothing is written.

        Args:
          grants: the charges of each.
          opening: accounts that would have to be opened first.

        Raises:
          OverBudget: some account has too little left for all of them together, or is limited
            while one of them promises nothing.
          LedgerError: an account has no limit or would be opened with another, a part was not
            declared, or the ledger cannot be read.
          ValueError: a filter needs an event's divergences, and none are proved for it under its
            relation.
        """
        asked = [charge for charges in grants for charge in charges]
        with self._database.reading() as connection:
            held = store.accounts(connection, population)
            _declared(connection, population, asked)
        for new in opening:
            limits.refuse_another_limit(population, held.setdefault(new.key, new), new)
        if not all(grants):
            limits.charged(held, population, [], [])
        limits.refuse_unlimited(held, population, asked)
        costs = [held[key_of(charge)].filter.cost(charge.guarantee) for charge in asked]
        asking = "the grant asks" if len(grants) == 1 else f"the {len(grants)} grants together ask"
        if asked:
            limits.charged(held, population, asked, costs, asking)

    def knows(self, grant_id: str, population: str, plan: Mapping[str, Any], question: str) -> bool:
        """Whether a grant of this name was opened with these, so that it is paid for.

        Args:
          question: of what it is bound to.

        Raises:
          Finished: it is the same, and closed.
          LedgerError: it was opened with something else, its key is erased, or the ledger cannot
            be read.
        """
        with self._database.reading() as connection:
            held = store.grant(connection, grant_id)
        if held is not None:
            asked = {"population": population, "plan": again.written(plan)}
            again.refuse_other_question(held, asked, question)
        return held is not None

    def erase(self, grant_id: str) -> None:
        """Erase a grant's key and fingerprint before it is closed, for what must not be replayed.

        Raises:
          Unknown: the grant is not in this ledger.
          LedgerError: its key is erased already, or the grant is marked; or the ledger cannot be
            written.
        """
        with self._database.writing() as connection:
            held = _known(connection, grant_id)
            if not store.erase(connection, grant_id):
                again.refuse_begun(held)

    def mark(
        self, grant_id: str, known: Collection[str | None], made: Callable[[], str | None]
    ) -> str | None:
        """Exchange the mark of an open grant, the digest of the last state that it kept, for what
        `made` returns; nobody else does meanwhile. None is the mark of a grant that kept none.

        | the grant's mark | is then |
        | --- | --- |
        | one of those known | what was made |
        | another | as it was; nothing is made, and whoever asks is refused |

        Raises:
          Unknown: the grant is not in this ledger.
          LedgerError: its mark is another or its key is erased; or the ledger cannot be written.
          Whatever `made` raises; then the mark is as it was.
        """
        with self._database.writing() as connection:
            store.hold(connection, grant_id)
            grant = _known(connection, grant_id)
            if grant.root_key is None or grant.released not in known:
                again.refuse_begun(grant)
            after = made()
            store.mark(connection, grant_id, after)
        return after

    def close(self, grant_id: str, released: str | None = None) -> None:
        """Mark a grant complete, erase its key and fingerprint; closing again changes nothing.

        Args:
          released: the digest of the file that holds what it released, if there is one.

        Raises:
          Unknown: the grant is not in this ledger.
          LedgerError: the ledger cannot be written.
        """
        with self._database.writing() as connection:
            if _known(connection, grant_id).closed is None:
                store.close(connection, grant_id, _now(), released)

    def released(self, grant_id: str, population: str, plan: Mapping[str, Any]) -> str | None:
        """The digest that a finished grant of this plan was closed with.

        Raises:
          LedgerError: the grant is not known, is of another population or plan, or not closed.
        """
        asked = {"population": population, "plan": again.written(plan)}
        with self._database.reading() as connection:
            held = _known(connection, grant_id)
            again.refuse_other_columns(held, asked)
        if held.closed is None:
            raise LedgerError(f"grant {grant_id!r} is not finished; ask for it again to go on")
        return held.released

    def spent(self, population: str) -> list[Spent]:
        """Every account of a population: what it reads so far, its limit, and each part."""
        with self._database.reading() as connection:
            held = store.accounts(connection, population)
            division = store.partition(connection, population)
        parts = division.parts if division else ()
        return [account.spent(parts) for account in held.values()]

    def history(self, population: str) -> list[Entry]:
        """Every grant of a population, oldest first."""
        with self._database.reading() as connection:
            return [to_entry(*found) for found in store.history(connection, population)]

    def partition(self, population: str) -> Partition | None:
        """How a population is divided, if it is."""
        with self._database.reading() as connection:
            return store.partition(connection, population)

    def left_of(self, grant_id: str) -> tuple[str, tuple[Charge, ...], bool]:
        """Whose a grant is, what it was charged, and whether it can be gone on with.

        Raises:
          Unknown: the grant is not in this ledger.
          LedgerError: the ledger cannot be read.
        """
        with self._database.reading() as connection:
            held = _known(connection, grant_id)
            rows = store.rows_of(connection, grant_id)
        return held.population, tuple(map(from_row, rows)), held.root_key is not None

    def populations(self) -> list[str]:
        """Every population that has an account, in alphabetical order."""
        with self._database.reading() as connection:
            return store.populations(connection)

    def _open(self, population: str, opening: Sequence[Balance]) -> bool:
        """Sets all of these limits, or none; whether one is new."""
        with self._database.writing() as connection:
            held = store.accounts(connection, population)
            for each in opening:
                limits.refuse_another_limit(population, held.get(each.key, each), each)
            new = [each for each in opening if each.key not in held]
            for each in new:
                store.add_account(connection, population, each)
        return bool(new)

    def _costs(self, population: str, asked: Sequence[Charge]) -> list[Cost]:
        keys = [(population, key_of(charge)) for charge in asked]
        if not all(key in self._filters for key in keys):
            with self._database.reading() as connection:
                held = store.accounts(connection, population)
            limits.refuse_unlimited(held, population, asked)
            # An account's filter never changes, so it is read once.
            self._filters.update({(population, key): held[key].filter for _, key in keys})
        return [
            self._filters[key].cost(charge.guarantee)
            for key, charge in zip(keys, asked, strict=True)
        ]


@final
class HeldOpen(Ledger):
    """The same accounts; closing a grant waits. `ended` has what each was to be closed with."""

    def __init__(self, where: str | Path, grant_id: str) -> None:
        super().__init__(where, grant_id)
        self.ended: list[tuple[str, str | None]] = []

    def close(self, grant_id: str, released: str | None = None) -> None:
        self.ended.append((grant_id, released))


LedgerOrPath = Ledger | str | Path


def opened(ledger: LedgerOrPath) -> Ledger:
    """This ledger, or the one at this path or URL.

    Raises:
      LedgerError: what is there cannot be opened, or is none.
      ValueError: it is neither.
    """
    refuse_no_ledger(ledger)
    return Ledger(ledger) if isinstance(ledger, str | Path) else ledger


def refuse_no_ledger(ledger: Any) -> None:
    """Raises a ValueError unless this is a ledger, or could be the path of one; none is opened."""
    # A rehearsal stands where a ledger does.
    stands = hasattr(ledger, "charge") and not isinstance(ledger, type)
    if not (isinstance(ledger, str | Path) or stands):
        raise ValueError(f"ledger must be a Ledger, or the path of one, got {got(ledger)}")


def _declared(connection: "sql.Connection", population: str, asked: Sequence[Charge]) -> None:
    """Refuse charges on parts that were not declared, or that replacing data may change."""
    on_parts = [charge for charge in asked if charge.part is not None]
    division = store.partition(connection, population) if on_parts else None
    for charge in on_parts:
        if division is None or charge.part not in division.parts:
            raise RefusedGrant(f"{population} has no part {charge.part!r}; divide it first")
        if charge.guarantee.relation is Relation.REPLACE_ONE and division.fixed_by is None:
            raise RefusedGrant(
                f"a part of {population} is charged under add/remove or zero-out only, because "
                "nothing is declared that fixes a part outside of the data"
            )


def _known(connection: "sql.Connection", grant_id: str) -> "sql.Row":
    held = store.grant(connection, grant_id)
    if held is None:
        raise Unknown(f"no grant {grant_id!r} is in this ledger")
    return held


def _now() -> str:
    return datetime.now(UTC).isoformat()
