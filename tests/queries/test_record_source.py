"""Records in a table of an engine: answered as those in memory are."""

import pytest

import tacit
from tables.records import single, table
from tacit.queries import Binned, Marginals, marginals
from tacit.queries.record_source import RecordSource, refuse_public_number
from tacit.synthesis import FromRounds, FromSmall, FromTree, Synthesizer

DOMAIN = {"sex": ["f", "m"], "ward": ["A", "B", None], "days": Binned((0, 2, 10, 30))}
NOBODYS = tacit.NonPrivate()
REPLACED = tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE)


def test_tables_of_stored_records_are_those_of_records_in_memory(tmp_path):
    """The same noise, the same answers: only where the rows are differs."""
    frame, book = single(500), tacit.Ledger(tmp_path / "people.db")
    book.limit("patients", "public", tacit.Relation.ADD_REMOVE, 4.0, 1e-5)
    terms = {"domain": DOMAIN, "ways": 2, "trust": tacit.Central(1.0, 1e-6), "people": 500}
    terms |= {"ledger": book, "name": "patients", "seed": 1}
    stored, there = marginals(table(frame, tmp_path), **terms), marginals(frame, **terms)

    assert stored.frame("sex", "days").equals(there.frame("sex", "days"))
    assert stored.release.receipt()["guarantees"] == there.release.receipt()["guarantees"]


@pytest.mark.parametrize("method", [FromTree(), FromRounds(2), FromSmall(2)])
def test_rows_are_made_of_stored_records(tmp_path, method):
    """By every method."""
    domain = {name: DOMAIN[name] for name in ("sex", "ward")}
    made = Synthesizer(domain, NOBODYS, 200, method).fit(
        table(single(200), tmp_path), ledger=tmp_path / "people.db", name="patients"
    )
    assert ["sex", "ward"] == list(made.sample(20, seed=0).columns)


def test_a_secret_number_of_people_is_not_promised_to_be_public(tmp_path):
    """Which rows meet a condition decides how many there are; nothing is read or charged."""
    stored = table(single(5), tmp_path)
    for asked in (
        lambda: marginals(
            stored, domain=DOMAIN, ways=2, trust=REPLACED, people=5, ledger="x.db", name="p"
        ),
        lambda: Marginals.asked(DOMAIN, trust=REPLACED, people=5, ways=1).of(stored, "x.db", "p"),
        lambda: Synthesizer(DOMAIN, REPLACED, 5).fit(stored, ledger="x.db", name="p"),
    ):
        with pytest.raises(ValueError, match=r"has to be of tacit\.Relation\.ADD_REMOVE"):
            asked()
    refuse_public_number(single(5), REPLACED)
    assert isinstance(stored, RecordSource)
