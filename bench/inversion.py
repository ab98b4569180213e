"""Claim: gradient inversion reads MNIST's pictures from plain updates of a network of 3.3 million
parameters; its reports hide no more of them than those of a linear model would.

Two pictures, the digits network before training, one gradient, labels known; 300 steps of Adam
each from a random start. What is seen: the update, the update clipped with noise for (2, 1e-5), and
PrivUnit's reports. Distances of the pictures found, at length one, beside the best that a filter
of a linear model would expect; that of the mean picture; and which of 200 pictures it was.

What is found is drawn into the file that a second argument names. About ten minutes on two cores.

Run: python bench/inversion.py [directory of the four files] [picture]
"""

import math
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array
from matplotlib.figure import Figure

from claims import Claim, at_least, at_most, settle
from tacit import picture
from tacit.accounting.loss.gaussian import gaussian_noise_multiplier
from tacit.attacks.breach import distances
from tacit.attacks.dictionary import likeliest
from tacit.attacks.inversion import Inversion
from tacit.attacks.matched_filter import expected_cosine
from tacit.data import mnist
from tacit.learning import progress
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.models.networks import DigitsNetwork

FILES = Path(__file__).resolve().parents[1] / "../shared/data/mnist"
PEOPLE, KNOWN = 2, 200
SEARCH = Inversion((28, 28), steps=300, rate=0.1, smoothness=0.01)
EPSILONS = (50.0, 250.0, 500.0)
MODEL = DigitsNetwork(jax.random.key(0))
DIM = progress.size(MODEL)


def update(image: Array, label: Array) -> Array:
    """What somebody with this picture would send."""

    def loss(model):
        return optax.softmax_cross_entropy_with_integer_labels(model(image[None])[0], label)

    return progress.joined(jax.grad(loss)(MODEL), DIM)


def views(plain: Array) -> Iterator[tuple[str, Array, float]]:
    """What is seen, and the cosine that the noise leaves of it."""
    units = plain / jnp.linalg.norm(plain, axis=1, keepdims=True)
    yield "the update as it is", plain, 1.0
    sigma = gaussian_noise_multiplier(2.0, 1e-5)
    noised = units + sigma * jax.random.normal(jax.random.key(1), units.shape)
    yield "clipped, noise for epsilon 2", noised, 1 / math.sqrt(1 + sigma**2 * DIM)
    for epsilon in EPSILONS:
        mechanism = PrivUnit2.optimal(DIM, epsilon)
        sent = mechanism.sample(jax.random.key(int(epsilon)), units)
        yield f"PrivUnit, epsilon {epsilon:g}", sent, 1 / mechanism.scale


def main() -> Iterator[Claim]:
    """Prints how near the pictures were found, and claims what must be so of a working attack."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FILES
    data = mnist.load(folder)
    pictures, labels = jnp.asarray(data.test_images[:KNOWN]), jnp.asarray(data.test_labels[:KNOWN])
    held, own = pictures[:PEOPLE], labels[:PEOPLE]
    plain = jnp.stack([update(*each) for each in zip(held, own, strict=True)])
    mean = np.broadcast_to(data.train_images.mean(axis=0), held.shape)
    blind = distances(held, mean)
    print(f"{DIM} numbers sent; the mean picture is at {blind.mean():.3f}")
    drawn = {"the picture": held}
    for name, sent, cosine in views(plain):
        start = time.perf_counter()
        found = SEARCH(jax.random.key(2), sent, own[:, None], update)
        lost = distances(held, found.picture)
        drawn[name] = found.picture
        named = likeliest(sent, (pictures, labels), lambda person: update(*person))
        right = int((np.asarray(named) == np.arange(PEOPLE)).sum())
        best = math.sqrt(2 - 2 * expected_cosine(cosine, DIM, 784, 1e3))
        each = ", ".join(f"{one:.3f}" for one in lost)
        print(f"{name}: distances {each}; filter of a linear model {best:.3f};", end=" ")
        print(f"named {right} of {PEOPLE}; {time.perf_counter() - start:.0f} s", flush=True)
        if name == "the update as it is":
            yield at_most("  distance, plain", [float(lost.max())], 0.1)
            yield at_least("  named, plain", [right], PEOPLE)
        if name == "PrivUnit, epsilon 500":
            yield at_most("  distance, of the mean picture's", [lost.mean() / blind.mean()], 1.0)
            yield at_least("  named at epsilon 500", [right], PEOPLE)
    if len(sys.argv) > 2:
        draw(Path(sys.argv[2]), drawn)


def draw(path: Path, drawn: Mapping[str, Array]) -> None:
    """A column for each view."""
    figure = Figure(figsize=(1.7 * len(drawn), 1.6 * PEOPLE), layout="constrained")
    grid = figure.subplots(PEOPLE, len(drawn))
    for column, (name, pictures) in enumerate(drawn.items()):
        for axes, each in zip(grid[:, column], pictures, strict=True):
            axes.imshow(np.asarray(each), cmap="gray_r", interpolation="nearest")
            axes.set(xticks=[], yticks=[])
        grid[0, column].set_title(name.replace(", ", "\n"), fontsize="small")
    picture.save(figure, path)


if __name__ == "__main__":
    settle(main())
