"""What devices send of their updates: the directions as they are, or as a local promise lets them.

An update is taken at length one: whoever clips sends no more of it, and a promise on directions
leaves nothing else to be told. Under a limit of bytes it is opened as the server opens it, which
takes nothing but what is public. What a report lets somebody find follows from the epsilon of the
device (`accounting.theorems.reconstruction`), whatever they make of it.
"""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.accounting.theorems import reconstruction
from tacit.attacks.inversion import PictureUpdate
from tacit.contribution import Sphere
from tacit.contribution.sparse import Placed
from tacit.device.few_numbers import Compressing
from tacit.learning import progress
from tacit.plan import Device
from tacit.question.participation import Everyone
from tacit.question.sums import Mean
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.people import refuse_no_trust

OfDevices = Local | NonPrivate


def device_of(trust: OfDevices, numbers: int) -> Device:
    """What is run on each device, once, of an update of so many numbers."""
    refuse_no_trust(trust)
    return trust.plan(Mean(Sphere(numbers), Everyone(), 1, 1)).device


def update_of(model: Any) -> PictureUpdate:
    """What a device would send of somebody's row, or picture, and label: one gradient there.

    Args:
      model: of rows, with a score for each label.
    """

    def loss(model: Any, row: Array, label: Array) -> Float[Array, ""]:
        scores = model(jnp.ravel(row)[None])[0]
        return optax.softmax_cross_entropy_with_integer_labels(scores, label)

    def update(row: Array, label: Array) -> Float[Array, " numbers"]:
        return progress.joined(jax.grad(loss)(model, row, label), progress.size(model))

    return update


def seen(
    device: Device, key: PRNGKeyArray, updates: Float[Array, "people numbers"]
) -> Float[Array, "people numbers"]:
    """What onlookers make of each person's report of their update."""
    if not isinstance(device, Compressing):
        return device.sample(key, updates)
    return _lifted(device, device.facts.report_set.answer_shape, key, updates)


@eqx.filter_jit
def _lifted(
    device: Any, shape: tuple[int, ...], key: PRNGKeyArray, updates: Float[Array, "people numbers"]
) -> Float[Array, "people numbers"]:
    """Reports of few numbers, each opened alone as the server opens their sum."""
    public, own = jax.random.split(key)
    people = jnp.arange(len(updates), dtype=jnp.uint32)
    terms = Sphere(updates.shape[1]).project(updates)
    short, known = device.compressed(public, people, terms)
    opened = device.opened(device.sample(own, short), known)
    return jax.vmap(lambda report: device.lifted(public, _summed(report, shape)))(opened)


def allowed(device: Device, log_prior: float) -> float:
    """The largest chance of a right guess that is left by the promise.

    Args:
      device: whose reports are seen.
      log_prior: the log of the chance of the best guess before.
    """
    epsilon = device.facts.epsilon
    return 1.0 if math.isinf(epsilon) else reconstruction.after(log_prior, epsilon)


def _summed(report: Array | Placed, shape: tuple[int, ...]) -> Float[Array, " numbers"]:
    """One person's report alone, as a sum of reports."""
    if isinstance(report, Array):
        return report
    numbers, places = report
    return jnp.zeros(shape).at[places].add(numbers)
