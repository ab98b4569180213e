"""What floats decide is what 70 digits decide, also where a word lies as near as it can."""

import random
from decimal import Context, Decimal, FloatOperation, Inexact, localcontext
from fractions import Fraction

import numpy as np
import pytest

import quick_keys
from tacit.mechanisms.rows.angular_envelope import DIGITS, AngularEnvelope
from tacit.mechanisms.rows.quick_chance import QuickChance
from tacit.noise import wide_normals

LEVELS, MANY = 2**12, 40
CASES = [(2, 0.0), (2, 1.0), (12, 0.01), (12, 50.0), (12, 1e9), (118, 1.0), (118, 1e6)]


def proposals(dim: int, rate: float) -> tuple[QuickChance, list[Decimal], list[Decimal], list]:
    """Of many vectors L by guess, and by 70 digits; and the vectors."""
    host = np.random.default_rng(dim)
    rows = host.normal(size=(500, dim)) * np.linspace(1.0, 0.05, dim)
    whole = np.trunc(LEVELS * rows / np.linalg.norm(rows, axis=1, keepdims=True))
    envelope = AngularEnvelope.of(whole.T @ whole, Fraction(rate) / LEVELS**2)
    quick, parts = QuickChance.of(envelope), wide_normals.parts(quick_keys.key(3), 0, MANY, dim)
    vectors = list(wide_normals.whole(parts))
    exact = [envelope.log_chance(each, envelope.proposed(each)) for each in vectors]
    return quick, list(quick.guesses(wide_normals.near(parts))), exact, vectors


def below(log: Decimal) -> int:
    """How many words of 128 bits a chance is: as the mechanism says it, in 70 digits."""
    return int(DIGITS.multiply(log.exp(DIGITS), Decimal(2**128)))


class Asked:
    """A vector that counts how often it was asked for."""

    def __init__(self, vector: np.ndarray):
        self.vector, self.times = vector, 0

    def __call__(self) -> np.ndarray:
        self.times += 1
        return self.vector


@pytest.mark.parametrize(("dim", "rate"), CASES)
def test_guesses_are_as_near_as_is_said(dim, rate):
    """To what 70 digits say; and for as many people as there are mostly, what is said is little."""
    quick, guesses, exact, _ = proposals(dim, rate)

    off = [abs(one - other) for one, other in zip(guesses, exact, strict=True)]
    assert max(off) <= quick.rounding / 2
    if rate <= 50:
        assert quick.rounding < Decimal("1e-7")


@pytest.mark.parametrize(("dim", "rate"), CASES)
def test_a_word_beside_the_chance_is_decided_as_by_70_digits(dim, rate):
    """The last one below it, the first that is not, and their neighbours; by the guess that was
    made, and by any other that is as near as is said. For that the digits are asked."""
    quick, guesses, exact, vectors = proposals(dim, rate)
    for guess, log, vector in zip(guesses, exact, vectors, strict=True):
        edge = below(log)
        for shift in (0, quick.rounding * Decimal("0.49"), -quick.rounding * Decimal("0.49")):
            words = [word for word in range(edge - 2, edge + 3) if 0 <= word < 2**128]
            asked = Asked(vector)
            found = [quick.accepts(word, guess + shift, asked) for word in words]

            assert found == [word < edge for word in words]
            if edge * quick.rounding > 100:
                assert asked.times == len(words)


@pytest.mark.parametrize(("dim", "rate"), CASES)
def test_words_at_random_are_decided_alike_and_mostly_by_floats(dim, rate):
    """Any word, and any up to twice the chance, as 70 digits decide it; and for the former these
    are never asked, but for people without number."""
    quick, guesses, exact, vectors = proposals(dim, rate)
    host, times = random.Random(7), 0
    for guess, log, vector in zip(guesses, exact, vectors, strict=True):
        edge, asked = below(log), Asked(vector)
        words = [host.getrandbits(128) for _ in range(10)]
        assert [quick.accepts(word, guess, asked) for word in words] == [w < edge for w in words]
        times += asked.times
        for word in (host.randrange(2 * edge + 1) for _ in range(10)):
            assert quick.accepts(word, guess, asked) == (word < edge)

    assert rate > 1e6 or times == 0


def test_what_floats_cannot_say_is_asked_for():
    """With a bound above one, as for people without number, the digits decide."""
    quick, guesses, exact, vectors = proposals(12, 1e15)
    assert quick.rounding > 1
    for guess, log, vector in zip(guesses, exact, vectors, strict=True):
        edge = below(log)
        assert all(
            quick.accepts(word, guess, Asked(vector)) == (word < edge)
            for word in (0, edge // 2, edge, 2**128 - 1)
        )


def test_who_computes_in_two_digits_has_the_same_guesses_and_decisions():
    """Or in any other context of decimals, also one that refuses what is inexact and floats."""
    quick, _, exact, vectors = proposals(25, 50.0)
    parts = wide_normals.parts(quick_keys.key(3), 0, MANY, 25)
    words = [below(log) + shift for log in exact for shift in (-1, 0)]

    def found() -> tuple[Decimal, list[Decimal], list[bool]]:
        again = QuickChance.of(quick.envelope)
        guesses = list(again.guesses(wide_normals.near(parts)))
        own = zip(np.repeat(guesses, 2), words, np.repeat(vectors, 2, axis=0), strict=True)
        decided = [again.accepts(word, guess, Asked(vector)) for guess, word, vector in own]
        return again.rounding, guesses, decided

    first = found()
    assert first[2] == [True, False] * MANY
    for other in (Context(prec=2), Context(prec=2, traps=[Inexact, FloatOperation])):
        with localcontext(other):
            assert found() == first
