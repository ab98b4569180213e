"""Text of a file beside what is in quotes: what would be compared letter by letter is refused."""

from pathlib import Path

import pandas as pd
import pytest

import tacit
from tables.records import table

PEOPLE = 12
UNTYPED = "csv", "jsonl"


def frame() -> pd.DataFrame:
    """Every cell is text."""
    return pd.DataFrame(
        {
            "patient": [f"p{i}" for i in range(PEOPLE)],
            "age": ["9.0", "40.0", "100.0"] * 4,
            "days": ["5", "7", "10"] * 4,
            "ward": ["A", "B", "3"] * 4,
            "zip": ["01234", "10115", "20000"] * 4,
            "day": ["2024-01-31", "2024-02-03", "2024-05-05 10:00:00"] * 4,
        }
    )


def kept(folder: Path, end: str, condition: str) -> int:
    """How many rows, of the same in such a file."""
    path, own = folder / f"visits.{end}", frame()
    if end == "csv":
        own.to_csv(path, index=False)
    elif end == "jsonl":
        own.to_json(path, orient="records", lines=True)
    else:
        own.to_parquet(path)
    asked = table(path, folder).sql(
        f"SELECT COUNT(*) AS n FROM v WHERE {condition}", rows_per_person=1
    )
    return asked.run(tacit.NonPrivate()).frame.n[0]


@pytest.mark.parametrize("end", UNTYPED)
@pytest.mark.parametrize(
    "condition, says",
    [
        ("age > '40'", "'40' .*letter by letter.* without quotes, 40, .*CAST.age AS VARCHAR"),
        ("age <> '40.0'", "without quotes, 40.0,"),
        ("' 4e1' < (age)", r"without quotes, 4e1, .*CAST\(age AS VARCHAR"),
        ("days BETWEEN '5' AND '10'", "without quotes, 5,"),
        ("days IN ('5', ('10'))", "without quotes, 5,"),
        ("NULLIF(days, '5') IS NULL", "without quotes, 5,"),
        ("COALESCE(days, '0') = 'x'", "without quotes, 0,"),
        ("COALESCE(days, ward) = '5'", "without quotes, 5,"),
        ("CASE ward WHEN '3' THEN TRUE END", "without quotes, 3,"),
        ("zip = '10115'", "CAST.zip AS VARCHAR"),
        ("zip BETWEEN '01000' AND '02000'", "order of text.*CAST.zip AS VARCHAR"),
        ("ward < 'B'", "order of text.*CAST.ward AS VARCHAR"),
        ("'B' >= ward", "order of text"),
        ("NULLIF(ward, 'B') > 'A'", "order of text"),
        ("CASE WHEN ward = 'A' THEN age ELSE 'x' END <= 'y'", "order of text"),
        ("age > days", "'10' before '9'.*TRY_CAST"),
        ("day > '31.01.2024'", "a date as '2026-01-31'"),
        ("day > '2024-02-31'", "a date as '2026-01-31'"),
        ("day BETWEEN '2024-01-31' AND 'x'", "a date as '2026-01-31'"),
    ],
)
def test_what_would_be_compared_letter_by_letter_is_refused(tmp_path, end, condition, says):
    """By what is written alone, with how the number, the day or the text is asked for."""
    with pytest.raises(ValueError, match=says):
        kept(tmp_path, end, condition)


@pytest.mark.parametrize("end", [*UNTYPED, "parquet"])
@pytest.mark.parametrize(
    "condition, many",
    [
        ("ward = 'A' OR ward IN ('3', 'B')", 12),
        ("zip = '01234'", 4),
        ("zip IN ('01234', '10115')", 8),
        ("CAST(zip AS VARCHAR) = '10115'", 4),
        ("CAST(zip AS VARCHAR) BETWEEN '01000' AND '10115'", 8),
        ("CAST(ward AS VARCHAR) < 'B'", 8),
        ("ward::text = '3'", 4),
        ("LOWER(ward) = '3'", 4),
        ("day >= '2024-02-01'", 8),
        ("day BETWEEN '2024-01-01' AND '2024-05-05 09:00:00'", 8),
        ("TRY_CAST(age AS DOUBLE) > TRY_CAST(days AS DOUBLE)", 12),
    ],
)
def test_text_that_is_meant_is_compared(tmp_path, end, condition, many):
    """Codes with a zero before, days, and what is said to be text: the same of every file."""
    assert many == kept(tmp_path, end, condition)


def test_cells_are_read_as_numbers_and_days_where_these_stand(tmp_path):
    """Without quotes, and by CAST as days."""
    assert 4 == kept(tmp_path, "csv", "age > 40")
    assert 8 == kept(tmp_path, "csv", "days BETWEEN 7 AND 10")
    assert 4 == kept(tmp_path, "csv", "CAST(day AS DATE) > CAST('2024-02-03' AS DATE)")


def test_columns_that_have_types_are_compared_as_they_are(tmp_path):
    """Text of a Parquet file is text because somebody said so."""
    assert 4 == kept(tmp_path, "parquet", "age > '40.0'")
    assert 4 == kept(tmp_path, "parquet", "zip = '10115'")
