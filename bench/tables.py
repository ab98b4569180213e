"""What bounding people costs an engine, and what a first answer takes.

Ten million rows of a million people in 50 groups, in DuckDB: a count and a mean of each group, at
most five rows a person. Ours, which reads whole sums and a fingerprint, takes turns with DuckDB's
own query of the same rows, each person's five drawn by the same digest, and with one that bounds
nobody. (That fails: what keeps it out of reach is printed, part by part.) Answers agree, to
the grid of the mean. The same of rows of five times as many people, of whom few have more than
five. A first answer is a process of its own: it imports, reads 100,000 rows of a Parquet file, and
prints a count and a mean of two groups; sources are compiled, as those of an installed package are.
A hundred million rows have a script of their own, `bench/tables_large.py`.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import version
from tempfile import TemporaryDirectory

import ibis
import numpy as np

import tacit
from claims import Claim, at_most, settle
from tacit import tables
from tacit.tables.engine import sums_of

ROWS, PEOPLE, GROUPS, TURNS, FIRST_TURNS = 10**7, 10**6, 50, 3, 5
FEW = """create table few as select * replace
  ((patient * 5 + hash(days + ward) % 5)::bigint as patient) from visits"""
MADE = f"""create table visits as select (hash(i) % {PEOPLE})::bigint as patient,
  (hash(i + {ROWS}) % {GROUPS})::bigint as ward, (hash(i + 2 * {ROWS}) % 31)::double as days
  from range({ROWS}) t(i)"""
PLAIN = "select ward, count(*), avg(days) from visits group by ward order by ward"
BOUNDED = """with digests as (select *, md5(patient::varchar || '|' || ward::varchar || '|' ||
  days::varchar) as digest from visits), places as (select *, row_number() over
  (partition by patient, ward order by digest) as place from digests), ranks as (select *,
  row_number() over (partition by patient order by place, digest) as rank from places)
  select ward, count(*), avg(days) from ranks where rank <= 5 group by ward order by ward"""
# What keeping some rows of each person takes at least: their digests, which are the same in every
# engine; or nothing of ours at all, the five least of each by a hash that DuckDB has for itself.
PARTS = {
    "each person counted": """select max(n) from
      (select patient, count(*) as n from visits group by patient)""",
    "digests": """select max(md5(patient::varchar || '|' || ward::varchar || '|' || days::varchar))
      from visits""",
    "five of each by its own hash": """select row.w, count(*), avg(row.d) from (
      select unnest(min_by({'w': ward, 'd': days}, hash(patient, ward, days), 5)) as row
      from visits group by patient) group by row.w""",
}
FILED = """copy (select i // 5 as patient, (i % 31)::double as days,
  case i // 15 % 2 when 0 then 'A' else 'B' end as ward from range(100000) t(i))
  to '{}/first.parquet' (format parquet)"""
FLOOR = "import duckdb, equinox, ibis, jax, pandas, sqlalchemy"
FIRST = """
import os, tacit
from tacit import tables
visits = tacit.Table("first.parquet", "patient", "patients", f"{os.getpid()}.db")
visits.budget(epsilon=1, delta=1e-6)
ask = visits.by(ward=["A", "B"]).ask(
    n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5)
print(ask.run(tacit.Central(1.0, DELTA)))
"""


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def processor(asked: list[str], folder: str) -> float:
    """A process's seconds of the processor: a half more where others keep all its cores busy."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
    own.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(asked, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=own)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_answer(folder: str, delta: float) -> float:
    return processor([sys.executable, "-c", FIRST.replace("DELTA", f"{delta}")], folder)


def first_answers(folder: str) -> Iterator[Claim]:
    """Beside what imports take that no answer can do without; the very first compiles sources."""
    ibis.duckdb.connect().raw_sql(FILED.format(folder))
    first_answer(folder, 0.0)
    print(f"{FLOOR}: {processor([sys.executable, '-c', FLOOR], folder):.2f} processor seconds")
    for delta in (0.0, 1e-6):
        took = [first_answer(folder, delta) for _ in range(FIRST_TURNS)]
        yield at_most(f"a first answer, delta {delta:g}, processor seconds", took, 4.0)


def main() -> Iterator[Claim]:
    print(f"duckdb {version('duckdb')}, ibis {version('ibis-framework')}, {ROWS:,} rows")
    with TemporaryDirectory() as folder:
        yield from first_answers(folder)
        engine = ibis.duckdb.connect(f"{folder}/visits.ddb")
        engine.raw_sql(MADE)
        visits = tacit.Table(engine.table("visits"), "patient", "patients", f"{folder}/people.db")
        asked = {"n": tables.count(), "stay": tables.mean("days", 0, 30), "rows_per_person": 5}
        ask = visits.by(ward=list(range(GROUPS))).ask(**asked)
        ours, alone, bounded = [], [], []
        for _ in range(TURNS):
            ours.append(seconds(lambda: sums_of(ask.statement, visits.rows, ask._cells)))
            bounded.append(seconds(lambda: engine.raw_sql(BOUNDED).fetchall()))
            alone.append(seconds(lambda: engine.raw_sql(PLAIN).fetchall()))
        yield at_most("ours over the same bounding", np.divide(ours, bounded).tolist(), 3.0)
        plain = float(np.median(alone))
        yield at_most("ours over no bounding at all", np.divide(ours, alone).tolist(), 12.0)
        for what, query in PARTS.items():
            took = seconds(lambda query=query: engine.raw_sql(query).fetchall())
            print(f"  {what}, over no bounding at all: {took / plain:.0f}")
        engine.raw_sql(FEW)
        few, most = replace(visits, rows=engine.table("few")), []
        for _ in range(TURNS):
            own = seconds(lambda: sums_of(ask.statement, few.rows, ask._cells))
            same = seconds(lambda: engine.raw_sql(BOUNDED.replace("visits", "few")).fetchall())
            most.append(own / same)
        yield at_most("the same where few have more than five rows", most, 1.0)
        found = sums_of(ask.statement, visits.rows, ask._cells)[0]
        counted = int(found[0].sum())
        yield at_most("rows that count, of five a person", counted / (5 * PEOPLE), 1.0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield at_most("peak memory, GiB", peak, 2.0)


if __name__ == "__main__":
    settle(main())
