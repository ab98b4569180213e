"""Directions have the Bingham law: by quadrature, in moments, and not that of a known slip."""

import math
from decimal import Context, Decimal, FloatOperation, Inexact, localcontext
from fractions import Fraction
from itertools import count

import jax
import numpy as np
import pytest
from jaxtyping import PRNGKeyArray
from scipy import stats

import host_keys
import quick_keys
from tacit.mechanisms.rows import bingham
from tacit.mechanisms.rows.angular_envelope import DIGITS, AngularEnvelope
from tacit.mechanisms.rows.bingham import BinghamDirection
from tacit.noise import wide_normals
from tacit.noise.exact import stream
from tacit.solve.one_thread import one_thread

LEVELS, DRAWS = 64, 1_500


def people(*counts: int) -> np.ndarray:
    """So many along each axis."""
    return np.repeat(np.eye(len(counts)), counts, axis=0)


def drawn(mechanism: BinghamDirection, rows: np.ndarray, draws: int = DRAWS) -> np.ndarray:
    keys = jax.random.split(quick_keys.key(5), draws)
    return np.array([mechanism.sample(key, rows) for key in keys])


def grid(exponents: np.ndarray, cells: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Squares of u, and what the Bingham law gives them, by quadrature of the sphere of d=3."""
    up, angle = (np.arange(cells) + 0.5) / cells, (np.arange(cells) + 0.5) / cells * np.pi / 2
    first, turned = np.meshgrid(up**2, angle, indexing="ij")
    squares = np.stack(
        [first, (1 - first) * np.cos(turned) ** 2, (1 - first) * np.sin(turned) ** 2]
    )
    along = np.tensordot(exponents, squares, 1)
    return squares, along, np.exp(along - along.max())


@pytest.mark.parametrize(
    ("counts", "draws"),
    [
        *(((8, 0, 0), DRAWS), ((9, 5, 0), DRAWS), ((0, 0, 0), DRAWS), ((30, 30, 1), DRAWS)),
        ((1, 9, 4), 250),
    ],
)
def test_moments_are_those_of_quadrature(counts, draws):
    """E u_i² of d = 3, within four standard errors; signs are even."""
    squares, _, weights = grid(np.array(counts, float))
    exact = (squares * weights).sum(axis=(1, 2)) / weights.sum()
    found = drawn(BinghamDirection(3, 1.0, LEVELS, 1.0, 1), people(*counts), draws)

    errors = np.square(found).std(axis=0) / math.sqrt(draws)
    assert np.all(np.abs(np.square(found).mean(axis=0) - exact) < 4 * errors)
    assert np.abs(np.sign(found).mean(axis=0)).max() < 4 / math.sqrt(draws)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-8)


def test_the_law_is_binghams_and_no_other():
    """Of u_1², by Kolmogorov and Smirnov; not that of half the rate, and not that of a bound that
    is divided by where it is multiplied with (diffprivlib 0.6.6, OpenDP 0.16.0)."""
    found = np.square(drawn(BinghamDirection(3, 1.0, LEVELS, 4.0, 2), people(4, 0, 0))[:, 0])
    up = (np.arange(20_000) + 0.5) / 20_000
    b = 1.0
    for _ in range(60):
        b = 1 / (1 - 2 / (b + 16))
    laws = {
        "Bingham": np.exp(8 * up**2),
        "half": np.exp(4 * up**2),
        "inverted": np.exp(8 * up**2) * (1 + 2 * 8 * (1 - up**2) / b) ** -3.0,
    }
    fits = {}
    for name, density in laws.items():
        ends = np.cumsum(density) / density.sum()
        fits[name] = stats.kstest(np.sqrt(found), lambda u, e=ends: np.interp(u, up, e)).pvalue

    assert fits["Bingham"] > 1e-3 and max(fits["half"], fits["inverted"]) < 1e-9


def most_lost(rate: float, replaced: bool) -> float:
    """By how much the log of the density moves at most, over people of d = 3 and one of them, and
    directions of the sphere, at this rate of a squared radius."""
    host, losses = np.random.default_rng(0), []
    sphere = host.normal(size=(20_060, 3))
    sphere = np.concatenate([sphere / np.linalg.norm(sphere, axis=1, keepdims=True), np.eye(3)])
    pairs = [(one, other) for one in np.eye(3) for other in np.eye(3)]
    pairs += [(sphere[i], sphere[i + 30]) for i in range(30)]
    for one, other in pairs:
        for counts in ((0, 0, 0), (60, 0, 0), (0, 60, 20)):
            base = np.square(sphere) @ np.array(counts, float)
            changed = np.square(sphere @ other) if replaced else 0.0
            logs = [rate * (base + each) for each in (np.square(sphere @ one), changed)]
            before, after = (each - np.log(np.mean(np.exp(each))) for each in logs)
            losses.append(np.abs(before - after).max())
    return max(losses)


@pytest.mark.parametrize("moved", [1, 2])
def test_no_neighbour_makes_a_direction_likelier_than_is_promised(moved):
    """By quadrature: within epsilon, which is nearly reached; at a third more than this rate it is
    passed, as it is where who is replaced has the rate of who comes or goes."""
    rate = float(BinghamDirection(3, 1.0, LEVELS, 1.0, moved).rate) * LEVELS**2

    assert 0.9 < most_lost(rate, moved == 2) <= 1.0
    assert most_lost(4 / 3 * rate, moved == 2) > 1.0
    assert most_lost(1.0, True) > 1.5


def test_who_is_no_row_is_not_counted():
    """A NaN, one that is too long; and rows between multiples count as the nearest."""
    mechanism = BinghamDirection(2, 2.0, LEVELS, 1.0, 1)
    odd = np.array([[np.nan, 0.0], [2.5, 0.0], [np.inf, 1.0], [0.0, 2.0], [1.001, 0.0]])

    assert mechanism._squares(odd).tolist() == [[32.0**2, 0.0], [0.0, 64.0**2]]
    assert mechanism._squares(np.zeros((0, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def by_whole_numbers(mechanism: BinghamDirection, key: PRNGKeyArray, rows: np.ndarray) -> list:
    """The direction, all of which is computed in whole numbers and 70 digits."""
    with one_thread():
        envelope = AngularEnvelope.of(mechanism._squares(rows), mechanism.rate)
    for_words, for_normals = jax.random.split(key)
    words, dim = stream(for_words), mechanism.dim
    for turn in count():
        parts = wide_normals.parts(for_normals, turn, bingham._AT_ONCE, dim)
        for normal in wide_normals.whole(parts):
            turned = envelope.proposed(normal)
            chance = DIGITS.multiply(
                envelope.log_chance(normal, turned).exp(DIGITS), Decimal(2**128)
            )
            if (next(words) << 64 | next(words)) < int(chance):
                return bingham._on_grid(words, turned).tolist()
    raise AssertionError("turns have no end")


@pytest.mark.parametrize(("dim", "people", "epsilon"), [(2, 20, 4.0), (12, 300, 30), (40, 3, 900)])
def test_a_key_has_the_direction_of_whole_numbers(dim, people, epsilon):
    """Floats that are sure change no outcome of any key, on the machine that draws it."""
    host = np.random.default_rng(dim)
    rows = host.normal(size=(people, dim)) * np.linspace(1, 0.1, dim) / (2 * dim**0.5)
    mechanism = BinghamDirection(dim, 1.0, 2**12, epsilon, 1)
    for key in host_keys.several(6, 60):
        assert mechanism.sample(key, rows).tolist() == by_whole_numbers(mechanism, key, rows)


def test_who_computes_in_two_digits_has_the_same_directions():
    """Or in any other context of decimals, also one that refuses what is inexact and floats."""
    mechanism, rows = BinghamDirection(25, 1.0, LEVELS, 2.0, 1), np.eye(25)
    exact = drawn(mechanism, rows, 20).tolist()
    for other in (Context(prec=2), Context(prec=2, traps=[Inexact, FloatOperation])):
        with localcontext(other):
            assert drawn(mechanism, rows, 20).tolist() == exact


@pytest.mark.parametrize("people", [10, 2**12, 2**12 + 1])
def test_rows_are_summed_whole_however_many_they_are(people):
    """By one thread where they are few, and else by all that BLAS has."""
    mechanism = BinghamDirection(2, 1.0, LEVELS, 1000.0, 1)
    found = mechanism.sample(quick_keys.key(0), np.tile([0.0, 1.0], (people, 1)))

    assert abs(found[1]) > 0.9


def test_the_direction_falls_short_by_no_more_than_is_stated():
    """In 95 of 100 at least; and a tenth of that would be missed."""
    counts = (60, 20, 20, 20)
    mechanism = BinghamDirection(4, 1.0, LEVELS, 0.5, 1)
    found = drawn(mechanism, people(*counts), 300)
    short = 60 - np.square(found) @ np.array(counts)

    stated = mechanism.shortfall(sum(counts), 0.05)
    assert np.mean(short <= stated) >= 0.95 and np.mean(short <= stated / 10) < 0.9
    assert mechanism.shortfall(5, 0.05) == 5


def test_rates_and_distances():
    """Twice as many people may move for half the rate; what is drawn is near to its law."""
    one, two = (BinghamDirection(3, 1.0, 4, 0.5, moved) for moved in (1, 2))

    assert one.rate == Fraction(1, 32) == 2 * two.rate
    assert 0 < one.tv_distance < BinghamDirection(512, 1.0, 4096, 1.0, 1).tv_distance < 2.0**-50


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"dim": 1}, "of 2 to 512 numbers"),
        ({"dim": 513}, "of 2 to 512 numbers"),
        ({"epsilon": 0.0}, "epsilon must be"),
        ({"epsilon": math.nan}, "epsilon must be"),
        ({"epsilon": 1001.0}, "at most 1000"),
    ],
)
def test_what_is_refused(said, words):
    """By name."""
    own = {"dim": 3, "radius": 1.0, "levels": 4, "epsilon": 1.0, "moved": 1} | said
    with pytest.raises(ValueError, match=words):
        BinghamDirection(**own)


def test_people_whose_squares_would_not_be_exact_are_refused():
    """By how many there may be."""
    mechanism = BinghamDirection(2, 2.0, LEVELS, 1.0, 1)
    many = np.broadcast_to(np.float32(0), (2**29, 2))

    with pytest.raises(ValueError, match=r"fewer than 2\^29"):
        mechanism.sample(quick_keys.key(0), many)
