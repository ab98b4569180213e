"""Points of a finite plane: exactly uniform on both sides, and counted by a dynamic program."""

import math
from decimal import Decimal
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
from tacit.mechanisms.frequency import projective_geometry as geometry
from tacit.mechanisms.frequency.projective_geometry import (
    ProjectiveGeometry,
    Space,
    orthogonal,
    point,
)
from tacit.mechanisms.frequency.subset_selection import LARGEST_PRIME, SubsetSelection
from tacit.noise import words

SPACES = [Space(2, 2), Space(7, 2), Space(2, 5), Space(3, 4), Space(5, 3), Space(11, 3)]


def vectors(space):
    """The vectors of all points, in their order: the last nonzero coordinate is one."""
    q, t = space.order, space.dimension
    codes = [q**pivot + rest for pivot in range(t) for rest in range(q**pivot)]
    return np.array([[code // q**i % q for i in range(t)] for code in codes])


def meets(space):
    """Which two points are orthogonal."""
    found = vectors(space)
    return found @ found.T % space.order == 0


def law(mechanism, truth):
    """The probability of each report, but for the residues' unevenness."""
    space, miss = mechanism.space, Fraction(mechanism.misses, words.SIZE)
    near, far = (1 - miss) / space.near, miss / space.far
    return [near if one else far for one in meets(space)[truth]]


@pytest.mark.parametrize("space", SPACES[:-1])
def test_numbers_and_vectors(space):
    """Points have the stated order; any multiple of a vector leads back to its number."""
    q, t = space.order, space.dimension
    indices = jnp.arange(space.points, dtype=jnp.uint32)
    digits = geometry._digits(geometry._code(indices, q, t), q, t)
    assert np.stack(digits, axis=1).tolist() == vectors(space).tolist()

    for factor in range(1, q):
        numbers, scale = geometry._number([d * factor % q for d in digits], q)
        assert numbers.tolist() == indices.tolist()
        assert {1} == set((scale * factor % q).tolist())


@pytest.mark.parametrize("space", SPACES)
def test_the_counts_of_a_space(space):
    """Every point meets `near` points, any two meet near/q in common, and k points fit."""
    table = meets(space).astype(int)
    both = (space.near // space.order) * np.ones_like(table)

    assert len(table) == space.points == space.near + space.far
    assert (table @ table == both + np.diag([space.near - both[0, 0]] * len(table))).all()
    assert Space.least(space.order, space.points) == space


@pytest.mark.parametrize("space", SPACES)
def test_free_coordinates_are_a_bijection(space):
    """For every point, the numbers drawn give each orthogonal, or each other, point once."""
    q, t = jnp.uint32(space.order), space.dimension
    near = geometry._code(jnp.arange(space.near, dtype=jnp.uint32), q, t - 1)
    far = jnp.arange(space.far, dtype=jnp.uint32)
    free = geometry._digits(jnp.concatenate([near, far]), q, t - 1)
    missing, table = jnp.arange(space.points) >= space.near, meets(space)

    @jax.jit
    def found(vector):
        own = [jnp.full(space.points, c) for c in vector]
        return geometry._number(geometry._solve(own, free, missing, q), q)[0]

    for x, vector in enumerate(vectors(space)):
        numbers = np.asarray(found(jnp.asarray(vector, jnp.uint32)))
        assert sorted(numbers.tolist()) == list(range(space.points))
        assert table[x, numbers].tolist() == (~missing).tolist()


@pytest.mark.parametrize("space", SPACES)
def test_the_server_counts_as_the_definition_does(space):
    """The dynamic program gives the exact integers of the incidence table."""
    counts = np.random.default_rng(0).integers(0, 1000, space.points).astype(np.int32)

    assert orthogonal(jnp.asarray(counts), space).tolist() == (meets(space) @ counts).tolist()


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, math.log(2), 2.0, 8.0, 60.0])
@pytest.mark.parametrize("categories", [2, 3, 10, 31])
def test_ratios_probabilities_and_blanket_by_enumeration(epsilon, categories):
    """The law is private, supports categories as often as stated, and shares the blanket."""
    mechanism = ProjectiveGeometry(epsilon, categories)
    laws = [law(mechanism, truth) for truth in range(categories)]
    table = meets(mechanism.space)
    columns = list(zip(*laws, strict=True))
    shared = sum(map(min, columns))

    assert all(sum(one) == 1 for one in laws)
    assert max(max(col) / min(col) for col in columns) <= Fraction(Decimal(epsilon).exp())
    assert shared * (1 - Fraction(1, 2**45)) <= Fraction(mechanism.blanket) <= shared
    for category in range(categories):
        likely = sum(p for p, one in zip(laws[1], table[category], strict=True) if one)
        own, other = mechanism.support.own, mechanism.support.other
        assert likely == (own if category == 1 else other)


def p_value(mechanism, share, truth, count=120_000):
    """Of a chi-square test that reports with this share of misses follow the law."""
    space = mechanism.space
    reports = point(
        quick_keys.key(7),
        jnp.full(count, truth, jnp.int32),
        mechanism.categories,
        np.uint32(space.order),
        space.dimension,
        words.word(int(mechanism.misses * share)),
    )
    expected = np.array([float(p) for p in law(mechanism, truth)])
    seen = np.bincount(np.asarray(reports), minlength=space.points)
    return chisquare(seen, count * expected).pvalue


@pytest.mark.parametrize("epsilon, categories, truth", [(0.4, 10, 7), (1.5, 29, 0), (3.0, 8, 7)])
def test_reports_follow_the_enumerated_law(epsilon, categories, truth):
    """A chi-square test accepts the sampler, and refuses two thirds of the misses."""
    mechanism = ProjectiveGeometry(epsilon, categories)

    assert p_value(mechanism, Fraction(1), truth) > 1e-6
    assert p_value(mechanism, Fraction(2, 3), truth) < 1e-12


@pytest.mark.parametrize("modulus", [1, 2, 65_521, 3_307_949, 2**24])
def test_residues_are_those_of_the_word(modulus):
    """Byte by byte, as in one division of a 64-bit integer."""
    key = quick_keys.key(3)
    high, low = np.asarray(jax.random.bits(key, (2, 500), jnp.uint32)).astype(object)

    found = geometry._residue(key, jnp.uint32(modulus), (500,))
    assert found.tolist() == [int(word) % modulus for word in high * 2**32 + low]


@pytest.mark.parametrize("epsilon, most", [(1e-3, 1.002), (1.0, 1.03), (2.0, 1.02), (4.0, 1.02)])
def test_the_error_at_a_thousand_categories(epsilon, most):
    """It is within 3% of subset selection's, as no prime is exactly E + 1."""
    ours, best = (o(epsilon, 1024).error(1) for o in (ProjectiveGeometry, SubsetSelection))

    assert best <= ours <= most * best


def test_the_error_in_closed_form():
    """With E + 1 = q the variance of a rare category tends to 4E/(E - 1)²."""
    for q in (3, 5, 7, 53):
        e = q - 1
        variance = ProjectiveGeometry(math.log(e), 60_000).variance(1, 0.0)
        assert variance == pytest.approx(4 * e / (e - 1) ** 2, 2e-3)


@pytest.mark.parametrize("epsilon", [1e-6, 5.0, 9.0])
def test_the_most_categories(epsilon):
    """The largest number of categories keeps every number within 32 bits, and the stated share."""
    mechanism = ProjectiveGeometry(epsilon, LARGEST_PRIME)
    space, truth = mechanism.space, LARGEST_PRIME - 1
    reports = np.asarray(mechanism.sample(quick_keys.key(0), jnp.full(20_000, truth, jnp.int32)))
    q, t = space.order, space.dimension
    numbers = jnp.asarray([*reports, truth], jnp.uint32)
    digits = np.stack(geometry._digits(geometry._code(numbers, q, t), q, t), 1).astype(int)
    held = digits[:-1] @ digits[-1] % q == 0
    own = float(mechanism.support.own)

    assert space.far <= 2**24 and space.near <= 2**24
    assert space.points >= LARGEST_PRIME and reports.max() < space.points
    assert abs(held.mean() - own) <= 5 * math.sqrt(own * (1 - own) / 20_000)
