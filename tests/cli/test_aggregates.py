"""The options that ask for aggregates: all there are, each once."""

from inspect import Parameter, signature
from typing import Any

import pytest

from cli.own_table import own_table
from tacit import tables
from tacit.cli.aggregates import OPTIONS, aggregates_of, refuse_any, taking_aggregates
from tacit.tables.sql_text import expression

# What tables have besides aggregates.
OTHERS = {"binned", "category", "linear", "number", "undeclared"}
NOTHING = {option.name: None for option in OPTIONS}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of two rows."""
    return own_table(tmp_path_factory.mktemp("own"))


def test_every_aggregate_of_tables_has_an_option():
    """Of the same name."""
    there = {name for name in tables.__all__ if name.islower()} - OTHERS
    assert there == NOTHING.keys() and len(OPTIONS) == len(NOTHING)


def test_every_option_is_an_aggregate(own):
    """By names that say what they are of; expressions in SQL where a column may stand."""
    asked = aggregates_of(
        {
            "count": True,
            "people": True,
            "count_if": ["late"],
            "share": ["late", "days > 7"],
            "mean": ["days:0:30", "days / 7:0:4"],
            "total": ["days:-1:1e3"],
            "variance": ["days:0:30"],
            "covariance": ["days:0:30,room:0:4"],
            "median": ["days:0:30"],
            "quantiles": ["days:0:365:.25,.5"],
            "cdf": ["days:2,7"],
            "histogram": ["ward=A,B", "days:0,7,30"],
            "top": ["1:ward=A,B"],
        },
        own,
    )
    said = {
        "count": tables.count(),
        "people": tables.people(),
        "count_if(late)": tables.count_if("late"),
        "share(late)": tables.share("late"),
        "share(days > 7)": tables.share(expression("days > 7")),
        "mean_days": tables.mean("days", 0, 30),
        "mean(days / 7)": tables.mean(expression("days / 7"), 0, 4),
        "total_days": tables.total("days", -1, 1000),
        "variance_days": tables.variance("days", 0, 30),
        "covariance": tables.covariance({"days": (0, 30), "room": (0, 4)}),
        "median_days": tables.median("days", 0, 30),
        "quantiles_days": tables.quantiles("days", [0.25, 0.5], 0, 365),
        "cdf_days": tables.cdf("days", bins=[2, 7]),
        "histogram_ward": tables.histogram("ward", categories=["A", "B"]),
        "histogram_days": tables.histogram("days", bins=[0, 7, 30]),
        "top_ward": tables.top("ward", categories=["A", "B"], k=1),
    }

    assert said == asked and list(said) == list(asked)


def test_nothing_and_the_same_twice_are_refused(own):
    """Before anything is read."""
    with pytest.raises(ValueError, match="say what to ask"):
        aggregates_of(NOTHING, own)
    with pytest.raises(ValueError, match="cdf_days is asked twice"):
        aggregates_of({**NOTHING, "cdf": ["days:1", "days:2"]}, own)


def test_beside_a_select_each_is_refused_by_name():
    """As it is typed; none of them is fine."""
    refuse_any({**NOTHING, "count": False})
    for option in OPTIONS:
        with pytest.raises(ValueError, match=f"--{option.name.replace('_', '-')} is asked in"):
            refuse_any({**NOTHING, option.name: ["late"]})


def test_a_command_takes_all_of_them_in_the_place_of_its_keywords():
    """Behind its own."""

    def command(file: str, **aggregates: Any) -> None:
        """Of a file."""

    first, *more = signature(taking_aggregates(command)).parameters.values()
    assert "file" == first.name and list(NOTHING) == [each.name for each in more]
    assert all(each.kind is Parameter.KEYWORD_ONLY for each in more)


def test_several_covariances_are_numbered(own):
    """One has its option's name; the same twice is refused, as of any other."""
    one, other = "days:0:30,late:0:1", "days:0:30,days / 7:0:4"
    both = aggregates_of({**NOTHING, "covariance": [one, other]}, own)

    assert ["covariance"] == list(aggregates_of({**NOTHING, "covariance": [one]}, own))
    assert ["covariance1", "covariance2"] == list(both)
    with pytest.raises(ValueError, match="covariance is asked twice"):
        aggregates_of({**NOTHING, "covariance": [one, one]}, own)
