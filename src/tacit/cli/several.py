"""One command played by several processes, one a machine: how they begin, and how they end.

The first process does all that leaves a trace. The others compute with it (`population.hosts`), say
one sentence when they begin and one when they end, and write nothing.

| what happens | the first | the others |
| --- | --- | --- |
| all is done | 0 | 0 |
| one is refused | 2, and why | 2, and why |
| the first is stopped | as one alone: 130 or 143 | 2, and what the first said |
| another is stopped: at once | 2, and how to go on | 130 or 143; the rest 2 |
| one is killed, or fails where others wait for it | 2, and how to go on | 2 |
| a machine is gone, which its line tells | 2, and how to go on | 2 |

What all do together next fails where a process was killed, and waits where a machine is gone: a
process whose line is over goes on for `GRACE` seconds and ends. JAX would miss its heartbeats in
about two minutes, and abort; sooner it cannot be asked to, for a thread of the process sends them,
and a process that is held for a while would be taken for one that is gone.

A process does not end in Python's order, in which JAX waits for those that are gone. The first ends
last, because the others hear of one another through it.
"""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import jax
import typer

from tacit.cli import line, meeting, voice
from tacit.cli.guard import status_of
from tacit.cli.interruption import Stop, ended, noted_by, on_the_spot
from tacit.cli.line import LOOPBACK, Line
from tacit.cli.meeting import Team
from tacit.population.hosts import OutOfStep

# Seconds: how long the first waits for the others' end; how long one goes on when another is gone,
# which the next thing they do together shows by itself; and how long JAX has to begin.
LAST, GRACE, BEGIN = 5.0, 5.0, 60
GONE = "another process of this run is gone, and this one ends"

HostsOption = Annotated[int, typer.Option(help="How many machines run this command together.")]
HostOption = Annotated[int, typer.Option(help="Which of them this is; 0 writes the results.")]
MeetOption = Annotated[
    str | None, typer.Option(help="ADDRESS:PORT, of machine 0, where they meet.")
]
OWN = ("host", "meet")


@contextmanager
def joined(team: Team, context: typer.Context, stop: Stop) -> Iterator[None]:
    """Within, all processes of a run play; at its end this one ends. One alone is left alone."""
    if not team.several:
        yield
        return
    leaving = threading.Event()
    with ended("stopped before anything was charged"):
        lines = _joined(team, context, lambda to: _watched(to, leaving, team.first, stop))
    with _nothing_else_said():
        status = 0
        try:
            yield
            if not team.first:
                voice.note(f"process {team.host} of {team.hosts} has played its part")
        except BaseException as error:
            status = _said(error)
        _leave(team, lines, leaving, status)


@contextmanager
def stopping(team: Team, stop: Stop) -> Iterator[Stop]:
    """Within, a signal stops the first process between rounds, and any other on the spot."""
    if not team.first:
        with ended("stopped, and the run with it; process 0 says how to go on"):
            yield stop
        return
    with noted_by(stop):
        try:
            yield stop
        except OutOfStep as error:
            stop.check()
            raise OutOfStep(f"{error}: {stop.left}") from error


def _joined(team: Team, context: typer.Context, watched: Callable[[Line], None]) -> list[Line]:
    """The lines to the others, each watched by a thread, once JAX knows them all."""
    if not team.first:
        voice.note(f"process {team.host} of {team.hosts} plays along with {team.meet}")
    said = {_option(name): str(value) for name, value in context.params.items() if name not in OWN}
    far = meeting.met(team, said)
    door = line.door()
    port = door.getsockname()[1]
    if team.first:
        # JAX's own service listens there.
        door.close()
    near = (lambda: line.to_service(port)) if team.first else (lambda: door.accept()[0])
    lines = [Line(each, near) for each in far]
    for each in lines:
        threading.Thread(target=watched, args=(each,), daemon=True).start()
    _begin_jax(team, port)
    return lines


def _begin_jax(team: Team, port: int) -> None:
    """JAX has handlers of its own for SIGTERM, and words of its own for proxies: neither here."""
    jax.config.update("jax_enable_preemption_service", False)
    jax.config.update("jax_check_proxy_envs", False)
    os.environ.update(no_grpc_proxy=LOOPBACK)
    jax.distributed.initialize(
        f"{LOOPBACK}:{port}",
        team.hosts,
        team.host,
        cluster_detection_method="deactivate",
        coordinator_bind_address=f"{LOOPBACK}:{port}",
        initialization_timeout=BEGIN,
    )


def _watched(to: Line, leaving: threading.Event, first: bool, stop: Stop) -> None:
    """Ends this process if the one at the end of the line is gone, and nothing else shows it.

    Args:
      to: the line.
      leaving: whether this process ends by itself.
      first: whether it is the first, which knows how to go on.
      stop: a signal that the first had noted is why it ends.
    """
    to.ended.wait()
    if leaving.wait(GRACE):
        return
    if stop.noted is not None:
        stop.end(stop.noted, None)
    on_the_spot(f"{GONE}: {stop.left}" if first else GONE, 2)


@contextmanager
def _nothing_else_said() -> Iterator[None]:
    """Within, standard output is this program's alone: what JAX's libraries print there is lost."""
    sys.stdout.flush()
    own, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    before, sys.stdout = sys.stdout, os.fdopen(own, "w", encoding=sys.stdout.encoding)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(own, 1)
        sys.stdout = before


def _said(error: BaseException) -> int:
    """The status that goes with an error, which was said."""
    status = status_of(error)
    if status is None:
        traceback.print_exception(error)
    return 1 if status is None else status


def _leave(team: Team, lines: list[Line], leaving: threading.Event, status: int) -> NoReturn:
    leaving.set()
    sys.stdout.flush()
    sys.stderr.flush()
    deadline = time.monotonic() + LAST
    for each in lines if team.first else ():
        each.ended.wait(max(0.0, deadline - time.monotonic()))
    os._exit(status)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
