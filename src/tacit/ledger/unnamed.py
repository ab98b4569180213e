"""A call that is cut off: what becomes of its grant, and what whoever made it is told.

An open grant holds the root key of its noise, so that a crash can replay it. Where the name is
thrown away with the call that made it, nothing can be replayed, and the key would lie in the ledger
for ever: so the grant is closed. What was charged stays charged. Where the call was given a name
(`Ledger.once`), its grant stays open, and the same call goes on with it. Either way the exception
carries a note that says what was charged, and whether and how to go on.

A grant that somebody plays themselves stays open, for they have its name: the note has it too.

A process that is killed leaves grants open all the same, and so does a ledger that cannot be
written then. What ended the call is raised even so; a note says which grant could not be closed.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from tacit.accounting.guarantee import Guarantee
from tacit.ledger.accounts import LedgerError, RefusedGrant
from tacit.ledger.ledger import HeldOpen, Ledger, LedgerOrPath, Unknown, opened

# Grants named by a call that is under way, which says itself what becomes of them.
_seen_to: ContextVar[frozenset[str]] = ContextVar("seen_to", default=frozenset())


@contextmanager
def closed_if_cut_off(ledger: Ledger, grants: int = 1, *, told: bool = True) -> Iterator[list[str]]:
    """Names for so many new grants, or the one that the ledger was given.

    Whatever ends the block early closes those that were opened without a name of their own.

    Args:
      told: whether whoever made the call knows of the ledger.

    Raises:
      ValueError: if the ledger was given one name for several.
    """
    if isinstance(ledger, HeldOpen):
        # Whoever holds it open sees to that.
        yield _names(ledger, grants)
        return
    names = _names(ledger, grants)
    before = _seen_to.set(_seen_to.get() | {*names})
    try:
        yield names
    except BaseException as error:
        for note in _left_by(error, ledger, names):
            if told:
                error.add_note(note)
        raise
    finally:
        _seen_to.reset(before)


@contextmanager
def told_if_cut_off(ledger: Ledger | None, name: str, start: Callable[[], str]) -> Iterator[None]:
    """Whatever ends the block early says what this grant was charged, and how to go on with it.

    The grant stays open. Of one that `closed_if_cut_off` named, nothing is said here.

    Args:
      ledger: None in a process that has none.
      start: says where it goes on if it is asked for again, once it is cut off.
    """
    try:
        yield
    except BaseException as error:
        # What ended the block is raised, whether or not the ledger can be read.
        with suppress(LedgerError):
            # A refusal says itself how to go on.
            refused = isinstance(error, RefusedGrant)
            if ledger is not None and name not in _seen_to.get() and not refused:
                _tell(error, ledger, name, start())
        raise


@contextmanager
def closed_at_the_end(ledger: LedgerOrPath) -> Iterator[Ledger]:
    """A ledger for a call that goes on to make something of its one release.

    Its grant is closed when the block ends, and not before: what is cut off while something is made
    can be gone on with, if it has a name.
    """
    book = opened(ledger)
    with closed_if_cut_off(book) as (name,):
        held = book.held_open(name)
        yield held
        for ended in held.ended:
            book.close(*ended)


def _names(ledger: Ledger, grants: int) -> list[str]:
    if ledger.grant_id is None:
        return [secrets.token_hex(16) for _ in range(grants)]
    if grants != 1:
        raise ValueError(
            f"ledger.once({ledger.grant_id!r}) names one grant, and this call makes {grants}: give "
            "the ledger itself"
        )
    return [ledger.grant_id]


def _left_by(error: BaseException, ledger: Ledger, names: Sequence[str]) -> list[str]:
    """What to say of these grants where this was raised."""
    # What a name is refused for, the ledger has said; what it holds was charged before.
    if isinstance(error, RefusedGrant) and ledger.grant_id is not None:
        return []
    stopped = [] if isinstance(error, Exception) else ["nothing was charged"]
    return _left(ledger, names) or stopped


def _tell(error: BaseException, ledger: Ledger, name: str, start: str) -> None:
    population, charges, still_open = ledger.left_of(name)
    again = (
        f"asked for again with grant_id={name!r}, it goes on {start}, with the same noise, and is "
        f"charged nothing more; ledger.close({name!r}) gives it up and erases its key"
    )
    charged = [_of(charge.guarantee, population) for charge in charges]
    if charged:
        error.add_note(_stays(charged, again if still_open else _no_key(name)))


def _left(ledger: Ledger, names: Sequence[str]) -> list[str]:
    """What is left of these grants, in words; nothing if nothing was charged."""
    charged, failed, still_open = list[str](), list[str](), False
    for name in names:
        try:
            population, charges, still_open = ledger.left_of(name)
            charged += [_of(charge.guarantee, population) for charge in charges]
            if ledger.grant_id is None:
                ledger.close(name)
        except Unknown:
            pass
        except LedgerError as error:
            failed.append(_failed(ledger.grant_id, name, error))
    if not charged:
        return failed
    return [_stays(charged, _how_on(ledger.grant_id, still_open, forgotten=not failed)), *failed]


def _failed(own: str | None, name: str, error: LedgerError) -> str:
    """What could not be done with a grant, whose name may be its own or thrown away."""
    if own is not None:
        return f"what grant {name!r} was charged could not be read: {error}"
    return (
        f"grant {name!r} could not be closed: {error}; if it was charged, the ledger still has its "
        f"key, and ledger.close({name!r}) erases that"
    )


def _stays(charged: Sequence[str], how_on: str) -> str:
    return f"this was charged before it stopped, and stays charged: {', '.join(charged)}; {how_on}"


def _of(one: Guarantee, population: str) -> str:
    return (
        f"epsilon {one.epsilon:.6g}, delta {one.delta:.3g} of {population!r} for the {one.observer}"
    )


def _how_on(name: str | None, still_open: bool, *, forgotten: bool) -> str:
    if name is None:
        anew = "its noise is forgotten, so that asking" if forgotten else "asking"
        return (
            f"{anew} again is charged anew; a call with ledger=ledger.once('its name') could be "
            "made again, and be charged once"
        )
    if not still_open:
        return _no_key(name)
    return (
        f"the very same call, with ledger.once({name!r}), goes on with the same noise and is "
        f"charged nothing more; ledger.close({name!r}) gives it up and erases its key"
    )


def _no_key(name: str) -> str:
    return f"grant {name!r} has no key any more, so that it cannot be gone on with"
