"""No direction is likelier than its bound, however it is proposed; and few are proposed."""

import math
from decimal import Context, Decimal, FloatOperation, Inexact, localcontext
from fractions import Fraction

import numpy as np
import pytest

import quick_keys
from tacit.mechanisms.rows.angular_envelope import AXIS, LENGTH, AngularEnvelope, tries
from tacit.noise.wide_normals import wide_normals

LEVELS = 2**12


def squares_of(kind: str, dim: int) -> np.ndarray:
    """Of 5,000 people."""
    host = np.random.default_rng(dim)
    spread = {
        "one": np.append(1.0, np.full(dim - 1, 1e-3)),
        "two": np.append([1.0, 1.0], np.full(dim - 2, 0.05)),
        "even": np.linspace(1.0, 0.1, dim),
        "flat": np.ones(dim),
    }[kind]
    turned = np.linalg.qr(host.normal(size=(dim, dim)))[0]
    rows = (host.normal(size=(5_000, dim)) * spread) @ turned
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) * 1.001
    whole = np.trunc(rows * LEVELS)
    return whole.T @ whole


def exact_log_chance(envelope: AngularEnvelope, u: np.ndarray) -> float:
    """Of a direction of floats: t u'Au + (d/2) ln u'Qu - K, with Q = (R R')^-1."""
    root = np.linalg.solve(envelope.vectors * envelope.lengths, u)
    along = float(envelope.rate) * (u @ envelope.squares @ u)
    return float(along + len(u) / 2 * math.log(root @ root)) - float(envelope.bound)


def _between(one: np.ndarray, other: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Directions of their plane, at these angles from the one."""
    return np.cos(angles) * one + np.sin(angles) * other


@pytest.mark.parametrize("kind", ["one", "two", "even", "flat"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("dim", [2, 12])
def test_no_chance_is_above_one_and_some_are_near(kind, epsilon, dim):
    """Of directions that are proposed, of the eigenvectors, and of those between: the bound holds,
    and it is reached but for the places that are looked at."""
    envelope = AngularEnvelope.of(squares_of(kind, dim), Fraction(epsilon) / LEVELS**2)
    drawn = wide_normals(quick_keys.key(1), 60, dim)
    proposed = [envelope.proposed(each) for each in drawn]
    exact = [float(envelope.log_chance(*pair)) for pair in zip(drawn, proposed, strict=True)]
    for z, log in zip(proposed, exact, strict=True):
        u = (z / math.isqrt(int(z @ z))).astype(float)
        assert log == pytest.approx(exact_log_chance(envelope, u), abs=1e-6)
    first, last = np.linalg.eigh(envelope.squares)[1].T[[-1, 0]]
    arc = np.geomspace(1e-6, np.pi / 2, 3_001)[:, None]
    between = [exact_log_chance(envelope, u) for u in _between(first, last, arc)]

    assert max(exact) <= 0 and max(between) <= 1e-9
    if kind == "one":
        assert max(between) > -2e-3


@pytest.mark.parametrize("kind", ["one", "two", "even", "flat"])
@pytest.mark.parametrize("dim", [2, 10, 40])
def test_few_directions_are_proposed(kind, dim):
    """Of 400 the part that is accepted, in the mean: not less than is stated, and more than one in
    1.4 root d."""
    envelope = AngularEnvelope.of(squares_of(kind, dim), Fraction(20) / LEVELS**2)
    drawn = wide_normals(quick_keys.key(2), 400, dim)
    chances = [math.exp(envelope.log_chance(each, envelope.proposed(each))) for each in drawn]
    spread = np.std(chances) / 20

    assert np.mean(chances) + 4 * spread > 1 / (1.4 * math.sqrt(dim))
    assert np.mean(chances) > 1 / tries(dim)


def test_wrong_eigenvectors_cost_tries_and_not_the_bound(monkeypatch):
    """Whatever a library of floats says they are: turned a little, or by much."""
    squares, eigh = squares_of("even", 4), np.linalg.eigh
    for angle in (1e-6, 0.1):
        turn = np.eye(4)
        turn[::3, ::3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]

        def turned(matrix, turn=turn):
            values, vectors = eigh(matrix)
            return values, vectors @ turn

        monkeypatch.setattr(np.linalg, "eigh", turned)
        envelope = AngularEnvelope.of(squares, Fraction(1) / LEVELS**2)
        monkeypatch.undo()
        first, second = eigh(squares)[1].T[[-1, 0]]
        arc = np.linspace(-0.3, 0.3, 3_001)[:, None]

        assert max(exact_log_chance(envelope, u) for u in _between(first, second, arc)) <= 0


def wrong(by: np.ndarray | float) -> tuple[np.ndarray, AngularEnvelope]:
    """Squares, and their envelope by eigenvectors times this."""
    squares, eigh = squares_of("even", 4), np.linalg.eigh
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(np.linalg, "eigh", lambda matrix: (eigh(matrix)[0], by * eigh(matrix)[1]))
        return squares, AngularEnvelope.of(squares, Fraction(1) / LEVELS**2)


@pytest.mark.parametrize("by", [0.0, 1.1, 1.3, 2.0, math.nan])
def test_eigenvectors_that_are_none_are_axes(by):
    """Nothing, or much too long: bounds hold for the axes, which take their place."""
    squares, envelope = wrong(by)
    first, second = np.linalg.eigh(squares)[1].T[[-1, 0]]
    arc = np.linspace(-np.pi, np.pi, 3_001)[:, None]

    assert (envelope.vectors.tolist() == np.eye(4).tolist()) == (by != 1.1)
    assert max(exact_log_chance(envelope, u) for u in _between(first, second, arc)) <= 0


@pytest.mark.parametrize("dim", [2, 40])
def test_a_proposal_is_turned_in_whole_numbers(dim):
    """R g, to the last digit."""
    envelope = AngularEnvelope.of(squares_of("even", dim), Fraction(1) / LEVELS**2)
    normal = wide_normals(quick_keys.key(4), 1, dim)[0]
    scaled = (envelope.vectors * 2.0**AXIS, envelope.lengths * 2.0**LENGTH)
    vectors, lengths = (each.astype(np.int64).astype(object) for each in scaled)

    assert envelope.proposed(normal).tolist() == (vectors * lengths @ normal).tolist()


@pytest.mark.parametrize("dim", [2, 25])
def test_who_computes_in_two_digits_has_the_same_bound_and_chances(dim):
    """Or in any other context of decimals, also one that refuses what is inexact and floats."""
    squares, rate = squares_of("even", dim), Fraction(1) / LEVELS**2
    normal = wide_normals(quick_keys.key(4), 1, dim)[0]

    def found() -> tuple[Decimal, Decimal]:
        envelope = AngularEnvelope.of(squares, rate)
        return envelope.bound, envelope.log_chance(normal, envelope.proposed(normal))

    exact = found()
    for other in (Context(prec=2), Context(prec=2, traps=[Inexact, FloatOperation])):
        with localcontext(other):
            assert found() == exact
