"""Local reports of a number or a vector: the opposite ends of the interval, cube or ball."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from audits.row import Row
from tacit.mechanisms.local.local_laplace import LocalLaplace
from tacit.mechanisms.local.piecewise import Hybrid, Piecewise
from tacit.mechanisms.local.privunit_infinity import PrivUnitInfinity
from tacit.mechanisms.local.sampled_vertex import VertexResponse, VertexSigns
from tacit.mechanisms.local.scalardp import ScalarDP
from tacit.mechanisms.local.scalarreldp import ScalarRelDP
from tacit.noise import words

EPSILON = 1.0
DIM = 4

# One program for all mechanisms of a kind, sound or not.
_report = jax.jit(lambda mechanism, key, values: mechanism.sample(key, values))


def _number(mechanism, value):
    """Reports of one number."""
    return lambda key, draws: np.asarray(_report(mechanism, key, jnp.full(draws, value)))


def _twice(mechanism, value):
    """Two reports of one number, told apart by their size."""

    def sample(key, draws):
        one, other = (_number(mechanism, value)(k, draws) for k in jax.random.split(key))
        return one + 1e3 * np.round(other, 2)

    return sample


def _added_late(mechanism, value):
    """The value added to a report of zero: what is cut is the noise and not the sum."""
    return lambda key, draws: np.round(value + _number(mechanism, 0.0)(key, draws), 3)


def _vector(mechanism, sign):
    """Which entries of a report are positive and which negative, for the first basis vector."""

    def sample(key, draws):
        rows = jnp.zeros((draws, DIM)).at[:, 0].set(sign)
        return np.sign(np.asarray(_report(mechanism, key, rows))) @ 3 ** np.arange(DIM)

    return sample


def _corner(mechanism, sign):
    """How many entries are positive, for a corner of the cube."""

    def sample(key, draws):
        return (np.asarray(_report(mechanism, key, jnp.full((draws, DIM), sign))) > 0).sum(axis=1)

    return sample


def _rarer(mechanism, field):
    """The same with two thirds of its lies."""
    fewer = words.word(words.integer(getattr(mechanism, field)) * 2 // 3)
    return dataclasses.replace(mechanism, **{field: fewer})


def _row(name, draw, mechanism, ends, planted) -> Row:
    """`planted` has for each bug how to draw, and from what."""
    return Row(
        "local",
        name,
        EPSILON,
        *(draw(mechanism, end) for end in ends),
        planted={
            bug: tuple(wrong(of, end) for end in ends) for bug, (wrong, of) in planted.items()
        },
        delta=(1 + np.exp(EPSILON)) * getattr(mechanism, "distance", 0.0),
    )


def _numbers() -> list[Row]:
    even = ScalarDP.on_grid(EPSILON, 3, 1.0)
    grown = ScalarRelDP.on_levels(EPSILON, 3, 0.1, 1.0)
    wide = Piecewise.on_grid(EPSILON, 30, 20, 1.0)
    mixed = Hybrid.best(EPSILON, 1.0)
    laplace = LocalLaplace.on_grid(EPSILON, 12, 1.0)
    few = "two thirds of the lies"
    bugs = {
        "ScalarDP": (even, {few: (_number, _rarer(even, "lie")), "two reports": (_twice, even)}),
        "ScalarRelDP": (grown, {few: (_number, _rarer(grown, "lie"))}),
        "piecewise": (
            wide,
            {
                few: (_number, _rarer(wide, "miss")),
                "half the window": (_number, dataclasses.replace(wide, width=10)),
            },
        ),
        "hybrid": (
            mixed,
            {
                "the bit at twice the budget": (
                    _number,
                    dataclasses.replace(mixed, bit=Piecewise.on_grid(2 * EPSILON, 1, 1, 1.0)),
                )
            },
        ),
        "local Laplace": (
            laplace,
            {
                "scale x 2/3": (_number, LocalLaplace.on_grid(1.5 * EPSILON, 12, 1.0)),
                "added after the cut": (_added_late, laplace),
            },
        ),
    }
    return [_row(name, _number, of, (0.0, 1.0), wrong) for name, (of, wrong) in bugs.items()]


def _vectors() -> list[Row]:
    named, signs = (kind.of(DIM, EPSILON, 1.0) for kind in (VertexResponse, VertexSigns))
    cube = PrivUnitInfinity.with_cap(DIM, EPSILON, 1.0, DIM, 3)
    few, ends = "two thirds of the lies", (1.0, -1.0)
    higher = {"threshold one higher": (_corner, dataclasses.replace(cube, agree=4))}
    return [
        _row("vertex", _vector, named, ends, {few: (_vector, _rarer(named, "lie"))}),
        _row("vertex signs", _vector, signs, ends, {few: (_vector, _rarer(signs, "lie"))}),
        _row(
            "PrivUnit-infinity",
            _corner,
            cube,
            ends,
            {few: (_corner, _rarer(cube, "miss")), **higher},
        ),
    ]


ROWS = [*_numbers(), *_vectors()]
