"""Vectors from devices: opposite directions, and for the norm the longest against none."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import Row
from tacit.mechanisms.compressed import KClosest
from tacit.mechanisms.folded import Folded
from tacit.mechanisms.privunit2 import PrivUnit2
from tacit.mechanisms.privunitg import PrivUnitG
from tacit.mechanisms.projunit import FastProjUnit
from tacit.mechanisms.scalardp import ScalarDP
from tacit.mechanisms.separated import Separated
from tacit.noise import words

EPSILON, DIM, CANDIDATES = 1.0, 8, 8
UNIT = np.array([4, 3, -2, 1, 3, 0, -4, 3], np.float32) / 8
FIRST = np.eye(DIM, dtype=np.float32)[0]
# One public key and one person's number: the guarantee holds for each.
PUBLIC = jax.random.key(7)


def _pair(run, mechanism, inputs=(UNIT, -UNIT)):
    """The samplers of a mechanism on two inputs; `run` maps (mechanism, key, rows) to numbers."""
    compiled = jax.jit(run)

    def sampler(vector):
        def sample(key, draws):
            return np.asarray(compiled(mechanism, key, jnp.broadcast_to(vector, (draws, DIM))))

        return sample

    return tuple(sampler(vector) for vector in inputs)


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


def _gives_up(mechanism, key, rows):
    """Four tries for a Gaussian above the threshold, then the threshold itself."""
    for_report, for_branch, for_tries = jax.random.split(key, 3)
    above = ~words.below(for_branch, mechanism.miss, rows.shape[:1])
    tries = jax.random.normal(for_tries, (4, *rows.shape[:1]))
    failed = above & (tries < mechanism.gamma).all(axis=0)
    return jnp.where(failed, rows @ UNIT, _towards(mechanism, for_report, rows))


def _privunitg() -> Row:
    mechanism = PrivUnitG.optimal(DIM, EPSILON)
    bugs = {"a higher threshold": _higher(mechanism), "misses x 2/3": _fewer(mechanism)}
    planted = {name: _pair(_towards, bug) for name, bug in bugs.items()}
    planted["gives up after four tries"] = _pair(_gives_up, mechanism)
    return _row("PrivUnitG", _pair(_towards, mechanism), planted)


def _projected(mechanism, key, rows):
    """How far a report goes along the projection of `UNIT`."""
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    seen = mechanism.project(PUBLIC, people[:1], UNIT[None])[0]
    return mechanism.sample(key, PUBLIC, people, rows) @ seen


def _unnormalised(mechanism, key, rows):
    """The norm of a report that keeps the length which the projection has left."""
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    seen = mechanism.project(PUBLIC, people, rows)
    reports = mechanism.direction.sample(key, seen)
    return jnp.linalg.norm(reports, axis=1) * jnp.linalg.norm(seen, axis=1)


def _fast() -> Row:
    mechanism = FastProjUnit.optimal(DIM, EPSILON, 4)
    higher = dataclasses.replace(mechanism, direction=_higher(mechanism.direction))
    planted = {
        "a higher cap": _pair(_projected, higher),
        "no normalisation": _pair(_unnormalised, mechanism, (UNIT, FIRST)),
    }
    return _row("FastProjUnit", _pair(_projected, mechanism), planted)


def _index(mechanism, key, rows):
    people = jnp.zeros(rows.shape[0], jnp.uint32)
    return mechanism.sample(key, PUBLIC, people, rows)


def _candidates(mechanism):
    people = jnp.zeros(CANDIDATES, jnp.uint32)
    return mechanism.decode(PUBLIC, people, jnp.arange(CANDIDATES)) / mechanism.scale


def _closest_at_last(mechanism, key, rows):
    """One draw in eight gives up, and answers with the closest of all."""
    for_report, for_trial = jax.random.split(key)
    closest = jnp.argmax(_candidates(mechanism) @ rows[0])
    failed = jax.random.bernoulli(for_trial, 1 / 8, rows.shape[:1])
    return jnp.where(failed, closest, _index(mechanism, for_report, rows))


def _weighted(mechanism, key, rows):
    """Weights e^epsilon for as many candidates as happen to be in a hemisphere, one elsewhere."""
    weights = EPSILON * (_candidates(mechanism) @ rows[0] >= 0)
    return jax.random.categorical(key, weights, shape=rows.shape[:1])


def _compressed() -> Row:
    mechanism = KClosest.optimal(DIM, EPSILON, CANDIDATES)
    middle = np.asarray(_candidates(mechanism)).sum(axis=0)
    planted = {
        "misses x 2/3": _pair(_index, _fewer(mechanism)),
        "gives up on the closest": _pair(_closest_at_last, mechanism),
        "as many as are in the cap": _pair(_weighted, mechanism, (-middle, middle)),
    }
    return _row("k-closest encoding", _pair(_index, mechanism), planted)


def _both(mechanism, key, rows):
    """The cosine of a report with `UNIT`, and beyond it the magnitude's level."""
    return _split(mechanism, mechanism.sample(key, rows))


def _clear_norm(mechanism, key, rows):
    norms = jnp.linalg.norm(rows, axis=1, keepdims=True)
    return _split(mechanism, norms * mechanism.direction.sample(key, rows))


def _split(mechanism, reports):
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
        "the norm in clear": _pair(_clear_norm, half, inputs),
    }
    return _row("PrivUnit2 x ScalarDP", _pair(_both, half, inputs), planted)


def _multiplied(mechanism, key, rows):
    """The norm multiplied on, where it should choose a sign."""
    norms = jnp.linalg.norm(rows, axis=1)
    return norms * _towards(mechanism.direction, key, rows)


def _folded() -> Row:
    mechanism = Folded.best(DIM, EPSILON, 1.0)
    higher = dataclasses.replace(mechanism, direction=_higher(mechanism.direction))
    planted = {
        "a higher cap": _pair(_towards, higher),
        "the norm multiplied on": _pair(_multiplied, mechanism, (UNIT, -UNIT / 2)),
    }
    return _row("PrivUnit2, norm folded", _pair(_towards, mechanism), planted)


ROWS = [_privunit2(), _privunitg(), _fast(), _compressed(), _separated(), _folded()]
