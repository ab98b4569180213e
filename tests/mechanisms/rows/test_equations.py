"""Equations modulo 2: solved as by trying all, and drawn from uniformly."""

import numpy as np

import quick_keys
from mechanisms.rows.every_parity import every_solution
from tacit.mechanisms.rows.equations import bits_of, eliminated, equations_of, uniform_solution
from tacit.noise.exact import stream


def test_elimination_solves_what_trying_all_solves():
    """And says so where nothing does."""
    numbers = np.random.default_rng(2)
    for _ in range(200):
        rows = numbers.integers(0, 2, (numbers.integers(0, 6), 4)).astype(np.float32)
        equations = [int("".join(str(int(bit)) for bit in row), 2) for row in rows]
        pivots, tried = eliminated(equations), every_solution(rows, 3)

        assert (pivots is None) == (not tried)
        assert pivots is None or 2 ** (3 - len(pivots)) == len(tried)


def test_open_bits_are_uniform_however_many():
    """Of 100 bits of which nothing is known, each is 1 in half of 400 draws, to six deviations."""
    words = stream(quick_keys.key(4))
    drawn = np.array([bits_of(uniform_solution(words, {}, 100), 100) for _ in range(400)])
    ones = drawn.sum(axis=0)

    assert 140 < ones.min() and ones.max() < 260
    assert len({tuple(row) for row in drawn}) == 400


def test_a_solution_solves_every_equation():
    """Of 70 bits, more than a word; whoever has no label says nothing."""
    numbers, words = np.random.default_rng(5), stream(quick_keys.key(6))
    bits, parity = numbers.integers(0, 2, (60, 70)), numbers.integers(0, 2, 70)
    rows = np.column_stack([bits, bits @ parity % 2]).astype(np.float32)
    others = np.column_stack([bits[:3], [-1, 7, np.nan]]).astype(np.float32)
    equations = equations_of(np.concatenate([rows, others]))
    pivots = eliminated(equations)

    assert len(equations) == 60 and pivots is not None
    for _ in range(5):
        found = bits_of(uniform_solution(words, pivots, 70), 70)
        assert np.array_equal(bits @ found % 2, rows[:, -1])
