"""The most frequent of declared values in SQL: a question of Python, and nothing of its text."""

import duckdb
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables.engine import sums_of

TEXT = "SELECT sex, COUNT(*) AS n FROM v GROUP BY sex ORDER BY n DESC LIMIT 2"
SEXES = {"sex": ["f", "m", None]}


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.replace("n DESC", "COUNT(*) DESC"), TEXT.replace("LIMIT", "NULLS LAST LIMIT")],
)
def test_it_is_top_of_python(tmp_path, text):
    """The same digest; answered as an engine would that runs the text, of rows of somebody."""
    frame = visits(200, 90, seed=2)
    own = table(frame, tmp_path)
    asked = own.sql(text, keys=SEXES, rows_per_person=50)
    like = own.ask(n=tables.top("sex", categories=SEXES["sex"], k=2), rows_per_person=50)
    assert like.statement.digest == asked.statement.digest

    found = asked.run(tacit.NonPrivate()).frame.iloc[0]
    known = frame[frame.patient.notna()]
    true = duckdb.sql(TEXT.replace("FROM v", "FROM known")).fetchall()
    assert len(known) < 200
    assert true == [(found["n_1"], found["n_1_n"]), (found["n_2"], found["n_2_n"])]


@pytest.mark.parametrize(
    "text, keys, says",
    [
        (TEXT, {}, r"LIMIT is of declared values: state keys=\{'sex'"),
        (TEXT.replace("DESC ", ""), SEXES, "the largest of one COUNT"),
        (TEXT.replace("BY n", "BY sex"), SEXES, "the largest of one COUNT"),
        (TEXT.replace("BY n DESC", "BY n DESC, sex"), SEXES, "the largest of one COUNT"),
        (TEXT.replace("BY sex", "BY sex, ward"), SEXES, "in groups, tables.top"),
        (TEXT.replace("COUNT(*) AS n", "COUNT(*) AS n, COUNT(days) AS m"), SEXES, "one COUNT"),
        (TEXT.replace("COUNT(*)", "COUNT(days)"), SEXES, "the largest of one COUNT"),
        (TEXT.replace("LIMIT 2", "LIMIT 9"), SEXES, "got k=9 of 3 categories"),
        (TEXT.replace("LIMIT 2", "LIMIT 1.5"), SEXES, "got k=1.5 of 3 categories"),
        (TEXT.replace("LIMIT 2", "LIMIT 10%"), SEXES, "without LIMIT_OPTIONS of LIMIT"),
        (TEXT.replace("LIMIT 2", "LIMIT n"), SEXES, "LIMIT is a number that is written out"),
        (TEXT + " OFFSET 1", SEXES, "without OFFSET"),
        (TEXT.replace("LIMIT 2", "FETCH FIRST 2 ROWS ONLY"), SEXES, "without .* of FETCH"),
        (TEXT.replace("LIMIT 2", ""), SEXES, "without ORDER BY: .*tables.top"),
        (TEXT.replace("ORDER BY n DESC", ""), SEXES, "without LIMIT: .*tables.top"),
    ],
)
def test_any_other_order_or_limit_is_refused(tmp_path, text, keys, says):
    """With the call that asks for it."""
    with pytest.raises(ValueError, match=says):
        table(visits(9, 3, seed=7), tmp_path).sql(text, keys=keys, rows_per_person=5)


def test_postgresql_finds_the_same_sums(postgresql, tmp_path):
    """Of the same rows, before noise."""
    frame = visits(300, 90, seed=4).drop(columns="days")
    postgresql.create_table("sexes", frame, temp=True)
    here, there = table(frame, tmp_path), table(postgresql.table("sexes"), tmp_path)
    asked = [each.sql(TEXT, keys=SEXES, rows_per_person=3) for each in (here, there)]
    found = [sums_of(each.statement, each.table.rows, [3])[0][0].tolist() for each in asked]

    assert found[0] == found[1] and sum(found[0][0]) > 200
