"""Conditions and numbers in SQL: the rows are those that an engine finds that runs the text."""

import pytest

from tables.by_text import both, kept, kept_by_engine

CONDITIONS = [
    "days > 2",
    "days >= 3 AND days < 7.5",
    "days <= -5 OR sex = 'f'",
    "NOT (days > 2)",
    "NOT (days > 2 OR sex = 'f')",
    "NOT (days > 2 AND sex = 'f' AND ward <> 'A')",
    "days <> 3",
    "days IS NULL",
    "days IS NOT NULL AND NOT sex IS NULL",
    "sex IN ('f', 'x')",
    "sex NOT IN ('f', 'x')",
    "many IN (1, 2, 3 + 4, -5)",
    "many BETWEEN 3 AND 17",
    "many NOT BETWEEN 3 AND 17",
    "patient LIKE 'p1%'",
    "patient NOT LIKE 'p1%'",
    "patient LIKE '_1_'",
    "LOWER(ward) = 'a' OR UPPER(sex) = 'F' OR LENGTH(patient) = 2",
    "ABS(days) > 4",
    "many / 7 > 3.5",
    "many / NULLIF(days, 0) > 3",
    "(many + 2) * 3 - 1 > 40",
    "-many < -40",
    "days * 0 = 0",
    "long",
    "long = FALSE",
    "NOT long AND TRUE",
    "day >= '2026-02-03'",
    "day < TIMESTAMP '2026-02-03 12:30:00'",
    "day BETWEEN DATE '2026-02-01' AND DATE '2026-02-04'",
    "Sex IS NULL OR SEX = 'f'",
    "\"sex\" = 'f' AND v.days > 1",
    "1 = 1",
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A table, and the same for an engine that is asked by text."""
    return both(tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_condition_keeps_the_rows_that_an_engine_keeps(rows, text):
    """Of three values; what is not known is left out, also where it is denied."""
    own, whole = rows

    assert kept(own, text) == kept_by_engine(whole, text)


@pytest.mark.parametrize(
    "text, says",
    [
        ("days > (SELECT AVG(days) FROM v)", "a subquery"),
        ("patient IN (SELECT patient FROM w)", "a subquery"),
        ("EXISTS (SELECT 1)", r"a subquery \(EXISTS\)"),
        ("days > ANY(SELECT 1)", "ANY"),
        ("COUNT(*) > 3", "COUNT"),
        ("SUM(days) OVER () > 3", r"a window \(OVER\)"),
        ("ROW_NUMBER() OVER () = 1", r"a window \(OVER\)"),
        ("RANDOM() < 0.5", "RAND"),
        ("CURRENT_DATE > day", "CURRENT_DATE"),
        ("mine(days) > 1", "the function mine"),
        ("LN(days) > 1", "LN"),
        ("FLOOR(days) > 1", "FLOOR"),
        ("days % 2 = 0", "MOD"),
        ("days // 2 = 0", "INTDIV"),
        ("days ** 2 > 1", "POW"),
        ("sex || ward = 'fA'", "DPIPE|CONCAT"),
        ("sex ~ 'f'", "REGEXP"),
        ("sex ILIKE 'f'", "ILIKE"),
        ("sex SIMILAR TO 'f'", "SIMILARTO|REGEXP"),
        ("sex LIKE 'f!%' ESCAPE '!'", "ESCAPE"),
        ("sex LIKE ward", "a text in quotes"),
        (r"sex LIKE 'f\%'", "without a backslash"),
        ("days IS TRUE", "IS NULL alone"),
        ("days IS DISTINCT FROM 3", "IS DISTINCT FROM"),
        ("days = NULL", "NULL as a value"),
        ("sex IN ('f', NULL)", "NULL as a value"),
        ("days BETWEEN SYMMETRIC 3 AND 1", "SYMMETRIC"),
        ("sex = 1", "a number and text together"),
        ("days = 'x'", "a number and text together"),
        ("days AND TRUE", "together|must be true or false"),
        ("NOT days", "days must be true or false, and is a number"),
        ("-sex = 1", "sex must be a number"),
        ("sex + ward = 'fA'", "sex must be a number, and is text"),
        ("days / many > 1", "zero"),
        ("days / 0 > 1", "zero"),
        ("days > INTERVAL '1 day'", "INTERVAL"),
        ("days > ?", "a parameter"),
        ("days > $1", "a parameter"),
        ("days > 1e999", "must be finite"),
        ("w.days > 1", "got a column of 'w'"),
        ("a.b.days > 1", "a schema|a column of"),
        ('"DAYS" > 1', "there is no column 'DAYS'"),
        ('sex = "f"', "no column 'f'.* what is in double quotes is a name, and text is 'f'"),
        ("sex = f", "no column 'f'.*; text is written in single quotes, 'f'$"),
        ("sex IN ('f', m)", "text is written in single quotes, 'm'"),
        ("ward BETWEEN 'A' AND (B)", "text is written in single quotes, 'B'"),
        ("days > dais", "text is written in single quotes, 'dais'"),
        ("dais > 3", "first line has them$"),
        ("dais > sechs", "first line has them$"),
        ("days", "true or false"),
    ],
)
def test_what_is_no_condition_of_one_row_is_refused_by_its_name(rows, text, says):
    """In a sentence that says what there is."""
    with pytest.raises(ValueError, match=says) as refusal:
        rows[0].sql(f"SELECT COUNT(*) FROM v WHERE {text}", rows_per_person=9)
    assert "\n" not in str(refusal.value)
