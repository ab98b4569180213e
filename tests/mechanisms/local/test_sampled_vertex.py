"""Reports by a sampled vertex are unbiased, of one length, and within their budget."""

import dataclasses
import itertools
import math
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import audit
import quick_keys
from tacit.mechanisms.local.sampled_vertex import VertexResponse, VertexSigns, lowest_error
from tacit.noise import words

KINDS = [VertexResponse, VertexSigns]
VECTOR = np.array([0.5, -0.3, 0.0, 0.2, 0.1], np.float32)

sample = jax.jit(lambda mechanism, key, rows: mechanism.sample(key, rows))


def law(mechanism, place, sign):
    """All reports and their exact chances, given the vertex."""
    dim, lie = mechanism.dim, Fraction(words.integer(mechanism.lie), words.SIZE)
    if isinstance(mechanism, VertexResponse):
        named = list(itertools.product(range(dim), (-1, 1)))
        reports = [mechanism.bound * s * np.eye(dim)[i] for i, s in named]
        own = [at == (place, sign) for at in named]
        return np.array(reports), [1 - lie if o else lie / (2 * dim - 1) for o in own]
    signs = np.array(list(itertools.product((-1, 1), repeat=dim)))
    chances = [(1 - lie if v[place] == sign else lie) / 2 ** (dim - 1) for v in signs]
    return mechanism.largest * signs, chances


def standard_errors(values, expected):
    """How many standard errors the mean of a sample is from what is expected."""
    values = np.asarray(values, np.float64)
    return abs(values.mean() - expected) / (values.std() / math.sqrt(len(values)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dim, epsilon", [(1, 0.5), (2, 1e-3), (3, 2.0), (6, 8.0)])
def test_loss_mean_and_blanket_by_enumeration(kind, dim, epsilon):
    """Listing the reports of every vertex gives the loss, the mean, the norm and the blanket."""
    mechanism = kind.of(dim, epsilon, 1.5)
    rows = []
    for place, sign in itertools.product(range(dim), (-1, 1)):
        reports, chances = law(mechanism, place, sign)
        rows.append(chances)
        mean = np.array(chances, float) @ reports
        assert mean == pytest.approx(1.5 * sign * np.eye(dim)[place], abs=1e-8 * mechanism.bound)
        assert np.linalg.norm(reports, axis=1) == pytest.approx(
            np.full(len(reports), mechanism.bound)
        )
        assert sum(chances) == 1
    columns = list(zip(*rows, strict=True))
    assert max(math.log(max(c) / min(c)) for c in columns) <= epsilon * (1 + 1e-15)
    assert max(math.log(max(c) / min(c)) for c in columns) == pytest.approx(epsilon, 1e-9)
    assert mechanism.blanket == pytest.approx(float(sum(min(c) for c in columns)))
    assert mechanism.blanket >= 2 / (math.exp(epsilon) + 1) * (1 - 1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 30.0, 5000.0])
@pytest.mark.parametrize("dim", [1, 2**15])
def test_the_likelihood_ratio_in_integers(kind, epsilon, dim):
    """Truth against the rarest lie, counted in 64-bit words, is at most e^epsilon."""
    lies = words.integer(kind.of(dim, epsilon, 1.0).lie)
    others = 2 * dim - 1 if kind is VertexResponse else 1
    ratio = Fraction((words.SIZE - lies) * words.SIZE, lies * (words.SIZE // others))

    assert math.log1p(ratio - 1) <= epsilon


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1.0, 1.5 / 1.1, 0.0])
def test_reports_are_unbiased_with_the_stated_error(kind, scale):
    """Inside the ball, on it and at zero: means and squared errors within 4.5 standard errors."""
    vector = (scale * VECTOR).astype(np.float32)
    mechanism = kind.of(5, 2.0, 1.5)
    rows = jnp.broadcast_to(jnp.asarray(vector), (100_000, 5))
    reports = np.asarray(sample(mechanism, quick_keys.key(2), rows), np.float64)
    norm = float(np.linalg.norm(vector))

    assert max(standard_errors(reports[:, j], vector[j]) for j in range(5)) < 4.5
    errors = ((reports - vector) ** 2).sum(axis=1)
    assert errors.mean() == pytest.approx(mechanism.error(norm), 0.02)
    assert scale == 0 or standard_errors(errors, mechanism.error(norm)) < 4.5
    assert np.linalg.norm(reports, axis=1) == pytest.approx(np.full(100_000, mechanism.bound), 1e-5)
    # Stretched by a tenth they are not.
    assert scale == 0 or standard_errors(1.1 * reports[:, 0], vector[0]) > 6


@pytest.mark.parametrize("dim, epsilon", [(100, 3.0), (100, 3.1), (10_000, 5.2), (10_000, 5.4)])
def test_the_better_of_the_two(dim, epsilon):
    """Response from E + 2d - 1 < sqrt(d) (E + 1) on, as the docstring says."""
    odds = math.exp(epsilon)
    response = odds + 2 * dim - 1 < math.sqrt(dim) * (odds + 1)
    best = lowest_error(dim, epsilon, 1.0)

    assert isinstance(best, VertexResponse if response else VertexSigns)
    assert best.worst_error == min(kind.of(dim, epsilon, 1.0).worst_error for kind in KINDS)


def test_signs_where_there_are_too_many_vertices_to_name():
    """Above 32768 coordinates."""
    assert isinstance(lowest_error(2**15 + 1, 20.0, 1.0), VertexSigns)


def audited(mechanism, count=100_000):
    """The epsilon proved by the first entry's being positive, on opposite vertices."""
    events = []
    for seed, sign in ((3, 1.0), (4, -1.0)):
        rows = jnp.zeros((count, 5)).at[:, 0].set(1.5 * sign)
        events.append((int((sample(mechanism, quick_keys.key(seed), rows)[:, 0] > 0).sum()), count))
    return audit.epsilon_lower_bound(*events)


@pytest.mark.parametrize("kind", KINDS)
def test_the_audit_tells_the_claim_from_too_few_lies(kind):
    """Opposite vertices show most of the budget; lying half as often is caught."""
    mechanism = kind.of(5, 1.5, 1.5)
    fewer = words.word(words.integer(mechanism.lie) // 2)

    assert 1.3 < audited(mechanism) <= 1.5
    assert audited(dataclasses.replace(mechanism, lie=fewer)) > 1.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", [math.nan, math.inf, -math.inf])
def test_rows_that_are_no_vectors(kind, entry):
    """They are reported as zero, bit for bit, and never as NaN."""
    mechanism = kind.of(5, 2.0, 1.5)
    rows = jnp.zeros((40, 5)), jnp.ones((40, 5)).at[:, 2].set(entry)
    reports = [np.asarray(sample(mechanism, quick_keys.key(5), row)) for row in rows]

    assert (reports[0] == reports[1]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_too_long_rows_are_scaled_back(kind):
    """Four times the ball's vector is treated as the one on its surface, bit for bit."""
    mechanism = kind.of(5, 2.0, 1.0)
    row = np.array([0.5, -0.25, 0.0, 0.125, 0.125], np.float32)
    reports = [
        np.asarray(sample(mechanism, quick_keys.key(5), jnp.tile(scale * row, (40, 1))))
        for scale in (1.0, 4.0)
    ]

    assert (reports[0] == reports[1]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_compiled_and_plain_agree_and_budgets_do_not_recompile(kind):
    """One program serves every budget, and gives the plain results."""
    traces = []

    @jax.jit
    def once(mechanism, key, values):
        traces.append(mechanism)
        return mechanism.sample(key, values)

    rows = jnp.linspace(-0.2, 0.2, 50).reshape(10, 5)
    for epsilon in [60.0, 5.0, 0.5]:
        mechanism = kind.of(5, epsilon, 1.0)
        drawn = once(mechanism, quick_keys.key(0), rows)
    plain = mechanism.sample(quick_keys.key(0), rows)

    assert np.allclose(plain, drawn, rtol=1e-5)
    assert 1 == len(traces)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: VertexResponse.of(2**15 + 1, 1.0, 1.0), "dim must be between 1 and 32768"),
        (lambda: VertexSigns.of(0, 1.0, 1.0), "dim must be between 1 and"),
        (lambda: VertexSigns.of(4, math.nan, 1.0), "epsilon must be at least"),
        (lambda: VertexResponse.of(4, 1.0, math.nan), "radius must be positive"),
        (
            lambda: VertexSigns.of(4, 1.0, 1.0).sample(quick_keys.key(0), jnp.ones((2, 3))),
            "rows must have 4 columns",
        ),
    ],
)
def test_refuses_what_is_not_allowed(call, sentence):
    """Each refused argument is answered with what is allowed."""
    with pytest.raises(ValueError, match=sentence):
        call()
