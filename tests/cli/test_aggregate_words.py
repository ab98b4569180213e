"""Aggregates as they are written: what is none is told how it is written."""

import pytest

from cli.own_table import own_table
from tacit import tables
from tacit.cli import aggregate_words as words
from tacit.tables.sql_text import expression


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of two rows."""
    return own_table(tmp_path_factory.mktemp("own"))


def test_columns_of_a_covariance_may_be_sql_with_commas(own):
    """Blanks around them are no part of their names."""
    name, made = words.covariance("covariance", "days:0:30, least(room, 4):0:4", own)

    least = expression("least(room, 4)")
    expected = tables.covariance({"days": (0, 30), "least(room, 4)": (least, 0, 4)})
    assert ("covariance", expected) == (name, made)


def test_the_most_frequent_are_of_declared_values_with_none_and_colons(own):
    """All behind the first colon."""
    _, made = words.top("top", '2:ward="A:1, new",B,', own)
    assert tables.top("ward", categories=["A:1, new", "B", None], k=2) == made


@pytest.mark.parametrize(
    "read, text",
    [
        (words.bounded(tables.mean), "days:0"),
        (words.quantiles, "days:0:9"),
        (words.quantiles, "days:0:9:a"),
        (words.covariance, "days:0:30"),
        (words.covariance, "days:0:30,"),
        (words.covariance, "days:0:30,room"),
        (words.histogram, "days"),
        (words.histogram, "days:a"),
        (words.top, "ward=A,B"),
        (words.top, "-1:ward=A,B"),
        (words.top, "2:ward"),
        (words.top, ""),
        (words.cdf, "days"),
        (words.cdf, "days:"),
    ],
)
def test_what_is_written_otherwise_is_told_how(own, read, text):
    """In one sentence, with an example and what was got."""
    with pytest.raises(ValueError, match=r"^--an-option is .*, e\.g\. .*, got ") as told:
        read("an_option", text, own)
    assert str(told.value).endswith(f"got {text!r}")


def test_a_column_of_a_covariance_stands_there_once(own):
    """With whichever bounds, and those are numbers."""
    with pytest.raises(ValueError, match="--covariance needs each column once, got"):
        words.covariance("covariance", "days:0:30,days:0:4", own)
    with pytest.raises(ValueError, match=r"--covariance is COLUMN:LOW:HIGH, .* got 'days:0:x'"):
        words.covariance("covariance", "days:0:x,room:0:4", own)
