"""Constructs, parts and columns by their names."""

import pytest
from sqlglot import parse_one

from tacit.tables.sql_names import called, column, only

COLUMNS = ["Days", "days", "Ward"]


@pytest.mark.parametrize(
    "text, name",
    [("mine(x)", "the function mine"), ("LN(x)", "LN"), ("x % 2", "MOD"), ("?", "a parameter")],
)
def test_a_construct_is_called_as_people_know_it(text, name):
    """A function by its name, an operator by the parser's."""
    assert name == called(parse_one(text))


def test_no_part_is_passed_over():
    """A part that no reader names is refused, whatever it is."""
    like = parse_one("x NOT LIKE 'a'", dialect="duckdb")
    only(like, *like.args)
    for part, value in like.args.items():
        if value:
            with pytest.raises(ValueError, match=f"without {part.upper()} of LIKE"):
                only(like, *(like.args.keys() - {part}))


@pytest.mark.parametrize(
    "text, name",
    [
        ("days", "days"),
        ("Days", "Days"),
        ("ward", "Ward"),
        ('v."Ward"', "Ward"),
        ("V.WARD", "Ward"),
    ],
)
def test_case_matters_only_where_it_has_to(text, name):
    """In quotes, and where two columns differ in nothing else."""
    assert name == column(parse_one(text), "v", COLUMNS)


@pytest.mark.parametrize("text", ["DAYS", '"ward"', "w.days", "no", "days + 1", "*"])
def test_what_is_no_column_is_refused(text):
    """Or none that is alone in its name."""
    with pytest.raises(ValueError, match=r"no column|got a column of"):
        column(parse_one(text), "v", COLUMNS)
