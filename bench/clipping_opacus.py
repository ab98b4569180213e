"""Claim: privacy slows a step down less here than it does in Opacus, on the same networks.

For each library the time of one private step (clipped per-example gradients, summed) over that of
its own plain gradient, the networks and batches of `clipping.py` built in both. Opacus clips in two
ways, by gradients formed in hooks and by "ghost" norms with a second backward pass; the faster one
counts. All ways take turns in one process; a time is the fastest turn. PyTorch's plain recurrent
and attention layers are its own, the private ones those Opacus has in their place.

Run: python bench/clipping_opacus.py
"""

import os
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec

import equinox as eqx
import jax
import numpy as np

from claims import Claim, at_most, settle, skipped
from clipping import KEPT, PLAIN, Case, cases, kept, plain, program, seconds

TURNS = 15
HOOKS, GHOST = "Opacus, hooks", "Opacus, ghost"


def networks() -> dict[str, tuple[Callable, Callable]]:
    """For each model of `clipping.cases`, its plain form and the one Opacus takes."""
    from opacus.layers import DPLSTM, DPMultiheadAttention
    from torch import nn

    def digits():
        return nn.Sequential(
            nn.Conv2d(1, 16, 8, 2, padding=3), nn.Tanh(), nn.MaxPool2d(2, 1),
            nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1),
            nn.Flatten(), nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, 10),
        )  # fmt: skip

    def colours():
        return nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(4096, 256), nn.ReLU(), nn.Linear(256, 10),
        )  # fmt: skip

    class Reader(nn.Module):
        def __init__(self, memory):
            super().__init__()
            self.words, self.memory = nn.Embedding(10_000, 64), memory(64, 128, batch_first=True)
            self.output = nn.Linear(128, 2)

        def forward(self, words):
            return self.output(self.memory(self.words(words))[0][:, -1])

    class Block(nn.Module):
        def __init__(self, attention):
            super().__init__()
            self.before, self.between = nn.LayerNorm(128), nn.LayerNorm(128)
            self.attention = attention(128, 4, batch_first=True)
            self.wide, self.narrow = nn.Linear(128, 512), nn.Linear(512, 128)

        def forward(self, sequence):
            seen = self.before(sequence)
            sequence = sequence + self.attention(seen, seen, seen, need_weights=False)[0]
            return sequence + self.narrow(nn.functional.gelu(self.wide(self.between(sequence))))

    class Transformer(nn.Module):
        def __init__(self, attention):
            super().__init__()
            self.words, self.places = nn.Embedding(10_000, 128), nn.Embedding(64, 128)
            self.blocks = nn.Sequential(Block(attention), Block(attention))
            self.output = nn.Linear(128, 2)

        def forward(self, words):
            # Opacus takes its own, contiguous, copy of the places for each text.
            places = words.new_tensor(range(words.shape[1])).repeat(len(words), 1)
            sequence = self.blocks(self.words(words) + self.places(places))
            return self.output(sequence.mean(1))

    return dict(
        zip(
            cases(),
            [
                (digits, digits),
                (colours, colours),
                (lambda: Reader(nn.LSTM), lambda: Reader(DPLSTM)),
                (
                    lambda: Transformer(nn.MultiheadAttention),
                    lambda: Transformer(DPMultiheadAttention),
                ),
            ],
            strict=True,
        )
    )


def plain_step(network, inputs, labels) -> Callable[[], None]:
    """PyTorch's gradient of the mean loss."""
    from torch.nn.functional import cross_entropy

    def step():
        network.zero_grad()
        cross_entropy(network(inputs), labels).backward()

    return step


def hooked_step(network, inputs, labels) -> Callable[[], None]:
    """The clipped sum of gradients that hooks form."""
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    hooked = GradSampleModule(network)
    sgd = torch.optim.SGD(hooked.parameters(), lr=0.1)
    optimizer = DPOptimizer(
        sgd, noise_multiplier=0.0, max_grad_norm=1.0, expected_batch_size=len(labels)
    )

    def step():
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(hooked(inputs), labels).backward()
        optimizer.clip_and_accumulate()

    return step


def ghost_step(network, inputs, labels) -> Callable[[], None]:
    """The clipped sum of a second backward pass, weighted by norms from the first."""
    import torch
    from opacus.grad_sample import GradSampleModuleFastGradientClipping
    from opacus.optimizers import DPOptimizerFastGradientClipping
    from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping

    ghost = GradSampleModuleFastGradientClipping(
        network, max_grad_norm=1.0, use_ghost_clipping=True
    )
    sgd = torch.optim.SGD(ghost.parameters(), lr=0.1)
    optimizer = DPOptimizerFastGradientClipping(
        sgd, noise_multiplier=0.0, max_grad_norm=1.0, expected_batch_size=len(labels)
    )
    loss = DPLossFastGradientClipping(ghost, optimizer, torch.nn.CrossEntropyLoss())

    def step():
        optimizer.zero_grad()
        loss(ghost(inputs), labels).backward()
        optimizer.accumulate()

    return step


def steps(case: Case, usual: Callable, private: Callable) -> dict[str, Callable[[], object]]:
    """A plain and a private step of ours, and PyTorch's with Opacus's."""
    import torch

    inputs, labels = (torch.from_numpy(np.array(array)) for array in case.batch)
    inputs = inputs.movedim(-1, 1).contiguous() if inputs.ndim == 4 else inputs.long()
    labels = labels.long()
    works: dict[str, Callable[[], object]] = {}
    for name, way, model in ((PLAIN, plain, case.usual or case.model), (KEPT, kept, case.model)):
        run, arrays = program(way, model, case.batch), eqx.filter(model, eqx.is_array)
        works[name] = lambda run=run, arrays=arrays: run(arrays, case.batch)
    return works | {
        "PyTorch": plain_step(usual(), inputs, labels),
        HOOKS: hooked_step(private(), inputs, labels),
        GHOST: ghost_step(private(), inputs, labels),
    }


def main() -> Iterator[Claim]:
    """Prints both libraries' times."""
    if find_spec("opacus") is None:
        yield skipped("no Opacus")
        return
    # Hooks of a first layer warn that its input needs no gradient.
    warnings.simplefilter("ignore", UserWarning)
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    names = ("jax", "torch", "opacus")
    print(f"{', '.join(f'{name} {version(name)}' for name in names)}; fastest of {turns} turns")
    for name, (usual, private) in networks().items():
        works = steps(cases()[name], usual, private)
        for work in works.values():
            work()
        rows = [{way: seconds(work) for way, work in works.items()} for _ in range(turns)]
        best = {way: min(row[way][0] for row in rows) for way in works}
        ours = best[KEPT] / best[PLAIN]
        theirs = min(best[HOOKS], best[GHOST]) / best["PyTorch"]
        print(name)
        for way, time in best.items():
            print(f"{way:>16} {1e3 * time:8.1f} ms")
        yield at_most(f"{name}, private over plain, at most as with Opacus", ours, theirs)
        jax.clear_caches()


if __name__ == "__main__":
    settle(main())
