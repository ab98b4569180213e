"""Whether there is room for what a command will do: in the people's accounts, and in its folder.

Both are asked before the first charge, and before any file or account is made, so that a refused
command leaves nothing behind.
"""

import itertools
import math
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tacit.accounting.relation import Relation
from tacit.accounting.upper import upper, upper_delta
from tacit.ledger.accounts import Balance, fitting
from tacit.ledger.filters import Basic
from tacit.ledger.ledger import Ledger
from tacit.ledger.limits import NoDeltaWarning
from tacit.ledger.over_budget import OverBudget
from tacit.plan import Plan
from tacit.population.checkpoint import CheckpointError

# The (epsilon, delta) of the public's accounts, if they are to have one.
Limit = tuple[float, float] | None
# Of a limit that says its epsilon alone: ten releases at the delta that `--delta` has by itself.
LIMIT_DELTA = 1e-4


def limit_of(epsilon: float, delta: float | None) -> Limit:
    """What `--limit` and `--limit-delta` say.

    Raises:
      ValueError: if one of them limits nothing.
    """
    if not epsilon > 0:
        raise ValueError(f"--limit must be positive, got {epsilon}")
    if math.isinf(epsilon) and delta is not None:
        raise ValueError(f"--limit-delta goes with --limit, got --limit-delta {delta} alone")
    chosen = LIMIT_DELTA if delta is None else delta
    if not 0 <= chosen < 1:
        raise ValueError(f"--limit-delta must be at least 0 and below 1, got {chosen}")
    return None if math.isinf(epsilon) else (epsilon, chosen)


def limited(options: Mapping[str, Any]) -> Limit:
    """The limit among a session's options, which JSON has as a list.

    Raises:
      CheckpointError: if it is that of an earlier version, which kept no delta.
    """
    limit = options["limit"]
    if limit is None:
        return None
    if not isinstance(limit, list):
        raise CheckpointError(
            "the limit of a run that is gone on with must be an epsilon and a delta, and an "
            f"earlier version kept {limit} alone: start it anew with --limit, in another --out"
        )
    epsilon, delta = limit
    return epsilon, delta


def open_accounts(ledger: Ledger, population: str, plans: Sequence[Plan], limit: Limit) -> None:
    """Opens the accounts that plans will charge, where nobody has opened them yet.

    The public ones get `limit`, and are refused if they have another; the others only record.
    """
    for account in _accounts(ledger, population, plans, limit):
        observer, unit, relation = account.key
        most = account.epsilon, account.delta
        with said_otherwise():
            ledger.limit(population, observer, Relation(relation), *most, unit)


@contextmanager
def said_otherwise() -> Iterator[None]:
    """Within, an account without a delta is no warning: whoever opens it is told in other words, or
    has plans that fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoDeltaWarning)
        yield


def refuse_unaffordable(
    ledger: Ledger, population: str, plans: Sequence[Plan], limit: Limit
) -> None:
    """Refuses plans that do not all fit the accounts there are and those they would open.

    Raises:
      OverBudget: if there is too little left, or some promise nothing beside a limit.
      LedgerError: if an account has another limit.
    """
    opening = _accounts(ledger, population, plans, limit)
    charges = [plan.charges() for plan in plans]
    if limit is not None and all(charges):
        asked = fitting(itertools.chain(*charges))
        asking = "the grant asks" if len(plans) == 1 else f"the {len(plans)} grants together ask"
        _refuse_too_little(limit, population, _new(ledger, population, asked), asking)
    ledger.refuse_overspending(population, charges, opening)


def _refuse_too_little(
    limit: tuple[float, float], population: str, new: Sequence[Balance], asking: str
) -> None:
    """Raises the OverBudget of an account that is not there yet, and would be too small.

    Args:
      new: each with what is asked of it.
      asking: who asks.
    """
    for account in new:
        pairs = (("epsilon", account.epsilon, limit[0]), ("delta", account.delta, limit[1]))
        much = " and ".join(name for name, asked, most in pairs if asked > most)
        if much:
            raise OverBudget(
                f"{asking} for epsilon = {upper(account.epsilon)}, delta = "
                f"{upper_delta(account.delta)}; its {much} is too much for {account.name} in "
                f"{population!r}, which --limit {limit[0]:g} --limit-delta {limit[1]:g} would "
                "open: nothing was made or charged, so say a larger limit, or ask for less"
            )


def _new(ledger: Ledger, population: str, asked: Sequence[Balance]) -> list[Balance]:
    """Those of the public's accounts that nobody has opened."""
    known = {(each.observer, each.unit, each.relation.value) for each in ledger.spent(population)}
    return [each for each in asked if each.key[0] == "public" and each.key not in known]


def refuse_unwritable(out: Path, files: Sequence[str], folders: Sequence[str] = ()) -> None:
    """Raises a ValueError if files and folders of these names could not be put in `out`."""
    above = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not above.is_dir() or (out.is_symlink() and above != out):
        raise ValueError(f"--out must be a folder, or one that can be made, got {out}")
    if not os.access(above, os.W_OK):
        raise ValueError(f"--out must be a folder that can be written to, got {out}")
    for name in files:
        if (out / name).is_dir():
            raise ValueError(f"{out / name} must be a file, or not there, and is a folder")
    for name in folders:
        if (out / name).exists() and not (out / name).is_dir():
            raise ValueError(f"{out / name} must be a folder, or not there, and is a file")


@contextmanager
def looked_at(where: str) -> Iterator[Ledger]:
    """The ledger there; where there is none yet an empty one elsewhere, so that none is made."""
    path = where.removeprefix("sqlite:///")
    if "://" in path or Path(path).exists():
        yield Ledger(where)
        return
    with TemporaryDirectory() as folder:
        yield Ledger(Path(folder) / "ledger.db")


def _accounts(
    ledger: Ledger, population: str, plans: Sequence[Plan], limit: Limit
) -> list[Balance]:
    known = {(a.observer, a.unit, a.relation.value) for a in ledger.spent(population)}
    found = {}
    for promise in (promise for plan in plans for promise in plan.guarantees):
        key = promise.observer, promise.unit, promise.relation.value
        own = limit if promise.observer == "public" else None
        if own is not None or key not in known:
            epsilon, delta = own or (math.inf, 1.0)
            found[key] = Balance(key, epsilon, delta, Basic())
    return list(found.values())
