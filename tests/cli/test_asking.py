"""From words to a question: the same as in Python."""

import pandas as pd
import pytest

from tables.records import table
from tacit import tables
from tacit.cli.asking import Words
from tacit.tables.sql_text import expression

FRAME = pd.DataFrame(
    {"patient": ["a", "b"], "ward": ["A, new", None], "room": [1, 2], "late": [True, False]}
).assign(days=1.5)
NOTHING = Words(None, None, False, False, *[None] * 8)


def words(**own) -> Words:
    """With these options."""
    return Words(**{**vars(NOTHING), **own})


@pytest.fixture
def own(tmp_path):
    """A table of two rows."""
    return table(FRAME, tmp_path)


def test_every_option_is_an_aggregate(own):
    """By names that say what they are of; expressions in SQL where a column may stand."""
    asked = words(
        count=True,
        people=True,
        mean=["days:0:30", "days / 7:0:4"],
        total=["days:-1:1e3"],
        variance=["days:0:30"],
        quantiles=["days:0:365:.25,.5"],
        share=["late", "days > 7"],
        histogram=["ward=A,B", "days:0,7,30"],
        where=["room <= 2"],
    ).ask(own, rows_per_person=3)
    said = {
        "count": tables.count(),
        "people": tables.people(),
        "mean_days": tables.mean("days", 0, 30),
        "mean(days / 7)": tables.mean(expression("days / 7"), 0, 4),
        "total_days": tables.total("days", -1, 1000),
        "variance_days": tables.variance("days", 0, 30),
        "quantiles_days": tables.quantiles("days", [0.25, 0.5], 0, 365),
        "share(late)": tables.share("late"),
        "share(days > 7)": tables.share(expression("days > 7")),
        "histogram_ward": tables.histogram("ward", categories=["A", "B"]),
        "histogram_days": tables.histogram("days", bins=[0, 7, 30]),
    }

    assert said == dict(asked.aggregates)
    assert (expression("room <= 2"),) == asked.table.conditions


@pytest.mark.parametrize(
    "by, rows",
    [
        (["ward=A,B"], [("A",), ("B",)]),
        (['ward="A, new",B,'], [("A, new",), ("B",), (None,)]),
        (["ward= A , B"], [("A",), ("B",)]),
        (['ward=A, "D, east" ," B ",a"b, '], [("A",), ("D, east",), (" B ",), ('a"b',), (None,)]),
        (['ward="say ""A"""'], [('say "A"',)]),
        (["room=1, 2"], [(1,), (2,)]),
        (["ward=1,a=b"], [("1",), ("a=b",)]),
        (["room=2,-1"], [(2,), (-1,)]),
        (["late=true,False"], [(True,), (False,)]),
        (["room=1,2", "late=true,"], [(1, True), (1, None), (2, True), (2, None)]),
    ],
)
def test_values_are_of_the_kind_that_the_column_holds(own, by, rows):
    """Text, whole numbers, truth values; none is the group without a key."""
    assert rows == list(words(by=by, count=True).ask(own, rows_per_person=1).keys.rows)


@pytest.mark.parametrize("by", ['ward=A, "B', 'ward="A"B', 'ward="A" "B"'])
def test_quotes_are_around_a_whole_value(own, by):
    """And closed."""
    with pytest.raises(ValueError, match="values are words with commas between"):
        words(by=[by], count=True).ask(own, rows_per_person=1)


@pytest.mark.parametrize("by", ["room=a", "room=1.5", "late=1", "late=yes"])
def test_values_of_another_kind_are_refused(own, by):
    """By the kind that the column has."""
    with pytest.raises(ValueError, match=r"column '\w+' holds (int64|boolean), and '.*' does not"):
        words(by=[by], count=True).ask(own, rows_per_person=1)
