"""Limits: set once by name, exact to the last bit, and nothing is charged without one."""

import math
import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

import tacit
from ledger.towns import KEY, PRINT, SEVERAL, charge, opened
from tacit.accounting.relation import Relation
from tacit.ledger.accounts import Balance
from tacit.ledger.filters import Basic, Renyi
from tacit.ledger.ledger import Ledger, LedgerError, OverBudget
from tacit.ledger.limits import NoDeltaWarning, NoLimit


def test_the_limit_is_exact(tmp_path: Path) -> None:
    """0.1 + 0.2 fills a limit of 0.3, and then nothing fits."""
    ledger = opened(tmp_path, epsilon=0.3)
    ledger.charge("a", "town", [charge(0.1)], KEY, PRINT, {})
    ledger.charge("b", "town", [charge(0.2)], KEY, PRINT, {})
    with pytest.raises(OverBudget, match=r"epsilon = 0, delta = 8e-06 left of .* = 0\.3, "):
        ledger.charge("c", "town", [charge(1e-9)], KEY, PRINT, {})


def test_a_refusal_is_read_without_noise(tmp_path: Path) -> None:
    """Six digits of every number, whatever the floats carry; what is to be run has room for all."""
    asked = charge(0.3000000000001789, 1e-6 + 1e-19)
    with pytest.raises(OverBudget) as refused:
        opened(tmp_path, epsilon=0.2000000000000312).charge("g", "town", [asked], KEY, PRINT, {})
    assert str(refused.value) == (
        "the account of public per person under add/remove in 'town' has epsilon = 0.2, "
        "delta = 1e-05 left of epsilon = 0.2, delta = 1e-05 (spent: epsilon = 0, delta = 0), and "
        "the grant asks for epsilon = 0.3, delta = 1e-06; its epsilon is too much, and a limit "
        "stays what these people were promised: ask with a smaller epsilon (0.2 in all would fit) "
        "or ask other people, who have an account under another name; next time, set a limit with "
        "room for all of this before a first release, by ledger.limit('town', 'public', "
        "tacit.Relation.ADD_REMOVE, epsilon=0.30001, delta=1e-05)"
    )


@pytest.mark.parametrize(
    "costs", [(0.7, 1e-6, 0.4, 1e-6), (0.1, 8e-6, 0.1, 9e-6), (0.1, 0, 2, 0.9)]
)
def test_a_refusal_names_the_limit_that_would_have_had_room(tmp_path: Path, costs) -> None:
    """Run before the first, all that was charged and asked fits, in parts too, and nearly just so:
    its numbers are rounded up to be read."""
    (tmp_path / "other").mkdir()
    asked = [replace(charge(*costs[:2]), part=part) for part in (None, "a")] + [charge(*costs[2:])]
    refused, others = opened(tmp_path, 1.5, 1.7e-5), Ledger(tmp_path / "other" / "ledger.db")
    for book in (refused, others):
        book.divide("town", "half", ["a", "b"])
    with pytest.raises(OverBudget) as said:
        for number, each in enumerate(asked):
            refused.charge(str(number), "town", [each], KEY, PRINT, {})
    (call,) = re.findall(r"by (ledger\.limit\(.*\))$", str(said.value))
    assert "ledger.limit" not in said.value.in_shell
    exec(call, {"ledger": others, "tacit": tacit})
    for number, each in enumerate(asked):
        others.charge(str(number), "town", [each], KEY, PRINT, {})
    (account,) = others.spent("town")
    assert account.limit_epsilon == pytest.approx(max(1.5, account.epsilon), rel=1e-4)
    assert account.limit_delta == pytest.approx(max(1.7e-5, account.delta), rel=1e-4)


def test_a_refusal_of_divergences_names_no_sum(tmp_path: Path) -> None:
    """They add up to less than sums would say, by an amount that depends on the limit."""
    book = Ledger(tmp_path / "ledger.db")
    chosen = Renyi.fitting(0.1, 1e-5)
    book.limit("town", "public", Relation.ADD_REMOVE, 0.1, 1e-5, filter=chosen)
    with pytest.raises(OverBudget, match=r"a first release, by ledger\.limit$"):
        book.charge("g", "town", [charge(0.5)], KEY, PRINT, {})


def test_delta_is_limited_too(tmp_path: Path) -> None:
    """Room in epsilon does not help a delta that does not fit."""
    with pytest.raises(OverBudget):
        opened(tmp_path).charge("a", "town", [charge(0.1, 1.1e-5)], KEY, PRINT, {})


def test_one_grant_may_charge_an_account_twice(tmp_path: Path) -> None:
    """Two guarantees on one account are added before they are compared with the limit."""
    with pytest.raises(OverBudget):
        opened(tmp_path).charge("a", "town", [charge(0.6), charge(0.6)], KEY, PRINT, {})


def test_without_a_limit_nothing_is_charged(tmp_path: Path) -> None:
    """An account nobody limited is refused, so a misspelt population cannot spend."""
    with pytest.raises(LedgerError, match="'twon' has no limit yet for what is asked of it"):
        opened(tmp_path).charge("g", "twon", [charge(0.1)], KEY, PRINT, {})


def test_a_refusal_for_want_of_limits_opens_them_when_it_is_run(tmp_path: Path) -> None:
    """It names the people, and has a call for every account that is not there; the charge fits."""
    ledger = Ledger(tmp_path / "ledger.db")
    with pytest.warns(NoDeltaWarning):
        ledger.limit("isle", "server", Relation.ADD_REMOVE, 5.0, 0.0)
    for ask in (
        lambda: ledger.charge("g", "isle", SEVERAL, KEY, PRINT, {}),
        lambda: ledger.refuse_overspending("isle", [SEVERAL[:2], SEVERAL[2:]]),
    ):
        with pytest.raises(LedgerError) as refusal:
            ask()
        said, *calls = str(refusal.value).splitlines()
        assert said.startswith("'isle' has no limit") and "delta=0 never pays" in said
        assert calls == [
            "ledger.limit('isle', 'public', tacit.Relation.ADD_REMOVE, epsilon=0.3, delta=2e-07)",
            "ledger.limit('isle', 'shuffler', tacit.Relation.REPLACE_ONE, epsilon=0.7, delta=0.0"
            ", unit='household')",
        ]
    exec("\n".join(calls), {"ledger": ledger, "tacit": tacit, "population": "town"})
    assert ledger.charge("g", "isle", SEVERAL, KEY, PRINT, {}).new
    with pytest.raises(OverBudget):
        ledger.charge("h", "isle", [charge(1e-12, 0.0)], KEY, PRINT, {})


@pytest.mark.parametrize(
    ("named", "value", "said"),
    [
        ("observer", "pubic", "observer must be 'public', 'server' or 'shuffler', got 'pubic'"),
        ("observer", None, "observer must be 'public', 'server' or 'shuffler', got None"),
        ("relation", "add", "relation must be Relation.ADD_REMOVE, .* got 'add'"),
        ("relation", ["add/remove"], "relation must be Relation.ADD_REMOVE, .* got "),
        ("relation", Relation, "relation must be Relation.ADD_REMOVE, .* got Relation without"),
        ("population", "", "population must be text of at least one character, got ''"),
        ("population", 3, "population must be text of at least one character, got 3"),
        ("unit", None, "unit must be text of at least one character, got None"),
        ("epsilon", 0.0, "epsilon must be positive, got 0.0"),
        ("epsilon", -0.1, "epsilon must be positive, got -0.1"),
        ("epsilon", "1", "epsilon must be positive, got '1'"),
        ("epsilon", math.nan, "epsilon must be positive, got nan"),
        ("delta", 1.5, r"delta must be in \[0, 1\], got 1.5"),
        ("delta", "1e-5", r"delta must be in \[0, 1\], got '1e-5'"),
        ("filter", "renyi", r"filter must be Basic\(\) or Renyi\(orders\), got 'renyi'"),
        ("filter", Renyi, r"filter must be .* got Renyi without .* Renyi\(orders\)"),
    ],
)
def test_a_limit_that_nothing_could_be_charged_to_is_refused(
    named: str, value: object, said: str, tmp_path: Path
) -> None:
    """The sentence names the values allowed, and no account is opened."""
    ledger = Ledger(tmp_path / "ledger.db")
    right = {
        "population": "town",
        "observer": "public",
        "relation": Relation.ADD_REMOVE,
        "epsilon": 1.0,
        "delta": 1e-5,
    }
    with pytest.raises(ValueError, match=said):
        ledger.limit(**{**right, named: value})
    assert ledger.populations() == []


@pytest.mark.parametrize("relation", [*Relation])
def test_a_relation_is_known_by_its_word(relation: Relation, tmp_path: Path) -> None:
    """As everything that is printed writes it: the same account, and the same limit."""
    ledger = Ledger(tmp_path / "ledger.db")
    for written in (relation.value, relation):
        ledger.limit("town", "public", written, 1.0, 1e-5)
    assert [relation] == [account.relation for account in ledger.spent("town")]


def test_an_endless_limit_only_records(tmp_path: Path) -> None:
    """A limit of infinity, asked for by name, keeps the record."""
    ledger = opened(tmp_path, math.inf, 1.0)
    ledger.charge("g", "town", [charge(1e9)], KEY, PRINT, {})
    assert ledger.spent("town")[0].epsilon == 1e9


def test_a_limit_is_not_changed_silently(tmp_path: Path) -> None:
    """The same limit again is nothing; another one is refused."""
    ledger = opened(tmp_path)
    ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0, 1e-5)
    with pytest.raises(LedgerError) as refused:
        ledger.limit("town", "public", Relation.ADD_REMOVE, 2.0, 1e-5)
    said = (
        "the account of public per person under add/remove in 'town' has a limit of epsilon = 1, "
        "delta = 1e-05, and was to get one of epsilon = 2, delta = 1e-05; a limit is what these "
        "people were promised, and stays: leave {} out, and what is asked of these people is paid "
        "from what is left of the limit they have"
    )
    typed = "--limit, or this `tacit ledger create`,"
    assert str(refused.value) == said.format("this call")
    assert vars(refused.value)["in_shell"] == said.format(typed)


def test_a_limit_that_differs_in_its_last_digit_is_named_with_ways_out(tmp_path: Path) -> None:
    """Both limits stand there with all their digits."""
    ledger = opened(tmp_path)
    asked = r"get one of epsilon = 1\.0000000000000002, delta = 1e-05; .* leave this call out"
    with pytest.raises(LedgerError, match=rf"limit of epsilon = 1\.0, .* {asked}"):
        ledger.limit("town", "public", Relation.ADD_REMOVE, 1.0000000000000002, 1e-5)


@pytest.mark.parametrize(
    ("held", "asked", "said"),
    [
        (Basic(), Renyi((2.0,)), "1e-05 by the filter Basic, .* 1e-05 by the filter Renyi;"),
        (
            Renyi((3.0,)),
            Renyi((2.0,)),
            "1e-05 by the filter Renyi, .* 1e-05 by the filter Renyi of other orders;",
        ),
    ],
)
def test_filters_are_named_where_they_differ(tmp_path: Path, held, asked, said: str) -> None:
    """The limit may be the same, and what fits it another."""
    ledger, whose = Ledger(tmp_path / "ledger.db"), ("town", "public", Relation.ADD_REMOVE)
    ledger.limit(*whose, 1.0, 1e-5, filter=held)
    with pytest.raises(LedgerError, match=said):
        ledger.limit(*whose, 1.0, 1e-5, filter=asked)


def test_nothing_promised_is_refused_beside_a_limit(tmp_path: Path) -> None:
    """Where any account's epsilon is limited, a grant without guarantees is over budget."""
    ledger = opened(tmp_path, math.inf, 1.0)
    ledger.limit("town", "server", Relation.ADD_REMOVE, 8.0, 1e-5)
    ledger.limit("village", "public", Relation.ADD_REMOVE, math.inf, 1.0)
    with pytest.raises(OverBudget, match=r"town has accounts with limits: .* another name"):
        ledger.charge("g", "town", [], KEY, PRINT, {})
    assert ledger.history("town") == []
    assert ledger.charge("g", "village", [], KEY, PRINT, {}).new


def test_a_limit_without_delta_is_said_to_pay_for_no_mean(tmp_path: Path) -> None:
    """It is never raised, and whoever asks for a median first may ask for a mean later."""
    for delta, said in ((0.0, True), (1e-9, False)):
        missing = [Balance(("public", "person", Relation.ADD_REMOVE.value), 1.0, delta, Basic())]
        assert ("delta=0 never pays" in str(NoLimit("people", missing))) is said


@pytest.mark.parametrize("relation", [Relation.ADD_REMOVE, Relation.ZERO_OUT])
def test_an_account_of_a_trusted_server_without_delta_is_warned_of(tmp_path, relation) -> None:
    """When it is opened, before what is asked of it is refused; and once."""
    book, own = Ledger(tmp_path / "ledger.db"), ("public", relation, 1.0, 0.0)
    with pytest.warns(NoDeltaWarning, match=r"in 'town' has a delta of 0 for ever") as said:
        book.limit("town", *own)
    assert [__file__] == [each.filename for each in said]
    book.limit("town", *own)
    book.limit("city", *own[:3], 1e-20)
    plan = tacit.Central(0.5, 0.0, relation).plan(
        tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 100)
    )
    with pytest.raises(OverBudget, match="its delta is too much"):
        book.charge("g", "town", plan.charges(), KEY, PRINT, {})
    book.limit_for("other", plan)


def test_an_account_that_reports_may_fill_needs_no_delta(tmp_path: Path) -> None:
    """Local plans charge such accounts, and the calls that open them are run without a warning."""
    book = Ledger(tmp_path / "ledger.db")
    plan = tacit.Local(1.0).plan(tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 100))
    with pytest.raises(NoLimit) as refusal:
        book.charge("g", "town", plan.charges(), KEY, PRINT, {})
    _, *calls = str(refusal.value).splitlines()
    exec("\n".join(calls), {"ledger": book, "tacit": tacit, "population": "town"})

    assert {0.0} == {account.limit_delta for account in book.spent("town")}


def test_a_refusal_of_another_limit_can_be_pickled(tmp_path: Path) -> None:
    """As other processes hand it on, with what is typed in the shell."""
    book = opened(tmp_path)
    with pytest.raises(LedgerError, match=r": leave this call out, and what is asked") as found:
        book.limit("town", "public", Relation.ADD_REMOVE, 77.0, 1e-3)
    again = pickle.loads(pickle.dumps(found.value))

    assert str(again) == str(found.value)
    assert ": leave --limit, or this `tacit ledger create`, out" in again.in_shell
