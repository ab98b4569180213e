"""How the command line says what it says.

Results go to standard output; progress, notes and errors to standard error, so that `--json` can
be piped. An error is one sentence, which says what is allowed; `guard` ends the command after it.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from tacit.cli.interruption import Stop
from tacit.late import LatePart

if TYPE_CHECKING:
    from tacit import page
else:
    # Who is refused, or wants help, waits for no NumPy.
    page = LatePart("tacit.page")

# What people wrote is shown as they wrote it: `:x:` is no emoji.
OUT = Console(emoji=False)
ERR = Console(stderr=True, emoji=False)

# Told a release's name, the rounds done and their number, and the accuracy where it was measured.
Watch = Callable[[str, int, int, float | None], None]


def refuse(sentence: str) -> None:
    """One sentence on standard error."""
    _tell(sentence, "bold red")


def opening(sentences: str) -> None:
    """What a command is about to show, on standard error, in lines of a page's width."""
    ERR.print(f"{page.folded(sentences)}\n", markup=False, highlight=False, soft_wrap=True)


def note(sentence: str) -> None:
    """Something the user should know, on standard error."""
    _tell(sentence, "yellow")


def result(sentence: str, style: str = "") -> None:
    """A sentence of a result, on standard output."""
    _print(OUT, sentence, style)


def _tell(sentence: str, style: str) -> None:
    _print(ERR, f"tacit: {sentence}", style)


def _print(console: Console, sentence: str, style: str) -> None:
    """In lines broken between words on a terminal, and in one line where it may be searched for."""
    whole = not console.is_terminal
    console.print(sentence, style=style, markup=False, highlight=False, soft_wrap=whole)


def data(value: Any) -> None:
    """`value` as JSON on standard output."""
    print(json.dumps(value, indent=2))


@final
class _Stopping(ProgressColumn):
    """Says that a signal was noted: a round or a compilation may take a while to end."""

    def __init__(self, stop: Stop):
        super().__init__()
        self._stop = stop

    def render(self, task: Task) -> Text:
        del task
        return Text("" if self._stop.noted is None else "stopping; again to stop at once")


def _columns(stop: Stop) -> tuple[ProgressColumn, ...]:
    """What a bar shows, from left to right."""
    return (
        SpinnerColumn(),
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[shown]}"),
        TimeElapsedColumn(),
        _Stopping(stop),
    )


@contextmanager
def progress(jobs: int, stop: Stop) -> Iterator[Watch]:
    """Live bars: one for the session, one for the rounds of the release in progress.

    None where nobody looks: not a line, so that what is said to a file is only what went wrong.
    """
    if not ERR.is_terminal:
        yield lambda name, done, total, accuracy: None
        return
    with Progress(*_columns(stop), console=ERR, transient=True) as bars:
        whole = bars.add_task("releases", total=jobs, shown="")
        rounds = bars.add_task("", total=1, shown="")

        def watch(name: str, done: int, total: int, accuracy: float | None) -> None:
            shown = "" if accuracy is None else f"{accuracy:.1%} right"
            bars.update(rounds, description=name, completed=done, total=total, shown=shown)
            if done == total:
                bars.advance(whole)

        yield watch
