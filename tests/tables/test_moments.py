"""Times, days and durations that an engine cannot hold: missing, whatever frame they are in."""

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.engine import rows_of

MOST = 2**63 - 1
# Of each type: the last before and after zero that there is, and others beyond.
FAR = {
    pa.timestamp("s"): (MOST // 10**6, [MOST // 10**6 + 1, 10**16, MOST]),
    pa.timestamp("ms"): (MOST // 10**3, [MOST // 10**3 + 1, 10**16, MOST]),
    pa.timestamp("ms", "Europe/Berlin"): (MOST // 10**3, [MOST // 10**3 + 1, MOST]),
    pa.duration("s"): (MOST // 10**6, [MOST // 10**6 + 1, MOST]),
    pa.duration("ms"): (MOST // 10**3, [MOST // 10**3 + 1, MOST]),
    pa.date64(): ((2**31 - 2) * 86_400_000, [2**31 * 86_400_000, MOST // 86_400_000 * 86_400_000]),
}
FRAMES = {
    "arrow": lambda rows: rows,
    "batch": lambda rows: rows.to_batches()[0],
    "polars": pl.from_arrow,
    "lazy": lambda rows: pl.DataFrame(rows).lazy(),
    "pandas": lambda rows: rows.to_pandas(types_mapper=pd.ArrowDtype),
}


def people(kind: pa.DataType, counts: list[int | None]) -> pa.Table:
    """One row each."""
    odd = pa.array(counts, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    return pa.table({"patient": [f"p{i}" for i in range(len(counts))], "odd": odd})


@pytest.mark.filterwarnings("ignore:Determining the column names of a LazyFrame")
@pytest.mark.parametrize("framed", FRAMES)
@pytest.mark.parametrize("kind", FAR, ids=str)
def test_what_an_engine_cannot_count_is_missing_and_stops_no_question(tmp_path, kind, framed):
    """Asked for or not, before and after; what it can count stays."""
    if framed in ("polars", "lazy") and (pa.types.is_date(kind) or kind.unit == "s"):
        pytest.skip("Polars has no such type")
    last, beyond = FAR[kind]
    counts = [0, last, -last, None, *beyond, *(-each for each in beyond), -MOST - 1]
    counts = [each for each in counts if not _is_no_day(kind, each)]
    rows = FRAMES[framed](people(kind, counts))
    asked = {"n": tables.count(), "none": tables.count_if(ibis._.odd.isnull())}
    plain = not pa.types.is_duration(kind) and getattr(kind, "tz", None) is None
    if plain:
        asked["early"] = tables.count_if(ibis._.odd.year() < 1970)
    found = table(rows, tmp_path).ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert len(counts) == found.n[0] == found.none[0] + 3
    assert not plain or 1 == found.early[0]


def _is_no_day(kind: pa.DataType, count: int | None) -> bool:
    """Days are whole."""
    return pa.types.is_date(kind) and count is not None and bool(count % 86_400_000)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_duration_of_numpys_stops_no_question(tmp_path, unit):
    """Whatever it counts."""
    counted = np.array([0, MOST, -MOST, -MOST - 1]).view(f"m8[{unit}]")
    rows = pd.DataFrame({"patient": range(4), "odd": counted})
    asked = {"n": tables.count(), "none": tables.count_if(ibis._.odd.isnull())}
    found = table(rows, tmp_path).ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert 4 == found.n[0] and {"s": 3, "ms": 3}.get(unit, 1) == found.none[0]


@pytest.mark.parametrize("kind", [pa.time32("s"), pa.time64("us"), pa.time64("ns")], ids=str)
def test_a_time_of_no_day_is_missing(tmp_path, kind):
    """In a column of pandas', where it stopped every question."""
    day = pa.scalar(86_400, pa.duration("s")).cast(pa.duration(kind.unit)).value
    most = 2 ** (kind.bit_width - 1) - 1
    rows = FRAMES["pandas"](people(kind, [0, day - 1, day, most, -1, -most - 1]))
    asked = {"n": tables.count(), "none": tables.count_if(ibis._.odd.isnull())}
    found = table(rows, tmp_path).ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert [6, 4] == [found.n[0], found.none[0]]


@pytest.mark.parametrize("odd", [10**7, 2**31 - 1, -(2**31)])
def test_days_of_arrows_are_days_whatever_day_one_is(tmp_path, odd):
    """In pandas, where a value beyond Python's own dates left the column without a type."""
    rows = FRAMES["pandas"](people(pa.date32(), [0, 366, odd]))
    own = table(rows, tmp_path)
    asked = own.ask(n=tables.count_if(ibis._.odd.year().isin([1970, 1971])), rows_per_person=1)

    assert own.rows.odd.type().is_date()
    assert 2 == asked.run(tacit.NonPrivate()).frame.n[0]


def test_times_by_their_numbers_are_those_times():
    """A dictionary's as those of a column, and what can be held comes out as it went in."""
    times = pa.array([0, 10**16], pa.int64()).view(pa.timestamp("ms"))
    rows = pa.table({"odd": pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), times)})
    assert 2 == rows_of(rows).to_pyarrow()["odd"].null_count
    plain = pa.table({"odd": people(pa.timestamp("us"), [0, MOST])["odd"], "n": [1, 2]})
    assert plain.equals(rows_of(plain).to_pyarrow())
