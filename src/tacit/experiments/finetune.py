"""A pretrained model refit by federated learning, on pictures of things that it has never seen.

Fifteen gradient steps on a device, 100 rounds, a magnitude of e_2 = 10, and a server's noise for a
population of 10^7 of whom 20,000 come in a round.

The photographs are CIFAR-10's. The first five of its classes in their own order (airplane,
automobile, bird, cat, deer) are public, and all that the start of either way is handed; people hold
photographs of the other five (dog, frog, horse, ship, truck).

| way | what is public | what people refit | numbers in a report |
| --- | --- | --- | --- |
| published | a network (`ColourNetwork`), pretrained here | its last two layers | 74,885 |
| ours | directions in which photographs vary (`PatchDirections`) | linear, on 96 of them | 485 |

The source opens the last convolution of a ResNet50v2 and its softmax: 512 * 2,048 + 2,048 and
2,048 * 100 + 100, its 1,255,524 numbers. A convolution of one pixel is a dense layer at every
place, so nearest in this network are its last hidden layer, from where pretraining left it, and a
softmax of zeros. Devices hold what the closed layers make of their pictures.

A report of d numbers at e_1 has an error of about d/(2 e_1), whatever it is about. Where much of a
model is public, few numbers are left to ask about.

The source's pictures (Flickr) and its pretrained network are not here, and its budgets, pictures a
device, people a round and the server's promise are lost; taken are those of the other experiments.
How to pretrain was chosen on a fifth of the public pictures, all else on a fifth of the pictures to
learn from.

References:
    Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and its
    applications in private federated learning", section 5.3, figure 5 (a).
"""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int

from tacit.data import cifar10
from tacit.data.dataset import Dataset
from tacit.experiments.cifar import crops_of
from tacit.experiments.pretraining import pretrained
from tacit.experiments.records import Records, Start
from tacit.experiments.study import Recipe, Scale, Study
from tacit.features.chunks import Heard, in_chunks
from tacit.features.patch_directions import PatchDirections
from tacit.models.colour_network import ColourNetwork, first_hidden
from tacit.models.layers import Dense
from tacit.models.losses import cross_entropy
from tacit.models.networks import Softmax

# Of ten classes the first so many are public, and as many are people's.
PUBLIC = 5
MODEL_KEY = 7
EPOCHS, BATCH, RATE = 4, 25, 1e-3
# Of rows: longer than the bias's 1.
KEPT, LENGTH = 96, 3.0
# Images that go through the closed layers side by side.
CHUNK = 100

Pictures = tuple[Float[np.ndarray, "public 32 32 3"], Int[np.ndarray, " public"]]


@final
@dataclass(frozen=True, eq=False)
class PublicPictures:
    """What everybody has, and what is asked whether to go on while more is made of it."""

    pictures: Pictures
    heard: Heard


@final
class OpenLayers(eqx.Module):
    """The last two layers of a network: one as it was left, and a softmax at zero for new classes.

    Args:
      narrow, output: as the network's own.
    """

    narrow: Dense
    output: Dense

    def __call__(self, wide: Float[Array | np.ndarray, "batch wide"]) -> Float[Array, "batch new"]:
        return self.output(jax.nn.relu(self.narrow(jnp.asarray(wide))))


def parted(data: Dataset) -> Records:
    """Pictures of the first classes for everybody, of the others for people and to look at.

    Public are test pictures of the first classes, too: models are tested on other classes alone.
    """
    parts = (data.train_images, data.train_labels), (data.test_images, data.test_labels)
    public = [(images[labels < PUBLIC], labels[labels < PUBLIC]) for images, labels in parts]
    own = [
        (images[labels >= PUBLIC], labels[labels >= PUBLIC] - PUBLIC) for images, labels in parts
    ]
    everybody = tuple(np.concatenate(each) for each in zip(*public, strict=True))
    return Records(data.name, *own[0], *own[1], public=everybody)


def read(folder: Path) -> Records:
    """The photographs in a folder."""
    return parted(cifar10.load(folder))


def network_of(public: PublicPictures) -> ColourNetwork:
    """One that tells public classes apart."""
    images, labels = public.pictures
    start, own = ColourNetwork(jax.random.key(MODEL_KEY)), (crops_of(images), labels)
    return pretrained(start, _loss, own, EPOCHS, BATCH, RATE, heard=public.heard)


def published(public: PublicPictures) -> Start:
    """The open layers of a network, and what its closed ones make of pictures."""
    network = network_of(public)
    closed = eqx.filter_jit(partial(first_hidden, network))
    new = OpenLayers(network.narrow, Dense.at_zero(network.narrow.bias.size, PUBLIC))
    return Start(new, lambda images, heard: in_chunks(closed, crops_of(images), CHUNK, heard))


def ours(public: PublicPictures) -> Start:
    """A linear model, and public directions."""
    images, _ = public.pictures
    directions = PatchDirections.of(images, KEPT, LENGTH, heard=public.heard)
    return Start(Softmax(KEPT, PUBLIC), directions)


def _loss(network: ColourNetwork, pictures: tuple[Array, Array]) -> Float[Array, ""]:
    crops, labels = pictures
    return cross_entropy(network(crops), labels, labels >= 0)


STUDY = Study(
    name="finetune",
    title="photographs of new classes, from a pretrained model",
    section="section 5.3 of Bhowmick et al. 2018, figure 5 (a)",
    read=read,
    pretrained=PublicPictures,
    before=(
        f"key {MODEL_KEY}, {EPOCHS} passes of {BATCH} at {RATE}",
        f"{KEPT} directions of length {LENGTH}",
    ),
    directions=(1.0, 10.0, 50.0, 100.0, 500.0, math.inf),
    ways=(
        Recipe(
            name="published",
            start=published,
            optimizer=optax.sgd(1.0),
            local=0.01,
            free=0.3,
            wander=15.0,
        ),
        Recipe(
            name="ours",
            start=ours,
            optimizer=optax.sgd(1.0),
            local=0.05,
            free=1.0,
            wander=5.0,
        ),
    ),
    small=Scale(records=20, played=8),
    full=Scale(records=100, played=40, trials=12),
    steps=15,
)
