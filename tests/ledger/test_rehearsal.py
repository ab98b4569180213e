"""What is foreseen is what would be charged, and foreseeing charges nobody."""

import pytest

import small
import tacit
from tacit.ledger.rehearsal import rehearsed
from tacit.ledger.unnamed import closed_at_the_end


@pytest.mark.parametrize(
    "trust", [tacit.Central(1.0, 1e-5), tacit.Local(1.0), tacit.NonPrivate()], ids=repr
)
def test_a_rehearsal_has_the_charges_of_the_grant(tmp_path, trust):
    """Every one of them, as the ledger then has it."""
    plan, book = small.plan(trust=trust), tacit.Ledger(tmp_path / "ledger.db")
    foreseen = rehearsed(
        lambda ledger: small.people().grant(plan, tacit.statistics.Average(), ledger)
    )
    for charge in foreseen:
        book.limit("thirty", charge.guarantee.observer, charge.guarantee.relation, 9.0, 1.0)
    assert [] == book.history("thirty")
    small.people().grant(plan, tacit.statistics.Average(), book)

    assert foreseen == book.history("thirty")[0].charges == tuple(plan.charges())


def test_what_would_be_refused_before_the_ledger_is_refused_in_the_rehearsal():
    """A plan for other people."""
    replace = tacit.Central(1.0, 1e-5, tacit.Relation.REPLACE_ONE)
    others = tacit.Arrays(small.people().data[1:], "others")
    with pytest.raises(ValueError, match="number of people is public"):
        rehearsed(
            lambda book: others.grant(small.plan(trust=replace), tacit.statistics.Average(), book)
        )


def test_a_rehearsal_stands_where_a_grant_is_held_open():
    """It has no accounts to be opened a second time."""
    plan = small.plan()

    def ask(book):
        with closed_at_the_end(book) as held:
            small.people().grant(plan, tacit.statistics.Average(), held)

    assert tuple(plan.charges()) == rehearsed(ask)


def test_whoever_asks_for_nothing_is_not_foreseen():
    """An empty answer would be taken for no charge."""
    with pytest.raises(ValueError, match="nothing was asked"):
        rehearsed(lambda book: None)
