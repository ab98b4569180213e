"""A mutant: one line of the source as a plausible slip would have left it, less private than said.

Its original text must stand exactly once in its file, so a list of mutants cannot rot unnoticed:
where the code moves on, `original` says which mutant has to move with it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"
# Compiled files are known by the second that their source was written in: no two are alike.
_seconds = count(1)


@dataclass(frozen=True)
class Mutant:
    """What stands in `file` (below `src/tacit`), what stands there instead, and who must notice.

    Args:
      breaks: why less is hidden then than is promised.
      tests: pytest's names of the tests that must fail, below `tests`; one failure is enough.
    """

    file: str
    text: str
    instead: str
    breaks: str
    tests: tuple[str, ...]


def of(file: str, killers: str, *changes: tuple[str, ...]) -> tuple[Mutant, ...]:
    """The mutants of one file.

    Args:
      killers: the file of tests that mirrors it.
      changes: the text, what stands there instead, why that breaks privacy, and the tests: names in
        `killers` without their `test_`, or whole names of tests elsewhere.
    """
    return tuple(
        Mutant(file, text, instead, breaks, tuple(_name(killers, test) for test in tests))
        for text, instead, breaks, *tests in changes
    )


def original(mutant: Mutant, source: Path = SOURCE) -> str:
    """The file's content.

    Raises:
      LookupError: if the mutant's text does not stand there exactly once.
    """
    content = (source / "tacit" / mutant.file).read_text()
    if content.count(mutant.text) != 1:
        found = content.count(mutant.text)
        raise LookupError(
            f"{mutant.file} must hold this once, and does {found} times: {mutant.text}"
        )
    return content


@contextmanager
def planted(mutant: Mutant, source: Path) -> Iterator[None]:
    """While this is open, `source` (a copy) is the mutant."""
    content = original(mutant, source)
    path = source / "tacit" / mutant.file
    _write(path, content.replace(mutant.text, mutant.instead))
    try:
        yield
    finally:
        _write(path, content)


def _write(path: Path, content: str) -> None:
    path.write_text(content)
    second = next(_seconds)
    os.utime(path, (second, second))


def _name(killers: str, test: str) -> str:
    return test if "::" in test else f"{killers}::test_{test}"
