"""Grants that are asked for again: the same one goes on, and nothing else passes for it."""

import hashlib
from pathlib import Path

import pytest

from ledger.towns import KEY, OTHER_KEY, PRINT, charge, keyed, opened
from tacit.accounting.relation import Relation
from tacit.ledger.ledger import Finished, LedgerError


def test_opening_again_is_free_and_gives_the_first_key(tmp_path: Path) -> None:
    """A resumed grant gets its stored key back and is not charged twice."""
    ledger = opened(tmp_path)
    first = ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {"a": 1})
    again = ledger.charge("g", "town", [charge(0.6)], OTHER_KEY, PRINT, {"a": 1})
    assert (first.root_key, first.new, again.root_key, again.new) == (KEY, True, KEY, False)
    assert ledger.spent("town")[0].epsilon == 0.6


@pytest.mark.parametrize(
    ("epsilon", "fingerprint", "plan", "named"),
    [
        (0.5, PRINT, {}, "charges"),
        (0.6, {**PRINT, "data": "changed"}, {}, "data"),
        (0.6, {**PRINT, "learner": "changed"}, {}, "learner"),
        (0.6, {"data": "changed", "learner": "changed"}, {}, "data"),
        (0.6, PRINT, {"rounds": 2}, "plan"),
    ],
)
def test_a_known_grant_cannot_change(tmp_path, epsilon, fingerprint, plan, named) -> None:
    """The same grant with other charges, data or plan is refused."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    with pytest.raises(
        LedgerError, match=f"(another|other) {named}; nothing more was charged: ask"
    ):
        ledger.charge("g", "town", [charge(epsilon)], KEY, fingerprint, plan)


def test_a_number_that_is_written_otherwise_is_the_same(tmp_path: Path) -> None:
    """Whoever types 4 for 4.0 asks for the same plan; five is another."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {"epsilon": 4.0})
    assert not ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {"epsilon": 4}).new
    with pytest.raises(LedgerError, match="another plan"):
        ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {"epsilon": 5})


def test_a_grant_that_was_bound_otherwise_is_refused(tmp_path: Path) -> None:
    """Other names of what it is bound to are another version's."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    with pytest.raises(LedgerError, match="opened by another version of the software"):
        ledger.charge("g", "town", [charge(0.6)], KEY, {"data": "print"}, {})


def test_what_is_swapped_between_names_is_another(tmp_path: Path) -> None:
    """A name is part of what is keyed."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, {"a": "bc", "ab": "c"}, {})
    with pytest.raises(LedgerError, match=r"other a;"):
        ledger.charge("g", "town", [charge(0.6)], KEY, {"a": "c", "ab": "bc"}, {})


def test_a_grant_id_belongs_to_one_population(tmp_path: Path) -> None:
    """A grant cannot be opened again for other people."""
    ledger = opened(tmp_path)
    ledger.limit("village", "public", Relation.ADD_REMOVE, 1.0, 1e-5)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    with pytest.raises(LedgerError, match="another population"):
        ledger.charge("g", "village", [charge(0.6)], KEY, PRINT, {})


def test_the_fingerprint_is_only_kept_under_the_key(tmp_path: Path) -> None:
    """The file holds the fingerprint's HMAC, so guesses of the data cannot be tested."""
    ledger, digest = opened(tmp_path), hashlib.sha256(b"everyone").hexdigest()
    fingerprint = {"data": digest}
    ledger.charge("g", "town", [charge(0.6)], KEY, fingerprint, {})
    content = (tmp_path / "ledger.db").read_bytes()
    assert digest.encode() not in content
    assert keyed(KEY, digest) in content
    assert not ledger.charge("g", "town", [charge(0.6)], OTHER_KEY, fingerprint, {}).new


@pytest.mark.parametrize(
    ("epsilon", "plan", "named"), [(0.5, {}, "charges"), (0.6, {"rounds": 2}, "plan")]
)
def test_a_closed_grant_keeps_its_plan(tmp_path: Path, epsilon: float, plan, named: str) -> None:
    """Once closed, other data cannot be told apart; another plan or other guarantees can."""
    ledger = opened(tmp_path)
    ledger.charge("g", "town", [charge(0.6)], KEY, PRINT, {})
    ledger.close("g")
    for fingerprint in (PRINT, {**PRINT, "data": "changed"}):
        with pytest.raises(Finished):
            ledger.charge("g", "town", [charge(0.6)], KEY, fingerprint, {})
    with pytest.raises(LedgerError, match=f"another {named}|other {named}"):
        ledger.charge("g", "town", [charge(epsilon)], KEY, PRINT, plan)
