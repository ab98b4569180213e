"""What does an update show of the picture behind it, and what does a promise change?

Somebody has one picture of a digit. Their device takes a public linear model that starts at zero,
computes the gradient of its loss at that picture, and sends it: an *update*. No picture was sent,
only weights. Three onlookers read it:

* one who knows nothing of pictures looks for it in the gradient (`attacks.matched_filter`). It is
  found if the guess is within `TOLERANCE` of it, both at length one: a cosine of 0.92;
* one who would be content with a thumbnail of it, and has the same guess;
* one who has a collection in which the picture is asks which one it was (`attacks.dictionary`).

Each is told the update as it is; one clipped, with the noise that the public would meet, and alone
in it; and reports of PrivUnit at three budgets. Beside each rate, with its exact 95% limits, is
what the promise allows such an onlooker at most. At 100% it allows everything.

Run: python examples/reconstruction.py [--mnist DIR] [--out pictures.png]
"""

import argparse
import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float
from matplotlib.figure import Figure

from tacit import picture
from tacit.accounting import gaussian_noise_multiplier
from tacit.accounting.theorems.mean_breach import after_gaussian
from tacit.accounting.theorems.reconstruction import Directions, after
from tacit.attacks import likeliest
from tacit.attacks.breach import BreachRate, breach_rate, distances
from tacit.attacks.matched_filter import gradients_at_zero, matched
from tacit.data import digits, mnist
from tacit.data.dataset import Dataset
from tacit.learning import progress
from tacit.mechanisms import PrivUnit2
from tacit.models import Softmax

PEOPLE = 200
DRAWN = 6
TOLERANCE = 0.4
# Of a thumbnail, to a side: 4 of 8 pixels, 7 of 28.
THUMBNAIL = {8: 4, 28: 7}
EPSILONS = (50.0, 250.0, 500.0)
# What the public would meet, and the length that updates are clipped to.
CENTRAL, CLIP = (2.0, 1e-5), 1.0

Updates = Float[Array, "people dim"]


class View(NamedTuple):
    """What is seen of updates, and what becomes of the log of a prior chance of a breach."""

    name: str
    of: Callable[[Updates], Updates]
    bound: Callable[[float], float]


class Onlooker(NamedTuple):
    """What is looked for, the log of its prior chance, and the loss of each guess, by view."""

    name: str
    log_prior: float
    losses: Callable[[Updates], np.ndarray]


class Row(NamedTuple):
    """How wrong an onlooker was, how often right, and what was promised."""

    onlooker: str
    view: str
    loss: float
    rate: BreachRate
    bound: float


class Scene:
    """People with a picture each, drawn from a collection, and the linear model at zero."""

    def __init__(self, data: Dataset):
        self.side = data.test_images.shape[1]
        self.collection = jnp.asarray(data.test_images.reshape(len(data.test_images), -1))
        self.labels = jnp.asarray(data.test_labels)
        self.who = np.random.default_rng(1).integers(0, len(self.labels), PEOPLE)
        self.held = np.asarray(self.collection)[self.who]
        self.mean = data.train_images.reshape(len(data.train_images), -1).mean(axis=0)
        self.model = Softmax(self.side**2, data.classes)
        self.gradients = gradients_at_zero(data.classes)
        self.dim = progress.size(self.model)

    def update(self, person) -> Float[Array, " dim"]:
        """What somebody with this picture and label would send."""
        image, label = person

        def loss(model):
            logits = model(image[None])[0]
            return optax.softmax_cross_entropy_with_integer_labels(logits, label)

        return progress.joined(jax.grad(loss)(self.model), self.dim)

    def plain(self) -> Updates:
        """What everybody would send."""
        return jax.vmap(self.update)((self.collection[self.who], self.labels[self.who]))

    def guesses(self, sent: Updates) -> np.ndarray:
        """The picture in each, for who knows nothing of pictures."""
        layer = progress.flat(self.model)[1]
        read = jax.vmap(lambda vector: matched(layer(vector).output, self.gradients).picture)
        return np.asarray(read(sent))

    def small(self, pictures: np.ndarray) -> np.ndarray:
        """Thumbnails: means of blocks of pixels."""
        few = THUMBNAIL[self.side]
        blocks = pictures.reshape(-1, few, self.side // few, few, self.side // few)
        return blocks.mean(axis=(2, 4)).reshape(len(pictures), -1)

    def onlookers(self) -> list[Onlooker]:
        def picture_lost(sent):
            return distances(self.held, self.guesses(sent))

        def thumbnail_lost(sent):
            return distances(self.small(self.held), self.small(self.guesses(sent)))

        def misnamed(sent):
            named = likeliest(sent, (self.collection, self.labels), self.update)
            return np.asarray(named) != self.who

        pixels, few, many = self.side**2, THUMBNAIL[self.side] ** 2, len(self.labels)
        return [
            Onlooker(
                f"the picture, {pixels} numbers, by one who knows none",
                Directions(pixels).log_breach(TOLERANCE),
                picture_lost,
            ),
            Onlooker(
                f"a thumbnail, {few} numbers, by one who knows none",
                Directions(few).log_breach(TOLERANCE),
                thumbnail_lost,
            ),
            Onlooker(
                f"which of {many:,} pictures, by one who knows all", -math.log(many), misnamed
            ),
        ]


def views(dim: int) -> list[View]:
    """The update as it is, under central noise, and as PrivUnit reports it."""
    # Seeds, so that the table can be repeated. In earnest a device draws its own noise.
    keys = jax.random.split(jax.random.key(3), 1 + len(EPSILONS))
    return [
        View("the update as it is", lambda updates: updates, lambda _: 1.0),
        central(keys[0]),
        *(reported(dim, *each) for each in zip(EPSILONS, keys[1:], strict=True)),
    ]


def central(key: Array) -> View:
    """Clipped, with noise for the public, who knows all others' updates."""
    sigma = CLIP * gaussian_noise_multiplier(*CENTRAL)

    def noised(updates: Updates) -> Updates:
        norms = jnp.linalg.norm(updates, axis=1, keepdims=True)
        clipped = updates * jnp.minimum(1.0, CLIP / norms)
        return clipped + sigma * jax.random.normal(key, updates.shape)

    name = f"clipped, noise for ε = {CENTRAL[0]:g}"
    return View(name, noised, lambda prior: after_gaussian(prior, CLIP, sigma))


def reported(dim: int, epsilon: float, key: Array) -> View:
    """A PrivUnit report: the magnitude tells nothing of where an update points."""
    mechanism = PrivUnit2.optimal(dim, epsilon)
    return View(
        f"PrivUnit, ε = {epsilon:g}",
        lambda updates: mechanism.sample(key, updates),
        lambda prior: after(prior, epsilon),
    )


def draw(path: Path, scene: Scene, seen: dict[str, Updates]) -> None:
    """The first pictures, and below them what the first onlooker makes of each view."""
    shown = {"the picture": scene.held}
    shown |= {name: scene.guesses(sent[:DRAWN]) for name, sent in seen.items()}
    figure = Figure(figsize=(DRAWN + 2.2, len(shown)), layout="constrained")
    grid = figure.subplots(len(shown), DRAWN)
    for line, (name, pictures) in zip(grid, shown.items(), strict=True):
        for axes, each in zip(line, pictures, strict=False):
            axes.imshow(each.reshape(scene.side, -1), cmap="gray_r", interpolation="nearest")
            axes.set(xticks=[], yticks=[])
        line[0].set_ylabel(name, rotation=0, ha="right", va="center")
    picture.save(figure, path)


def percent(bound: float) -> str:
    """A bound of a probability, which may be very small, rounded up."""
    if bound < 1e-290:
        return "below 1e-290"
    if bound >= 1e-3:
        return f"{math.ceil(1000 * bound) / 10:.1f}%"
    one_digit = Context(prec=1, rounding=ROUND_CEILING)
    return f"{float(one_digit.create_decimal_from_float(bound)):.0e}"


def main(folder: Path | None = None, out: Path | None = None) -> list[Row]:
    """Prints a table for each onlooker, and draws the pictures; returns the rows."""
    scene = Scene(digits.load(split_seed=0) if folder is None else mnist.load(folder))
    ways, plain = views(scene.dim), scene.plain()
    seen = {view.name: view.of(plain) for view in ways}
    rows = []
    for name, log_prior, losses in scene.onlookers():
        print(f"\n{name}\n{'what is seen':26}{'loss':>6}   {'right':25}{'at most':>12}")
        for view in ways:
            lost = losses(seen[view.name])
            exact = TOLERANCE if lost.dtype != bool else 0
            rate, bound = breach_rate(lost, exact), view.bound(log_prior)
            rows.append(Row(name, view.name, float(lost.mean()), rate, bound))
            print(f"{view.name:26}{lost.mean():>6.3f}   {rate!s:25}{percent(bound):>12}")
    blind = distances(scene.held, np.broadcast_to(scene.mean, scene.held.shape))
    print(f"\nthe mean picture, of which nothing is seen: {blind.mean():.3f}, ", end="")
    print(f"right {breach_rate(blind, TOLERANCE)}")
    if out is not None:
        draw(out, scene, seen)
    return rows


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="What an update shows of a picture.")
    arguments.add_argument("--mnist", type=Path, metavar="DIR", help="MNIST's four files")
    arguments.add_argument("--out", type=Path, metavar="FILE", help="where the pictures go")
    chosen = arguments.parse_args()
    main(chosen.mnist, chosen.out)
