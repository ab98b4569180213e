"""Released tables as arrays, as DataFrames, and in print."""

import re

import numpy as np
import pytest

import tacit
from tacit.queries import Binned, Domain, LeastMaximumFit, marginals
from tacit.queries.marginal_table import MarginalTable, first_cells

DOMAIN = {"sex": ["F", "M"], "age": Binned((0, 18, 40, 65, 120)), "ward": ["A", "B", "C"]}


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    rng = np.random.default_rng(0)
    table = {
        "sex": rng.choice(["F", "M"], 3_000),
        "age": rng.uniform(0, 120, 3_000),
        "ward": rng.choice(["A", "B", "C"], 3_000),
    }
    book = tacit.Ledger(tmp_path_factory.mktemp("ledger") / "people.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-6)
    terms = {"ledger": book, "name": "people", "people": 3_000, "seed": 5, "confidence": 0.999}
    return marginals(table, domain=DOMAIN, ways=2, trust=tacit.Central(1.0, 1e-6), **terms)


def test_a_frame_has_a_row_for_each_cell(answer):
    """With labels, people and limits."""
    frame = answer.frame("sex", "age")

    assert ["sex", "age", "people", "low", "high"] == list(frame.columns) and 8 == len(frame)
    assert ["F", "0 to 18"] == frame.loc[0, ["sex", "age"]].tolist()
    assert repr(answer).startswith(
        "tables sex x age, sex x ward, age x ward\n99.9% intervals; seeded"
    )


def test_the_first_cells_of_each_table_are_printed(answer):
    """As its frame has them, limits rounded outwards, and how many more there are."""
    lines = repr(answer).splitlines()
    for columns in (("sex", "age"), ("sex", "ward"), ("age", "ward")):
        start, frame = lines.index(" x ".join(columns)) + 1, answer.frame(*columns)
        for line, (*labels, people, low, high) in zip(
            lines[start : start + 4], frame.itertuples(index=False), strict=False
        ):
            said, number, ends = re.split(r" {2,}", line.strip())
            least, most = (float(each.replace(",", "")) for each in ends.split(" to "))
            assert [", ".join(labels), f"{people:,.1f}"] == [said, number]
            assert low - 0.1 < least <= low and high <= most < high + 0.1
        assert f"  ... and {len(frame) - 4} more" == lines[start + 4]


def test_what_is_printed_has_80_columns(answer):
    """Of long names and labels too, which are cut, and of labels of several lines."""
    long = Domain({"a" * 60: ["F" * 90, "line\nbreak", None], "b" * 60: [1, 2, 3]})
    table = MarginalTable(*(each * np.ones((3, 3)) for each in (12345.6, -7.77, 98765.4)))
    lines = first_cells(long, (0, 1), table)

    assert 6 == len(lines) and max(map(len, [*lines, *repr(answer).splitlines()])) <= 80
    assert f"  {'F' * 46}...  12,345.6   -7.8 to 98,765.4" == lines[1]
    assert f"{'a' * 60} x {'b' * 14}..." == lines[0]
    assert "  ... and 5 more" == lines[-1] and "line break, 1" in lines[4]


def test_it_says_how_many_people_are_in_its_tables(answer):
    """As that was released, with its interval, beside the declared number; in 80 columns."""
    total, low, high = (float(each) for each in answer.of(()))
    (*_, line) = repr(answer).splitlines()

    said = f"{total:,.0f} people in the tables (99.9%: {low:,.0f} to {high:,.0f}), of about 3,000"
    assert said == line and len(line) <= 80 and low < 3_000 < high < 3_100
    sums = answer.array("sex", "ward").estimates.sum()
    assert sums == pytest.approx(total)


@pytest.mark.parametrize("undeclared", [0, 200])
def test_people_in_no_table_are_missing_from_what_it_says(undeclared, tmp_path):
    """Without noise they are counted: nobody whose value is not declared."""
    table = {"sex": ["F"] * 300 + ["x"] * undeclared, "age": [3.0] * (300 + undeclared)}
    terms = {"trust": tacit.NonPrivate(), "ledger": tmp_path / "people.db", "name": "people"}
    domain = {name: DOMAIN[name] for name in table}
    found = marginals(table, domain=domain, ways=1, people=300 + undeclared, **terms)
    (*_, line) = repr(found).splitlines()
    assert f"300 people in the tables (95%: 300 to 300), of about {300 + undeclared}" == line


@pytest.mark.parametrize("made", ["nonnegative", "integers"])
def test_biased_tables_look_like_peoples(made, answer):
    """None negative, in agreement with one another, with the release's limits cut at zero; and
    they say that they are biased."""
    found, released = getattr(answer, made)(), answer.array("age", "ward")
    table = found.array("age", "ward")

    assert (table.estimates >= 0).all() and (table.low >= 0).all() and (table.high >= 0).all()
    np.testing.assert_array_equal(table.low, np.maximum(released.low, 0))
    age = found.array("age").estimates
    np.testing.assert_allclose(table.estimates.sum(1), age, atol=1e-6)
    np.testing.assert_allclose(found.array("sex", "age").estimates.sum(0), age, atol=1e-6)
    assert np.linalg.norm(table.estimates - released.estimates) < 1_000
    assert ["age", "ward", "people", "low", "high"] == list(found.frame("age", "ward").columns)
    assert "biased: low and high are limits of the true counts" in repr(found)


def test_integers_are_whole(answer):
    """Every table of them, of one set of records."""
    found = answer.integers()
    for columns in (("sex",), ("sex", "age"), ("age", "ward")):
        table = found.array(*columns).estimates
        assert np.issubdtype(table.dtype, np.integer)
        assert np.issubdtype(found.frame(*columns)["people"].dtype, np.integer)
    published = answer.integers(LeastMaximumFit()).array("sex", "age").estimates
    assert np.issubdtype(published.dtype, np.integer)
    assert repr(found).startswith("tables of whole numbers: sex x age, sex x ward, age x ward\n")
    first = found.array("sex", "age").estimates[0, 0]
    assert re.search(rf"^  F, 0 to 18 +{first}   [\d.]+ to [\d.]+$", repr(found), re.MULTILINE)
    assert found.receipt() == answer.receipt()


def test_biased_tables_are_of_what_was_asked(answer):
    """No others."""
    with pytest.raises(ValueError, match="has the columns sex, age, ward together"):
        answer.nonnegative().array("sex", "age", "ward")
