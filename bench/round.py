"""One federated round of the digits network: tacit against a plain PyTorch loop, side by side.

Twenty people, each with 100 images, each five steps of plain gradient descent on them from the
shared parameters; the answer is the sum of the people's updates. Every contender does the same
work on two threads, or on the GPU where both see one; they take turns. A contender's time is its
fastest turn, and the price of privacy the median over turns of one ratio, whose two halves were
measured within seconds.
"""

import platform
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import random

from claims import Claim, at_most, settle
from tacit import (
    Central,
    Everyone,
    Federated,
    NonPrivate,
    Plan,
    Split,
)
from tacit.federated import GradientSteps, Training
from tacit.federated.classifying import person_loss
from tacit.models.networks import DigitsNetwork
from tacit.noise import keys
from tacit.population.loop import Cohort, Keys, Parts, run_round

PEOPLE, IMAGES, STEPS, RATE, TURNS = 20, 100, 5, 0.05, 7
PURPOSES = "device", "server", "projection"
PLAIN, PRIVATE = "tacit, no privacy", "tacit, local and central"
PEER = "PyTorch, channels last"

Contender = Callable[[], object]


def main() -> Iterator[Claim]:
    """Prints the machine, the floor, and each contender's time against PyTorch's and the floor."""
    pixels, labels = people()
    peak = peak_flops()
    floor = flops_per_round() / peak
    print(machine())
    print(f"floor {floor:.2f} s: {flops_per_round() / 1e9:.0f} GFLOP at {peak / 1e9:.0f} GFLOP/s")
    print(f"and {parameter_bytes() / 1e9:.1f} GB of parameters read and written")
    turns = take_turns(tacit(pixels, labels) | torch(pixels, labels))
    times = {name: min(turn[name] for turn in turns) for name in turns[0]}
    peer = times.get(PEER, float("nan"))
    print(f"{'':24}{'seconds':>9}{'x PyTorch':>11}{'x floor':>9}")
    for name, time_taken in times.items():
        print(f"{name:24}{time_taken:9.2f}{time_taken / peer:11.2f}{time_taken / floor:9.2f}")
    prices = [turn[PRIVATE] / turn[PLAIN] for turn in turns]
    yield at_most("with privacy, over the time without", prices, 1.15)
    if PEER in times:
        yield at_most("without it, over PyTorch's time", times[PLAIN] / peer, 1.7)


def take_turns(contenders: dict[str, Contender]) -> list[dict[str, float]]:
    """Everybody's seconds in each of several turns, after one that compiles and warms up."""
    for contender in contenders.values():
        contender()
    return [
        {name: seconds(contender) for name, contender in contenders.items()} for _ in range(TURNS)
    ]


def seconds(contender: Contender) -> float:
    """The wall-clock time of one turn."""
    start = time.perf_counter()
    contender()
    return time.perf_counter() - start


def people() -> tuple[np.ndarray, np.ndarray]:
    """Random pixels and labels: the time does not depend on what the images show."""
    generator = np.random.default_rng(0)
    pixels = generator.random((PEOPLE, IMAGES, 28, 28), np.float32)
    return pixels, generator.integers(0, 10, (PEOPLE, IMAGES))


def tacit(pixels: np.ndarray, labels: np.ndarray) -> dict[str, Contender]:
    """The whole round of the population's loop, without privacy and as private federated learning.

    The private one randomises each person's update on the device (PrivUnit2 and ScalarDP), projects
    it, sums, and adds Gaussian noise at the server.
    """
    update = GradientSteps(STEPS, RATE)
    learner = Training(DigitsNetwork(random.key(0)), person_loss, update, optax.sgd(1.0), 0, RATE)
    question = learner.question(Everyone(), 1, PEOPLE, bound=1.0)
    federated = Federated(Split(56.0, 8.0), Central(2.0, 1e-5), radius=10.0)
    data = jax.tree.map(jnp.asarray, ((pixels, labels), np.ones((PEOPLE, IMAGES), bool)))
    return {
        PLAIN: contender(learner, NonPrivate().plan(question), data),
        PRIVATE: contender(learner, federated.plan(question), data),
    }


def contender(learner: Training, plan: Plan, data) -> Contender:
    """One round under `plan`, people one after another."""
    rows = jnp.arange(PEOPLE)[:, None]
    cohort = Cohort(rows, jnp.ones((PEOPLE, 1), bool), jnp.asarray(PEOPLE, jnp.int32))
    root = keys.from_seed(0)
    round_keys = Keys(*(keys.jax_key(keys.derive(root, who)) for who in PURPOSES))
    parts, state, carry = Parts.of(plan), learner.init(), plan.server.init()
    return lambda: jax.block_until_ready(
        run_round(learner, parts, state, carry, data, cohort, round_keys)
    )


def torch(pixels: np.ndarray, labels: np.ndarray) -> dict[str, Contender]:
    """The same round in PyTorch, in its two memory formats; nothing where it is not installed."""
    if find_spec("torch") is None:
        print("PyTorch is not installed: pip install torch==2.13.0 for the comparison")
        return {}
    import torch as pt

    pt.set_num_threads(2)
    pt.set_default_device("cuda" if pt.cuda.is_available() else "cpu")
    formats = {"channels last": pt.channels_last, "contiguous": pt.contiguous_format}
    return {
        f"PyTorch, {name}": torch_round(pt, layout, pixels, labels)
        for name, layout in formats.items()
    }


def torch_round(pt, layout, pixels: np.ndarray, labels: np.ndarray) -> Contender:
    """A plain loop over people and steps that writes the parameters in place."""
    network = pt.nn.Sequential(
        pt.nn.Conv2d(1, 32, 5, padding=2), pt.nn.ReLU(), pt.nn.MaxPool2d(2),
        pt.nn.Conv2d(32, 64, 5, padding=2), pt.nn.ReLU(), pt.nn.MaxPool2d(2),
        pt.nn.Flatten(), pt.nn.Linear(3136, 1024), pt.nn.ReLU(), pt.nn.Linear(1024, 10),
    ).to(memory_format=layout)  # fmt: skip
    parameters, loss = list(network.parameters()), pt.nn.CrossEntropyLoss()
    shared = [parameter.detach().clone() for parameter in parameters]
    images = [pt.tensor(x[:, None]).contiguous(memory_format=layout) for x in pixels]
    targets = pt.tensor(labels)

    def descend(person, target):
        for _ in range(STEPS):
            slopes = pt.autograd.grad(loss(network(person), target), parameters)
            with pt.no_grad():
                for parameter, slope in zip(parameters, slopes, strict=True):
                    parameter.sub_(slope, alpha=RATE)

    def whole():
        total = [pt.zeros_like(parameter) for parameter in shared]
        for person, target in zip(images, targets, strict=True):
            with pt.no_grad():
                for parameter, start in zip(parameters, shared, strict=True):
                    parameter.copy_(start)
            descend(person, target)
            with pt.no_grad():
                for summed, parameter, start in zip(total, parameters, shared, strict=True):
                    summed.add_((start - parameter) / RATE)
        if pt.cuda.is_available():
            pt.cuda.synchronize()
        return total

    return whole


def flops_per_round() -> float:
    """Two for each multiply-add: three products a layer, two for the first layer."""
    first = 2 * 28 * 28 * 25 * 32
    second, hidden, output = 3 * 14 * 14 * 800 * 64, 3 * 3136 * 1024, 3 * 1024 * 10
    return 2.0 * PEOPLE * STEPS * IMAGES * (first + second + hidden + output)


def parameter_bytes() -> float:
    """Each step reads the parameters for both passes, writes the gradient, reads both, writes."""
    return 4.0 * 3_274_634 * 6 * PEOPLE * STEPS


def peak_flops() -> float:
    """The rate of a large matrix product in this process: the fastest of ten."""
    matrix = random.normal(random.key(0), (2048, 2048))
    product = jax.jit(jnp.dot)
    product(matrix, matrix).block_until_ready()
    return (
        2
        * 2048**3
        / min(seconds(lambda: product(matrix, matrix).block_until_ready()) for _ in range(10))
    )


def machine() -> str:
    """The processor's name, its cores, and the versions that matter."""
    with open("/proc/cpuinfo") as lines:
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    packages = [name for name in ("jax", "jaxlib", "torch") if find_spec(name)]
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    device = jax.devices()[0].device_kind
    return f"{len(names)} x {names[0]}, {device}, Python {platform.python_version()}, {versions}"


if __name__ == "__main__":
    settle(main())
