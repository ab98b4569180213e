"""The picture behind an update, looked for pixel by pixel: gradient inversion.

Everybody has a picture of a digit, 8 by 8 pixels. A device that learns a public network of one
hidden layer sends the gradient at its picture. The onlooker knows the label, and looks for pixels
whose gradient points as what was sent does (`inversion`). A picture is found if the guess is within
`TOLERANCE` of it, both at length one: a cosine of .92. Beside it stands how often the same guess is
as near to another person's picture of the same digit, which is what looking alike is worth.

**What a promise allows** is told of somebody to whom all pictures are alike that have no pixel
below zero: of directions in 64 numbers, uniform on the part of the sphere where none is negative.
That is one part in 2^64, so this prior is at most 2^64 times as dense as the uniform one, whose
chance of a breach is known. Who knows what digits look like may do better: the mean picture is
within the tolerance of one digit in a hundred or so, and nothing was seen for it.
"""

import math
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from tacit.accounting.theorems.reconstruction import Directions
from tacit.argument import got, is_whole
from tacit.attacks.breach import breach_rate, distances
from tacit.attacks.device_reports import OfDevices, allowed, device_of, seen, update_of
from tacit.attacks.inversion import Inversion
from tacit.attacks.outcome import Outcome
from tacit.data import digits
from tacit.learning import progress
from tacit.models.networks import Perceptron

# Pixels a side, digits, hidden units of the network; and how near a find is.
SIDE, CLASSES, HIDDEN, TOLERANCE = 8, 10, 32, 0.4
# The log of the chance of the best guess that nothing was seen for.
PRIOR = Directions(SIDE**2).log_breach(TOLERANCE) + SIDE**2 * math.log(2)

Pictures = Float[np.ndarray, "people 8 8"]


@final
@dataclass(frozen=True)
class SearchedPictures:
    """The attack on so many people.

    Args:
      people: whose pictures are looked for, from 2 to 360.
      steps: of each search.
    """

    people: int = 50
    steps: int = 400

    def __post_init__(self):
        for name, least, most in (("people", 2, 360), ("steps", 1, 100_000)):
            value = getattr(self, name)
            if not (is_whole(value) and least <= value <= most):
                raise ValueError(
                    f"{name} must be a whole number from {least} to {most:,}, got {got(value)}"
                )

    def run(self, trust: OfDevices, seed: int) -> Outcome:
        """The attack on handwritten digits."""
        data = digits.load(split_seed=seed)
        held, labels = (part[: self.people] for part in (data.test_images, data.test_labels))
        guesses, bound = self._guesses(held, labels, trust, seed)
        found = breach_rate(distances(held, guesses), TOLERANCE)
        wrong = breach_rate(distances(held[nearest_alike(labels)], guesses), TOLERANCE)
        return Outcome("pictures", found, None, bound, wrong.share)

    def _guesses(
        self, held: Pictures, labels: Int[np.ndarray, " people"], trust: OfDevices, seed: int
    ) -> tuple[Pictures, float]:
        """What is found in each person's report, and what the promise allows."""
        network, search, noise = jax.random.split(jax.random.key(seed), 3)
        model = Perceptron(SIDE**2, HIDDEN, CLASSES, network)
        update, shown = update_of(model), (jnp.asarray(held), jnp.asarray(labels))
        device = device_of(trust, progress.size(model))
        sent = seen(device, noise, jax.vmap(update)(*shown))
        looked = Inversion((SIDE, SIDE), self.steps, abreast=self.people)
        found = looked(search, sent, shown[1][:, None], update)
        return np.asarray(found.picture), allowed(device, min(0.0, PRIOR))


def nearest_alike(labels: Int[np.ndarray, " people"]) -> Int[np.ndarray, " people"]:
    """For each person the next one with the same digit; the next one, if there is none."""
    places = np.arange(len(labels))
    ahead = (places[:, None] + places[None, 1:]) % len(labels)
    alike = labels[ahead] == labels[:, None]
    return ahead[places, alike.argmax(axis=1)]
