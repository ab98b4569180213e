"""Counts and means of groups beside OpenDP with Polars and PipelineDP on its local backend.

200,000 rows of 20,000 people in 50 declared groups, in a Parquet file; epsilon 1, delta 1e-7,
Gaussian noise, at most five rows a person. Ours is a whole question: read, summed, charged to a
ledger on the disk, answered with intervals. Peers charge nothing and give no intervals: OpenDP
reads the same file and releases a count and a sum of each group; PipelineDP has its rows in memory
before its time begins, and keeps at most five groups of a person, with one row in each. Times are
of the question alone, without imports.

Their versions of other libraries are not ours. `TACIT_PEERS` is the Python of an environment that
has `opendp[polars]==0.16.0` and `pipeline-dp==0.3.1`; what does not import there is skipped, and
said.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from tempfile import TemporaryDirectory

import ibis

import tacit
from claims import Claim, at_most, settle, skipped
from tacit import tables

ROWS, PEOPLE, GROUPS, TURNS = 200_000, 20_000, 50, 3
PEERS = os.environ.get("TACIT_PEERS", sys.executable)
FILED = f"""copy (select (hash(i) % {PEOPLE})::bigint as patient,
  (hash(i + {ROWS}) % {GROUPS})::bigint as ward, (hash(i + 2 * {ROWS}) % 31)::double as days
  from range({ROWS}) t(i)) to '{{}}/visits.parquet' (format parquet)"""
OPENDP = f"""
import time
import opendp.prelude as dp, polars as pl
dp.enable_features("contrib")
start = time.perf_counter()
context = dp.Context.compositor(
    data=pl.scan_parquet("visits.parquet"),
    privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("patient")),
    privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-7), split_evenly_over=1,
    margins=[dp.polars.Margin(
        by=["ward"], invariant="keys", max_length={ROWS}, max_groups={GROUPS})])
query = context.query().truncate_per_group(5).group_by("ward").agg(
    dp.len(), pl.col("days").fill_null(0.0).fill_nan(0.0).dp.sum((0, 30)))
found = query.release().collect()
assert len(found) == {GROUPS}
print(time.perf_counter() - start)
"""
PIPELINE = f"""
import time
import duckdb, pipeline_dp as dp
rows = duckdb.sql("from 'visits.parquet'").fetchall()
start = time.perf_counter()
budget = dp.NaiveBudgetAccountant(1.0, 1e-7)
engine = dp.DPEngine(budget, dp.LocalBackend())
asked = dp.AggregateParams(
    metrics=[dp.Metrics.COUNT, dp.Metrics.MEAN], noise_kind=dp.NoiseKind.GAUSSIAN,
    max_partitions_contributed=5, max_contributions_per_partition=1, min_value=0.0, max_value=30.0)
read = dp.DataExtractors(
    privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: row[1],
    value_extractor=lambda row: row[2])
found = engine.aggregate(rows, asked, read, public_partitions=list(range({GROUPS})))
budget.compute_budgets()
assert len(list(found)) == {GROUPS}
print(time.perf_counter() - start)
"""
THEIRS = {
    "OpenDP with Polars": ("import opendp.prelude, polars", OPENDP),
    "PipelineDP": ("import pipeline_dp, duckdb", PIPELINE),
}


def ours(folder: str, turn: int) -> float:
    """Seconds of a whole question, of a table that nobody looked at before."""
    start = time.perf_counter()
    visits = tacit.Table(
        f"{folder}/visits.parquet", "patient", "patients", f"{folder}/{turn}.db", people=10**5
    )
    visits.budget(epsilon=1, delta=1e-6)
    ask = visits.by(ward=list(range(GROUPS))).ask(
        n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5
    )
    assert len(ask.run(tacit.Central(1.0, 1e-7)).frame) == GROUPS
    return time.perf_counter() - start


def theirs(script: str, folder: str) -> str | None:
    """What a script of theirs prints, or None where it stops."""
    asked = [PEERS, "-W", "ignore", "-c", script]
    done = subprocess.run(asked, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def main() -> Iterator[Claim]:
    with TemporaryDirectory() as folder:
        ibis.duckdb.connect().raw_sql(FILED.format(folder))
        ours(folder, -1)
        for name, (imported, script) in THEIRS.items():
            if theirs(imported, folder) is None:
                yield skipped(f"{name}: {PEERS} does not import it")
                continue
            ratios = []
            for turn in range(TURNS):
                own, other = ours(folder, len(os.listdir(folder))), theirs(script, folder)
                assert other is not None, f"{name} stopped"
                print(f"{name}, turn {turn + 1}: {float(other):.2f} s, ours {own:.2f} s")
                ratios.append(own / float(other))
            yield at_most(f"ours over {name}", ratios, 1.0)


if __name__ == "__main__":
    settle(main())
