"""Whose update was it, among people whom the onlooker knows? The likeliest of so many rows.

Everybody has a row and a label. A device that learns a linear classifier, which starts at zero,
sends one update: the gradient of its loss at its own person. The onlooker knows all rows and
labels, so what each of them would have sent, and names the one whose update points as what was sent
does (`dictionary`, where it is shown that no rule does better).

**What a promise allows.** Who sent is drawn uniformly of N known people, no two of whom have the
same row and label: before, each guess is right with chance 1/N, and after a report of epsilon with
e^epsilon/(N - 1 + e^epsilon) at most. The length of a row does not matter, nor the model's size.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int32

from tacit.argument import got, is_whole
from tacit.attacks.breach import BreachRate
from tacit.attacks.device_reports import OfDevices, allowed, device_of, seen, update_of
from tacit.attacks.dictionary import likeliest
from tacit.attacks.outcome import Outcome
from tacit.data import digits
from tacit.learning import progress
from tacit.models.networks import Softmax

# How many updates are looked at, of people drawn with replacement: a rate within 7 points.
SENDERS = 200


class KnownRows(NamedTuple):
    """Everybody's row, and their label, from zero on."""

    rows: Float[np.ndarray, "people features"]
    labels: Int32[np.ndarray, " people"]


@final
@dataclass(frozen=True)
class NamedRows:
    """The attack among so many people.

    Args:
      known: how many of all 1,797 digits the onlooker knows, from 2 on.
    """

    known: int = 1000

    def __post_init__(self):
        if not (is_whole(self.known) and 2 <= self.known <= 1797):
            raise ValueError(f"known must be a whole number from 2 to 1,797, got {got(self.known)}")

    def run(self, trust: OfDevices, seed: int) -> Outcome:
        """The attack on people with a handwritten digit each, of which no two are alike."""
        data = digits.load(split_seed=seed)
        images = np.concatenate([data.train_images, data.test_images])[: self.known]
        labels = np.concatenate([data.train_labels, data.test_labels])[: self.known]
        return self.against(KnownRows(images.reshape(len(images), -1), labels), trust, seed)

    def against(self, people: KnownRows, trust: OfDevices, seed: int) -> Outcome:
        """The attack on some of these, of whom those who are alike count as one."""
        known = _different(people)
        # Two where everybody is of the first class: of one, no update tells anything.
        model = Softmax(known.rows.shape[1], max(2, int(known.labels.max()) + 1))
        many = len(known.labels)
        who = np.random.default_rng(seed).integers(0, many, SENDERS)
        everyone = jnp.asarray(known.rows, jnp.float32), jnp.asarray(known.labels)
        device = device_of(trust, progress.size(model))
        update = update_of(model)
        own = jax.vmap(update)(*(part[who] for part in everyone))
        sent = seen(device, jax.random.key(seed), own)
        named = np.asarray(likeliest(sent, everyone, lambda person: update(*person)))
        found = BreachRate(int((named == who).sum()), SENDERS)
        return Outcome("senders", found, None, allowed(device, -math.log(many)))


def _different(people: KnownRows) -> KnownRows:
    """Each row and label once."""
    joined = np.concatenate([people.rows, people.labels[:, None]], axis=1)
    once = np.unique(joined, axis=0)
    if not len(once) >= 2:
        raise ValueError(f"at least 2 people must differ, got {len(once)} kind of row")
    return KnownRows(once[:, :-1], once[:, -1].astype(np.int32))
