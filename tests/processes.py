"""Real processes that play together, for tests: how they are begun, and where they may run."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import jaxlib._jax
import pytest

import tacit

TESTS = Path(__file__).parent
MARKS = [
    pytest.mark.timing,
    pytest.mark.skipif(
        not hasattr(jaxlib._jax, "make_gloo_tcp_collectives"),
        reason="processes on CPUs talk through gloo, and this jaxlib has none",
    ),
]


def free_port() -> int:
    """Of this machine."""
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return tried.getsockname()[1]


def held(process: subprocess.Popen) -> bool:
    """Whether a process is held now, once it was held or has ended."""
    now = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return now is not None and now.si_code == os.CLD_STOPPED


def begun(
    words: Sequence[object], folder: Path, devices: int, on: Sequence[str] = ()
) -> subprocess.Popen:
    """A Python process in this folder, on so many devices of the CPU.

    Args:
      on: what is written before it, to have it run on another machine.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    own = {
        "XLA_FLAGS": f"{flags} --xla_force_host_platform_device_count={devices}",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": f"{Path(tacit.__file__).parents[1]}:{TESTS}",
    }
    return subprocess.Popen(
        [*on, sys.executable, *map(str, words)],
        cwd=folder,
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
