"""Plans as JSON: whole, finite, small, and nothing that is not public."""

import enum
import importlib.metadata
import json
import math
from dataclasses import dataclass, field

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from tacit.accounting import event_json, events
from tacit.contribution import Counts, OneHot, Product
from tacit.record import VERSIONED, plain, versions

CENTRAL = tacit.Central(1.0, 1e-5, tacit.Relation.REPLACE_ONE)
TRUSTS = [
    tacit.NonPrivate(),
    CENTRAL,
    tacit.Local(2.0),
    tacit.Shuffled(1.0, 1e-6),
    tacit.Federated(tacit.Split(6.0, 3.0), CENTRAL),
    tacit.Federated(9.0, CENTRAL, 0.5),
]
NAMES = ["none", "central", "local", "shuffled", "federated", "projected"]


def lists(value):
    """Every list in a plain value."""
    if isinstance(value, dict):
        value = list(value.values())
    elif isinstance(value, list):
        yield value
    else:
        return
    for item in value:
        yield from lists(item)


@pytest.mark.parametrize("shape", [tacit.Interval(-1.0, 1.0), tacit.Ball(500, 1.0)])
@pytest.mark.parametrize("trust", TRUSTS, ids=NAMES)
def test_every_plan_is_json(trust, shape):
    """Finite numbers and text, back as they were, and no array of more than 64 numbers."""
    if isinstance(trust, tacit.Federated) and isinstance(shape, tacit.Interval):
        trust = tacit.Federated(9.0, CENTRAL)
    record = plain(trust.plan(tacit.Mean(shape, tacit.Once(), 3, 300)))

    assert record == json.loads(json.dumps(record, allow_nan=False))
    assert max((len(found) for found in lists(record)), default=0) <= 64
    assert type(trust).__name__ == record["trust"]["type"]


def test_a_plan_says_what_is_promised_and_how():
    """The trust model's own numbers, the noise, and each promise's event in full."""
    plan = CENTRAL.plan(tacit.Mean(tacit.Ball(4, 1.5), tacit.Everyone(), 3, 50))
    record = plain(plan)
    promise = record["guarantees"][0]

    assert {"type": "Central", "epsilon": 1.0, "delta": 1e-5, "relation": "replace-one"} == record[
        "trust"
    ]
    mechanism = record["server"]["mechanism"]
    assert {
        "type": "Gaussian",
        "sigma": plan.server.mechanism.sigma,
        "sensitivity": plan.server.mechanism.sensitivity,
        "step": plan.server.grid,
    } == mechanism
    assert ("public", "replace-one", "person") == tuple(
        promise[name] for name in ("observer", "relation", "unit")
    )
    assert plan.guarantees[0].event == event_json.from_json(promise["event"])
    shape = {"type": "Ball", "dim": 4, "radius": 1.5, "typical": None}
    assert shape == record["question"]["contribution"]


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(
    "shape, pure",
    [
        (OneHot(9), ["Laplace"]),
        (Counts(9, 2, 3), ["Laplace"]),
        (tacit.Interval(0.0, 1.0), ["Staircase"]),
        (tacit.Cube(500, 0.0, 1.0), ["CubeNorm"]),
        (Product(OneHot(9), tacit.Ball(500, 1.0)), ["Laplace", "EuclideanNorm"]),
    ],
)
def test_tables_that_follow_from_other_numbers_are_left_out(shape, pure, delta):
    """A sampler's tables hold thousands of words; the noise is in the record without them."""
    record = plain(tacit.Central(1.0, delta).plan(tacit.Mean(shape, tacit.Everyone(), 3, 50)))
    parts = record["server"].get("parts", [record["server"]])

    assert record == json.loads(json.dumps(record, allow_nan=False))
    assert len(json.dumps(record)) < 3000
    assert max((len(found) for found in lists(record)), default=0) <= 64
    made = [part["mechanism"]["type"] for part in parts]
    assert made == (["Gaussian"] * len(pure) if delta else pure)
    assert not any({"steps", "noise"} & set(part["mechanism"]) for part in parts)


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: float
    who: Colour


@dataclass
class Tabled:
    x: float
    table: object = field(metadata={"recorded": False})


@pytest.mark.parametrize(
    "value, becomes",
    [
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
        (None, None),
        (True, True),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.array([[1, 2]]), [[1, 2]]),
        (jnp.array([0.5, math.inf]), [0.5, "inf"]),
        ((1, [2.5, None]), [1, [2.5, None]]),
        ({1: Colour.RED}, {"1": "red"}),
        (Point(math.inf, Colour.RED), {"type": "Point", "x": "inf", "who": "red"}),
        (Tabled(0.5, object()), {"type": "Tabled", "x": 0.5}),
        (events.gaussian(2.0), event_json.to_json(events.gaussian(2.0))),
    ],
)
def test_plain_values_of_the_docstring(value, becomes):
    """Each kind of public value has one plain form."""
    assert becomes == plain(value)
    json.dumps(plain(value), allow_nan=False)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"key", lambda: 0, 1j])
def test_what_is_not_public_and_plain_is_refused(value):
    """A key is bytes, and bytes are never recorded; the sentence names the type."""
    for wrapped in (value, [value], {"a": value}, Point(value, Colour.RED)):
        with pytest.raises(TypeError, match=f"plain values .* got {type(value).__name__}"):
            plain(wrapped)


def test_versions_are_those_installed():
    """Of everything a number in a receipt depends on."""
    assert set(VERSIONED) == set(versions())
    assert importlib.metadata.version("jax") == versions()["jax"]
