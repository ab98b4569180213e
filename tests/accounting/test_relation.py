"""The relations and their names."""

from tacit.accounting.relation import Relation


def test_names_are_stable() -> None:
    """A relation is written to ledgers and receipts by these names, for ever."""
    assert [r.value for r in Relation] == ["add/remove", "replace-one", "zero-out"]


def test_one_who_is_replaced_takes_a_term_away_and_brings_another() -> None:
    """One who joins, leaves or is zeroed moves a sum by their own term alone."""
    moved = {relation.value: relation.people_moved for relation in Relation}
    assert moved == {"add/remove": 1, "replace-one": 2, "zero-out": 1}
