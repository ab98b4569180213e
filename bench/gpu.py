"""Claim: on a GPU too, privacy costs a step less here than in Opacus, and little beside PyTorch.

The networks of `clipping.py` on the batches they have there and on sixteen times as many examples,
and a WideResNet-16-4 on 1,024 images. All ways take turns in one process; a turn is several steps
and one wait for the device, and a time is that of one step, on the clock. A ratio is the median
over turns. PyTorch multiplies as it does by default: convolutions in TF32, matrices in float32.
JAX's default rounds both to TF32; what is clipped is measured and added in full float32.

Run: python bench/gpu.py [TURNS [STEPS [CASE ...]]]
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from statistics import median
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import random

import wide_resnet
from claims import Claim, at_most, settle, skipped
from clipping import cases, kept, memory, plain, program
from clipping_opacus import GHOST, HOOKS, ghost_step, hooked_step, networks, plain_step

TURNS, STEPS, FOLD, IMAGES = 5, 10, 16, 1_024
OURS, OURS_PLAIN, TORCH = "tacit", "jax.grad", "PyTorch, plain"
WIDE = "WideResNet-16-4"
# Of PyTorch's plain step, and of the faster of Opacus's.
LIMIT, OF_OPACUS = 1.5, 0.5

Step = Callable[[], object]


def main() -> Iterator[Claim]:
    """Prints every way's time and memory, and the ratios."""
    if jax.devices()[0].platform != "gpu" or find_spec("opacus") is None:
        yield skipped("no GPU that JAX sees, or no Opacus")
        return
    import torch

    # Hooks of a first layer warn that its input needs no gradient.
    warnings.simplefilter("ignore")
    turns, steps = asked(1, TURNS), asked(2, STEPS)
    print(f"{torch.cuda.get_device_name()}; {turns} turns of {steps} steps")
    print(", ".join(f"{name} {version(name)}" for name in ("jax", "torch", "opacus")))
    for name, make in settings().items():
        if len(sys.argv) <= 3 or any(part in name for part in sys.argv[3:]):
            yield from compared(name, *make(), turns, steps)
            jax.clear_caches()
            torch.cuda.empty_cache()


def asked(place: int, usual: int) -> int:
    """A number from the command line."""
    return int(sys.argv[place]) if len(sys.argv) > place else usual


def settings() -> dict[str, Callable[[], tuple[Any, Any, tuple[Callable, Callable]]]]:
    """By name: the model, the batch, and PyTorch's network and the one that Opacus takes."""
    made: dict[str, Any] = {}
    for name in cases():
        made[name] = lambda name=name: setting(name, 1)
        made[f"{FOLD} x {name}"] = lambda name=name: setting(name, FOLD)
    made[f"{WIDE}, batch {IMAGES:,}"] = wide
    return made


def setting(name: str, fold: int) -> tuple[Any, Any, tuple[Callable, Callable]]:
    """A case with its batch, so many times over."""
    case = cases()[name]
    batch = jax.tree.map(lambda leaf: jnp.concatenate([leaf] * fold), case.batch)
    return case.model, batch, networks()[name]


def wide() -> tuple[Any, Any, tuple[Callable, Callable]]:
    """The residual network and random images."""
    batch = random.normal(random.key(0), (IMAGES, 32, 32, 3)), jnp.arange(IMAGES) % 10
    network = wide_resnet.WideResNet(random.key(1))
    return network, batch, (wide_resnet.in_torch, wide_resnet.in_torch)


def compared(
    name: str, model: Any, batch: Any, peers: tuple[Callable, Callable], turns: int, steps: int
) -> Iterator[Claim]:
    """One setting's table, and what is claimed of it."""
    print(f"{name}, {sum(leaf.size for leaf in jax.tree.leaves(arrays_of(model))):,} parameters")
    works = {**ours(model, batch), **theirs(batch, *peers)}
    works = {way: work for way, work in works.items() if has_room(way, work.step)}
    rows = [{way: seconds(work.step, steps) for way, work in works.items()} for _ in range(turns)]
    for way, work in works.items():
        taken = 1e3 * median(row[way] for row in rows)
        print(f"{way:>16} {taken:8.2f} ms {work.room() / 2**20:9.1f} MiB")
    over = [row[OURS] / row[TORCH] for row in rows]
    yield at_most(f"{name}, over PyTorch's plain step", over, LIMIT)
    if private := [way for way in (HOOKS, GHOST) if way in works]:
        over = [row[OURS] / min(row[way] for way in private) for row in rows]
        yield at_most(f"{name}, over Opacus's fastest", over, OF_OPACUS)


class Work(NamedTuple):
    """One step, and the bytes that it takes beside parameters and batch."""

    step: Step
    room: Callable[[], float]


def ours(model: Any, batch: Any) -> dict[str, Work]:
    """The private step and the plain one, compiled."""
    found = {}
    for name, way in ((OURS, kept), (OURS_PLAIN, plain)):
        run, arrays = program(way, model, batch), arrays_of(model)
        step = partial(run, arrays, batch)
        found[name] = Work(step, partial(memory, run))
    return found


def theirs(batch: Any, usual: Callable, private: Callable) -> dict[str, Work]:
    """PyTorch's plain step and Opacus's two, each with a network of its own."""
    import torch

    inputs, labels = (torch.from_numpy(np.array(leaf)).cuda() for leaf in batch)
    inputs = inputs.movedim(-1, 1).contiguous() if inputs.ndim == 4 else inputs.long()
    made = ((TORCH, usual, plain_step), (HOOKS, private, hooked_step), (GHOST, private, ghost_step))
    steps = {way: build(network().cuda(), inputs, labels.long()) for way, network, build in made}
    return {way: Work(step, partial(torch_room, step)) for way, step in steps.items()}


def torch_room(step: Step) -> float:
    """The most that one step holds beyond what was there."""
    import torch

    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    step()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def has_room(way: str, step: Step) -> bool:
    """Whether it runs, which compiles and warms up; prints why not."""
    try:
        seconds(step, 2)
    except Exception as error:
        print(f"{way:>16}  cannot: {str(error).splitlines()[0][:60]}")
        return False
    return True


def seconds(step: Step, steps: int) -> float:
    """Of one step of several, the device's last work included."""
    import torch

    start = time.perf_counter()
    done = [step() for _ in range(steps)][-1]
    jax.block_until_ready(done)
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / steps


def arrays_of(model: Any) -> Any:
    return eqx.filter(model, eqx.is_array)


if __name__ == "__main__":
    settle(main())
