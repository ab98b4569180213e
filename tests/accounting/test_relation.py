"""The relations and their names."""

from tacit.accounting.relation import Relation


def test_names_are_stable() -> None:
    """A relation is written to ledgers and receipts by these names, for ever."""
    assert [r.value for r in Relation] == ["add/remove", "replace-one", "zero-out"]
