"""FastProjUnit: exact moments by enumeration, the stated error and bias, the same rows twice."""

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.projunit import FastProjUnit

sample = jax.jit(FastProjUnit.sample)
project = jax.jit(FastProjUnit.project)
total = jax.jit(FastProjUnit.total)
PUBLIC = quick_keys.key(77)


def numbers(count):
    """The numbers of so many people."""
    return jnp.arange(count, dtype=jnp.uint32)


def matrix(mechanism, public, person):
    """The person's W / c, column by column from what the server does with a basis vector."""
    rows = jnp.eye(mechanism.kept)
    people = jnp.full(1, person, jnp.uint32)
    return np.stack([np.asarray(total(mechanism, public, people, row[None])) for row in rows])


def moments(unit, kept):
    """The law of Q and the mean of W^T w over all signs and all rows, by enumeration."""
    padded = len(unit)
    blocks = padded // kept
    whole = hadamard(padded) / math.sqrt(padded)
    squares, mean = [], np.zeros(padded)
    choices = list(itertools.product(range(blocks), repeat=kept))
    for signs in itertools.product([1.0, -1.0], repeat=padded):
        turned = whole @ (signs * unit)
        for choice in choices:
            rows = np.arange(kept) * blocks + np.array(choice)
            norm = np.linalg.norm(turned[rows])
            squares.append(padded / kept * norm**2)
            mean += signs * (turned[rows] @ whole[rows]) * math.sqrt(padded / kept) / norm
    return np.array(squares), mean / len(squares)


@pytest.mark.parametrize(
    "unit", [[8, 1, -3, 2, 0.5, 5, -1, 4], [1, 0.1, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0, 1, 0]]
)
def test_the_moments_are_the_modules(unit):
    """E[Q] = 1, Var Q = 2 (1-K)/k exactly, and the mean of W^T w lies in both its bounds."""
    unit = np.array(unit) / np.linalg.norm(unit)
    squares, mean = moments(unit, 4)
    masses = [np.sum(unit[r::2] ** 2) for r in range(2)]
    variance = 2 * (1 - np.sum(np.square(masses))) / 4

    assert squares.mean() == pytest.approx(1, 1e-12)
    assert squares.var() == pytest.approx(variance, 1e-10)
    assert 1 - variance / 2 <= np.sqrt(squares).mean() <= 1
    assert mean @ unit == pytest.approx(np.sqrt(squares).mean(), 1e-10)
    assert np.linalg.norm(mean - unit) <= math.sqrt(variance)


@pytest.mark.parametrize("dim, kept", [(8, 4), (5, 8), (12, 4), (100, 16)])
def test_device_and_server_use_the_same_rows(dim, kept):
    """The server's map is N/(k c) times the transpose of the device's; its rows are orthogonal."""
    mechanism = FastProjUnit.optimal(dim, 2.0, kept)
    back = matrix(mechanism, PUBLIC, 3)
    people = jnp.full(dim, 3, jnp.uint32)
    forth = np.asarray(project(mechanism, PUBLIC, people, jnp.eye(dim))).T
    mean = mechanism.projection.shrink

    assert np.allclose(
        back, forth * math.sqrt(mechanism.projection.padded / kept) / mean, atol=1e-5
    )
    if dim == mechanism.projection.padded:
        assert np.allclose(forth @ forth.T, np.eye(kept), atol=1e-5)


def chosen(mechanism, person):
    """The place of the person's row in each block."""
    way = mechanism.projection
    return way.rows(jax.random.fold_in(PUBLIC, person)) % (way.padded // way.kept)


def test_people_have_rows_of_their_own_and_one_of_each_block():
    """Over people each row of a block is equally likely; equal numbers give equal rows."""
    mechanism = FastProjUnit.optimal(64, 2.0, 8)
    places = jax.vmap(lambda person: chosen(mechanism, person))(numbers(4000))
    again = chosen(mechanism, jnp.uint32(5))

    assert (8, int(places.max())) == (places.shape[1], 7)
    assert chisquare(np.bincount(np.asarray(places).ravel(), minlength=8)).pvalue > 1e-3
    assert places[5].tolist() == again.tolist()


def test_the_sum_is_the_sum_of_the_decoded():
    """Summing before the transform gives what decoding one by one gives."""
    mechanism = FastProjUnit.optimal(50, 2.0, 16)
    people = numbers(9)
    reports = jax.random.normal(quick_keys.key(0), (9, 16))
    single = [total(mechanism, PUBLIC, people[i : i + 1], reports[i : i + 1]) for i in range(9)]

    assert np.allclose(total(mechanism, PUBLIC, people, reports), sum(single), atol=1e-4)


@functools.partial(jax.jit, static_argnums=(2, 3))
def means(mechanism, unit, rounds, people):
    """The mean of decoded reports of one unit vector in each of so many rounds."""

    def one(keys):
        rows = jnp.broadcast_to(unit, (people, len(unit)))
        reports = mechanism.sample(keys[0], keys[1], numbers(people), rows)
        return mechanism.total(keys[1], numbers(people), reports) / people

    return jax.lax.map(one, jax.random.split(quick_keys.key(4), (rounds, 2)))


def decoded(mechanism, unit, rounds=1000, people=50):
    """The same on the host, in double precision."""
    return np.asarray(means(mechanism, unit, rounds, people), np.float64)


@pytest.mark.parametrize("shape", ["dense", "sparse"])
def test_the_bias_is_within_its_bound_and_far_below(shape):
    """Over rounds the mean is within 1/k of the truth, along it and across; noise is under 1/2k."""
    unit = np.ones(48) if shape == "dense" else np.eye(48)[0] + 0.5 * np.eye(48)[7]
    unit = jnp.asarray(unit / np.linalg.norm(unit), jnp.float32)
    mechanism = FastProjUnit.optimal(48, 200.0, 16)
    rounds = decoded(mechanism, unit)
    off = rounds.mean(0) - np.asarray(unit)
    noise = np.sqrt((rounds.var(0) / len(rounds)).sum())

    assert noise < 0.5 / 16
    assert np.linalg.norm(off) < 1 / 16 + 3 * noise
    assert 1 / 16 < mechanism.bias


def test_forgetting_the_normalisation_of_the_sum_is_caught():
    """The same test refuses a server that does not undo the share of rows."""
    unit = jnp.asarray(np.ones(48) / math.sqrt(48), jnp.float32)
    mean = decoded(FastProjUnit.optimal(48, 200.0, 16), unit).mean(0)

    assert np.linalg.norm(math.sqrt(16 / 64) * mean - np.asarray(unit)) > 0.4


@pytest.mark.parametrize("dim", [64, 40])
def test_the_error_is_the_stated_and_the_norm_bounded(dim):
    """The mean squared error is below its bound, within 5 standard errors and the bound's gap."""
    mechanism = FastProjUnit.optimal(dim, 4.0, 32)
    unit = jnp.asarray(np.ones(dim) / math.sqrt(dim), jnp.float32)
    reports = decoded(mechanism, unit, 4000, 1)
    squares = np.sum((reports - np.asarray(unit)) ** 2, axis=1)
    error = 5 * squares.std() / math.sqrt(len(squares))
    way, direction = mechanism.projection, mechanism.direction
    more = direction.along * (way.longest - way.stretch) * direction.scale**2
    gap = more + 2 * way.variance

    assert mechanism.worst_error - gap - error < squares.mean() < mechanism.worst_error + error
    assert np.linalg.norm(reports, axis=1).max() <= mechanism.bound * (1 + 1e-5)


def test_the_error_is_that_of_privunit2_in_all_dimensions():
    """A thousand numbers instead of a million cost 0.4% at epsilon 8."""
    fast, full = FastProjUnit.optimal(10**6, 8.0, 1024), PrivUnit2.optimal(10**6, 8.0)

    assert 1 < fast.worst_error / full.error < 1.0042
    assert fast.direction.loss <= 8.0
    assert fast.blanket == fast.direction.blanket


def test_all_rows_kept_is_privunit2_in_a_turned_basis():
    """With k = N nothing is projected away: no bias, and PrivUnit2's error."""
    mechanism = FastProjUnit.optimal(16, 3.0, 16)

    assert mechanism.bias == pytest.approx(0, abs=1e-12)
    assert mechanism.worst_error == pytest.approx(PrivUnit2.optimal(16, 3.0).error, 1e-9)


@pytest.mark.parametrize("row", [[0.0] * 5, [math.nan, 1, 0, 0, 0], [0, math.inf, 0, 0, 0]])
def test_rows_without_a_direction_count_as_the_first_basis_vector(row):
    """Zero, NaN and infinite rows are reported as e1 is, bit for bit."""
    mechanism = FastProjUnit.optimal(5, 3.0, 4)
    inputs = jnp.asarray([row, [1, 0, 0, 0, 0]], jnp.float32)
    one, other = (
        sample(mechanism, quick_keys.key(0), PUBLIC, numbers(1), inputs[i : i + 1]) for i in (0, 1)
    )

    assert one.tolist() == other.tolist()


def test_a_projection_that_vanishes_still_gives_a_lawful_report():
    """Whatever the rows see of u, the report lies on the one sphere: others would be told apart."""
    mechanism = FastProjUnit.optimal(32, 3.0, 4)
    pairs = jnp.eye(32)[0] + jnp.eye(32)[1:]
    people = numbers(500)
    rows = pairs[np.arange(500) % 31]
    seen = jnp.linalg.norm(project(mechanism, PUBLIC, people, rows), axis=1)
    reports = sample(mechanism, quick_keys.key(0), PUBLIC, people, rows)
    norms = np.linalg.norm(np.asarray(reports), axis=1)

    assert seen.min() < 1e-6
    np.testing.assert_allclose(norms, mechanism.direction.scale, rtol=1e-5)


def test_the_compiled_and_the_plain_projection_agree():
    """The same numbers of every row."""
    mechanism, people = FastProjUnit.optimal(100, 3.0, 16), numbers(6)
    units = np.random.default_rng(1).normal(size=(6, 100)).astype(np.float32)
    seen = project(mechanism, PUBLIC, people, units)

    assert np.allclose(mechanism.project(PUBLIC, people, units), seen, atol=1e-5)


def test_the_compiled_and_the_plain_server_agree():
    """The same sum."""
    mechanism, people = FastProjUnit.optimal(100, 3.0, 16), numbers(6)
    seen = np.random.default_rng(1).normal(size=(6, 16)).astype(np.float32)
    server = mechanism.total(PUBLIC, people, seen)

    assert np.allclose(server, total(mechanism, PUBLIC, people, seen), atol=1e-4)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: FastProjUnit.optimal(2, 1.0, 4), "dim must be between 3 and"),
        (
            lambda: FastProjUnit.optimal(100, 1.0, 10),
            "must be a power of two between 4 and 128",
        ),
        (lambda: FastProjUnit.optimal(100, 1.0, 256), "kept must be a power of two between 4 and"),
        (lambda: FastProjUnit.optimal(100, math.nan, 16), "epsilon must be between 1e-6 and"),
        (
            lambda: FastProjUnit.optimal(10, 1.0, 4).project(PUBLIC, numbers(2), jnp.ones((2, 9))),
            "rows must have 10 columns",
        ),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
