"""Sessions with the command line as text: what was typed, what was said, and the status if not 0.

A transcript is one session in a folder that is empty, but for the files in the folder of its name.
`cd tests && ../.venv/bin/python -m sessions` plays them all and writes what is said now; read the
difference before keeping it.
"""

import contextlib
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

# Whoever imports the console first sets its width, which is 80 here.
from tacit.cli import voice  # noqa: F401
from tacit.cli.main import app

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
TYPED = re.compile(r"^\$ (.+)$", re.MULTILINE)
# What two sessions differ in: days and times, names that are drawn, and how well and how long a
# model learned.
VOLATILE = (
    (re.compile(r" +(?=\n)"), ""),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "YYYY-MM-DD"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "HH:MM:SS"),
    (re.compile(r"\bgrant [0-9a-f]{8}…"), "grant NNNNNNNN…"),
    (re.compile(r"\b\d\d\.\d% +\d+\.\d(?=\n)"), "NN.N%     N.N"),
)


def again(path: Path) -> str:
    """A transcript, played again."""
    return played(path.read_text(), path.with_suffix(""))


def played(transcript: str, files: Path | None = None) -> str:
    """The commands of a transcript again, with what each says now."""
    with _empty_folder():
        if files is not None and files.is_dir():
            shutil.copytree(files, Path(), dirs_exist_ok=True)
        return "\n".join(_said(command) for command in TYPED.findall(transcript))


def _said(command: str) -> str:
    tacit, *arguments = shlex.split(command)
    assert tacit == "tacit", command
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    said = done.output
    for pattern, stands_for in VOLATILE:
        said = pattern.sub(stands_for, said)
    status = f"[exit status {done.exit_code}]\n" if done.exit_code else ""
    return f"$ {command}\n{said}{status}"


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


if __name__ == "__main__":
    for path in TRANSCRIPTS:
        path.write_text(again(path))
