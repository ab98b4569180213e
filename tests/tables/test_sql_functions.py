"""What SQL computes of one row: as an engine that runs the text, or refused."""

import pytest

from tables.by_text import both, kept, kept_by_engine

CONDITIONS = [
    "CASE WHEN days > 2 THEN 'x' WHEN sex = 'f' THEN NULL ELSE 'y' END = 'y'",
    "CASE WHEN days > 2 THEN 1 END IS NULL",
    "CASE sex WHEN 'f' THEN 1 WHEN 'm' THEN 2 ELSE 3 END >= 2",
    "COALESCE(days, many, 0) > 20",
    "COALESCE(sex, 'none') = 'none'",
    "EXTRACT(DAY FROM day) = 1",
    "EXTRACT(YEAR FROM day) * 12 + EXTRACT(MONTH FROM day) > 24313",
    "EXTRACT(HOUR FROM day) >= 12 AND EXTRACT(QUARTER FROM day) = 1",
    "TRY_CAST(code AS DOUBLE) > 3",
    "CAST(day AS DATE) < DATE '2026-02-03' AND CAST(CAST(day AS DATE) AS DATE) > '2026-01-31'",
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A table, and the same for an engine that is asked by text."""
    return both(tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_function_keeps_the_rows_that_an_engine_keeps(rows, text):
    """Where something is missing, too."""
    own, whole = rows

    assert kept(own, text) == kept_by_engine(whole, text)


@pytest.mark.parametrize(
    "text, says",
    [
        ("CASE WHEN days > 2 THEN NULL END", "always NULL"),
        ("CASE WHEN days > 2 THEN 1 ELSE 'x' END = 1", "a number and text together"),
        ("CAST(sex AS DOUBLE) > 1", "TRY_CAST"),
        ("CAST(days AS DATE) > DATE '2026-01-01'", "of times as DATE"),
        ("CAST(day AS DATE) > TIMESTAMP '2026-01-01 10:00:00'", "of different types"),
        ("day > CAST(day AS DATE)", "of different types"),
        ("days::INT > 1", "TRY_CAST"),
        ("TRY_CAST(sex AS INT) > 1", "AS DOUBLE alone"),
        ("EXTRACT(DOW FROM day) = 1", "EXTRACT is answered for YEAR"),
        ("EXTRACT(YEAR FROM sex) = 1", "EXTRACT is answered for YEAR"),
        ("day > 'yesterday'", "written as 2026-01-31"),
        ("day > TIMESTAMP '2026-01-01 00:00:00+02:00'", "no time zone|TRY_CAST"),
    ],
)
def test_what_might_stop_an_engine_or_differ_between_two_is_refused(rows, text, says):
    """In a sentence that says what there is."""
    with pytest.raises(ValueError, match=says) as refusal:
        kept(rows[0], text)
    assert "\n" not in str(refusal.value)
