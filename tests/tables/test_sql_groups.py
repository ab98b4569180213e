"""Buckets in GROUP BY: those of an engine that has WIDTH_BUCKET."""

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit.tables.counted import count
from tacit.tables.engine import rows_of, sums_of

TEXT = "SELECT {0} AS bucket, COUNT(*) AS n FROM v GROUP BY bucket"
DAYS = [-1.0, 0.0, 2.0, 4.99, 5.0, 29.9, 30.0, 31.0, 1e300, float("nan"), None, 12.5, 12.5]


def frame() -> pd.DataFrame:
    return pd.DataFrame({"patient": range(len(DAYS)), "days": pd.array(DAYS, "Float64")})


@pytest.mark.parametrize(
    "text",
    [
        TEXT.format("WIDTH_BUCKET(days, 0, 30, 6)"),
        "SELECT COUNT(*) AS n FROM v GROUP BY WIDTH_BUCKET(days, 0, 30, 6)",
        "SELECT WIDTH_BUCKET(days, 0, 30, 6), COUNT(*) AS n FROM v "
        "GROUP BY WIDTH_BUCKET(days, 0, 30, 6)",
    ],
)
def test_every_bucket_is_answered(tmp_path, text):
    """Also empty ones, below and beyond; a row without a number is in none."""
    if "SELECT COUNT" in text:
        with pytest.raises(ValueError, match="has to be selected too"):
            table(frame(), tmp_path).sql(text, rows_per_person=1)
        return
    found = table(frame(), tmp_path).sql(text, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert list(range(8)) == found.iloc[:, 0].tolist()
    assert [1, 3, 1, 2, 0, 0, 1, 3] == found.n.tolist()


def test_buckets_are_crossed_with_columns(tmp_path):
    """In the order of GROUP BY, with declared values of the others."""
    own = frame().assign(sex=["f", "m"] * 6 + ["f"])
    text = "SELECT COUNT(*) AS n FROM v GROUP BY sex, b".replace(
        "COUNT", "WIDTH_BUCKET(days / 2, 0.0, (15), 2) AS b, COUNT"
    )
    asked = table(own, tmp_path).sql(text, keys={"sex": ["f", "m"]}, rows_per_person=1)

    assert ["sex", "b"] == asked.keys.names and 8 == asked.keys.groups
    assert 11 == asked.run(tacit.NonPrivate()).frame.n.sum()


@pytest.mark.parametrize(
    "buckets, says",
    [
        ("WIDTH_BUCKET(days, 30, 0, 6)", "a lower limit before a higher one"),
        ("WIDTH_BUCKET(days, 0, 1e999, 6)", "a limit of WIDTH_BUCKET is a number"),
        ("WIDTH_BUCKET(days, 0, patient, 6)", "a limit of WIDTH_BUCKET is a number"),
        ("WIDTH_BUCKET(days, 0, 30, 0)", "from 1 to 1,024 buckets, got 0"),
        ("WIDTH_BUCKET(days, 0, 30, 2.5)", "a whole number of buckets, got 2.5"),
        ("WIDTH_BUCKET(days, 1, 1.000000000000001, 9)", "fewer buckets where numbers are so close"),
        ("WIDTH_BUCKET(days, 0, 30)", "a number, two limits and how many buckets"),
        ("WIDTH_BUCKET(shoe, 0, 30, 6)", "there is no column 'shoe'"),
        ("WIDTH_BUCKET(RANDOM(), 0, 30, 6)", "without RAND"),
    ],
)
def test_other_buckets_are_refused(tmp_path, buckets, says):
    """In a sentence, before anything is read."""
    with pytest.raises(ValueError, match=says):
        table(frame(), tmp_path).sql(TEXT.format(buckets), rows_per_person=1)


@pytest.mark.parametrize(
    "text, beside, says",
    [
        (TEXT.replace("BY bucket", "BY days"), {}, "is selected, and is not in GROUP BY"),
        (TEXT.replace("bucket", "days"), {}, "'days' is a column already"),
        (TEXT, {"keys": {"bucket": [1, 2]}}, "not in GROUP BY as a column"),
    ],
)
def test_buckets_have_a_name_and_values_of_their_own(tmp_path, text, beside, says):
    """Nobody declares them besides."""
    with pytest.raises(ValueError, match=says):
        table(frame(), tmp_path).sql(
            text.format("WIDTH_BUCKET(days, 0, 30, 6)"), rows_per_person=1, **beside
        )


@pytest.mark.parametrize(
    "selected, by, got",
    [
        ("", "EXTRACT(MONTH FROM day)", r"EXTRACT\(MONTH FROM day\)"),
        ("EXTRACT(MONTH FROM day) AS month, ", "month", r"EXTRACT\(MONTH FROM day\)"),
        ("days / 2, ", "days / 2", "days / 2"),
        ("CASE WHEN days > 2 THEN 'a' END AS long, ", "long", "CASE WHEN days > 2 THEN 'a' END"),
    ],
)
def test_by_computed_values_python_groups(tmp_path, selected, by, got):
    """SQL says what it groups by itself, and which call of Python groups by these; that works."""
    own = table(frame().assign(day=pd.Timestamp("2026-02-01")), tmp_path)
    with pytest.raises(ValueError, match=f"of a column, or of WIDTH_BUCKET.*got {got};") as refused:
        own.sql(f"SELECT {selected}COUNT(*) AS n FROM v GROUP BY {by}", rows_per_person=1)

    assert str(refused.value).endswith("visits.by(month=(ibis._.day.month(), [1, 2, 3]))")
    asked = own.by(month=(ibis._.day.month(), [1, 2, 3])).ask(n=count(), rows_per_person=1)
    assert [0, len(DAYS), 0] == asked.run(tacit.NonPrivate()).frame.n.tolist()


def test_a_column_is_a_group_by_its_own_name(tmp_path):
    """Another name for it is refused, by what is to be written."""
    text = "SELECT patient AS who, COUNT(*) AS n FROM v GROUP BY who"
    with pytest.raises(ValueError, match="GROUP BY patient, without AS"):
        table(frame(), tmp_path).sql(text, rows_per_person=1)


def test_buckets_are_postgresqls(postgresql, tmp_path):
    """The same rows in each as its own function finds; and the same sums as in DuckDB."""
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"patient": range(400), "days": rng.normal(10, 12, 400).round(2)})
    postgresql.create_table("buckets", rows, temp=True)
    there, text = postgresql.table("buckets"), TEXT.format("WIDTH_BUCKET(days, -3, 27.7, 7)")
    asked = table(there, tmp_path).sql(text, rows_per_person=1)
    own = "select width_bucket(days, -3::float8, 27.7, 7), count(*) from buckets group by 1"
    with postgresql.raw_sql(own) as cursor:
        true = dict(cursor.fetchall())
    found, here = (sums_of(asked.statement, x, [1])[0][0] for x in (there, rows_of(rows)))

    assert [true.get(i, 0) for i in range(9)] == found[:, 0].tolist() == here[:, 0].tolist()
    assert isinstance(there, ibis.Table)
