"""Bits from noisy sums of subsets: as many as are foreseen, and no fewer than a theorem says."""

import math

import numpy as np
import pytest

from tacit.attacks.decoders import Exhaustive, LinearProgram, NearestInSquares
from tacit.attacks.subset_sums import SubsetSums

NUMBERS = np.random.default_rng(0)


def share(attack: SubsetSums, noise: float, sets: int, law=NUMBERS.normal) -> float:
    """Of bits found in answers with noise of so many root people."""
    size, found = noise * math.sqrt(attack.people), []
    ends = (0, size) if law == NUMBERS.normal else (-size, size)
    for _ in range(sets):
        bits = NUMBERS.integers(0, 2, attack.people).astype(bool)
        answers = attack.asked @ bits.astype(float) + law(*ends, attack.subsets)
        found.append(np.mean(attack.guess(answers / attack.people) == bits))
    return float(np.mean(found))


@pytest.mark.parametrize("times", [4, 8])
@pytest.mark.parametrize("noise", [0.3, 0.5])
def test_least_squares_find_what_is_foreseen(times, noise):
    """Of 256 people in 20 draws: within .02, more than four standard errors and a bit for the
    mean direction; one-and-a-half times the noise finds fewer."""
    attack = SubsetSums(256, times * 256)
    expected, more = (
        NearestInSquares().expected(times * 256, 256, k * noise * 16) for k in (1, 1.5)
    )

    assert share(attack, noise, 20) == pytest.approx(expected, abs=0.02)
    assert expected > more + 0.02


def test_a_linear_program_finds_more_under_bounded_noise():
    """Than least squares, of the same subsets; and all without any."""
    program, squares = (SubsetSums(96, 288, by) for by in (LinearProgram(), NearestInSquares()))

    assert share(program, 0.5, 4, NUMBERS.uniform) > share(squares, 0.5, 4, NUMBERS.uniform)
    assert share(program, 0.0, 1, NUMBERS.uniform) == 1.0 == LinearProgram().expected(288, 96, 0.0)


@pytest.mark.parametrize("largest", [0.3, 1.0, 2.0])
def test_an_exhaustive_search_is_wrong_of_four_errors_at_most(largest):
    """Whoever makes up the errors: by luck, or all against one half of the people. What is found
    errs no more than what is true."""
    attack = SubsetSums(12, 2**12, Exhaustive())
    bits = NUMBERS.integers(0, 2, 12).astype(bool)
    against = np.where(attack.asked[:, :6].sum(axis=1) > 3, -largest, largest)
    for errors in (NUMBERS.uniform(-largest, largest, 2**12), against):
        answers = attack.asked @ bits.astype(float) + errors
        guess = attack.guess(answers / 12)
        assert np.sum(guess != bits) <= 4 * largest
        assert np.abs(attack.asked @ guess.astype(float) - answers).max() <= largest + 1e-5


def test_an_exhaustive_search_finds_the_least_of_all_errors():
    """Of noise that hides the bits, so that many others err no more than they do."""
    attack = SubsetSums(8, 2**8, Exhaustive())
    answers = np.random.default_rng(4).normal(4, 9, 2**8)
    everything = SubsetSums(8, 2**8, seed=1).asked.astype(float)
    errors = np.abs(everything @ attack.asked.T - answers).max(axis=1)
    guess = attack.guess(answers / 8).astype(float)
    found = np.abs(attack.asked @ guess - answers).max()

    assert found == pytest.approx(errors.min(), rel=1e-5) and errors.min() < np.sort(errors)[1]


def test_what_nobody_foresees_is_no_number():
    """Noise in a linear program, fewer subsets than people, or a search over a part of all."""
    assert LinearProgram().expected(9, 3, 1.0) is None
    assert LinearProgram().expected(2, 3, 0.0) is None
    assert Exhaustive().expected(9, 4, 1.0) is None
    assert Exhaustive().expected(16, 4, 0.0) == 1.0 and Exhaustive().expected(16, 4, 9.0) == 0.0


def test_too_many_people_are_not_searched_for():
    """Sixteen are."""
    with pytest.raises(ValueError, match="at most 16 people are searched for, got 17"):
        Exhaustive().bits(np.zeros((3, 17), bool), np.zeros(3))
