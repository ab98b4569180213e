"""Which tests `make test` leaves to `make audit`: those that take long and no mutant needs.

`tests/long.txt` names them, each with the processor seconds it took when all were last timed. What
a mutant names is never among them: a planted slip that all tests notice, the quick ones notice too.
And of a test of many cases the shortest is quick, unless that alone takes long.

`make long` times everything and writes the list anew.
Run: python -m tiers FOLDER > long.txt   (from tests/; the folder is what `--took` has written)
"""

import os
import resource
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path

import pytest

LONG = Path(__file__).with_name("long.txt")
# Processor seconds: of a test that is left out, and of a shortest case that is not.
MOST, SHORTEST = 0.4, 1.0


def pytest_addoption(parser: pytest.Parser):
    parser.addoption(
        "--tier", choices=("quick", "long"), help="all but those of long.txt, or those"
    )
    parser.addoption("--took", help="a folder to write processor seconds into")


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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Writes down what each test and its fixtures took, by this process and its children."""
    folder = item.config.getoption("--took")
    before = _processor_seconds()
    try:
        return (yield)
    finally:
        if folder is not None:
            Path(folder).mkdir(exist_ok=True)
            with (Path(folder) / str(os.getpid())).open("a") as file:
                file.write(f"{_processor_seconds() - before:.2f} {item.nodeid}\n")


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
        shortest[function(name)] = min(spent, shortest.get(function(name), spent))
    return {
        name: spent
        for name, spent in sorted(took.items())
        if spent > MOST
        and needed.isdisjoint((name, function(name)))
        and not spent == shortest[function(name)] <= SHORTEST
    }


def function(name: str) -> str:
    """The file and function of a case."""
    return name.split("[")[0]


def main(folder: Path) -> None:
    # Whoever runs tests needs no catalogue.
    from mutants.catalogue import MUTANTS

    lines = [line for path in folder.iterdir() for line in path.read_text().splitlines()]
    needed = {f"tests/{test}" for mutant in MUTANTS for test in mutant.tests}
    for name, spent in left_out(seconds(lines), needed).items():
        print(f"{spent:.2f} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
