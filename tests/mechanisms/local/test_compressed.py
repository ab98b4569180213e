"""k-closest encoding: an index's exact law for any candidates, its error, and the vector again."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import audit
import quick_keys
from tacit.mechanisms.local import points
from tacit.mechanisms.local.compressed import KClosest
from tacit.mechanisms.local.privunit2 import PrivUnit2
from tacit.mechanisms.local.projunit import FastProjUnit
from tacit.noise import words

sample = jax.jit(KClosest.sample)
decode = jax.jit(KClosest.decode)
PUBLIC = quick_keys.key(77)


def numbers(count):
    """The numbers of so many people."""
    return jnp.arange(count, dtype=jnp.uint32)


def same(person, count):
    """One person's number, so many times."""
    return jnp.full(count, person, jnp.uint32)


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return np.abs(values.mean(0) - expected) / (values.std(0) / math.sqrt(len(values)))


def law(mechanism):
    """The probability of each rank, by the definition."""
    far = words.integer(mechanism.miss) / words.SIZE
    others = mechanism.candidates - mechanism.closest
    near = np.full(mechanism.closest, (1 - far) / mechanism.closest)
    return np.concatenate([near, np.full(others, far / others)])


@pytest.mark.parametrize("unit", [[1.0, 0, 0, 0], [-0.3, 2.0, 5.0, -1.0]])
def test_the_ranks_of_reports_have_the_stated_law(unit):
    """For one person's fixed candidates the counts fit the law by rank, and no other's ranks."""
    mechanism = KClosest.with_closest(4, 1.0, 10, 3)
    count, unit = 60_000, jnp.asarray(unit)
    rows = jnp.broadcast_to(unit, (count, 4))
    reports = np.asarray(sample(mechanism, quick_keys.key(1), PUBLIC, same(5, count), rows))
    heights = np.asarray(decode(mechanism, PUBLIC, same(5, 10), jnp.arange(10))) @ np.asarray(unit)
    counts = np.bincount(reports, minlength=10)[np.argsort(-heights)]

    assert chisquare(counts, count * law(mechanism)).pvalue > 1e-3
    assert chisquare(counts[::-1], count * law(mechanism)).pvalue < 1e-9
    assert chisquare(counts, count * law(KClosest.with_closest(4, 1.2, 10, 3))).pvalue < 1e-6


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 8.0, 30.0])
@pytest.mark.parametrize("candidates, closest", [(2, 1), (10, 4), (1000, 1), (65_536, 32_768)])
def test_the_loss_is_the_budget_and_never_more(candidates, closest, epsilon):
    """The largest ratio of two probabilities, with the worst shares of a rank, keeps the budget."""
    mechanism = KClosest.with_closest(10, epsilon, candidates, closest)
    miss = words.integer(mechanism.miss)
    most = (1 + 2.0**-48) * (words.SIZE - miss) / closest
    least = (1 - 2.0**-48) * miss / (candidates - closest)

    assert math.log(most / least) <= epsilon
    assert mechanism.loss == pytest.approx(epsilon, abs=1e-11 + 1 / miss)


def test_the_law_holds_whatever_the_candidates_are(monkeypatch):
    """Candidates all alike, or not numbers at all, leave an index's law as it is."""
    mechanism = KClosest.with_closest(4, 1.0, 10, 3)
    # Of points that are all as high, the first come first, and their opposites last.
    order = [0, 2, 4, 6, 8, 9, 7, 5, 3, 1]
    for count, value in [(30_000, 1.0), (30_001, math.nan)]:
        monkeypatch.setattr(points, "heights", lambda *_, value=value: jnp.full(5, value))
        reports = mechanism.sample(quick_keys.key(1), PUBLIC, numbers(count), jnp.ones((count, 4)))
        counts = np.bincount(reports, minlength=10)[order]
        assert chisquare(counts, count * law(mechanism)).pvalue > 1e-3


@pytest.mark.parametrize("dim, epsilon, candidates", [(3, 1.0, 6), (6, 2.0, 20)])
def test_reports_are_unbiased_with_the_stated_error(dim, epsilon, candidates):
    """Every coordinate's mean and the squared error are right; every norm is the bound."""
    mechanism, count = KClosest.optimal(dim, epsilon, candidates), 40_000
    unit = np.arange(1.0, dim + 1) / np.linalg.norm(np.arange(1.0, dim + 1))
    rows = jnp.broadcast_to(jnp.asarray(unit, jnp.float32), (count, dim))
    reports = sample(mechanism, quick_keys.key(2), PUBLIC, numbers(count), rows)
    vectors = np.asarray(decode(mechanism, PUBLIC, numbers(count), reports), np.float64)

    assert standard_errors(vectors, unit).max() < 4.5
    assert standard_errors(1.2 * vectors, unit).max() > 6
    assert np.sum((vectors - unit) ** 2, axis=1).mean() == pytest.approx(mechanism.error, rel=0.02)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), mechanism.bound, rtol=1e-5)


@pytest.mark.parametrize("epsilon, candidates", [(2.0, 16), (5.0, 66)])
def test_reports_of_families_are_within_the_stated_bias_and_error(epsilon, candidates):
    """In many dimensions, whole families and parts: along the input, and in no other direction."""
    mechanism, count = KClosest.optimal(128, epsilon, candidates), 40_000
    unit = np.where(np.arange(128) < 6, 6**-0.5, 0.0).astype(np.float32)
    rows = jnp.broadcast_to(jnp.asarray(unit), (1000, 128))
    public = jax.random.split(quick_keys.key(5), 40)

    @jax.jit
    def some(keys):
        reports = mechanism.sample(keys[0], keys[1], numbers(1000), rows)
        return mechanism.decode(keys[1], numbers(1000), reports)

    keys = jnp.stack([jax.random.split(quick_keys.key(6), 40), public], axis=1)
    vectors = np.asarray(jax.lax.map(some, keys), np.float64).reshape(count, 128)
    along = vectors @ unit
    error, squares = np.sum((vectors - unit) ** 2, axis=1), np.square(along / mechanism.scale)
    stated = mechanism.along + (1 - mechanism.along) / 128

    def limit(values):
        return 4.5 * values.std() / math.sqrt(count)

    assert 0 < mechanism.bias < 0.12
    assert 1 - limit(along) < along.mean() < 1 + mechanism.bias + limit(along)
    assert standard_errors(vectors - along[:, None] * unit, 0).max() < 4.5
    assert error.mean() < mechanism.error + limit(error)
    assert error.mean() > mechanism.error - 2 * mechanism.bias - limit(error)
    assert 0.8 * stated - limit(squares) < squares.mean() < stated + limit(squares)
    assert 1.2 * along.mean() > 1 + mechanism.bias + 1.2 * limit(along)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_no_other_cap_does_better(epsilon):
    """Over every size of the cap the chosen one has the least error."""
    errors = [KClosest.with_closest(30, epsilon, 90, k).error for k in range(1, 46)]

    assert KClosest.optimal(30, epsilon, 90).error == min(errors)


@pytest.mark.parametrize(
    "epsilon, candidates, excess", [(1, 1024, 0.004), (4, 1024, 0.004), (8, 4096, 0.009)]
)
def test_a_few_thousand_candidates_are_nearly_the_sphere(epsilon, candidates, excess):
    """The error exceeds PrivUnit2's by the share that the module states, in two bytes."""
    mechanism = KClosest.optimal(1024, epsilon, candidates)
    ratio = mechanism.error / PrivUnit2.optimal(1024, epsilon).error

    assert 1 < ratio < 1 + excess
    assert mechanism.bits <= 16


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_the_blanket_is_the_least_probability_of_all_candidates(epsilon):
    """N times the least probability, and at least what every private randomiser has."""
    mechanism = KClosest.optimal(20, epsilon, 500)

    assert mechanism.blanket == pytest.approx(500 * law(mechanism).min(), 1e-12)
    assert mechanism.blanket <= 500 * law(mechanism).min()
    assert 2 / (math.exp(epsilon) + 1) <= mechanism.blanket < 1


@pytest.mark.parametrize("dim, candidates", [(6, 12), (128, 18)])
def test_device_and_server_make_the_same_candidate(dim, candidates):
    """A report that is surely the closest is decoded to the highest of the person's candidates."""
    mechanism = KClosest.with_closest(dim, 5.0, candidates, 1)
    mechanism = dataclasses.replace(mechanism, miss=words.word(0))
    units = np.random.default_rng(3).normal(size=(7, dim)).astype(np.float32)
    reports = sample(mechanism, quick_keys.key(1), PUBLIC, numbers(7), units)
    people, every = np.indices((7, candidates)).reshape(2, -1)
    vectors = decode(mechanism, PUBLIC, people.astype(np.uint32), every.astype(np.int32))
    heights = np.einsum("pcd,pd->pc", np.reshape(vectors, (7, candidates, dim)), units)

    assert np.array_equal(reports, np.argmax(heights, axis=1))


def test_after_a_projection_the_sum_is_still_unbiased():
    """Projected to a few numbers, reported by index and decoded twice, the mean is the input."""
    fast, mechanism, people = FastProjUnit.optimal(64, 6.0, 16), KClosest.optimal(16, 6.0, 500), 400
    unit = jnp.ones(64) / 8.0
    rows = jnp.broadcast_to(unit, (people, 64))

    @jax.jit
    def one(keys):
        seen = fast.project(keys[1], numbers(people), rows)
        reports = mechanism.sample(keys[0], keys[2], numbers(people), seen)
        vectors = mechanism.decode(keys[2], numbers(people), reports)
        return fast.total(keys[1], numbers(people), vectors) / people

    means = jax.lax.map(one, jax.random.split(quick_keys.key(8), (20, 3)))
    along = np.asarray(means @ unit, np.float64)

    assert abs(along.mean() - 1) < 1 / 16 + 4.5 * along.std() / math.sqrt(20)
    assert along.std() / math.sqrt(20) < 0.02


def audited(mechanism, count=100_000):
    """The epsilon proved by "one of the k closest to u" on u and -u, for fixed candidates."""
    unit = jnp.asarray([0.6, 0.0, 0.8])
    own = np.asarray(decode(mechanism, PUBLIC, same(0, 8), jnp.arange(8)) @ unit)
    cap = np.argsort(-own)[:2]
    hits = [
        int(np.isin(sample(mechanism, key, PUBLIC, same(0, count), rows), cap).sum())
        for key, sign in zip(jax.random.split(quick_keys.key(4)), (1, -1), strict=True)
        for rows in [jnp.broadcast_to(sign * unit, (count, 3))]
    ]
    return audit.epsilon_lower_bound((hits[0], count), (hits[1], count))


def test_the_audit_does_not_refute_the_claim():
    """Opposite inputs show almost the whole budget and not more."""
    assert 1.4 < audited(KClosest.with_closest(3, 1.5, 8, 2)) <= 1.5


def test_the_audit_refutes_too_few_misses():
    """Leaving the cap only two thirds as often as claimed is caught."""
    mechanism = KClosest.with_closest(3, 1.5, 8, 2)
    fewer = words.word(words.integer(mechanism.miss) * 2 // 3)

    assert audited(dataclasses.replace(mechanism, miss=fewer)) > 1.5


@pytest.mark.parametrize("row", [[0.0] * 5, [math.nan, 1, 0, 0, 0], [0, math.inf, 0, 0, 0]])
def test_rows_without_a_direction_count_as_the_first_basis_vector(row):
    """Zero, NaN and infinite rows are reported as e1 is."""
    mechanism = KClosest.optimal(5, 3.0, 30)
    bad = jnp.broadcast_to(jnp.asarray(row, jnp.float32), (50, 5))
    first = jnp.broadcast_to(jnp.eye(5)[0], (50, 5))
    one, other = (
        sample(mechanism, quick_keys.key(0), PUBLIC, numbers(50), rows) for rows in (bad, first)
    )

    assert one.tolist() == other.tolist()


def test_compiled_and_plain_agree_and_budgets_do_not_recompile():
    """One program a shape and number of candidates serves every budget, and is the plain one."""
    traces = []

    @jax.jit
    def once(mechanism, key, people, units):
        traces.append(mechanism)
        return mechanism.sample(key, PUBLIC, people, units)

    mechanism, key = KClosest.optimal(10, 3.0, 40), quick_keys.key(0)
    units = jax.random.normal(quick_keys.key(1), (6, 10))
    compiled = once(mechanism, key, numbers(6), units)
    once(KClosest.optimal(10, 0.5, 40), key, numbers(6), units)

    assert mechanism.sample(key, PUBLIC, numbers(6), units).tolist() == compiled.tolist()
    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: KClosest.optimal(2, 1.0, 8), "dim must be between 3 and"),
        (lambda: KClosest.optimal(10, math.nan, 8), "epsilon must be between 1e-6 and"),
        (lambda: KClosest.optimal(10, 1.0, 0), "candidates must be even and between 2 and 65536"),
        (lambda: KClosest.optimal(10, 1.0, 9), "candidates must be even and between 2 and 65536"),
        (lambda: KClosest.optimal(10, 1.0, 65_538), "be even and between 2 and 65536, got 65538"),
        (lambda: KClosest.with_closest(10, 1.0, 8, 0), "closest must be between 1 and 4, got 0"),
        (lambda: KClosest.with_closest(10, 1.0, 8, 5), "closest must be between 1 and 4, got 5"),
        (
            lambda: KClosest.optimal(10, 1.0, 8).sample(
                PUBLIC, PUBLIC, numbers(2), jnp.ones((2, 9))
            ),
            "rows must have 10 columns",
        ),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
