"""The names at the top: all there, and imported when they are used."""

import pkgutil
import subprocess
import sys

import tacit
from tacit import tables


def test_every_name_at_the_top_is_one():
    """As listed, and in the order of the alphabet."""
    assert sorted(tacit.__all__) == dir(tacit) and len(tacit.__all__) > 35
    named = {name: getattr(tacit, name).__name__.removeprefix("tacit.") for name in tacit.__all__}
    assert all(name == own for name, own in named.items())


def test_importing_the_library_waits_for_nothing():
    """JAX comes with the first name that needs it."""
    there = "print('jax' in sys.modules)"
    code = f"import sys, tacit; {there}; tacit.Interval; {there}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False\nTrue\n" == done.stdout


def test_a_plan_waits_for_no_database(tmp_path):
    """What keeps accounts is imported with the first of them."""
    code = f"""import sys, tacit
there = lambda: print("sqlalchemy" in sys.modules)
question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), rounds=1, people=10)
plan = tacit.Central(1.0, 1e-6).plan(question)
there()
tacit.Ledger({str(tmp_path / "ledger.db")!r}).limit_for("people", plan)
there()"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "False\nTrue\n" == done.stdout


def test_a_table_waits_for_no_learner_and_no_picture():
    """Asking a file needs an engine and JAX; what learns, draws and reads commands comes later."""
    later = "optax", "sklearn", "matplotlib", "typer", "tacit.learning", "tacit.estimators"
    code = f"""import pandas, sys, tacit
from tacit import tables
rows = pandas.DataFrame({{"who": [1, 2], "days": [3, 4]}})
table = tacit.Table(rows, person="who", name="people", ledger=":memory:")
ask = table.ask(n=tables.count(), stay=tables.mean("days", 0, 9), rows_per_person=1)
ask.plan(tacit.Central(1.0, 1e-6))
print([name for name in {later} if name in sys.modules])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]\n" == done.stdout


def test_names_of_tables_are_no_modules():
    """A module of a name's own name would take its place once anybody has imported it."""
    modules = {each.name for each in pkgutil.iter_modules(tables.__path__)}

    assert modules and not modules & set(tables.__all__)
