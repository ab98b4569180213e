"""The ledger: atomic, idempotent, durable, and safe with many processes at once."""

import contextlib
import copy
import itertools
import math
import multiprocessing
import os
import pickle
import resource
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from ledger.towns import KEY, OTHER_KEY, PRINT, SEVERAL, charge, keyed, opened
from tacit.accounting.events import gaussian, local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.ledger import store
from tacit.ledger.accounts import Balance
from tacit.ledger.database import Database
from tacit.ledger.filters import Basic, Renyi
from tacit.ledger.ledger import Charge, Finished, Ledger, LedgerError, OverBudget
from tacit.ledger.limits import NoDeltaWarning

# A server that trusts local users; another by the environment variable TACIT_TEST_POSTGRESQL.
POSTGRESQL = "postgresql+psycopg://postgres@127.0.0.1:5432/test"


def test_a_charge_is_kept_across_sessions(tmp_path: Path) -> None:
    """What one session charged, another reads: totals, history, event and plan."""
    opened(tmp_path).charge("g", "town", [charge(0.1)], KEY, PRINT, {"rounds": 3})
    ledger = Ledger(tmp_path / "ledger.db")
    (account,) = ledger.spent("town")
    assert (account.observer, account.unit, account.relation) == (
        "public",
        "person",
        Relation.ADD_REMOVE,
    )
    assert (account.epsilon, account.delta) == (0.1, 1e-6)
    assert (account.limit_epsilon, account.limit_delta) == (1.0, 1e-5)
    (entry,) = ledger.history("town")
    assert (entry.grant_id, entry.plan, entry.closed) == ("g", {"rounds": 3}, None)
    assert entry.charges == (charge(0.1),)


def test_a_pure_release_that_a_limit_without_delta_refuses_says_why(tmp_path: Path) -> None:
    """What it takes beside its epsilon, and that the limit has none of it."""
    with pytest.warns(NoDeltaWarning):
        ledger = opened(tmp_path, delta=0.0)
    with pytest.raises(OverBudget) as refused:
        ledger.charge("g", "town", [charge(0.5, 8e-19)], KEY, PRINT, {})
    said = str(refused.value)

    assert (
        "left of epsilon = 1, delta = 0 (" in said
        and "asks for epsilon = 0.5, delta = 8e-19; " in said
    )
    assert "its delta is too much (a limit of delta = 0 has no room even for" in said
    with pytest.raises(OverBudget, match="; its epsilon and its delta are too much "):
        ledger.charge("g", "town", [charge(2.0, 8e-19)], KEY, PRINT, {})


def test_all_or_none(tmp_path: Path) -> None:
    """If one account has no room, no account is charged and no grant is left."""
    ledger = opened(tmp_path)
    ledger.limit("town", "server", Relation.ADD_REMOVE, 0.1, 1e-5)
    with pytest.raises(OverBudget, match="server"):
        both = [charge(0.5), charge(0.5, observer="server")]
        ledger.charge("g", "town", both, KEY, PRINT, {})
    assert [account.epsilon for account in ledger.spent("town")] == [0.0, 0.0]
    assert ledger.history("town") == []


def test_what_fits_one_by_one_may_not_fit_together(tmp_path: Path) -> None:
    """Refused in one sentence with what all ask for and what is left, and nothing is written."""
    ledger = opened(tmp_path)
    ledger.charge("before", "town", [charge(0.25)], KEY, PRINT, {})
    before, each = ledger.spent("town"), [charge(0.3)]
    ledger.refuse_overspending("town", [each, each])
    with pytest.raises(OverBudget) as refused:
        ledger.refuse_overspending("town", [each, each, each])

    assert str(refused.value) == (
        "the account of public per person under add/remove in 'town' has epsilon = 0.75, "
        "delta = 9e-06 left of epsilon = 1, delta = 1e-05 (spent: epsilon = 0.25, delta = 1e-06), "
        "and the 3 grants together ask for epsilon = 0.9, delta = 3e-06; its epsilon is too much, "
        "and a limit stays what these people were promised: ask with a smaller epsilon (0.75 in "
        "all would fit) or ask other people, who have an account under another name; next time, "
        "set a limit with room for all of this before a first release, by ledger.limit('town', "
        "'public', tacit.Relation.ADD_REMOVE, epsilon=1.15, delta=1e-05)"
    )
    assert before == ledger.spent("town") and 1 == len(ledger.history("town"))


def test_one_grant_is_foreseen_in_the_words_of_its_charge(tmp_path: Path) -> None:
    """The same sentence, whatever is refused: too much, no limit, no promise, no such part."""
    ledger = opened(tmp_path)
    part = Charge(
        Guarantee("public", "person", Relation.ADD_REMOVE, gaussian(3), 0.1, 1e-06, "plain sum"),
        "north",
    )
    for guarantees in ([charge(1.1)], [charge(0.1, observer="server")], [], [part]):
        said = []
        for ask in (
            lambda given=guarantees: ledger.refuse_overspending("town", [given]),
            lambda given=guarantees: ledger.charge("g", "town", given, KEY, PRINT, {}),
        ):
            with pytest.raises((OverBudget, LedgerError)) as refused:
                ask()
            said.append((type(refused.value), str(refused.value)))
        assert said[0] == said[1]


def test_foreseeing_nothing_refuses_nothing(tmp_path: Path) -> None:
    """No grants are no grant that promises nothing; one among others is."""
    ledger = opened(tmp_path)
    ledger.refuse_overspending("town", [])
    with pytest.raises(OverBudget, match="promises nothing"):
        ledger.refuse_overspending("town", [[charge(0.1)], []])


def test_accounts_to_be_opened_are_foreseen_and_not_opened(tmp_path: Path) -> None:
    """With the limit they would get; another limit than the one there is refused."""
    ledger = opened(tmp_path)
    new = Balance(("server", "person", "add/remove"), 0.5, 1e-5, Basic())
    asked = [charge(0.3, observer="server")]
    ledger.refuse_overspending("town", [asked], [new])
    with pytest.raises(OverBudget, match=r"2 grants together ask for epsilon = 0\.6"):
        ledger.refuse_overspending("town", [asked, asked], [new])
    with pytest.raises(LedgerError, match="has a limit of epsilon = "):
        changed = Balance(("public", "person", "add/remove"), 2.0, 1e-5, Basic())
        ledger.refuse_overspending("town", [asked], [changed])

    assert ["public"] == [account.observer for account in ledger.spent("town")]


def test_divergences_are_foreseen_as_they_add_up(tmp_path: Path) -> None:
    """A Rényi account has room for more than plain sums would, and for no more than it charges."""
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1, 1e-5, filter=Renyi.fitting(1, 1e-5))
    one = Charge(
        Guarantee("public", "person", Relation.ADD_REMOVE, gaussian(50.0), 0.1, 1e-07, "plain sum")
    )
    fits = 0
    with contextlib.suppress(OverBudget):
        for fits in range(400):
            ledger.refuse_overspending("town", [[one]] * (fits + 1))
    for number in range(fits):
        ledger.charge(f"g{number}", "town", [one], KEY, PRINT, {})

    assert 10 < fits < 399
    with pytest.raises(OverBudget):
        ledger.charge("last", "town", [one], KEY, PRINT, {})


def test_accounts_are_never_added(tmp_path: Path) -> None:
    """Other observers, units, relations and populations have their own room."""
    ledger = opened(tmp_path)
    for observer, relation, unit in (
        ("server", Relation.ADD_REMOVE, "person"),
        ("public", Relation.REPLACE_ONE, "person"),
        ("public", Relation.ADD_REMOVE, "household"),
    ):
        ledger.limit("town", observer, relation, 1.0, 1e-5, unit=unit)
        ledger.charge(
            f"{observer}{relation}{unit}",
            "town",
            [Charge(Guarantee(observer, unit, relation, local(1), 0.9, 0.0, "plain sum"))],
            KEY,
            PRINT,
            {},
        )
    ledger.limit("village", "public", Relation.ADD_REMOVE, 1.0, 1e-5)
    ledger.charge("v", "village", [charge(0.9)], KEY, PRINT, {})
    assert ledger.charge("t", "town", [charge(0.9)], KEY, PRINT, {}).new


@dataclass(frozen=True)
class Asking:
    """A plan, to a ledger."""

    asked: list[Charge]

    def charges(self) -> list[Charge]:
        return self.asked


def _limits(ledger: Ledger) -> list[tuple[str, float, float]]:
    return [(a.observer, a.limit_epsilon, a.limit_delta) for a in ledger.spent("town")]


def test_limits_for_a_plan_let_it_through_once(tmp_path: Path) -> None:
    """The same again changes nothing; every account that the plan charges is open and then full."""
    ledger, plan = Ledger(tmp_path / "ledger.db"), Asking(SEVERAL)
    for _ in range(2):
        ledger.limit_for("town", plan)
        assert _limits(ledger) == [
            ("public", 0.3, 2e-7),
            ("server", 0.3, 0.0),
            ("shuffler", 0.7, 0.0),
        ]
    ledger.charge("g", "town", SEVERAL, KEY, PRINT, {})
    with pytest.raises(OverBudget):
        ledger.charge("h", "town", SEVERAL[2:3], KEY, PRINT, {})


def test_limits_for_several_plans_let_each_through_once(tmp_path: Path) -> None:
    """In any order, to the last digit."""
    ledger, plans = Ledger(tmp_path / "ledger.db"), [Asking([charge(e)]) for e in (0.1, 0.2, 1e-9)]
    ledger.limit_for("town", *plans)
    assert _limits(ledger) == [("public", 0.300000001, 3e-6)]
    for name, plan in zip("cab", reversed(plans), strict=True):
        ledger.charge(name, "town", plan.charges(), KEY, PRINT, {})
    with pytest.raises(OverBudget):
        ledger.charge("d", "town", [charge(1e-12, 0.0)], KEY, PRINT, {})


def test_limits_for_so_many_times_let_a_plan_through_so_often(tmp_path: Path) -> None:
    """To the last digit: ten times 0.1 are 1, and the eleventh is refused."""
    ledger, plan = Ledger(tmp_path / "ledger.db"), Asking([charge(0.1)])
    ledger.limit_for("town", plan, times=10)
    assert _limits(ledger) == [("public", 1.0, 1e-5)]
    for number in range(10):
        ledger.charge(f"g{number}", "town", plan.charges(), KEY, PRINT, {})
    with pytest.raises(OverBudget, match=r"epsilon = 0, delta = 0 left of epsilon = 1, .*spent: "):
        ledger.charge("eleventh", "town", plan.charges(), KEY, PRINT, {})
    with pytest.raises(LedgerError, match="has a limit of epsilon = "):
        ledger.limit_for("town", plan, times=11)


@pytest.mark.parametrize("times", [0, -1, 1.5, math.nan, True, "2", None])
def test_limits_are_for_a_whole_number_of_times(times: Any, tmp_path: Path) -> None:
    """And no account is opened for another."""
    ledger = Ledger(tmp_path / "ledger.db")
    with pytest.raises(ValueError, match="times must be a whole number, at least 1, got "):
        ledger.limit_for("town", Asking(SEVERAL), times=times)
    assert ledger.spent("town") == []


def test_limits_for_parts_are_those_of_the_dearest(tmp_path: Path) -> None:
    """Parts are charged side by side, and the whole to each."""
    parts = [replace(charge(0.1 * n, 0.0), part=part) for n, part in ((1, "a"), (3, "b"))]
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.divide("town", "street", ["a", "b"])
    ledger.limit_for("town", Asking([*parts, charge(0.25, 0.0)]))
    ((_, epsilon, _),) = _limits(ledger)
    assert epsilon == pytest.approx(0.55)
    assert ledger.charge("g", "town", [*parts, charge(0.25, 0.0)], KEY, PRINT, {}).new


def test_limits_for_a_plan_are_all_set_or_none(tmp_path: Path) -> None:
    """Another limit is refused as `limit` refuses it, and nothing is opened beside it."""
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.limit("town", "shuffler", Relation.REPLACE_ONE, 9.0, 0.0, unit="household")
    with pytest.raises(
        LedgerError, match=r"the account of shuffler .* has a limit of epsilon = 9, "
    ):
        ledger.limit_for("town", Asking(SEVERAL))
    assert _limits(ledger) == [("shuffler", 9.0, 0.0)]


def test_a_plan_without_promises_sets_no_limit(tmp_path: Path) -> None:
    """Nor does what promises an epsilon of zero set one of zero, which is none."""
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.limit_for("town", Asking([]))
    assert ledger.spent("town") == []
    ledger.limit_for("town", Asking([charge(0.0, 1e-6)]))
    assert _limits(ledger) == [("public", math.ulp(0.0), 1e-6)]
    assert ledger.charge("g", "town", [charge(0.0, 1e-6)], KEY, PRINT, {}).new


@pytest.mark.parametrize("plan", [None, "plan", charge(0.1), Asking], ids=str)
def test_limits_are_for_plans(plan: object, tmp_path: Path) -> None:
    """One sentence says so, and one what a population is."""
    ledger = Ledger(tmp_path / "ledger.db")
    with pytest.raises(ValueError, match="limits are for plans, got "):
        ledger.limit_for("town", plan)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="population must be text of at least one character, got"):
        ledger.limit_for(Asking(SEVERAL), "town")  # pyright: ignore[reportArgumentType]


def test_all_who_ask_under_one_name_at_once_get_one_key(tmp_path: Path) -> None:
    """Each with a ledger and a key of its own: one charge, and the noise of all is the same."""
    opened(tmp_path, epsilon=0.1)

    def asked(number: int) -> bytes:
        ledger, own = Ledger(tmp_path / "ledger.db"), bytes([number]) * 32
        return ledger.charge("g", "town", [charge(0.1)], own, PRINT, {}).root_key

    with ThreadPoolExecutor(6) as threads:
        keys = set(threads.map(asked, range(12)))

    assert 1 == len(keys) == len(Ledger(tmp_path / "ledger.db").history("town"))


def test_closing_erases_the_key(tmp_path: Path) -> None:
    """A closed grant is refused, its key nowhere in the file; closing again changes nothing."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    assert KEY in (tmp_path / "ledger.db").read_bytes()
    ledger.close("g")
    closed = ledger.history("town")[0].closed
    ledger.close("g", "another digest")
    with pytest.raises(Finished, match="grant 'g' is finished and its key erased"):
        ledger.charge("g", "town", [charge(0.6)], OTHER_KEY, PRINT, {})
    assert ledger.released("g", "town", {}) is None
    assert ledger.history("town")[0].closed == closed is not None
    assert KEY not in (tmp_path / "ledger.db").read_bytes()
    assert keyed(KEY) not in (tmp_path / "ledger.db").read_bytes()
    assert ledger.spent("town")[0].epsilon == 0.6


def test_what_a_grant_released_is_known_by_its_digest(tmp_path: Path) -> None:
    """Of the grant, population and plan it was closed with; an open grant released nothing."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {"rounds": 3})
    with pytest.raises(LedgerError, match="grant 'g' is not finished"):
        ledger.released("g", "town", {"rounds": 3})
    ledger.close("g", "digest")
    assert ledger.released("g", "town", {"rounds": 3}) == "digest"
    for asked, named in [
        (("h", "town", {"rounds": 3}), "no grant 'h'"),
        (("g", "village", {"rounds": 3}), "another population"),
        (("g", "town", {"rounds": 4}), "another plan"),
    ]:
        with pytest.raises(LedgerError, match=named):
            ledger.released(*asked)


def test_a_key_that_must_not_be_used_again_is_erased_before_the_grant_is_closed(
    tmp_path: Path,
) -> None:
    """The grant is neither opened again nor finished; what it released can still be noted."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    ledger.erase("g")
    assert KEY not in (tmp_path / "ledger.db").read_bytes()
    assert keyed(KEY) not in (tmp_path / "ledger.db").read_bytes()
    with pytest.raises(LedgerError, match="grant 'g' ran and its key is erased"):
        ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    with pytest.raises(LedgerError, match="no grant 'h'"):
        ledger.erase("h")
    with pytest.raises(LedgerError, match="grant 'g' ran and its key is erased"):
        ledger.erase("g")
    ledger.close("g", "digest")
    assert ledger.released("g", "town", {}) == "digest"


def _marked(ledger: Ledger) -> None:
    """What may happen to the mark of an open grant."""
    ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    for known, after in (([None], None), ([None], "one"), ([None, "one"], "one"), (["one"], "two")):
        assert after == ledger.mark("g", known, lambda after=after: after)
    for known in ([], [None], ["one"], [None, "one"]):
        with pytest.raises(LedgerError, match="grant 'g' goes on from the last file that it kept"):
            ledger.mark("g", known, lambda: pytest.fail("it was made"))
    with pytest.raises(LedgerError, match="grant 'g' goes on from the last file that it kept"):
        ledger.erase("g")
    with pytest.raises(LedgerError, match="no grant 'h'"):
        ledger.mark("h", [None], lambda: pytest.fail("it was made"))
    with pytest.raises(ZeroDivisionError):
        ledger.mark("g", ["two"], lambda: str(1 / 0))
    assert not ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {}).new
    ledger.mark("g", ["two"], lambda: "two")
    ledger.close("g", "two")
    assert ledger.released("g", "town", {}) == "two"
    with pytest.raises(Finished):
        ledger.mark("g", ["two"], lambda: "three")


def test_a_mark_is_exchanged_for_the_one_before(tmp_path: Path) -> None:
    """Or found there already; another is refused and stays, and so is the key of a marked grant."""
    _marked(opened(tmp_path))


def _exchanged(where: str | Path, number: int) -> list[str]:
    """What was made for a first mark: nothing, if another's was."""
    made = []

    def one() -> str:
        made.append(str(number))
        return made[0]

    with contextlib.suppress(LedgerError):
        Ledger(where).mark("g", [None], one)
    return made


def _one_exchanges(where: str | Path) -> None:
    with ThreadPoolExecutor(6) as threads:
        made = [*threads.map(lambda number: _exchanged(where, number), range(12))]
    (one,) = itertools.chain(*made)
    assert one == Ledger(where).mark("g", [one], lambda: one)


def test_of_all_who_exchange_a_mark_at_once_one_does(tmp_path: Path) -> None:
    """Each has another state of one round: the others write none."""
    opened(tmp_path).charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    _one_exchanges(tmp_path / "ledger.db")


def test_a_grant_keeps_its_first_note(tmp_path: Path) -> None:
    """Asked again with other words it is the same grant, and charged nothing."""
    ledger = opened(tmp_path)
    for note in ("first", "second"):
        made = ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {}, asked="mean", note=note)
    assert not made.new
    assert [(entry.asked, entry.note) for entry in ledger.history("town")] == [("mean", "first")]


@pytest.mark.parametrize("bad", [3, None, "two\nlines", "\x1b[2J"])
def test_words_are_one_line_that_can_be_printed(tmp_path: Path, bad) -> None:
    """A terminal that shows them is not told to do something; nothing is charged."""
    ledger = opened(tmp_path)
    for name in ("asked", "note"):
        with pytest.raises(ValueError, match=f"{name} must be text of one line"):
            ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {}, **{name: bad})
    assert ledger.history("town") == []


def test_closing_an_unknown_grant_is_refused(tmp_path: Path) -> None:
    """There is nothing to close."""
    with pytest.raises(LedgerError, match="no grant 'x'"):
        opened(tmp_path).close("x")


def test_a_grant_may_cost_nothing(tmp_path: Path) -> None:
    """Where no epsilon is limited, a grant without guarantees is on record and charges nothing."""
    ledger = opened(tmp_path, math.inf, 1.0)
    assert ledger.charge("g", "town", [], KEY, PRINT, {}).new
    assert ledger.spent("town")[0].epsilon == 0.0
    assert ledger.history("town")[0].charges == ()


@pytest.mark.parametrize("where", ["sqlite://", ":memory:", "nosuch://host/x", "sqlite:////no/d/x"])
def test_unusable_places_are_one_sentence(where: str) -> None:
    """Memory, an unknown database and a missing folder are refused as a LedgerError."""
    with pytest.raises(LedgerError):
        Ledger(where)


def test_a_corrupt_file_is_one_sentence(tmp_path: Path) -> None:
    """A file that is no database is refused, and left alone."""
    path = tmp_path / "ledger.db"
    path.write_bytes(b"not a database" * 500)
    with pytest.raises(LedgerError, match="not a database"):
        Ledger(path)
    assert path.read_bytes() == b"not a database" * 500


def _spend(path: str, worker: int, results) -> None:
    results.put(_granted(path, worker))


def _granted(path: str, worker: int) -> int:
    ledger, granted = Ledger(path), 0
    for turn in range(12):
        try:
            grant_id = f"{worker}-{turn}"
            granted += ledger.charge(grant_id, "town", [charge(0.01)], KEY, PRINT, {}).new
        except OverBudget:
            continue
    return granted


@pytest.mark.timing
def test_many_processes_share_one_limit(tmp_path: Path) -> None:
    """Three processes asking for 36 grants where 25 fit get exactly 25, all recorded."""
    ledger = opened(tmp_path, epsilon=0.25, delta=1.0)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    path = str(tmp_path / "ledger.db")
    workers = [context.Process(target=_spend, args=(path, w, results)) for w in range(3)]
    for worker in workers:
        worker.start()
    granted = sum(results.get(timeout=600) for _ in workers)
    for worker in workers:
        worker.join()
    assert granted == len(ledger.history("town")) == 25
    assert ledger.spent("town")[0].epsilon == 0.25


def test_the_filter_belongs_to_the_account(tmp_path: Path) -> None:
    """A Renyi account admits what the sums would not, in every session, and keeps its filter."""
    chosen = Renyi.fitting(1.0, 1e-5)
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5, filter=chosen)
    asked = Charge(
        Guarantee(
            "public", "person", Relation.ADD_REMOVE, gaussian(100.0), 0.05, 1e-06, "plain sum"
        )
    )
    for turn in range(60):
        ledger.charge(f"g{turn}", "town", [asked], KEY, PRINT, {})
    (account,) = Ledger(tmp_path / "ledger.db").spent("town")
    assert account.filter == chosen
    assert 0 < account.epsilon < 1.0 < 60 * 0.05
    assert 0 < account.room <= 1.0 - account.epsilon
    with pytest.raises(LedgerError, match=f"by the filter {type(chosen).__name__}, and was "):
        ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5)


def test_a_renyi_account_refuses_what_exceeds_it(tmp_path: Path) -> None:
    """The refusal says what is left and what is asked, at the account's own reading."""
    ledger = Ledger(tmp_path / "ledger.db")
    chosen = Renyi.fitting(1.0, 1e-5)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5, filter=chosen)
    with pytest.raises(OverBudget, match=r"has epsilon = 1, delta = 1e-05 left of epsilon = 1, "):
        ledger.charge("g", "town", [charge(0.5)], KEY, PRINT, {})
    assert ledger.history("town") == []
    assert ledger.spent("town")[0].epsilon == 0


def _on(part: str | None, epsilon: float, relation: Relation = Relation.ADD_REMOVE) -> Charge:
    return Charge(
        Guarantee("public", "person", relation, local(epsilon), epsilon, 0.0, "plain sum"), part
    )


def test_parts_share_the_whole_and_not_each_other(tmp_path: Path) -> None:
    """Each part has room for the limit less what the whole was charged."""
    ledger = opened(tmp_path)
    ledger.divide("town", "streets", ["north", "south"])
    ledger.charge("a", "town", [_on("north", 0.6), _on("south", 0.5)], KEY, PRINT, {})
    ledger.charge("b", "town", [_on(None, 0.3)], KEY, PRINT, {})
    (account,) = ledger.spent("town")
    assert account.epsilon == 0.9
    assert account.parts == {"north": (0.9, 0.0), "south": (0.8, 0.0)}
    with pytest.raises(OverBudget, match="part 'north' of the account of public"):
        ledger.charge("c", "town", [_on(None, 0.2)], KEY, PRINT, {})
    ledger.charge("d", "town", [_on("south", 0.2)], KEY, PRINT, {})
    assert ledger.spent("town")[0].parts["south"] == (1.0, 0.0)
    assert ledger.history("town")[0].charges[0].part == "north"


def test_only_declared_parts_are_charged(tmp_path: Path) -> None:
    """A part nobody declared is refused, and a population is divided once."""
    ledger = opened(tmp_path)
    with pytest.raises(LedgerError, match="town has no part 'north'"):
        ledger.charge("a", "town", [_on("north", 0.6)], KEY, PRINT, {})
    ledger.divide("town", "streets", ["north", "south"])
    ledger.divide("town", "streets", ["north", "south"])
    with pytest.raises(LedgerError, match="divided by 'streets' and cannot be again"):
        ledger.divide("town", "ages", ["old", "young"])
    with pytest.raises(LedgerError, match="again: what fixes its parts is None, got 'deeds'"):
        ledger.divide("town", "streets", ["north", "south"], "deeds")
    with pytest.raises(LedgerError, match=r"parts are \['north', 'south'\], got \['north'\]"):
        ledger.divide("town", "streets", ["north"])
    with pytest.raises(LedgerError, match="town has no part 'east'"):
        ledger.charge("a", "town", [_on("east", 0.6)], KEY, PRINT, {})
    with pytest.raises(ValueError, match="all different"):
        ledger.divide("village", "streets", ["north", "north"])


@pytest.mark.parametrize("parts", ["abc", [1, 2], ["north", ""], {"north": 1}, None])
def test_parts_are_a_list_of_names(tmp_path: Path, parts) -> None:
    """A word is refused, whose letters would be parts; nothing is divided."""
    ledger = opened(tmp_path)
    with pytest.raises(ValueError, match="parts must be a list of names, got "):
        ledger.divide("town", "streets", parts)
    assert ledger.partition("town") is None


@pytest.mark.parametrize("name", [3, "", None, b"town"])
def test_only_what_has_a_name_is_divided(tmp_path: Path, name) -> None:
    """People and their division are named as they are when a limit is set."""
    ledger = opened(tmp_path)
    with pytest.raises(ValueError, match="population must be text of at least one character, got"):
        ledger.divide(name, "streets", ["north", "south"])
    with pytest.raises(ValueError, match="name must be text of at least one character, got"):
        ledger.divide("town", name, ["north", "south"])
    assert ledger.partition("town") is None


def test_replacing_data_may_not_change_the_part(tmp_path: Path) -> None:
    """Under replace-one a part is charged only if something outside of the data fixes it."""
    ledger = opened(tmp_path)
    asked = _on("north", 0.6, Relation.REPLACE_ONE)
    for town, fixed_by in (("town", None), ("city", "the register of addresses")):
        ledger.limit(town, "public", Relation.REPLACE_ONE, 1.0, 0.0)
        ledger.divide(town, "streets", ["north", "south"], fixed_by)
    with pytest.raises(LedgerError, match="add/remove or zero-out only"):
        ledger.charge("a", "town", [asked], KEY, PRINT, {})
    assert ledger.charge("b", "city", [asked], KEY, PRINT, {}).new


def test_an_empty_part_has_spent_what_the_whole_has(tmp_path: Path) -> None:
    """Parts that were never charged are listed too."""
    ledger = opened(tmp_path)
    ledger.charge("a", "town", [_on(None, 0.25)], KEY, PRINT, {})
    ledger.divide("town", "streets", ["north", "south"])
    (account,) = ledger.spent("town")
    assert account.parts == {"north": (0.25, 0.0), "south": (0.25, 0.0)}
    assert (account.epsilon, account.room) == (0.25, 0.75)


@contextlib.contextmanager
def _full_disk(size: int) -> Iterator[None]:
    """No file may grow beyond `size`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_one_sentence_and_charges_nothing(tmp_path: Path) -> None:
    """Where no byte more can be written, what was answered stays, and the rest was not charged."""
    ledger = opened(tmp_path, 100.0, 1.0)
    size, answered = (tmp_path / "ledger.db").stat().st_size, []
    sentence = pytest.raises(LedgerError, match=r"cannot be written: .*; nothing was written")
    with sentence as refused, _full_disk(size + 8192):
        for turn in range(1000):
            ledger.charge(f"g{turn}", "town", [charge(0.01)], KEY, PRINT, {"x": "y" * 500})
            answered.append(f"g{turn}")
    assert "\n" not in str(refused.value)
    assert [entry.grant_id for entry in ledger.history("town")] == answered
    assert ledger.spent("town")[0].epsilon == round(0.01 * len(answered), 2)
    late = f"g{len(answered)}"
    assert ledger.charge(late, "town", [charge(0.01)], KEY, PRINT, {"x": "y" * 500}).new


def test_a_read_only_ledger_is_read_and_not_charged(tmp_path: Path) -> None:
    """Accounts and history are there; a charge is one sentence."""
    opened(tmp_path).charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    ledger = Ledger(f"sqlite:///file:{tmp_path / 'ledger.db'}?mode=ro&uri=true")
    with pytest.raises(LedgerError, match="readonly database; nothing was written"):
        ledger.charge("h", "town", [charge(0.1)], KEY, PRINT, {})
    assert ledger.spent("town")[0].epsilon == 0.1
    assert len(ledger.history("town")) == 1


def test_a_damaged_page_is_one_sentence(tmp_path: Path) -> None:
    """A ledger overwritten in the middle answers with a LedgerError, and charges nothing."""
    ledger, path = opened(tmp_path, 100.0, 1.0), tmp_path / "ledger.db"
    for turn in range(20):
        ledger.charge(f"g{turn}", "town", [charge(0.01)], KEY, PRINT, {"x": "y" * 500})
    del ledger
    whole = path.read_bytes()
    damaged = whole[:4096] + b"\xa5" * (len(whole) - 4096)
    path.write_bytes(damaged)
    for act in (
        lambda: Ledger(path).charge("h", "town", [charge(0.01)], KEY, PRINT, {}),
        lambda: Ledger(path).history("town"),
        lambda: Ledger(path).spent("town"),
    ):
        with pytest.raises(LedgerError, match="malformed"):
            act()
    assert path.read_bytes() == damaged


def test_a_ledger_that_was_removed_is_not_charged(tmp_path: Path) -> None:
    """A charge into a file that has no name any more would be lost, and is refused."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    (tmp_path / "ledger.db").unlink()
    with pytest.raises(LedgerError, match="readonly database; nothing was written"):
        ledger.charge("h", "town", [charge(0.1)], KEY, PRINT, {})


def _charge_in_child(ledger: Ledger, results) -> None:
    results.put(ledger.charge("child", "town", [charge(0.1)], KEY, PRINT, {}).new)


@pytest.mark.timing
@pytest.mark.filterwarnings("ignore:.*os.fork:RuntimeWarning")
def test_a_ledger_is_carried_across_a_fork(tmp_path: Path) -> None:
    """A child opens a connection of its own; both go on charging."""
    ledger = opened(tmp_path)
    ledger.charge("before", "town", [charge(0.1)], KEY, PRINT, {})
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_charge_in_child, args=(ledger, results))
    child.start()
    assert results.get(timeout=600)
    child.join()
    ledger.charge("after", "town", [charge(0.1)], KEY, PRINT, {})
    assert ledger.spent("town")[0].epsilon == 0.3


@pytest.fixture
def postgresql() -> Iterator[str]:
    """A new schema on a PostgreSQL server, removed afterwards."""
    url = os.environ.get("TACIT_TEST_POSTGRESQL", POSTGRESQL)
    schema = f"tacit_{os.getpid()}_{os.urandom(4).hex()}"
    try:
        engine = sql.create_engine(url, poolclass=sql.NullPool)
        with engine.begin() as connection:
            connection.execute(sql.schema.CreateSchema(schema))
    except (sql.exc.SQLAlchemyError, ModuleNotFoundError) as error:
        pytest.skip(f"no PostgreSQL at {url}: {error}")
    yield f"{url}?options=-csearch_path%3D{schema}"
    with engine.begin() as connection:
        connection.execute(sql.schema.DropSchema(schema, cascade=True))


def test_who_waited_sees_what_was_committed_meanwhile(postgresql: str) -> None:
    """Whatever the database's own default: an older snapshot would have room that is taken."""
    url = f"{postgresql}%20-cdefault_transaction_isolation%3Drepeatable%5C%20read"
    with sql.create_engine(url, poolclass=sql.NullPool).connect() as connection:
        assert connection.execute(sql.text("SHOW transaction_isolation")).scalar() == (
            "repeatable read"
        )
    with Database(url).writing() as connection:
        level = connection.execute(sql.text("SHOW transaction_isolation")).scalar()
    assert level == "read committed"


def test_a_ledger_is_printed_by_the_name_of_its_file(tmp_path: Path, monkeypatch) -> None:
    """And with the grant that it is for, if it is for one alone."""
    monkeypatch.chdir(tmp_path)

    assert repr(Ledger("people.db")) == "Ledger('people.db')"
    assert str(Ledger("people.db").once("a mean")) == "Ledger('people.db').once('a mean')"


def test_a_postgresql_ledger_works_alike(postgresql: str) -> None:
    """With a driver and a server at hand, the same promises hold on PostgreSQL."""
    ledger = Ledger(postgresql)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 0.3, 1e-5)
    ledger.divide("town", "streets", ["north", "south"])
    ledger.charge("a", "town", [_on("north", 0.3)], KEY, PRINT, {})
    assert not ledger.charge("a", "town", [_on("north", 0.3)], KEY, PRINT, {}).new
    with pytest.raises(OverBudget):
        ledger.charge("b", "town", [charge(0.1)], KEY, PRINT, {})
    assert Ledger(postgresql).spent("town")[0].parts == {"north": (0.3, 0.0), "south": (0.0, 0.0)}
    ledger.close("a")
    with pytest.raises(Finished):
        ledger.charge("a", "town", [_on("north", 0.3)], KEY, PRINT, {})
    assert [entry.grant_id for entry in ledger.history("town")] == ["a"]


def test_a_mark_is_exchanged_on_postgresql(postgresql: str) -> None:
    """As in a file: there, too, no mark is equal to no mark."""
    ledger = Ledger(postgresql)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 0.3, 1e-5)
    _marked(ledger)


@pytest.mark.timing
def test_of_all_who_exchange_a_mark_on_postgresql_one_does(postgresql: str) -> None:
    """Others wait for whoever has the grant in hand."""
    ledger = Ledger(postgresql)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 0.3, 1e-5)
    ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    _one_exchanges(postgresql)


@pytest.mark.timing
def test_a_mark_is_in_one_hand_at_a_time_on_postgresql(postgresql: str) -> None:
    """Whoever asks while a state is made waits, and then finds another mark: it makes none."""
    ledger, made = Ledger(postgresql), list[str]()
    ledger.limit("town", "public", Relation.ADD_REMOVE, 0.3, 1e-5)
    ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})

    def exchanged() -> None:
        with contextlib.suppress(LedgerError):
            Ledger(postgresql).mark("g", [None], lambda: made.append("second"))

    second = threading.Thread(target=exchanged)

    def first() -> str:
        second.start()
        while not made and not _somebody_waits(postgresql):
            time.sleep(0.01)
        made.append("first")
        return "first"

    ledger.mark("g", [None], first)
    second.join()
    assert ["first"] == made and "first" == ledger.mark("g", ["first"], lambda: "first")


def _somebody_waits(postgresql: str) -> bool:
    with Database(postgresql).reading() as connection:
        return bool(connection.scalar(sql.text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


@pytest.mark.timing
def test_many_connections_share_one_limit_on_postgresql(postgresql: str) -> None:
    """Three of them, each of a ledger and a thread of its own, get exactly the 25 that fit."""
    ledger = Ledger(postgresql)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 0.25, 1.0)
    with ThreadPoolExecutor(3) as pool:
        granted = sum(pool.map(_granted, [postgresql] * 3, range(3)))
    assert granted == len(ledger.history("town")) == 25
    assert ledger.spent("town")[0].epsilon == 0.25


@pytest.mark.timing
def test_many_processes_share_one_limit_on_postgresql(postgresql: str) -> None:
    """Three processes asking for 36 grants where 25 fit get exactly 25, all recorded."""
    ledger = Ledger(postgresql)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 0.25, 1.0)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=_spend, args=(postgresql, w, results)) for w in range(3)]
    for worker in workers:
        worker.start()
    granted = sum(results.get(timeout=600) for _ in workers)
    for worker in workers:
        worker.join()
    assert granted == len(ledger.history("town")) == 25
    assert ledger.spent("town")[0].epsilon == 0.25


def _terminate(postgresql: str, connection: sql.Connection) -> None:
    backend = connection.execute(sql.text("SELECT pg_backend_pid()")).scalar()
    with Database(postgresql).reading() as other:
        other.execute(sql.select(sql.func.pg_terminate_backend(backend)))


def test_a_backend_terminated_mid_charge_charges_nothing(postgresql: str, monkeypatch) -> None:
    """One sentence, nothing written; the next charge opens a new connection."""
    ledger, enter = Ledger(postgresql), store.enter
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5)

    def killed(connection, *rest):
        _terminate(postgresql, connection)
        enter(connection, *rest)

    monkeypatch.setattr(store, "enter", killed)
    with pytest.raises(LedgerError, match=r"cannot be written: .*; nothing was written") as refused:
        ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    assert "\n" not in str(refused.value)
    monkeypatch.undo()
    assert ledger.history("town") == []
    assert ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {}).new
    assert ledger.spent("town")[0].epsilon == 0.1


def test_a_backend_terminated_at_the_commit_says_so(postgresql: str, monkeypatch) -> None:
    """Nobody knows then; asking again with the same grant charges it exactly once."""
    ledger, settle = Ledger(postgresql), store.settle
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5)

    def killed(connection, *rest):
        settle(connection, *rest)
        _terminate(postgresql, connection)

    monkeypatch.setattr(store, "settle", killed)
    with pytest.raises(LedgerError, match="is not known; ask again, it is never charged twice"):
        ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    monkeypatch.undo()
    ledger.charge("g", "town", [charge(0.1)], KEY, PRINT, {})
    assert len(ledger.history("town")) == 1
    assert ledger.spent("town")[0].epsilon == 0.1


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda book: pickle.loads(pickle.dumps(book))])
def test_a_copy_is_the_same_accounts(copied, tmp_path: Path) -> None:
    """What one charges the other sees: estimators are cloned with the ledger they were given."""
    book = Ledger(tmp_path / "ledger.db")
    book.limit("people", "public", Relation.ADD_REMOVE, 2.0, 1e-5)
    again = copied(book)

    assert [account.limit_epsilon for account in again.spent("people")] == [2.0]
