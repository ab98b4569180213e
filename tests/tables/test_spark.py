"""Tables that lie in Spark: the very sums that DuckDB finds, before noise. `make test-spark`."""

import shutil
from pathlib import Path

import ibis
import pyarrow as pa
import pytest

import tacit
from tables.alike import (
    arrays_are_alike,
    kinds,
    numbers_are_alike,
    stays,
    sums_are_alike,
    units_are_alike,
)
from tables.records import everything, table
from tacit import tables
from tacit.ledger import receipt
from tacit.tables.engine import rows_of, sums_of

# PySpark closes none of its sockets.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
pytest.importorskip("pyspark", reason="PySpark is not here: make test-spark brings it")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, which is not here", allow_module_level=True)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session in this process, on one thread."""
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    built = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    built = built.config("spark.driver.bindAddress", "127.0.0.1")
    built = built.config("spark.driver.host", "127.0.0.1")
    built = built.config("spark.sql.shuffle.partitions", "2")
    # Small tables are read sooner than programs for them are compiled.
    built = built.config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    built = built.config("spark.sql.codegen.wholeStage", "false")
    session = built.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
    yield ibis.pyspark.connect(session)
    session.stop()


@pytest.fixture
def lying(spark, tmp_path):
    """Puts a table into Spark, as a Parquet file that it reads."""

    def put(rows: pa.Table, name: str = "rows") -> ibis.Table:
        path: Path = tmp_path / f"{name}.parquet"
        rows_of(rows).to_parquet(path)
        return spark.read_parquet(path)

    return put


def test_exact_sums_are_duckdbs(lying, tmp_path):
    """Of every aggregate, with caps that cut; and the same people in arrays."""
    rows = stays(800)
    sums_are_alike(rows_of(rows), lying(rows), tmp_path)
    arrays_are_alike(rows_of(rows), lying(rows), tmp_path)


def test_numbers_are_duckdbs_to_the_last_digit(lying, tmp_path):
    """Of columns of every type; fractions that are written out are no decimals."""
    rows = kinds(300)
    numbers_are_alike(rows_of(rows), lying(rows))
    units_are_alike(rows_of(rows), lying(rows), tmp_path)


def test_the_fingerprint_is_of_the_rows_and_not_of_their_order(lying, tmp_path):
    """And one number more, or another, is another fingerprint."""
    rows = stays(200)
    other = rows.set_column(2, "days", pa.array([2.5, *rows["days"].to_pylist()[1:]]))
    ask = table(rows, tmp_path).by(ward=["A", "B"]).ask(rows_per_person=2, **everything())
    lies = [lying(x, str(i)) for i, x in enumerate((rows, rows[::-1], rows[20:], other))]
    whole, mixed, fewer, changed = (sums_of(ask.statement, x, ask._cells)[1] for x in lies)

    assert whole == mixed and whole not in (fewer, changed)


def test_a_question_is_charged_and_answered_like_any_other(lying, tmp_path):
    """With a receipt that holds."""
    own = table(lying(stays(300)), tmp_path)
    own.budget(epsilon=1.0, delta=1e-9)
    answer = own.ask(n=tables.count(), rows_per_person=5).run(tacit.Central(1.0, 0.0))
    receipt.write(tmp_path / "receipt.json", [answer.receipt()])

    assert receipt.verify(tmp_path / "receipt.json").ok and 1 == len(answer.frame)


def test_spark_that_stops_quotes_nobody(lying, tmp_path):
    """Nothing is charged, and no cause is kept."""
    own = table(lying(stays(30)), tmp_path)
    own.budget(epsilon=1.0, delta=1e-9)
    ask = own.ask(n=tables.count(), rows_per_person=5)
    (tmp_path / "rows.parquet").unlink()
    with pytest.raises(tables.EngineError) as stopped:
        ask.run(tacit.Central(1.0, 0.0))

    assert stopped.value.__cause__ is None and not own.ledger.spent("patients")[0].epsilon
