"""Vectors from devices: opposite directions, and for the norm the longest against none."""

import dataclasses

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
# One public key and one person's number: the guarantee holds for each.
PUBLIC = quick_keys.key(7)


def _pair(run, mechanism, inputs=(UNIT, -UNIT)):
    """The samplers of a mechanism on two inputs; `run` maps (mechanism, key, rows) to numbers."""
    compiled = jax.jit(run)

    def sampler(vector):
        def sample(key, draws):
            turns = -(-draws // PIECE)
            rows = jnp.broadcast_to(vector, (PIECE, DIM))
            pieces = [compiled(mechanism, k, rows) for k in jax.random.split(key, turns)]
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


def _privunit2() -> Row:
    mechanism = PrivUnit2.optimal(DIM, EPSILON)
    bugs = {"a higher cap": _higher(mechanism), "misses x 2/3": _fewer(mechanism)}
    planted = {name: _pair(_towards, bug) for name, bug in bugs.items()}
    return _row("PrivUnit2", _pair(_towards, mechanism), planted)


def _gives_up(mechanism, sampler, sign):
    """Four tries for a Gaussian above the threshold, then the input itself."""

    def sample(key, draws):
        random = _host(key)
        above = random.random(draws) < mechanism.p
        failed = above & (random.normal(size=(4, draws)) < mechanism.gamma).all(axis=0)
        return np.where(failed, sign, sampler(key, draws))

    return sample


def _privunitg() -> Row:
    mechanism = PrivUnitG.optimal(DIM, EPSILON)
    bugs = {"a higher threshold": _higher(mechanism), "misses x 2/3": _fewer(mechanism)}
    planted = {name: _pair(_towards, bug) for name, bug in bugs.items()}
    own = _pair(_towards, mechanism)
    planted["gives up after four tries"] = tuple(
        _gives_up(mechanism, sampler, sign) for sampler, sign in zip(own, (1, -1), strict=True)
    )
    return _row("PrivUnitG", own, planted)


def _projected(mechanism, key, rows):
    """How far a report goes along the projection of `UNIT`."""
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    seen = mechanism.project(PUBLIC, people[:1], UNIT[None])[0]
    return mechanism.sample(key, PUBLIC, people, rows) @ seen


def _lengths(mechanism):
    """The norms of reports that keep the length which the projection has left."""
    seen = mechanism.project(PUBLIC, jnp.zeros(2, jnp.uint32), jnp.stack([UNIT, FIRST]))
    return tuple(_always(float(norm)) for norm in jnp.linalg.norm(seen, axis=1))


def _always(value):
    return lambda key, draws: np.full(draws, value)


def _fast() -> Row:
    mechanism = FastProjUnit.optimal(DIM, EPSILON, 4)
    higher = dataclasses.replace(mechanism, direction=_higher(mechanism.direction))
    planted = {
        "a higher cap": _pair(_projected, higher),
        "no normalisation": _lengths(mechanism),
    }
    return _row("FastProjUnit", _pair(_projected, mechanism), planted)


def _index(mechanism, key, rows):
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    return mechanism.sample(key, PUBLIC, people, rows)


def _candidates(mechanism):
    people = jnp.zeros(CANDIDATES, jnp.uint32)
    return mechanism.decode(PUBLIC, people, jnp.arange(CANDIDATES)) / mechanism.scale


def _closest_at_last(mechanism, sampler, unit):
    """One draw in eight gives up, and answers with the closest of all."""
    closest = int(jnp.argmax(_candidates(mechanism) @ unit))

    def sample(key, draws):
        return np.where(_host(key).random(draws) < 1 / 8, closest, sampler(key, draws))

    return sample


def _weighted(mechanism, vector):
    """Weights e^epsilon for as many candidates as happen to be in a cap, one elsewhere."""
    weights = np.exp(EPSILON * np.asarray(_candidates(mechanism) @ vector >= HEIGHT))
    return lambda key, draws: _host(key).choice(CANDIDATES, draws, p=weights / weights.sum())


def _compressed() -> Row:
    mechanism = KClosest.optimal(DIM, EPSILON, CANDIDATES)
    # A vector near half of all candidates, and one near an opposite alone.
    heights = np.linalg.pinv(np.asarray(_candidates(mechanism))[::2])
    many, one = heights @ np.ones(CANDIDATES // 2), -heights[:, 0]
    vectors = many / np.linalg.norm(many), one / np.linalg.norm(one)
    own = _pair(_index, mechanism)
    planted = {
        "misses x 2/3": _pair(_index, _fewer(mechanism)),
        "gives up on the closest": tuple(
            _closest_at_last(mechanism, sampler, unit)
            for sampler, unit in zip(own, (UNIT, -UNIT), strict=True)
        ),
        "as many as are in the cap": tuple(_weighted(mechanism, v) for v in vectors),
    }
    return _row("k-closest encoding", own, planted)


def _both(mechanism, key, rows):
    """The cosine of a report with `UNIT`, and beyond it the magnitude's level."""
    reports = mechanism.sample(key, rows)
    norms = jnp.linalg.norm(reports, axis=1)
    top = norms > mechanism.direction.scale * mechanism.magnitude.step / 2
    return reports @ UNIT / norms + 4 * top


def _separated() -> Row:
    half, whole = (
        Separated(PrivUnit2.optimal(DIM, share), ScalarDP.on_grid(share, 1, 1.0))
        for share in (EPSILON / 2, EPSILON)
    )
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
    mechanism = Folded.best(DIM, EPSILON, 1.0)
    higher = dataclasses.replace(mechanism, direction=_higher(mechanism.direction))
    directions = _pair(_towards, mechanism.direction)
    planted = {
        "a higher cap": _pair(_towards, higher),
        "the norm multiplied on": tuple(
            _multiplied(sampler, norm) for sampler, norm in zip(directions, (1, 0.5), strict=True)
        ),
    }
    return _row("PrivUnit2, norm folded", _pair(_towards, mechanism), planted)


def _shells() -> Row:
    mechanism = Shells.with_cap(DIM, EPSILON, 1.0, 0.5, 1, 0.3)
    alone = Shells.with_cap(DIM, EPSILON + 1.0, 1.0, 0.5, 1, 0.3)
    planted = {
        "a higher cap": _pair(_towards, _higher(mechanism)),
        "a larger budget's reports": _pair(_towards, alone),
    }
    return _row("a point of two spheres", _pair(_towards, mechanism), planted)


ROWS = [_privunit2(), _privunitg(), _fast(), _compressed(), _separated(), _folded(), _shells()]
