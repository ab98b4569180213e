"""Mironov's attack: which floats `total + noise` can be at all tells the total.

Float noise takes the few values its generator's grid allows, and adding it to the total rounds them
in a way that depends on the total. So many outputs of 0 + noise are never outputs of 1 + noise.
Here all reachable outputs are enumerated: JAX's float32 samplers have 2^23 uniforms. The attack
says "not 1" when the output is out of reach from 1. Against float noise it says so often and is
never wrong; against noise on integers it may not prove more than epsilon.

References:
    Mironov 2012, "On significance of the least significant bits for differential privacy".
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.accounting.loss.gaussian import gaussian_delta
from tacit.mechanisms.additive.laplace import Laplace
from tacit.noise.discrete import DiscreteGaussianLaw
from tacit.noise.fixed import LIMB, FixedPoint

DRAWS, EPSILON, SIGMA = 200_000, 1.0, 2.0
STEP = 2.0**-24
TOTALS = (0.0, 1.0)


def every_uniform() -> jax.Array:
    """All that JAX's float32 generator gives on [0, 1)."""
    return jnp.arange(2**23, dtype=jnp.float32) * 2.0**-23


def float_laplace(total: float, uniform: jax.Array) -> jax.Array:
    """`total + jax.random.laplace`, of this uniform: the formula of JAX's source."""
    tiny = jnp.finfo(jnp.float32).epsneg
    u = jnp.maximum(-1 + tiny, uniform * (2 - tiny) + (-1 + tiny))
    return total + jnp.sign(u) * jnp.log1p(-abs(u)) / EPSILON


def float_gaussian(total: float, uniform: jax.Array) -> jax.Array:
    """`total + sigma jax.random.normal`, of this uniform."""
    low = jnp.nextafter(jnp.float32(-1), jnp.float32(0))
    u = jnp.maximum(low, uniform * (1 - low) + low)
    return total + SIGMA * math.sqrt(2) * jax.lax.erf_inv(u)


def our_laplace(total: float, key) -> np.ndarray:
    sums = FixedPoint.zero((DRAWS,), jnp.float32(STEP)).terms(jnp.full(DRAWS, total))
    mechanism = Laplace.calibrate(EPSILON, 1.0, STEP)
    return np.asarray(jax.jit(Laplace.sample)(mechanism, key, sums).value())


def our_gaussian(total: float, key) -> np.ndarray:
    sums = FixedPoint.zero((DRAWS,), jnp.float32(STEP)).terms(jnp.full(DRAWS, total))
    noise = DiscreteGaussianLaw.of(SIGMA / STEP).limbs(key, (DRAWS,))
    return np.asarray(sums.plus(FixedPoint(*noise, sums.step)).value())


FLOATS = {"laplace": float_laplace, "gaussian": float_gaussian}
OURS = {"laplace": our_laplace, "gaussian": our_gaussian}
DELTAS = {"laplace": 0.0, "gaussian": gaussian_delta(SIGMA, EPSILON)}


@pytest.fixture(scope="module", params=["laplace", "gaussian"])
def attack(request):
    """The mechanism's name, and all outputs its float version reaches from each total."""
    run = jax.jit(FLOATS[request.param])
    uniforms = every_uniform()
    return request.param, [np.unique(np.asarray(run(total, uniforms))) for total in TOTALS]


def out_of_reach(outputs: np.ndarray, reachable: np.ndarray) -> int:
    """How many outputs are not among the sorted `reachable`."""
    places = np.minimum(np.searchsorted(reachable, outputs), len(reachable) - 1)
    return int((reachable[places] != outputs).sum())


def test_the_enumeration_holds_all_that_the_sampler_gives(attack):
    """Every draw of JAX's own sampler is in it, so the attack is never wrong."""
    name, reachable = attack
    key = quick_keys.key(1)
    draws = {
        "laplace": lambda: jax.random.laplace(key, (DRAWS,)) / EPSILON,
        "gaussian": lambda: SIGMA * jax.random.normal(key, (DRAWS,)),
    }[name]()

    assert out_of_reach(np.asarray(draws), reachable[0]) <= DRAWS / 1000


@pytest.mark.parametrize("truth", [0, 1])
def test_float_noise_is_broken(attack, truth):
    """From one output, drawn at random: often impossible for the other total, which is certainty.

    What it proves is far above epsilon, at the delta that is claimed.
    """
    name, reachable = attack
    uniforms = jax.random.uniform(quick_keys.key(2), (DRAWS,))
    run = jax.jit(FLOATS[name])
    draws = [np.asarray(run(total, uniforms)) for total in TOTALS]
    hits = [out_of_reach(each, reachable[1 - truth]) for each in draws]
    bound = audit.epsilon_lower_bound(
        (hits[truth], DRAWS), (hits[1 - truth], DRAWS), delta=DELTAS[name]
    )

    assert hits[1 - truth] == 0
    assert hits[truth] > DRAWS / 2 and bound > 5 * EPSILON


@pytest.mark.parametrize("truth", [0, 1])
def test_whole_numbers_are_not(attack, truth):
    """The same attack on what is published of ours, a float32 number too: within epsilon."""
    name, reachable = attack
    keys = jax.random.split(quick_keys.key(3))
    draws = [OURS[name](total, key) for total, key in zip(TOTALS, keys, strict=True)]
    hits = [out_of_reach(each, reachable[1 - truth]) for each in draws]
    bound = audit.epsilon_lower_bound(
        (hits[truth], DRAWS), (hits[1 - truth], DRAWS), delta=DELTAS[name]
    )

    assert min(hits) > 0 and bound <= EPSILON


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
@pytest.mark.parametrize("bits", [1, 6, 12])
def test_the_low_bits_tell_nothing(name, bits):
    """Residues of the published integer are as frequent for one total as for the other.

    The totals differ by an odd number of steps; within seven deviations of each count's difference.
    """
    totals, keys = (0, 2**24 + 1), jax.random.split(quick_keys.key(4))
    noise = {
        "laplace": Laplace.calibrate(EPSILON, 1 + STEP, STEP).noise,
        "gaussian": DiscreteGaussianLaw.of(SIGMA / STEP),
    }[name]
    counts = []
    for total, key in zip(totals, keys, strict=True):
        high, low = noise.limbs(key, (DRAWS,))
        whole = np.asarray(high, np.int64) * LIMB + np.asarray(low) + total
        counts.append(np.bincount(whole % 2**bits, minlength=2**bits))

    assert abs(counts[0] - counts[1]).max() < 7 * math.sqrt(2 * DRAWS / 2**bits)
