"""While tests run, array shapes and types are checked at every call where numbers are made.

Mechanisms are left out: their number fields are annotated as the floats a user gives, and hold
tracers inside a compiled program. Readers of data refuse wrong shapes with sentences of their own.
So are `noise.weights` and `noise.exact`, which work on whole numbers and are called a hundred
thousand times for one mechanism or audit.

Searches for counterexamples are the same each time: tests pass or fail for their code alone.
`make audit` runs them with the profile `free`: more of them, and others each time.
"""

import gc
import os
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

import jax
import pytest
from hypothesis import settings
from jaxtyping import install_import_hook
from threadpoolctl import threadpool_limits

from tiers import of_tier, pytest_addoption, pytest_configure

# Hooks of pytest's, by their names.
__all__ = ["pytest_addoption", "pytest_configure"]

# By their files: what is imported before the hook stands is never checked.
NOISE = {path.stem for path in Path(__file__).parents[1].glob("src/tacit/noise/[!_]*.py")}
# The one-call statistics refuse what is of another type themselves, and in words.
STATISTICS = ("answer", "answers", "average", "counts", "frequencies", "limits")

settings.register_profile("fixed", derandomize=True, deadline=None, database=None, max_examples=300)
settings.register_profile("free", deadline=None, database=None, max_examples=5_000, print_blob=True)
settings.load_profile("fixed")


def _cores_of_its_own():
    """Each process of `pytest -n` has its share of the processors.

    Otherwise the threads of each, which ask for work again and again, take the other's.
    """
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    many = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    own = sorted(os.sched_getaffinity(0))[int(number) :: many]
    if own:
        os.sched_setaffinity(0, own)
        # NumPy is here already, with a thread for each that it saw: on one processor those wait for
        # each other many times as long as they work.
        threadpool_limits(len(own), user_api="blas")


# Before XLA has threads. Not every system knows of such shares.
if hasattr(os, "sched_setaffinity"):
    _cores_of_its_own()

# Every program traced notes where each of its operations was written; nobody reads that here.
jax.config.update("jax_traceback_in_locations_limit", 0)

# Programs compiled, from here until all tests are collected.
COMPILED: list[str] = []


def _compiled(event: str, seconds: float, **more: Any):
    if event.endswith("backend_compile_duration"):
        COMPILED.append(event)


jax.monitoring.register_event_duration_secs_listener(_compiled)

install_import_hook(
    [
        *(f"tacit.noise.{name}" for name in sorted(NOISE - {"weights", "exact"})),
        *(f"tacit.statistics.{name}" for name in STATISTICS),
        "tacit.federated",
        *(f"tacit.models.{name}" for name in ("correlation", "losses", "networks", "pooling")),
    ],
    "beartype.beartype",
)

# Files and folders in which the library has its own generator, and nowhere else.
OWN_GENERATOR = (
    *("noise", "population", "cli", "experiments"),
    *("guarantees/test_grant_life.py", "test_examples.py"),
)
# But where fifty thousand reports are drawn, of which nothing but their law is told; and where it
# does not matter what is drawn from.
MANY_REPORTS = ("experiments/test_logistic.py", "experiments/test_played.py")
WHATEVER = (
    *(f"cli/test_{name}.py" for name in ("compare", "session", "simulate")),
    *(f"population/test_{name}.py" for name in ("program", "release", "rounds", "run")),
    *(f"population/test_{name}.py" for name in ("side_by_side", "staged", "watch", "watching")),
)

# Files that take longest: with the others behind them, no process waits for another at the end.
LONGEST = ("test_docs.py", "guarantees/test_audits.py", "guarantees/test_audited_runs.py")


# What imports and collected tests leave is never garbage, and is most of what there is: looking
# through it is three tenths of a second, and each file would again.
gc.disable()


def pytest_collection_finish():
    """What is there before the first test is left out of every search for garbage."""
    jax.monitoring.unregister_event_duration_listener(_compiled)
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    """The longest files first; all else in its order."""
    items[:] = of_tier(config, items)
    items.sort(key=lambda item: not is_among(item.path, LONGEST))


def has_own_generator(path: Path) -> bool:
    """Whether the tests of this file are with the library's own generator."""
    return is_among(path, OWN_GENERATOR) and not is_among(path, MANY_REPORTS + WHATEVER)


def is_among(path: Path, files: tuple[str, ...]) -> bool:
    """Whether these files and folders have it."""
    own = path.relative_to(Path(__file__).parent)
    return any(own.is_relative_to(each) for each in files)


@pytest.fixture(scope="session")
def compiled_while_collecting() -> int:
    """How many programs the files compiled as they were imported."""
    return len(COMPILED)


@pytest.fixture(autouse=True, scope="module")
def _random_words_that_compile_fast(request: pytest.FixtureRequest):
    """ChaCha20 takes longer to compile than most programs that draw from it."""
    if has_own_generator(request.path):
        yield
        return
    chacha, quick_keys = (import_module(name) for name in ("tacit.noise.chacha", "quick_keys"))
    with mock.patch.object(chacha, "IMPL", quick_keys.IMPL):
        yield


@pytest.fixture(autouse=True, scope="session")
def _nothing_is_kept_at_home(tmp_path_factory: pytest.TempPathFactory):
    """Nor found there: what took long to find is kept for this run alone, by its children too.

    But for the list of fonts, which says nothing of the library.
    """
    fonts = os.environ.get("MPLCONFIGDIR") or str(Path.home() / ".cache" / "matplotlib")
    own = {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")), "MPLCONFIGDIR": fonts}
    with mock.patch.dict(os.environ, own):
        yield


@pytest.fixture(autouse=True, scope="module")
def _no_power_is_cut(request: pytest.FixtureRequest):
    """Nor does a ledger wait for the disk at each commit, but in tests of its own, which see that
    others do."""
    database = import_module("tacit.ledger.database")
    prepare = database._prepare_sqlite

    def without_waiting(connection: Any, record: Any) -> None:
        prepare(connection, record)
        connection.execute("PRAGMA synchronous = OFF")

    if is_among(request.path, ("ledger",)):
        yield
        return
    with mock.patch.object(database, "_prepare_sqlite", without_waiting):
        yield


@pytest.fixture(autouse=True, scope="module")
def _programs_go_with_their_file():
    """Every compiled program maps memory, and a process may have 65,530 mappings.

    Without this one that runs half of all files dies in the compiler.
    """
    yield
    forget = import_module("tacit.population.program").forget
    forget()
    jax.clear_caches()
    gc.collect()
