"""Questions in SQL: those of Python; every other construct is refused by its name."""

from dataclasses import replace

import duckdb
import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.tables.sql_rows import SqlExpression
from tacit.tables.sql_text import statement

NOTHING = tacit.NonPrivate()
WARDS = {"ward": ["A", "B", None]}
MANY = {"rows_per_person": 60}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of which nothing is read."""
    return table(visits(9, 3, seed=7), tmp_path_factory.mktemp("own"))


def where(text: str) -> SqlExpression:
    """The condition of a statement that ends with it."""
    return SqlExpression(statement(f"SELECT COUNT(*) FROM v WHERE {text}").args["where"].this, "v")


def test_a_statement_is_the_question_of_python(tmp_path):
    """The same aggregates, groups, caps and conditions; the same digest, so the same statement."""
    own = table(visits(60, 20, seed=1), tmp_path)
    asked = own.sql(
        "SELECT ward, COUNT(*) AS n, COUNT(DISTINCT v.patient) AS who, SUM(days) AS much, "
        "AVG(days) AS stay, VAR_POP(days) AS spread, COUNT_IF(days > 7) AS long "
        "FROM visits AS v WHERE sex = 'f' GROUP BY ward;",
        bounds={"days": (0, 30)},
        keys=WARDS,
        rows_per_person=5,
    )
    said = {
        "n": tables.count(),
        "who": tables.people(),
        "much": tables.total("days", 0, 30),
        "stay": tables.mean("days", 0, 30),
        "spread": tables.variance("days", 0, 30),
    }
    long = SqlExpression(statement("SELECT days > 7").expressions[0], "v")
    like = own.where(where("sex = 'f'")).by(**WARDS)
    other = like.ask(**said, long=tables.count_if(long), rows_per_person=5)

    assert other.statement == asked.statement and other.statement.digest == asked.statement.digest
    assert "Central" in str(asked.plan(tacit.Central(1.0, 1e-6)))
    more = own.sql("SELECT COUNT(*) FROM v WHERE sex = 'm'", rows_per_person=5)
    less = own.sql("SELECT COUNT(*) FROM v", rows_per_person=5)
    assert more.statement.digest != less.statement.digest


def test_answers_are_those_of_an_engine_that_runs_the_text(tmp_path):
    """But for rows of nobody, and for bounds, which the text run by the engine has in words."""
    frame = visits(400, 300, seed=2)
    own = table(frame, tmp_path)
    text = (
        "SELECT ward, {}COUNT(*) AS n, COUNT(days) AS known, COUNT(DISTINCT patient) AS who, "
        "SUM({days}) AS much, AVG({days}) AS stay, VAR_POP({days}) AS spread, "
        "STDDEV_POP({days}) AS wide, MEDIAN({days}) AS middle, COUNT_IF(days > 2) AS long "
        "FROM visits WHERE sex IS NOT NULL{} GROUP BY ward"
    )
    asked = own.sql(text.format("", "", days="days"), bounds={"days": (0, 30)}, keys=WARDS, **MANY)
    found = asked.run(NOTHING).frame
    visits_ = own.rows.to_pyarrow()
    held = "CASE WHEN days > 30 THEN 30 WHEN days < 0 THEN 0 ELSE days END"
    run = text.format("", " AND patient IS NOT NULL", days=held).replace("visits", "visits_")
    true = duckdb.sql(run).df().replace({float("nan"): None}).set_index("ward")
    assert len(visits_) == 400
    for place, ward in enumerate(WARDS["ward"]):
        own_row, row = found.iloc[place], true.loc[true.index.isna() if ward is None else [ward]]
        for name in ("n", "known", "who", "long"):
            assert own_row[name] == row[name].item()
        for name in ("much", "stay", "spread", "wide"):
            assert own_row[name] == pytest.approx(row[name].item(), rel=5e-3)
        assert own_row["middle"] == pytest.approx(row["middle"].item(), abs=0.02)


@pytest.mark.parametrize(
    "text, says",
    [
        ("SELECT COUNT(*) FROM v JOIN w USING (patient)", "without JOIN"),
        ("SELECT COUNT(*) FROM v, w", "without JOIN"),
        ("SELECT COUNT(*) FROM v HAVING COUNT(*) > 3", "without this HAVING"),
        ("SELECT COUNT(*) FROM v ORDER BY 1", "without ORDER BY"),
        ("SELECT COUNT(*) FROM v LIMIT 3", "without LIMIT"),
        ("SELECT COUNT(*) FROM v OFFSET 3", "without OFFSET"),
        ("SELECT DISTINCT COUNT(*) FROM v", "without DISTINCT"),
        ("SELECT COUNT(*) FROM v QUALIFY 1 = 1", "without QUALIFY"),
        ("SELECT COUNT(*) FROM v WINDOW w AS ()", "without WINDOW"),
        ("SELECT COUNT(*) INTO w FROM v", "without INTO"),
        ("SELECT COUNT(*) FROM v FOR UPDATE", "without FOR UPDATE"),
        ("SELECT COUNT(*) FROM v TABLESAMPLE 10%", "without TABLESAMPLE"),
        ("SELECT COUNT(*) FROM v PIVOT (COUNT(*) FOR ward IN ('A'))", "without PIVOT"),
        ("SELECT COUNT(*) FROM v LATERAL VIEW explode(days) t", "without LATERAL"),
        ("SELECT COUNT(*) FROM ONLY v", "without ONLY of TABLE"),
        ("SELECT COUNT(*) FROM s.v", "without a schema"),
        ("SELECT COUNT(*) FROM read_csv('x')", "after FROM: name a table"),
        ("SELECT COUNT(*) FROM (SELECT * FROM v)", "without a subquery after FROM"),
        ("SELECT COUNT(*)", "FROM and its name are missing"),
        ("SELECT COUNT(*) FROM v UNION SELECT COUNT(*) FROM v", "without UNION"),
        ("SELECT COUNT(*) FROM v GROUP BY 1", "1 is no column: columns are called by their names"),
        ("SELECT COUNT(*) FROM v GROUP BY ROLLUP (ward)", "without ROLLUP"),
        ("SELECT COUNT(*) FROM v GROUP BY ALL", "without GROUP BY ALL"),
        ("SELECT COUNT(*) FROM v GROUP BY LOWER(ward)", r"a column, or of WIDTH_B.*LOWER\(w"),
        ("SELECT ward, COUNT(*) FROM v", "is selected, and is not in GROUP BY"),
        ("SELECT * FROM v", r"without \* of rows"),
        ("SELECT 1 FROM v", "without LITERAL of rows"),
        ("SELECT COUNT(*) + 1 FROM v", "without ADD of rows"),
        ("SELECT COUNT(*) OVER () FROM v", r"a window \(OVER\) of rows"),
        ("SELECT COUNT(*) FILTER (WHERE days > 1) FROM v", "without FILTER"),
        ("SELECT COUNT(DISTINCT ward) FROM v", "a person, 'patient', and of nothing else"),
        ("SELECT COUNT(DISTINCT patient, ward) FROM v", "a person, 'patient', and of nothing else"),
        ("SELECT COUNT(patient, ward) FROM v", "without several arguments"),
        ("SELECT COUNT() FROM v", "without COUNT of nothing"),
        ("SELECT SUM(DISTINCT days) FROM v", "without DISTINCT"),
        ("SELECT MODE(days) FROM v", "without MODE of rows"),
        ("SELECT mine(days) FROM v", "without the function mine of rows"),
        ("SELECT VARIANCE(days) FROM v", "VAR_POP is answered"),
        ("SELECT VAR_SAMP(days) FROM v", "VAR_POP is answered"),
        ("SELECT STDDEV(days) FROM v", "STDDEV_POP is answered"),
        ("SELECT STDDEV_SAMP(days) FROM v", "STDDEV_POP is answered"),
        ("SELECT SUM(days) FROM v", "'days' is summed: state its bounds"),
        ("SELECT SUM(days / 2) FROM v", "'sum_days' is summed: state its bounds"),
        ("SELECT SUM(CASE WHEN days > 2 THEN 1 END) AS n FROM v", r'bounds=\{"n": \(0, 30\)\}'),
        ("SELECT SUM(nothing) FROM v", "there is no column 'nothing'"),
        ("SELECT COUNT(*) AS n, COUNT(days) AS n FROM v", "two numbers are called 'n'"),
        ("SELECT COUNT(*) AS n, COUNT(days) AS n_low FROM v", "columns .* called 'n_low'"),
        ("SELECT w.days FROM v", "SQL is of one table, 'v', got a column of 'w'"),
    ],
)
def test_every_other_construct_is_refused_by_its_name(own, text, says):
    """In a sentence, before anything is read."""
    with pytest.raises(ValueError, match=says) as refusal:
        own.sql(text, rows_per_person=5)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text, beside, says",
    [
        ("AVG(days)", {"bounds": {"days": 30}}, "a lower and an upper number, got 30"),
        ("AVG(days)", {"bounds": {"days": (30, 0)}}, "lower < upper"),
        ("AVG(days)", {"bounds": [0, 30]}, "bounds are stated by column"),
        ("COUNT(*)", {"bounds": {"days": (0, 30)}}, "stated of 'days', which is not summed"),
        ("STDDEV(days)", {"bounds": {"days": (0, 30)}}, "STDDEV_POP is answered"),
        ("MAX(days)", {"bounds": {"days": (0, 30)}}, "without MAX of rows"),
        ("QUANTILE_CONT(days, 9)", {"bounds": {"days": (0, 30)}}, "shares above 0 and below 1"),
        ("AVG(days) * 2", {"bounds": {"days": (0, 30)}}, "without MUL of rows"),
        ("COUNT(*)", {"keys": WARDS}, "stated of 'ward', which is not in GROUP BY"),
        ("COUNT(*)", {"rows_per_person": 0}, "rows_per_person must be a whole number"),
    ],
)
def test_what_stands_beside_a_statement_fits_it(own, text, beside, says):
    """Everything it needs, and nothing else: a slip of a name is noticed."""
    with pytest.raises(ValueError, match=says):
        own.sql(f"SELECT {text} FROM v", **{"rows_per_person": 5, **beside})


def test_keys_that_are_not_stated_are_found(own):
    """As where they are not declared in Python, and crossed with those that are."""
    text = "SELECT COUNT(*) AS n FROM v GROUP BY ward, sex"
    caps = {"groups_per_person": 1, "rows_per_group": 1}
    sexes = {"sex": ["f", "m"]}
    asked = own.sql(text, keys=sexes, **caps)

    assert own.by("ward", **sexes).keys == asked.keys
    assert own.by("ward", "sex").keys == own.sql(text, **caps).keys


def test_a_key_has_its_own_name(own):
    """An answer's columns are looked up by it."""
    with pytest.raises(ValueError, match="a key keeps its name"):
        own.sql("SELECT ward AS w FROM v GROUP BY ward", keys=WARDS, rows_per_person=5)


def test_nothing_of_a_text_reaches_the_engine_as_text(tmp_path):
    """Names with quotes and semicolons are names, words with quotes are words, remarks nothing."""
    name, word = 'days"; DROP TABLE visits; --', "f'; DROP TABLE visits; --"
    frame = pd.DataFrame({"patient": ["a", "b", "c"], name: [1.0, 2.0, 3.0]})
    frame["sex"] = [word, "f", "m"]
    quoted, escaped = name.replace('"', '""'), word.replace("'", "''")
    asked = table(frame, tmp_path).sql(
        f"""SELECT COUNT(*) AS n, SUM("{quoted}") AS much /* ; DROP TABLE visits */
        FROM "v""; DROP TABLE visits" -- WHERE 1 = 0
        WHERE sex = '{escaped}' OR "{quoted}" > 2""",
        bounds={name: (0, 8)},
        rows_per_person=1,
    )
    found = asked.run(NOTHING).frame.iloc[0]

    assert 2 == found["n"] and found["much"] == pytest.approx(4.0)


def test_deep_statements_are_refused_and_not_followed_into_the_ground(own):
    """Whatever the parser makes of them."""
    deep = "SELECT COUNT(*) FROM v WHERE " + "NOT " * 2000 + "days > 1"
    with pytest.raises(ValueError, match="less deeply nested"):
        own.sql(deep, rows_per_person=1)
    with pytest.raises(ValueError, match="10,000 characters"):
        own.sql(deep + " " * 10_000, rows_per_person=1)


def test_several_columns_that_tell_a_unit_are_counted_together(own):
    """In any order, and all of them."""
    days = replace(own, person=("patient", "ward"))
    asked = days.sql("SELECT COUNT(DISTINCT ward, patient) AS who FROM v", rows_per_person=1)

    assert tables.people() == asked.aggregates["who"]
    with pytest.raises(ValueError, match="'patient', 'ward', and of nothing else"):
        days.sql("SELECT COUNT(DISTINCT patient) FROM v", rows_per_person=1)
