"""Values and columns, as they are typed."""

from datetime import date

import pytest

from cli.own_table import own_table
from tacit.cli.values import named, numbers_in, said_of, split_at, values_of
from tacit.tables.sql_text import expression


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of two rows."""
    return own_table(tmp_path_factory.mktemp("own"))


@pytest.mark.parametrize(
    "column, text, values",
    [
        ("ward", "A,B", ["A", "B"]),
        ("ward", '"A, new",B,', ["A, new", "B", None]),
        ("ward", " A , B", ["A", "B"]),
        ("ward", 'A, "D, east" ," B ",a"b, ', ["A", "D, east", " B ", 'a"b', None]),
        ("ward", '"say ""A"""', ['say "A"']),
        ("room", "1, 2", [1, 2]),
        ("ward", "1,a=b", ["1", "a=b"]),
        ("room", "2,-1", [2, -1]),
        ("late", "true,False,", [True, False, None]),
        ("days", "1,2", [1, 2]),
        ("day", "2026-01-31, 2026-02-01,", [date(2026, 1, 31), date(2026, 2, 1), None]),
        ("time", "2026-01-31", [date(2026, 1, 31)]),
    ],
)
def test_values_are_of_the_kind_that_the_column_holds(own, column, text, values):
    """Text, whole numbers, truth values; None is no value."""
    found = values_of(own, column, text)
    assert values == found and list(map(type, values)) == list(map(type, found))


@pytest.mark.parametrize("text", ['A, "B', '"A"B', '"A" "B"'])
def test_quotes_are_around_a_whole_value(own, text):
    """And closed."""
    with pytest.raises(ValueError, match="values are words with commas between"):
        values_of(own, "ward", text)


@pytest.mark.parametrize(
    "column, text",
    [
        ("room", "a"),
        ("room", "1.5"),
        ("late", "1"),
        ("late", "yes"),
        ("day", "31.1.2026"),
        ("day", "2019,2020"),
    ],
)
def test_values_of_another_kind_are_refused(own, column, text):
    """By the kind that the column has, with what may be written; and of no column."""
    allowed = {
        "room": "int64: its values must be whole numbers, such as 0,1",
        "late": "boolean: its values must be true or false",
        "day": "date: its values must be days, such as 2019-01-31,2019-02-01",
    }
    with pytest.raises(ValueError, match=f"{column!r} holds {allowed[column]}, got {text!r}"):
        values_of(own, column, text)
    with pytest.raises(ValueError, match="no column 'shoe': names are as"):
        values_of(own, "shoe", text)


def test_a_column_is_its_name_or_sql(own):
    """And its number is called so."""
    assert ("days", expression("days / 7")) == (
        said_of("mean", "days", own),
        said_of("mean", "days / 7", own),
    )
    assert ("mean_days", "mean(days / 7)") == tuple(
        named("mean", text, own) for text in ("days", "days / 7")
    )


def test_numbers_stand_behind_the_last_colons():
    """What is before them may have some too; fewer are refused."""
    assert ["a::int", "0", ".5,1e3"] == list(split_at("a::int:0:.5,1e3", 2))
    assert [0.5, 1000.0] == numbers_in(".5,1e3")
    with pytest.raises(ValueError, match="days:0"):
        split_at("days:0", 2)
