"""A process that has imported what commands need, and has copies of itself run them.

Importing takes longer than most of what tests have a process of its own for. The one that waits
asks JAX for no device, whose threads a copy would not have; a copy ends as any process does.

Run: python -m cli.ready   (from tests/), which is told a command a line, as JSON.
"""

import functools
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parents[1]
NEEDED = ("train", "compare", "ask", "synthesize")
KEPT = ("stdout", "stderr")


def ran(*words: object) -> subprocess.CompletedProcess[str]:
    """What became of `python -m` these words."""
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in KEPT]
        waiting = _waiting()
        assert waiting.stdin is not None and waiting.stdout is not None
        waiting.stdin.write(json.dumps([str(word) for word in (folder, *words)]) + "\n")
        waiting.stdin.flush()
        status = int(waiting.stdout.readline())
        return subprocess.CompletedProcess(words, status, *(file.read_text() for file in files))


@functools.cache
def _waiting() -> subprocess.Popen[str]:
    """It ends with the process that began it, when nobody can tell it anything more."""
    return subprocess.Popen(
        [sys.executable, "-m", "cli.ready"],
        cwd=TESTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def told() -> Sequence[str]:
    """A command's words, in a copy of the process that waits; there this ends with it."""
    for line in sys.stdin:
        folder, *words = json.loads(line)
        if not (process := os.fork()):
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            for number, name in enumerate(KEPT, 1):
                os.dup2(os.open(Path(folder) / name, os.O_WRONLY | os.O_CREAT), number)
            return words
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    sys.exit()


if __name__ == "__main__":
    for name in NEEDED:
        import_module(f"tacit.cli.{name}")
    sys.argv[1:] = told()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
