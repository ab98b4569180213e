"""Processes of Python beside this one: begun here, and gone when this one is, however it ends.

Each holds the end of a pipe that this process never writes to. When nobody holds the other end any
more, it asks itself to end, as SIGTERM would; so it does not outlive a process that was killed. It
has a session of its own: Ctrl-C is heard here first, and what has to be done before they end is.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

# An unbuffered read: the end of the process does not wait for a lock of its standard input.
_UNTIL_ALONE = """
import os, signal, threading
def alone():
    while os.read(0, 1): pass
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=alone, daemon=True).start()
"""
_SECONDS_TO_END = 10.0


def begin(
    code: str, words: Sequence[object], log: Path, own: Mapping[str, str]
) -> subprocess.Popen:
    """Runs this code, with these words as its arguments; what it says is appended to the log.

    Args:
      own: what it has in its environment besides.
    """
    with log.open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-c", _UNTIL_ALONE + code, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            env={**os.environ, **own},
            start_new_session=True,
        )


def end(*processes: subprocess.Popen) -> None:
    """Asks all of them to end, and ends those that do not within ten seconds, the same for all."""
    until = time.monotonic() + _SECONDS_TO_END
    for each in processes:
        each.send_signal(signal.SIGTERM)
    for each in processes:
        try:
            each.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            each.kill()
            each.wait()
        if each.stdin is not None:
            each.stdin.close()
