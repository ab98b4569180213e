"""From what is typed to a question: the same as in Python."""

import pytest

from cli.own_table import own_table
from tacit import tables
from tacit.cli.aggregates import OPTIONS
from tacit.cli.asking import AskOptions
from tacit.tables.sql_text import expression

NO_AGGREGATES = {option.name: None for option in OPTIONS}


def asking(by=None, where=None, sql=None, bounds=None, **aggregates) -> AskOptions:
    """With these options."""
    return AskOptions(by, where, {**NO_AGGREGATES, **aggregates}, sql, bounds)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of two rows."""
    return own_table(tmp_path_factory.mktemp("own"))


def test_what_is_asked_is_of_the_rows_that_count(own):
    """Under a name, with its caps."""
    asked = asking(mean=["days:0:30"], where=["room <= 2"]).of(own, rows_per_person=3)

    assert {"mean_days": tables.mean("days", 0, 30)} == dict(asked.aggregates)
    assert (expression("room <= 2"),) == asked.table.conditions


@pytest.mark.parametrize(
    "by, rows",
    [
        (["ward=A,B,"], [("A",), ("B",), (None,)]),
        (["room=1,2", "late=true,"], [(1, True), (1, None), (2, True), (2, None)]),
        (["days:0,7,30"], [("0 to 7",), ("7 to 30",)]),
        (["ward=A", "days:0,7,30"], [("A", "0 to 7"), ("A", "7 to 30")]),
    ],
)
def test_groups_are_declared_values_or_bins_crossed(own, by, rows):
    """In the order in which they are written."""
    assert rows == list(asking(by=by, count=True).of(own, rows_per_person=1).keys.rows)


def test_groups_are_found_where_a_column_has_no_values(own):
    """By its name alone; one that is not there is told so."""
    caps = {"groups_per_person": 1, "rows_per_group": 1}
    assert ["ward"] == list(asking(by=["ward"], count=True).of(own, **caps).keys.names)
    with pytest.raises(ValueError, match="there is no column 'shoe'"):
        asking(by=["shoe"], count=True).of(own, **caps)


@pytest.mark.parametrize("by", ["days:0:7:30", "days:0,7:30"])
def test_edges_with_colons_between_are_told_to_have_commas(own, by):
    """As they would be written: nobody has written SQL there."""
    for asked in ({"by": [by], "count": True}, {"histogram": [by]}):
        with pytest.raises(ValueError, match=r"^--\w+ days:0,7,30 has commas between"):
            asking(**asked).of(own, rows_per_person=1)


@pytest.mark.parametrize("by", ["days / 7", "lower(ward)=a,b", "EXTRACT(MONTH FROM day)=1"])
def test_by_computed_values_python_groups(own, by):
    """By bins of a computed number alone; the others are told which call it is."""
    computed = asking(by=["days / 7:0,1,2"], count=True).of(own, rows_per_person=1)
    assert [("0 to 1",), ("1 to 2",)] == list(computed.keys.rows)
    with pytest.raises(ValueError, match=r"--by is of a column.*visits\.by\(month=\(ibis"):
        asking(by=[by], count=True).of(own, rows_per_person=1)


@pytest.mark.parametrize("by", ["days:0,a,7", "days:"])
def test_edges_that_are_none_are_refused(own, by):
    """By the ways in which groups are written."""
    with pytest.raises(ValueError, match="--by is COLUMN, COLUMN=VALUES or COLUMN:EDGES"):
        asking(by=[by], count=True).of(own, rows_per_person=1)


def test_sql_is_all_that_is_asked(own):
    """But for groups, and bounds of what is summed."""
    text = "SELECT ward, AVG(days) AS stay FROM v GROUP BY ward"
    asked = asking(sql=text, by=["ward=A,B"], bounds=["days:0:30"]).of(own, rows_per_person=3)

    assert [("A",), ("B",)] == list(asked.keys.rows) and ["stay"] == list(asked.aggregates)
    with pytest.raises(ValueError, match="--count-if is asked in the SELECT of --sql"):
        asking(sql=text, count_if=["late"]).of(own, rows_per_person=3)
    with pytest.raises(ValueError, match="--bounds are for --sql"):
        asking(bounds=["days:0:30"], count=True).of(own, rows_per_person=3)


@pytest.mark.parametrize(
    "option, asked",
    [
        ("--where", {"where": ["ward = 'A"], "count": True}),
        ("--count-if", {"count_if": ["ward = 'A"]}),
        ("--mean", {"mean": ["days / (7:0:4"]}),
        ("--histogram", {"histogram": ["days / (7:0,4"]}),
        ("--by", {"by": ["days / (7:0,4"], "count": True}),
        ("--sql", {"sql": "SELECT 'A"}),
    ],
)
def test_sql_that_cannot_be_read_is_said_of_its_option(own, option, asked):
    """As it is typed."""
    with pytest.raises(ValueError, match=f"^{option}: this SQL cannot be read"):
        asking(**asked).of(own, rows_per_person=1)
