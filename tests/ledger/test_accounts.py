"""One account: parts add to the whole and not to each other, and the room it shows is there."""

import math
from decimal import Decimal

import pytest

from tacit.accounting.decimals import exact
from tacit.accounting.events import gaussian, local
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.ledger.accounts import (
    WHOLE,
    Balance,
    LedgerError,
    RefusedGrant,
    Spent,
    read_cost,
    write_cost,
)
from tacit.ledger.filters import Basic, Renyi
from tacit.ledger.over_budget import OverBudget

KEY = ("public", "person", "add/remove")
FILTERS = [Basic(), Renyi.fitting(3.0, 1e-5)]


def asked(event, epsilon: float, delta: float = 0.0) -> Guarantee:
    return Guarantee("public", "person", Relation.ADD_REMOVE, event, epsilon, delta, "plain sum")


def account(chosen, epsilon: float = 3.0, delta: float = 1e-5) -> Balance:
    return Balance(KEY, epsilon, delta, chosen)


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "renyi"])
def test_a_part_reads_what_its_people_alone_would(chosen) -> None:
    """The reading of a part is that of an account charged with the whole's and the part's."""
    cost = chosen.cost(asked(gaussian(20.0), 0.2, 1e-7))
    divided = account(chosen).charged(
        [("a", cost), ("b", cost), (WHOLE, cost), ("a", cost)], "town"
    )
    for part, times in (("a", 3), ("b", 2), ("c", 1), (WHOLE, 1)):
        alone = account(chosen).charged([(WHOLE, cost)] * times, "town")
        assert divided.reading(part) == alone.reading(WHOLE)
    spent = divided.spent(["a", "b", "c"])
    assert (spent.epsilon, spent.delta) == spent.parts["a"]
    assert list(spent.parts) == ["a", "b", "c"]


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "renyi"])
def test_the_whole_must_fit_beside_every_part(chosen) -> None:
    """A charge on all people is refused by the most spent part, and changes nothing."""
    most = chosen.cost(asked(local(2.9), 2.9))
    held = account(chosen).charged([("a", most)], "town")
    little = chosen.cost(asked(local(0.2), 0.2))
    assert held.charged([("b", little)], "town").reading("b") < held.reading("a")
    with pytest.raises(OverBudget, match="part 'a' of the account of public per person"):
        held.charged([(WHOLE, little)], "town")
    assert held.sums == {"a": most}


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "renyi"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.3])
def test_the_room_is_there(chosen, epsilon: float) -> None:
    """One more purely private release of that epsilon fits, whatever was charged before."""
    held = account(chosen).charged([(WHOLE, chosen.cost(asked(local(epsilon), epsilon)))], "town")
    held = held.charged([(WHOLE, chosen.cost(asked(gaussian(30.0), 0.1, 1e-7)))], "town")
    room = held.spent([]).room
    assert 0 < room < 3 - 0.1
    held.charged([(WHOLE, chosen.cost(asked(local(room), room)))], "town")


def test_the_room_is_rounded_down() -> None:
    """1 less 0.30000000000000004 is nearest to the float that prints as 0.7, which is more."""
    spent = Spent("public", "person", Relation.ADD_REMOVE, 0.30000000000000004, 0.0, 1.0, 0.0)
    assert exact(spent.room) <= Decimal(1) - exact(spent.epsilon)


def test_a_full_account_has_no_room() -> None:
    """Zero, and infinity without a limit."""
    basic = Basic()
    full = account(basic).charged([(WHOLE, basic.cost(asked(local(3.0), 3.0)))], "town")
    assert full.spent([]).room == 0
    assert account(basic, math.inf, 1.0).spent([]).room == math.inf


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "renyi"])
def test_an_account_without_a_limit_takes_everything(chosen) -> None:
    """An epsilon of infinity at delta 1 only keeps the record."""
    wild = chosen.cost(asked(gaussian(1e-3), 1e6, 0.5))
    held = account(chosen, math.inf, 1.0).charged([(WHOLE, wild)] * 2, "town")
    assert held.reading(WHOLE)[1] <= 1


@pytest.mark.parametrize("chosen", FILTERS, ids=["basic", "renyi"])
def test_costs_are_text_exactly(chosen) -> None:
    """Every digit comes back, and infinity."""
    cost = chosen.cost(asked(gaussian(0.7), 0.1 + 0.2, 1e-300))
    assert read_cost(write_cost(cost)) == cost


def test_a_budget_that_is_spent_is_no_error_of_a_ledger() -> None:
    """Who catches what a ledger refuses for ever does not catch what may fit another time."""
    assert not issubclass(OverBudget, LedgerError) and issubclass(RefusedGrant, LedgerError)
    assert "`OverBudget`" in (LedgerError.__doc__ or "")
