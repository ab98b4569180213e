"""Numbers, means and mean squares of classes: exact without noise, of bounded shares a person."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from sq.queried import TRUSTS, named, state_of
from tacit.sq.moment_tables import MomentTables, MomentTablesInTurn, in_steps, shares_of
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

FEATURES, CLASSES, PEOPLE = 2, 2, 30_000


def people(many: int = PEOPLE) -> tuple[np.ndarray, np.ndarray]:
    host = np.random.default_rng(0)
    own = host.integers(0, CLASSES, many)
    numbers = host.beta(2 + 2 * own, 3, (FEATURES, many)).T
    return numbers.astype(np.float32), own.astype(np.float32)


def learner_for(trust):
    if isinstance(trust, Local | Shuffled):
        return MomentTablesInTurn(FEATURES, CLASSES)
    if isinstance(trust, Federated):
        return MomentTables.in_l2(FEATURES, CLASSES)
    normal = isinstance(trust, Central) and trust.delta > 0
    return (MomentTables.in_steps if normal else MomentTables.in_l1)(FEATURES, CLASSES)


def moments(tables: np.ndarray) -> np.ndarray:
    """Of every feature and class: how many, the sum, the sum of squares."""
    return np.stack([tables.sum(2), tables[..., 1] / 2 + tables[..., 2], tables[..., 2]], axis=2)


def exact(data: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    numbers, own = data
    powers = np.stack([numbers**0, numbers, numbers**2], axis=2).astype(np.float64)
    return np.stack([(powers * (own == c)[:, None, None]).mean(0) for c in range(2)], axis=1)


@pytest.mark.parametrize("trust", TRUSTS, ids=named)
def test_moments_are_near_under_every_trust(trust, tmp_path):
    """By whichever learner such people are asked."""
    learner, data = learner_for(trust), people()
    found = moments(learner.tables(state_of(learner, trust, data, tmp_path)))

    np.testing.assert_allclose(found, exact(data), atol=0.05)


@pytest.mark.parametrize(
    "made",
    [MomentTables.in_l1, MomentTables.in_l2, MomentTables.in_steps, MomentTablesInTurn],
    ids=["l1", "l2", "steps", "turn"],
)
def test_without_a_promise_they_are_exact(made, tmp_path):
    """Who has an unknown class gives nothing; a number beyond zero and one is the nearer."""
    numbers, own = people(400)
    numbers[:10], own[10:30] = 1.7, 2
    learner = made(FEATURES, CLASSES)
    found = learner.tables(state_of(learner, NonPrivate(), (numbers, own), tmp_path))

    data = np.clip(numbers, 0, 1), own
    np.testing.assert_allclose(moments(found), exact(data), atol=1e-6)


def test_shares_add_up_to_one_and_are_no_longer():
    """Whatever the number is: a count, a number and its square apart would be three."""
    shares = jax.vmap(lambda p: shares_of(p, jnp.float32(1), 2))(jnp.linspace(0, 1, 101))

    np.testing.assert_allclose(shares.sum(axis=(1, 2)), 1.0, rtol=1e-6)
    assert (shares >= 0).all() and (shares[:, 0] == 0).all()
    lengths = np.sqrt(np.square(shares).sum(axis=(1, 2)))
    assert lengths.max() == pytest.approx(1.0) and lengths.min() > 0.6


@pytest.mark.parametrize("made", [MomentTables.in_l1, MomentTables.in_l2, MomentTables.in_steps])
def test_nobody_is_cut(made):
    """A person's shares are in their shape, at both ends of all features too."""
    learner = made(7, 3)
    ends = jnp.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.5, 0.1])
    own = learner.ask(learner.init(), (ends, jnp.float32(2)))

    np.testing.assert_allclose(learner.shape.project(own[None])[0], own, rtol=1e-6)
    corners = learner.ask(learner.init(), (jnp.ones(7), jnp.float32(0)))
    np.testing.assert_allclose(learner.shape.project(corners[None])[0], corners, rtol=1e-6)


def test_shares_in_steps_add_up_and_are_near():
    """Of each feature all steps, in whole numbers; none off by a step or more."""
    ends = jnp.concatenate([jnp.linspace(0, 1, 1001), jnp.geomspace(1e-8, 1e-3, 200)])
    shares = jax.vmap(lambda p: shares_of(p, jnp.float32(1), 2))(ends)
    whole = np.asarray(in_steps(shares, 2**20), np.float64)

    assert (whole == np.round(whole)).all() and (whole >= 0).all()
    assert (whole.sum(2) == [0, 2**20]).all()
    assert np.abs(whole - np.asarray(shares, np.float64) * 2**20).max() < 1.1


def test_one_replaced_moves_sums_by_the_root_of_two():
    """Not by two: over pairs of people of two features and two classes, and met by some."""
    learner, host = MomentTables.in_steps(2, 2), np.random.default_rng(0)
    numbers = np.concatenate([host.random((200, 2)), host.integers(0, 2, (100, 2))])
    people = jnp.asarray(numbers, jnp.float32), jnp.asarray(host.integers(0, 2, 300), jnp.float32)
    own = np.asarray(jax.vmap(lambda *each: learner.ask(learner.init(), each))(*people), np.float64)
    far = np.sqrt(np.square(own[:, None] - own[None]).sum(2)).max() / learner.steps
    most = learner.shape.sensitivity(tacit.Relation.REPLACE_ONE) / learner.steps

    assert far == pytest.approx(most) == pytest.approx(2.0)
    assert MomentTables.in_l2(2, 2).shape.sensitivity(tacit.Relation.REPLACE_ONE) > 1.4 * most


def test_of_many_features_steps_are_fewer():
    """All of one person's are below 2^29, which 32 bits hold twice."""
    for features in (1, 512, 513, 100_000):
        shape = MomentTables.in_steps(features, 2).shape
        assert 2**28 < max(shape.total, 2**29 * (features < 512)) <= 2**29


def test_the_tightest_of_both_shapes_is_the_promises_own():
    """In L1 without a delta; in length with one, of several features."""
    for trust, good, bad in (
        (tacit.Central(1.0, 0.0), MomentTables.in_l1, MomentTables.in_l2),
        (tacit.Central(1.0, 1e-2), MomentTables.in_l2, MomentTables.in_l1),
    ):
        errors = [
            trust.plan(tacit.Mean(made(40, 2).shape, tacit.Everyone(), 1, PEOPLE)).error
            for made in (good, bad)
        ]
        assert errors[0] < errors[1]


@pytest.mark.parametrize(
    "made", [MomentTables.in_l1, MomentTables.in_l2, MomentTables.in_steps, MomentTablesInTurn]
)
def test_what_is_not_of_its_kind_is_refused(made):
    """No features, or one class."""
    with pytest.raises(ValueError, match=r"at least one category|at least 2"):
        made(2, 1)
