"""A hundred million rows in Parquet, out of core: a count and a mean of 50 groups.

Ten million people, at most five rows of each. The engine is told how much memory it may take, and
sorts on disk what does not fit; this process's own peak is what is claimed, tacit and JAX included.
The file takes about a gigabyte while this runs, and the engine's sorting some ten more.
"""

import resource
import time
from collections.abc import Iterator
from importlib.metadata import version
from tempfile import TemporaryDirectory

import ibis

import tacit
from claims import Claim, at_least, at_most, settle
from tacit import tables

ROWS, PEOPLE, GROUPS, LIMIT = 10**8, 10**7, 50, "2GB"
MADE = f"""copy (select (hash(i) % {PEOPLE})::bigint as patient,
  (hash(i + {ROWS}) % {GROUPS})::bigint as ward, (hash(i + 2 * {ROWS}) % 31)::double as days
  from range({ROWS}) t(i)) to '{{}}/visits.parquet' (format parquet)"""


def main() -> Iterator[Claim]:
    print(f"duckdb {version('duckdb')}, ibis {version('ibis-framework')}, {ROWS:,} rows")
    with TemporaryDirectory() as folder:
        engine = ibis.duckdb.connect(memory_limit=LIMIT, temp_directory=f"{folder}/sorted")
        engine.raw_sql(MADE.format(folder))
        rows = engine.read_parquet(f"{folder}/visits.parquet")
        visits = tacit.Table(rows, "patient", "patients", f"{folder}/people.db")
        visits.budget(epsilon=1, delta=1e-6)
        ask = visits.by(ward=list(range(GROUPS))).ask(
            n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5
        )
        start, used = time.perf_counter(), time.process_time()
        frame = ask.run(tacit.Central(1.0, 1e-6)).frame
        took = time.perf_counter() - start, time.process_time() - used
        print("{:,.0f} seconds, {:,.0f} of processors".format(*took))
        yield at_least("groups answered", len(frame), GROUPS)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        yield at_most("peak memory, GiB", peak, 4.0)


if __name__ == "__main__":
    settle(main())
