"""The names at the top and in every room: all there, and imported when they are used."""

import ast
import pkgutil
import re
import subprocess
import sys
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType

import pytest

import tacit
from tacit import first_use
from tacit.question.sums import no_question

ROOT = Path(tacit.__file__).parent
# Every package with a list of its names, but the library's own: `accounting`, `tables`, ...
ROOMS = sorted(
    ".".join(("tacit", *face.relative_to(ROOT).parts[:-1]))
    for face in ROOT.rglob("__init__.pyi")
    if face.parent != ROOT
)
# What a newcomer reads first: `help(tacit.mechanisms)` says of each name what it is for.
TOLD = "accounting", "attacks", "estimators", "features", "learning", "mechanisms", "models"


def modules_listed(room: str) -> set[str]:
    """Which names of a face are meant to be modules: those of its `from . import`."""
    face = ROOT.joinpath(*room.split(".")[1:], "__init__.pyi")
    lines = ast.parse(face.read_text()).body
    whole = [line for line in lines if isinstance(line, ast.ImportFrom) and line.module is None]
    return {alias.name for line in whole for alias in line.names}


def home(thing: object) -> str:
    """The module that a name's meaning is, or was made in."""
    return thing.__name__ if isinstance(thing, ModuleType) else str(thing.__module__)


def printed(code: str) -> str:
    """What a new process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_every_name_at_the_top_is_one():
    """As listed, and in the order of the alphabet."""
    assert sorted(tacit.__all__) == dir(tacit) and len(tacit.__all__) > 35
    named = {name: getattr(tacit, name).__name__.removeprefix("tacit.") for name in tacit.__all__}
    assert all(name == own for name, own in named.items())


def test_the_version_is_the_installed_ones():
    """Which the command line prints; no name of the library, and read when it is asked for."""
    own = metadata.version("tacit")
    code = """import sys, tacit
print("importlib.metadata" in sys.modules, tacit.__version__)"""

    assert tacit.__version__ == own and "__version__" not in tacit.__all__
    assert f"False {own}\n" == printed(code)


PLACES = [
    ("tacit", "Grant", "tacit.population.Grant"),
    ("tacit", "OverBudget", "tacit.ledger.OverBudget"),
    ("tacit", "Checkpoint", "tacit.population.Checkpoint"),
    ("tacit", "SparseBall", "tacit.contribution.SparseBall"),
    ("tacit", "DecisionTree", "tacit.question.DecisionTree"),
    ("tacit.population", "Mean", "tacit.Mean"),
]


@pytest.mark.parametrize("room, name, place", PLACES)
def test_who_asks_the_wrong_room_is_told_the_right_one(room, name, place):
    """Every place that has the name; one at the top is enough."""
    with pytest.raises(AttributeError, match=rf"^No {room} attribute {name}: it is {place}\b"):
        getattr(import_module(room), name)


@pytest.mark.parametrize("name", ["Grand", "_Grant", "__wrapped__", "argument", "trust"])
def test_what_is_in_no_room_is_told_nowhere(name):
    """Nor is a module, which imports ask for before they read it."""
    with pytest.raises(AttributeError, match=f"^No tacit attribute {name}$"):
        first_use.names("tacit", str(tacit.__file__))[0](name)


def test_telling_where_a_name_is_imports_no_room():
    """It is read from their lists; and whoever imports a module reads none."""
    code = """import sys, tacit
from tacit import argument, first_use
print(first_use._lists.cache_info().misses, hasattr(tacit, "Grant"), "jax" in sys.modules)
print(first_use._lists.cache_info().misses, "tacit.population" in sys.modules)"""

    assert "0 False False\n1 False\n" == printed(code)


@pytest.mark.parametrize("room", ["cli", "data", "device", "noise", "server", "solve", "trust"])
def test_what_is_no_room_says_what_it_is(room):
    """`help(tacit)` lists these packages too."""
    assert len((import_module(f"tacit.{room}").__doc__ or "").splitlines()[0]) > 40


def test_a_room_has_the_questions_and_errors_that_it_names():
    """What a refusal says a question is, and what a ledger's docstrings say they raise."""
    named = re.findall(r"\b[A-Z]\w+", str(no_question(3)))
    assert "Keyed" in named and set(named) <= set(tacit.question.__all__)

    raised = {"Unknown", "NoLimit", "RefusedGrant", "Finished", "OverBudget", "LedgerError"}
    assert raised <= set(tacit.ledger.__all__)


def test_importing_the_library_waits_for_nothing():
    """JAX comes with the first name that needs it."""
    there = "print('jax' in sys.modules)"
    code = f"import sys, tacit; {there}; tacit.Interval; {there}"

    assert "False\nTrue\n" == printed(code)


def test_a_plan_waits_for_no_database(tmp_path):
    """What keeps accounts is imported with the first of them."""
    code = f"""import sys, tacit
there = lambda: print("sqlalchemy" in sys.modules)
question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), rounds=1, people=10)
plan = tacit.Central(1.0, 1e-6).plan(question)
there()
tacit.Ledger({str(tmp_path / "ledger.db")!r}).limit_for("people", plan)
there()"""

    assert "False\nTrue\n" == printed(code)


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

    assert "[]\n" == printed(code)


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_a_room_is_what_it_says(room):
    """It is there under its own name, and was made in that room."""
    face = import_module(room)
    found = {name: getattr(face, name) for name in face.__all__}

    assert found and sorted(found) == face.__all__ == dir(face)
    assert [] == [name for name, thing in found.items() if not home(thing).startswith(f"{room}.")]
    named = {name: thing.__name__.removeprefix(f"{room}.") for name, thing in found.items()}
    assert all(name == own for name, own in named.items())


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_takes_the_place_of_a_name(room):
    """A module of a name's own name would, once anybody has imported it: it is listed, or none."""
    face = import_module(room)
    modules = {each.name for each in pkgutil.iter_modules(face.__path__)}

    assert modules and modules & set(face.__all__) == modules_listed(room)


def test_a_room_waits_for_nothing():
    """Whoever asks for a room, and what is in it, imports faces and what makes them, and no JAX."""
    code = f"""import sys, tacit
from importlib import import_module
faces = [import_module(room) for room in {ROOMS}]
names = [dir(face) for face in faces]
print("jax" in sys.modules, *sorted(name for name in sys.modules if name.startswith("tacit")))"""

    assert ["False", *sorted({"tacit", "tacit.first_use", "tacit.uncollected", *ROOMS})] == printed(
        code
    ).split()


def test_a_room_is_there_without_an_import_of_its_own():
    """`import tacit` is enough for `tacit.estimators.LogisticRegression`."""
    rooms = [room.removeprefix("tacit.") for room in ROOMS if room.count(".") == 1]
    code = f"import tacit; print(*(getattr(tacit, room).__name__ for room in {rooms}))"

    assert set(TOLD) <= set(rooms)
    assert [f"tacit.{room}" for room in rooms] == printed(code).split()


def test_accounting_needs_no_jax():
    """Nor does any name of it."""
    code = """import sys
from tacit import accounting
found = [getattr(accounting, name) for name in accounting.__all__]
print(len(found) > 10, "jax" in sys.modules)"""

    assert "True False\n" == printed(code)


@pytest.mark.parametrize("room", TOLD)
def test_a_room_says_what_each_name_is_for(room):
    """In its docstring, where `help` shows it first; a name that nobody mentions is not found."""
    face = import_module(f"tacit.{room}")
    told = set(re.findall(r"`(\w+)`", face.__doc__ or ""))

    assert [] == [name for name in face.__all__ if name not in told]
