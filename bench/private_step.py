"""Claim: what a private step costs beside PyTorch's plain step, and Opacus's private ones.

The networks and batches are those of `clipping.py`, PyTorch's those of `clipping_opacus.py`. Each
way is a process of its own, all on one processor; they take turns, a turn is several steps, and a
time is the processor time of one of them. A ratio is the median over turns. Beside it stand the
page faults of a step: memory that is mapped anew at every step costs as much as arithmetic.

Run: python bench/private_step.py [TURNS]
"""

import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median
from typing import NamedTuple

from claims import Claim, at_most, settle, skipped

TURNS, STEPS = 9, 5
TACIT, TORCH, HOOKS, GHOST = "tacit", "PyTorch, plain", "Opacus, hooks", "Opacus, ghost"
# Of PyTorch's plain step.
LIMITS = {
    "small digits, batch 256": 1.3,
    "small colours, batch 64": 1.1,
    "LSTM, 64 texts of 64 words": 1.7,
    "transformer, 64 texts of 64 words": 1.5,
}
OF_OPACUS = 0.5


class Turn(NamedTuple):
    """Of one step: seconds of the processor, of them in the system, and page faults."""

    processor: float
    system: float
    faults: float


def main() -> Iterator[Claim]:
    """Prints every way's time and faults, and their ratios."""
    if sys.argv[1:2] == ["--serve"]:
        sys.exit(serve(*sys.argv[2:]))
    if find_spec("opacus") is None:
        yield skipped("no Opacus")
        return
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    # What is begun from here has this one too: threads that wait count as work elsewhere.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name, limit in LIMITS.items():
        rows = taken_in_turns(name, turns)
        for way in rows[0]:
            said = [median(row[way][kind] for row in rows) for kind in range(3)]
            print(f"{way:>16} {1e3 * said[0]:8.1f} ms, {1e3 * said[1]:6.1f} of them in the system,"
                  f" {said[2]:8.0f} faults")  # fmt: skip
        over = [row[TACIT].processor / row[TORCH].processor for row in rows]
        yield at_most(f"{name}, over PyTorch's plain step", over, limit)
        fastest = [
            row[TACIT].processor / min(row[HOOKS].processor, row[GHOST].processor) for row in rows
        ]
        yield at_most(f"{name}, over Opacus's fastest", fastest, OF_OPACUS)


def taken_in_turns(name: str, turns: int) -> list[dict[str, Turn]]:
    """Every way's turns, by processes that wait for one another."""
    command = [sys.executable, __file__, "--serve", name]
    servers = {
        way: subprocess.Popen(
            [*command, way], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for way in (TACIT, TORCH, HOOKS, GHOST)
    }
    rows = [{way: asked(server) for way, server in servers.items()} for _ in range(turns + 1)]
    for server in servers.values():
        server.communicate()
    return rows[1:]


def asked(server: subprocess.Popen) -> Turn:
    """One turn of one process."""
    assert server.stdin and server.stdout
    server.stdin.write("\n")
    server.stdin.flush()
    return Turn(*map(float, server.stdout.readline().split()))


def serve(name: str, way: str) -> None:
    """Takes a turn whenever a line is read."""
    warnings.simplefilter("ignore", UserWarning)
    step = ours(name) if way == TACIT else theirs(name, way)
    step()
    for _ in sys.stdin:
        print(*turn(step), flush=True)


def turn(step: Callable[[], object]) -> Turn:
    """What one step of several takes."""
    before = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    for _ in range(STEPS):
        step()
    after, now = resource.getrusage(resource.RUSAGE_SELF), time.process_time()
    system = after.ru_stime - before[0].ru_stime
    faults = after.ru_minflt - before[0].ru_minflt
    return Turn((now - before[1]) / STEPS, system / STEPS, faults / STEPS)


def ours(name: str) -> Callable[[], object]:
    """The private step."""
    import equinox as eqx
    import jax

    from clipping import cases, kept, program

    case = cases()[name]
    run, arrays = program(kept, case.model, case.batch), eqx.filter(case.model, eqx.is_array)
    return lambda: jax.block_until_ready(run(arrays, case.batch))


def theirs(name: str, way: str) -> Callable[[], object]:
    """PyTorch's plain step, or one of Opacus's."""
    import numpy as np
    import torch

    from clipping import cases
    from clipping_opacus import ghost_step, hooked_step, networks, plain_step

    torch.set_num_threads(1)
    usual, private = networks()[name]
    inputs, labels = (torch.from_numpy(np.array(array)) for array in cases()[name].batch)
    inputs = inputs.movedim(-1, 1).contiguous() if inputs.ndim == 4 else inputs.long()
    if way == TORCH:
        return plain_step(usual(), inputs, labels.long())
    made = hooked_step if way == HOOKS else ghost_step
    return made(private(), inputs, labels.long())


if __name__ == "__main__":
    settle(main())
