"""What can be refused is refused before any data are read for it."""

import pytest

import small
import tacit
from tacit.population.charging import granted


def unread():
    raise AssertionError("people's data were read")


def test_a_name_of_simulations_is_no_grants(tmp_path):
    """Given with the grant or with the ledger, as the sentence says; nothing is read or charged."""
    book, name = small.ledger(tmp_path), "simulation 7"
    once = book.once(name)
    for ledger, grant_id, given in (
        (book, name, "grant_id"),
        (once, None, r"the name in ledger.once\(...\)"),
        (once, name, r"the name in ledger.once\(...\)"),
    ):
        said = f"^{given} must not begin with 'simulation ', as names of simulations do, got '"
        terms = {"part": None, "checkpoint": None, "seed": None, "note": ""}
        with pytest.raises(ValueError, match=said):
            granted("thirty", unread, ledger, grant_id=grant_id, **terms)
    with pytest.raises(ValueError, match="got 'simulation 7'"):
        small.people().grant(small.plan(), tacit.statistics.Average(), once)

    assert 0 == book.spent("thirty")[0].epsilon and [] == book.history("thirty")
