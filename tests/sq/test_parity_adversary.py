"""The adversary of parities: never more are lost than its theorem says, whatever is asked."""

import math

import numpy as np
import pytest

from tacit.sq.parity_adversary import ParityAdversary, queries_needed, walsh

DIM, TOLERANCE = 8, 0.2
BITS = np.arange(2**DIM)[:, None] >> np.arange(DIM) & 1
# Of each x and parity.
SIGNS = 1 - 2 * ((BITS @ BITS.T) % 2)


def about(parity: int) -> np.ndarray:
    """The label's sign times one parity's."""
    return np.column_stack([SIGNS[:, parity], -SIGNS[:, parity]])


def queries(kind: str, many: int) -> list[np.ndarray]:
    host = np.random.default_rng(0)
    match kind:
        case "random signs":
            return [host.choice([-1.0, 1.0], (2**DIM, 2)) for _ in range(many)]
        case "random numbers":
            return [host.uniform(-1, 1, (2**DIM, 2)) for _ in range(many)]
        case "parities":
            return [about(parity).astype(float) for parity in range(many)]
        case "bits":
            return [about(1 << bit % DIM) * (BITS[:, [bit // DIM]] + 0.0) for bit in range(many)]
        case "sparse":
            votes = (SIGNS[:, host.integers(0, 2**DIM, (many, 25))]).sum(axis=2).T
            return [np.sign(np.column_stack([own, -own])) for own in votes]
    return [np.full((2**DIM, 2), 1.0) for _ in range(many)]


@pytest.mark.parametrize(
    "kind", ["random signs", "random numbers", "parities", "bits", "sparse", "constant"]
)
def test_no_more_parities_are_lost_than_the_theorem_says(kind):
    """And every one that is left has all answers within the tolerance."""
    adversary, asked = ParityAdversary(DIM, TOLERANCE), queries(kind, 50)
    answers = [adversary.answer(query) for query in asked]
    means = [
        ((query.sum(1) + (query @ [1, -1])[:, None].T * SIGNS.T) / 2).mean(1) for query in asked
    ]

    assert adversary.asked == 50 and adversary.least_alive == 2**DIM - 50 / TOLERANCE**2
    assert adversary.alive.sum() >= adversary.least_alive
    off = np.abs(np.array(means) - np.array(answers)[:, None])
    assert np.array_equal(adversary.alive, (off <= TOLERANCE + 1e-12).all(axis=0))


def test_some_queries_lose_as_many_as_they_may():
    """Of parities themselves each loses one; a sum of 25 signs loses a quarter of 1/t² and more."""
    one, many = ParityAdversary(DIM, 1 - 1e-9), ParityAdversary(DIM, 0.14)
    for query in queries("parities", 20):
        one.answer(query)
    for query in queries("sparse", 3):
        many.answer(query)

    assert one.alive.sum() == 2**DIM - 20
    lost = 2**DIM - many.alive.sum()
    assert 0.25 * 3 / 0.14**2 < lost <= 3 / 0.14**2


def test_two_that_are_left_differ_on_half_of_all_bits():
    """So whoever says one of them is wrong by half about the other."""
    left = np.flatnonzero(ParityAdversary(DIM, TOLERANCE).alive)[:2]

    assert np.mean(SIGNS[:, left[0]] == SIGNS[:, left[1]]) == 0.5


def test_how_many_queries_there_must_be():
    """At a tolerance of 2^(-d/3), about 2^(d/3)."""
    for dim in (6, 9, 12):
        needed = queries_needed(dim, 2 ** (-dim / 3))
        assert needed == math.ceil((2**dim - 1) * 2 ** (-2 * dim / 3)) <= 2 ** (dim / 3) + 1


def test_sums_with_signs_are_those_of_every_parity():
    """By the matrix of all signs."""
    values = np.random.default_rng(1).normal(size=2**DIM)

    np.testing.assert_allclose(walsh(values), SIGNS.T @ values, atol=1e-9)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda: ParityAdversary(0, 0.1), "dim must be a whole number from 1 to 20"),
        (lambda: ParityAdversary(21, 0.1), "dim must be a whole number from 1 to 20"),
        (lambda: ParityAdversary(4, 0.0), r"tolerance must be in \(0, 1\]"),
        (lambda: queries_needed(4, math.nan), r"tolerance must be in \(0, 1\]"),
        (lambda: queries_needed(2.5, 0.1), "dim must be a whole number"),
        (lambda: ParityAdversary(2, 0.1).answer(np.zeros((4, 3))), "each of 4 bits and two labels"),
        (lambda: ParityAdversary(2, 0.1).answer(np.full((4, 2), 1.1)), "a value from -1 to 1"),
        (lambda: ParityAdversary(2, 0.1).answer(np.full((4, 2), np.nan)), "a value from -1 to 1"),
    ],
)
def test_what_is_not_of_its_kind_is_refused(asked, said):
    """With what is allowed."""
    with pytest.raises(ValueError, match=said):
        asked()
