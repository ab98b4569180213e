"""Shapes and devices for programs: one kind for all numbers that no program reads."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from live.masked import group
from live.phones import DIM, FUNCTION, MANY, VECTORS, phone
from live.test_agreement import ORDER, STATE, reporting
from tacit.live import client as client_module
from tacit.live.bare import bare
from tacit.live.order import Reply
from tacit.live.programs import Programs
from tacit.live.sides import send, sent, share, shared
from tacit.noise import keys
from tacit.population.loop import traced

KEY, PUBLIC = (keys.jax_key(keys.from_seed(seed)) for seed in (1, 2))
BOTH = tacit.Central(9.0, 1e-5)


def asked(trust, shape):
    return trust.plan(tacit.Mean(shape, tacit.Everyone(), 1, MANY))


def typical(norm):
    return tacit.Ball(DIM, 1.0, norm)


def pair(share):
    return tacit.Product(tacit.Sphere(3), tacit.Cube(3, 0, 1), shares=(share, 1 - share))


PAIRS = {
    "typical": lambda x: asked(tacit.Local(8.0), typical(x)),
    "few bytes": lambda x: asked(tacit.Local(8.0, upload=20), typical(x)),
    "an index": lambda x: asked(tacit.Local(8.0, upload=2), typical(x)),
    "both": lambda x: asked(tacit.Federated(8.0, BOTH, upload=16), typical(x)),
    "shares": lambda x: asked(tacit.Local(8.0), pair(x)),
}


def parts(plan):
    return plan.sums.contribution, plan.device


def kind(tree):
    """What a program is compiled for."""
    return jax.tree.structure(tree), [jax.typeof(leaf) for leaf in jax.tree.leaves(tree)]


@pytest.mark.parametrize("name", PAIRS)
def test_programs_are_of_one_kind(name):
    """Two numbers that a server may choose, and one program."""
    one, other = (parts(PAIRS[name](number)) for number in (0.5, 0.51))

    assert kind(traced(one)) != kind(traced(other))
    assert kind(traced(bare(one))) == kind(traced(bare(other)))


def masked(epsilon, norm):
    return asked(tacit.Aggregated(epsilon, 1e-5), typical(norm))


def test_programs_under_masks_are_of_one_kind():
    """How many bits a report has is said by a layout, and not by the program."""
    one, other = parts(masked(4.0, 0.5)), parts(masked(8.0, 0.6))

    assert one[1].report_bits != other[1].report_bits
    assert kind(traced(bare(one))) == kind(traced(bare(other)))


@pytest.mark.parametrize("name", PAIRS)
def test_reports_are_the_same_to_the_bit(name):
    """What is left out is in no number of them."""
    whole = parts(PAIRS[name](0.5))
    asked = FUNCTION.start, VECTORS[:1], jnp.zeros(1, jnp.uint32), KEY, PUBLIC
    one = eqx.filter_jit(sent)(FUNCTION.learner, *traced(whole), *asked)
    other = send(FUNCTION.learner, *traced(bare(whole)), *asked)

    assert _bytes(one) == _bytes(other)


def test_shares_of_a_sum_are_the_same_to_the_bit():
    """Under masks too."""
    plan = masked(4.0, 0.5)
    own = traced(plan.server).grid, FUNCTION.start, VECTORS[:1], KEY
    one = eqx.filter_jit(shared)(FUNCTION.learner, *traced(parts(plan)), *own)
    other = share(FUNCTION.learner, *traced(bare(parts(plan))), *own)

    assert _bytes(one) == _bytes(other)


def test_a_device_compiles_once_for_orders_that_differ_in_them(tmp_path, monkeypatch):
    """A server that counts through typical norms has one program made, not one for each."""
    programs = Programs(sent)
    monkeypatch.setattr(client_module, "send", programs)
    client = phone(tmp_path)
    for number, norm in enumerate((None, 0.5, 0.51)):
        own = reporting(shape=typical(norm), way=0)
        order = replace(ORDER, number=bytes([number]) * 32, **own)
        assert Reply.read(client.answer(order.packed(), STATE)).report is not None

    assert 1 == len(programs)


def test_a_member_compiles_once_for_orders_that_differ_in_them(tmp_path, monkeypatch):
    """Two runs whose reports have other bits."""
    programs = Programs(shared)
    monkeypatch.setattr(client_module, "share", programs)
    plans = [group.plan(1, epsilon=epsilon) for epsilon in (16.0, 30.0)]
    for number, own in enumerate(plans):
        path = tmp_path / f"{number}"
        path.mkdir()
        heard, _, _ = group.run(path, own=own)
        assert MANY == heard[0].reported

    assert 1 == len(programs) and 2 == len({own.device.report_bits for own in plans})


def test_what_is_left_out_is_left_where_it_was():
    """A copy has none of it; whoever asks the shape itself is told."""
    shape, device = parts(PAIRS["typical"](0.5))
    alike = bare((shape, device))

    assert (0.5, 0.5) == (shape.typical, device.typical)
    assert (None, None) == tuple(each.typical for each in alike)
    assert (shape.dim, shape.radius) == (alike[0].dim, alike[0].radius)


def _bytes(report):
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(report)]
