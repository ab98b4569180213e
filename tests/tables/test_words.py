"""A question of a table in words."""

import ibis
import pytest

import tacit
from tables.records import everything, table, visits
from tacit import tables
from tacit.tables.words import column_in_words

TRUST = tacit.Central(1.0, 1e-6)


def test_every_aggregate_says_what_it_is(tmp_path):
    """By its name, with its column and what is public of it."""
    frame = visits(9, 3, seed=1).assign(long=True)
    own = table(frame, tmp_path)
    in_sql = "SELECT STDDEV_POP(days) AS s, COVAR_POP(days, days) AS c FROM v"
    bounds = {"days": (0, 9)}
    ask = own.ask(**everything(), rows_per_person=2)

    assert own.sql(in_sql, bounds=bounds, rows_per_person=2).words == (
        "s: the standard deviation of days between 0 and 9; "
        "c: the covariance of days between 0 and 9 and days between 0 and 9"
    )
    assert ask.words.split("; ") == [
        "n: how many rows",
        "who: how many people",
        "stay: the mean of days between 0 and 30",
        "sum: the sum of days between -10 and 20",
        "spread: the variance of days between 0 and 10",
        "share: the share of rows with long",
        "sexes: how many rows have each of 3 values of sex",
        "bins: how many rows lie in each of 3 bins of days",
        "stays: the 0.25, 0.9 quantiles of days between 0 and 30",
        "middle: the median of days between 0 and 10",
        "first: the 2 most frequent of 3 values of sex",
        "both: the covariances of days between 0 and 10, long between 0 and 3",
        "upto: the shares of rows at or below 4 places of days",
    ]


def test_a_question_says_its_groups_its_rows_and_declared_people(tmp_path):
    """Values of a key are written out where they are few, and found ones are said to be."""
    own = table(visits(9, 3, seed=1), tmp_path, people=400).where(ibis._.days > 7)
    few = own.by(ward=["A", None], days=tables.binned("days", [0, 2, 10]))
    many = own.by("ward", sex=list("abcdef"))

    assert few.ask(n=tables.count(), rows_per_person=2).words == (
        "n: how many rows; by ward (A, none) and days (0 to 2, 2 to 10); "
        "of rows with (days > 7); of 400 people"
    )
    assert "by ward (values that are found) and sex (6 values)" in repr(
        many.ask(m=tables.count_if(ibis._.days > 1), rows_per_person=2)
    )


def test_a_value_with_a_comma_is_one_value(tmp_path):
    """And the name "none" is not a row without a ward."""
    own = table(visits(9, 3, seed=1), tmp_path)
    three, four = (own.by(ward=w) for w in (["A, B", "none", None], ["A", "B", "none", None]))
    words = [each.ask(n=tables.count(), rows_per_person=1).words for each in (three, four)]

    assert 'by ward ("A, B", "none", none)' in words[0]
    assert 'by ward (A, B, "none", none)' in words[1]


def test_a_question_is_printed_in_words(tmp_path):
    """With the name of whose it is, and nothing of a row."""
    ask = table(visits(9, 3, seed=1), tmp_path).ask(n=tables.people(), rows_per_person=1)

    assert repr(ask) == "Ask(n: how many people; of patients)"


@pytest.mark.parametrize(
    "given, said",
    [
        ("days", "days"),
        ("da\nys", "da ys"),
        (ibis._.days / 7, "(days / 7)"),
        (ibis.table({"days": "float64"}, name="v").days / 7, "Divide(days, 7)"),
        (ibis._.ward.isin(["x" * 90]), "ward.isin(['" + "x" * 45 + "..."),
    ],
)
def test_a_column_is_said_in_one_line(given, said):
    """An expression as it was written, and cut where it is long."""
    assert column_in_words(given) == said and len(said) <= 60


def test_a_ledger_says_the_question_in_words(tmp_path):
    """Also in SQL, and as the plan does; beside it stands what was noted, and nothing else."""
    own = table(visits(90, 30, seed=1), tmp_path)
    own.budget(3.0, 1e-5)
    select = "SELECT ward, AVG(days / 7) AS weeks FROM v WHERE days > 1 GROUP BY ward"
    named = {"bounds": {"weeks": (0, 4)}, "keys": {"ward": ["A"]}, "rows_per_person": 2}
    ask = own.sql(select, **named)
    ask.run(TRUST, seed=0)
    own.ask(n=tables.count(), rows_per_person=1).run(TRUST, seed=0, note="pilot")
    entries = own.ledger.history("patients")

    said = "weeks: the mean of days / 7 between 0 and 4; by ward (A); of rows with days > 1"
    assert [(each.asked, each.note) for each in entries] == [
        (said, ""),
        ("n: how many rows", "pilot"),
    ]
    assert said in " ".join(str(ask.plan(TRUST)).split()).replace("asked ", "")


@pytest.mark.parametrize(
    "given, words",
    [
        (ibis._.p == ibis.literal(1), "(p == 1)"),
        (
            (ibis._.p == ibis.literal("a")) & (ibis._.q > ibis.literal(2)),
            "((p == 'a') & (q > 2))",
        ),
        (ibis._.x.clip(lower=ibis.literal(0), upper=ibis.literal(3)), "x.clip(lower=0, upper=3)"),
        (
            ibis.cases((ibis._.x > ibis.literal(1), ibis.literal("a")), else_=ibis.literal("b")),
            "cases(((x > 1), 'a'), else_='b')",
        ),
        (ibis._.x.isin([ibis.literal(1), ibis.literal(2)]), "x.isin([1, 2])"),
    ],
)
def test_literals_are_said_by_their_values(given, words):
    """Ibis prints their types."""
    assert words == column_in_words(given)
