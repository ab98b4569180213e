"""Which tests `make test` leaves to `make audit`: those that take long and no mutant needs.

`tests/long.txt` names them, each with the processor seconds it took when all were last timed. What
a mutant names is never among them: a planted slip that all tests notice, the quick ones notice too.
And of a test the shortest case, or the only one, is quick if it takes hardly more than others may;
of a file, the shortest always is, and so are the pages that are read first. A case that pytest
numbers has another name once one is inserted before it: time all anew then.

`make long` times everything and writes the list anew.
Run: python -m tiers FOLDER > long.txt   (from tests/; the folder is what `--took` has written)
"""

import os
import resource
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

LONG = Path(__file__).with_name("long.txt")
# The most processor seconds of what is quick, and of a shortest case.
MOST, SHORTEST = 0.4, 0.5
# Quick however long they take: what a newcomer reads first, and what every change may break.
ALWAYS = (
    "tests/test_docs.py::test_every_python_block_runs[README.md]",
    "tests/test_docs.py::test_every_python_block_runs[tutorial.md]",
    "tests/test_style.py::test_the_catalogue_is_exact",
)


def pytest_addoption(parser: pytest.Parser):
    parser.addoption(
        "--tier", choices=("quick", "long"), help="all but those of long.txt, or those"
    )
    parser.addoption("--took", help="a folder to write processor seconds into")


def pytest_configure(config: pytest.Config):
    if config.getoption("--took") is not None:
        config.pluginmanager.register(Took())


def of_tier(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """Those that are asked for: all, without `--tier`."""
    tier = config.getoption("--tier")
    if tier is None:
        return items
    quick_and_long: tuple[list[pytest.Item], list[pytest.Item]] = [], []
    names = listed()
    for item in items:
        quick_and_long[item.nodeid in names].append(item)
    quick, long = quick_and_long
    wanted, others = (long, quick) if tier == "long" else (quick, long)
    config.hook.pytest_deselected(items=others)
    return wanted


@dataclass(eq=False)
class Took:
    """Processor seconds of this process and its children: what a fixture took is shared by all
    tests that have it, whichever of them was first. What is compiled for several is the first
    one's, what is done after a file its last one's. A test that was skipped took nothing, and is
    left to be timed where it is not."""

    tests: dict[str, float] = field(default_factory=dict)
    fixtures: dict[str, float] = field(default_factory=dict)
    users: dict[str, list[str]] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest):
        """Of one that lives longer than a test."""
        if fixturedef.scope == "function":
            return (yield)
        before = self._spent()
        try:
            return (yield)
        finally:
            name = f"{fixturedef.baseid}::{fixturedef.argname}[{request.param_index}]"
            self.fixtures[name] = self.fixtures.get(name, 0.0) + self._spent() - before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item):
        """Of each test, without what such fixtures took meanwhile."""
        before = self._spent()
        try:
            return (yield)
        finally:
            self.tests[item.nodeid] = self._spent() - before
            for name in _fixtures(item):
                self.users.setdefault(name, []).append(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport):
        """Which tests told nothing of what they take."""
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session):
        """Writes a line for each test, in a file of this process."""
        folder = Path(session.config.getoption("--took"))
        folder.mkdir(exist_ok=True)
        lines = (f"{spent:.2f} {name}\n" for name, spent in self.shared().items())
        (folder / str(os.getpid())).write_text("".join(lines))

    def shared(self) -> dict[str, float]:
        """Each test's own seconds, and its share of its fixtures'."""
        found = dict(self.tests)
        for name, spent in self.fixtures.items():
            for user in self.users.get(name, ()):
                found[user] += spent / len(self.users[name])
        return {name: spent for name, spent in found.items() if name not in self.skipped}

    def _spent(self) -> float:
        """But for fixtures."""
        return _processor_seconds() - sum(self.fixtures.values())


def _fixtures(item: Any) -> Iterator[str]:
    """Each that a test has, with which of its cases."""
    cases = item.callspec.indices if hasattr(item, "callspec") else {}
    for *_, each in item._fixtureinfo.name2fixturedefs.values():
        yield f"{each.baseid}::{each.argname}[{cases.get(each.argname, 0)}]"


def _processor_seconds() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def listed() -> dict[str, float]:
    """Seconds of each test that is left to `make audit`."""
    return seconds(LONG.read_text().splitlines())


def seconds(lines: Iterable[str]) -> dict[str, float]:
    """What each test took, of lines as they are written here; the last of a test run twice."""
    return {name: float(took) for took, name in (line.split(" ", 1) for line in lines)}


def left_out(took: Mapping[str, float], needed: Set[str]) -> dict[str, float]:
    """Of all tests and what they took, those that `make test` leaves out.

    Args:
      needed: what mutants name: a test's file and function, or one of its cases.
    """
    shortest: dict[str, float] = {}
    for name, spent in took.items():
        for whose in (function(name), file(name)):
            shortest[whose] = min(spent, shortest.get(whose, spent))
    return {
        name: spent
        for name, spent in sorted(took.items())
        if spent > MOST
        and name not in ALWAYS
        and needed.isdisjoint((name, function(name)))
        and not spent == shortest[function(name)] <= SHORTEST
        and spent != shortest[file(name)]
    }


def function(name: str) -> str:
    """The file and function of a case."""
    return name.split("[")[0]


def file(name: str) -> str:
    """The file of a case."""
    return name.split("::")[0]


def main(folder: Path) -> None:
    # Whoever runs tests needs no catalogue.
    from mutants.catalogue import MUTANTS

    lines = [line for path in folder.iterdir() for line in path.read_text().splitlines()]
    needed = {f"tests/{test}" for mutant in MUTANTS for test in mutant.tests}
    for name, spent in left_out(seconds(lines), needed).items():
        print(f"{spent:.2f} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
