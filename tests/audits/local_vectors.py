"""Vectors from devices: opposite directions, and for the norm the longest against none.

A mechanism is made when it is first drawn from: a row is listed in every run of the tests.
"""

import dataclasses
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

import quick_keys
from audits.row import Row
from tacit.mechanisms.local.compressed import KClosest
from tacit.mechanisms.local.folded import Folded
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.privunitg import PrivUnitG
from tacit.mechanisms.local.projunit import FastProjUnit
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.separated import Separated
from tacit.mechanisms.local.shells import Shells
from tacit.noise import words

EPSILON, DIM, CANDIDATES = 1.0, 8, 8
# Of a cap of candidates.
HEIGHT = 0.25
# Draws at once: a million would hold a gigabyte.
PIECE = 100_000
UNIT = np.array([4, 3, -2, 1, 3, 0, -4, 3], np.float32) / 8
FIRST = np.eye(DIM, dtype=np.float32)[0]


def _public():
    """One public key for one person's number: the guarantee holds for each.

    Made where it is used, also while a program is traced, so nothing keeps it.
    """
    return quick_keys.key(7)


def _pair(run, make, inputs=(UNIT, -UNIT)):
    """The samplers of what is made on two inputs; `run` maps (mechanism, key, rows) to numbers."""
    compiled, make = jax.jit(run), cache(make)

    def sampler(vector):
        def sample(key, draws):
            turns = -(-draws // PIECE)
            rows = jnp.broadcast_to(vector, (PIECE, DIM))
            pieces = [compiled(make(), k, rows) for k in jax.random.split(key, turns)]
            return np.concatenate(pieces)[:draws]

        return sample

    return tuple(sampler(vector) for vector in inputs)


def _host(key):
    """Cheap randomness for a planted bug: every program on the device takes seconds to compile."""
    return np.random.default_rng(np.asarray(jax.random.key_data(key)))


def _row(name, own, planted) -> Row:
    return Row("local", name, EPSILON, *own, planted=planted)


def _towards(mechanism, key, rows):
    """How far a report goes along `UNIT`."""
    return mechanism.sample(key, rows) @ UNIT / mechanism.bound


def _fewer(mechanism):
    """The same mechanism with two thirds of its misses."""
    return dataclasses.replace(mechanism, miss=words.word(words.integer(mechanism.miss) * 2 // 3))


def _higher(mechanism):
    """The same mechanism with a higher cap than its probability was computed for."""
    return dataclasses.replace(mechanism, gamma=1.5 * mechanism.gamma)


def _higher_within(mechanism):
    """The same mechanism, its directions reported with a higher cap."""
    return dataclasses.replace(mechanism, direction=_higher(mechanism.direction))


def _slips(make, edge="cap"):
    """A higher edge than its probability was computed for, and fewer misses."""
    return {
        f"a higher {edge}": _pair(_towards, lambda: _higher(make())),
        "misses x 2/3": _pair(_towards, lambda: _fewer(make())),
    }


def _privunit2() -> Row:
    make = cache(partial(PrivUnit2.optimal, DIM, EPSILON))
    return _row("PrivUnit2", _pair(_towards, make), _slips(make))


def _gives_up(make, sampler, sign):
    """Four tries for a Gaussian above the threshold, then the input itself."""

    def sample(key, draws):
        mechanism, random = make(), _host(key)
        above = random.random(draws) < mechanism.p
        failed = above & (random.normal(size=(4, draws)) < mechanism.gamma).all(axis=0)
        return np.where(failed, sign, sampler(key, draws))

    return sample


def _privunitg() -> Row:
    make = cache(partial(PrivUnitG.optimal, DIM, EPSILON))
    own = _pair(_towards, make)
    planted = _slips(make, "threshold")
    planted["gives up after four tries"] = tuple(
        _gives_up(make, sampler, sign) for sampler, sign in zip(own, (1, -1), strict=True)
    )
    return _row("PrivUnitG", own, planted)


def _projected(mechanism, key, rows):
    """How far a report goes along the projection of `UNIT`."""
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    seen = mechanism.project(_public(), people[:1], UNIT[None])[0]
    return mechanism.sample(key, _public(), people, rows) @ seen


def _length(make, vector):
    """The norm of reports that keep the length which the projection has left."""

    def sample(key, draws):
        seen = make().project(_public(), jnp.zeros(1, jnp.uint32), vector[None])
        return np.full(draws, np.linalg.norm(seen))

    return sample


def _always(value):
    return lambda key, draws: np.full(draws, value)


def _fast() -> Row:
    make = cache(partial(FastProjUnit.optimal, DIM, EPSILON, 4))
    planted = {
        "a higher cap": _pair(_projected, lambda: _higher_within(make())),
        "no normalisation": (_length(make, UNIT), _length(make, FIRST)),
    }
    return _row("FastProjUnit", _pair(_projected, make), planted)


def _index(mechanism, key, rows):
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    return mechanism.sample(key, _public(), people, rows)


@cache
def _k_closest():
    return KClosest.optimal(DIM, EPSILON, CANDIDATES)


@cache
def _candidates():
    mechanism, people = _k_closest(), jnp.zeros(CANDIDATES, jnp.uint32)
    return np.asarray(mechanism.decode(_public(), people, jnp.arange(CANDIDATES)) / mechanism.scale)


def _closest_at_last(sampler, unit):
    """One draw in eight gives up, and answers with the closest of all."""

    def sample(key, draws):
        closest = np.argmax(_candidates() @ unit)
        return np.where(_host(key).random(draws) < 1 / 8, closest, sampler(key, draws))

    return sample


def _many() -> np.ndarray:
    """A vector near half of all candidates."""
    return _unit(np.linalg.pinv(_candidates()[::2]) @ np.ones(CANDIDATES // 2))


def _opposite() -> np.ndarray:
    """A vector near an opposite alone."""
    return _unit(-np.linalg.pinv(_candidates()[::2])[:, 0])


def _unit(vector):
    return vector / np.linalg.norm(vector)


def _weighted(near):
    """Weights e^epsilon for as many candidates as happen to be in a cap, one elsewhere."""

    def sample(key, draws):
        weights = np.exp(EPSILON * (_candidates() @ near() >= HEIGHT))
        return _host(key).choice(CANDIDATES, draws, p=weights / weights.sum())

    return sample


def _compressed() -> Row:
    own = _pair(_index, _k_closest)
    planted = {
        "misses x 2/3": _pair(_index, lambda: _fewer(_k_closest())),
        "gives up on the closest": tuple(
            _closest_at_last(sampler, unit)
            for sampler, unit in zip(own, (UNIT, -UNIT), strict=True)
        ),
        "as many as are in the cap": (_weighted(_many), _weighted(_opposite)),
    }
    return _row("k-closest encoding", own, planted)


def _both(mechanism, key, rows):
    """The cosine of a report with `UNIT`, and beyond it the magnitude's level."""
    reports = mechanism.sample(key, rows)
    norms = jnp.linalg.norm(reports, axis=1)
    top = norms > mechanism.direction.scale * mechanism.magnitude.step / 2
    return reports @ UNIT / norms + 4 * top


def _shared(share) -> Separated:
    """Each part with a budget of its own."""
    return Separated(PrivUnit2.optimal(DIM, share), ScalarDP.on_grid(share, 1, 1.0))


def _separated() -> Row:
    half, whole = (partial(_shared, share) for share in (EPSILON / 2, EPSILON))
    inputs = UNIT, -1e-6 * UNIT
    planted = {
        "each part the whole budget": _pair(_both, whole, inputs),
        # The direction's report has one norm, so the product shows the factor.
        "the norm in clear": (_always(1.0), _always(1e-6)),
    }
    return _row("PrivUnit2 x ScalarDP", _pair(_both, half, inputs), planted)


def _multiplied(sampler, norm):
    """The norm multiplied on, where it should choose a sign."""
    return lambda key, draws: norm * sampler(key, draws)


def _folded() -> Row:
    make = cache(partial(Folded.best, DIM, EPSILON, 1.0))
    directions = _pair(_towards, lambda: make().direction)
    planted = {
        "a higher cap": _pair(_towards, lambda: _higher_within(make())),
        "the norm multiplied on": tuple(
            _multiplied(sampler, norm) for sampler, norm in zip(directions, (1, 0.5), strict=True)
        ),
    }
    return _row("PrivUnit2, norm folded", _pair(_towards, make), planted)


def _shells() -> Row:
    make, alone = (
        partial(Shells.with_cap, DIM, budget, 1.0, 0.5, 1, 0.3)
        for budget in (EPSILON, EPSILON + 1.0)
    )
    planted = {
        "a higher cap": _pair(_towards, lambda: _higher(make())),
        "a larger budget's reports": _pair(_towards, alone),
    }
    return _row("a point of two spheres", _pair(_towards, make), planted)


ROWS = [_privunit2(), _privunitg(), _fast(), _compressed(), _separated(), _folded(), _shells()]
