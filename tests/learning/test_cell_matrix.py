"""Matrices whose cells are people: no cell moves a sum by more than one, and what is found."""

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from audits.runs import limited
from tacit.learning.cell_matrix import CellColumns, CellMatrix, CellMatrixRounds

ROWS, COLUMNS, RANK = 24, 600, 1
DELTA, FREE = tacit.Central(4.0, 1e-6), tacit.NonPrivate()


def matrix() -> np.ndarray:
    """Of rank one, and no row or column stands out."""
    host = np.random.default_rng(0)
    return np.outer(host.choice([-1.0, 1.0], ROWS), host.choice([-1.0, 1.0], COLUMNS))


def cells(whole: np.ndarray) -> np.ndarray:
    row, column = np.indices(whole.shape)
    return np.stack([row.ravel(), column.ravel(), whole.ravel()], axis=1).astype(np.float32)


def found(rounds: CellMatrixRounds, whole: np.ndarray, folder) -> CellColumns:
    people = tacit.Arrays(cells(whole), "people")
    book = limited(folder, rounds.plan)
    return people.grant(rounds.plan, rounds.learner(), book, seed=0).run().state


def test_without_noise_low_rank_is_found_exactly(tmp_path):
    """Of a matrix that has this rank; of another, nearly the best there is."""
    host = np.random.default_rng(1)
    rounds = CellMatrixRounds(FREE, 12, 20, 2)
    low = host.uniform(-0.5, 0.5, (12, 2)) @ host.uniform(-0.9, 0.9, (2, 20))
    noisy = np.clip(low + 0.02 * host.normal(size=low.shape), -1, 1)
    for number, (whole, beyond) in enumerate(((low, 0.0), (noisy, 1.25))):
        folder = tmp_path / str(number)
        folder.mkdir()
        own = rounds.found(found(rounds, whole, folder))
        least = np.linalg.svd(whole)[1][2]
        assert np.linalg.norm(own - whole, 2) <= beyond * least + 1e-4
        assert np.linalg.matrix_rank(own, tol=1e-6) == 2


def test_noise_on_the_second_sum_is_as_foreseen(tmp_path):
    """Beside what the columns hold of the matrix, and for a promise that hides in it."""
    rounds, whole = CellMatrixRounds(DELTA, ROWS, COLUMNS, RANK), matrix()
    state = found(rounds, whole, tmp_path)
    basis = np.asarray(state.basis, np.float64)
    noise = np.asarray(state.answer, np.float64)[:COLUMNS] - whole.T @ basis
    held = np.linalg.norm(whole - basis @ basis.T @ whole, 2)

    assert np.std(noise) == pytest.approx(float(state.longest) * rounds.noise[1], rel=0.08)
    assert np.linalg.norm(noise, 2) == pytest.approx(rounds.off(state), rel=0.1)
    assert np.linalg.norm(basis @ noise.T + basis @ basis.T @ whole - whole, 2) < held + (
        1.1 * rounds.off(state)
    )
    assert np.linalg.norm(basis.T @ basis - np.eye(rounds.width)) < 1e-4
    assert np.linalg.matrix_rank(rounds.found(state)) == RANK


def errors(rows: int, columns: int, seed: int) -> tuple[float, float]:
    """Of both rounds, and of noise on every cell, for a person who hides in one promise."""
    host, half = np.random.default_rng(seed), 0.5**0.5
    whole = np.outer(host.choice([-1.0, 1.0], rows), host.choice([-1.0, 1.0], columns))
    drawn = host.normal(size=(columns, 5))
    longest = np.linalg.norm(drawn, axis=1).max() / half
    basis = np.linalg.qr(whole @ drawn + longest * host.normal(size=(rows, 5)))[0]
    longest = np.linalg.norm(basis, axis=1).max() / half
    told = basis @ (whole.T @ basis + longest * host.normal(size=(columns, 5))).T
    cut = [_cut(each) for each in (told, whole + host.normal(size=whole.shape))]
    return tuple(float(np.linalg.norm(each - whole, 2)) for each in cut)


def _cut(given: np.ndarray) -> np.ndarray:
    left, sizes, right = np.linalg.svd(given, full_matrices=False)
    return sizes[0] * np.outer(left[:, 0], right[0])


@pytest.mark.parametrize("rows, columns, better", [(100, 100, False), (40, 3000, True)])
def test_these_rounds_are_for_many_columns(rows, columns, better):
    """Noise on every cell errs less on a square matrix, and more where columns are many."""
    own, cells_own = np.mean([errors(rows, columns, seed) for seed in range(2)], axis=0)

    assert (own < 0.9 * cells_own) == better
    assert better or own > 1.5 * cells_own


@pytest.mark.parametrize("person", [(0, 0, 1.0), (5, 9, -1.0), (3, 2, 7.0), (11, 19, 0.5)])
@pytest.mark.parametrize("coherent", [False, True], ids=["no row stands out", "one row is all"])
def test_no_cell_moves_a_sum_by_more_than_one(person, coherent):
    """In either round, whatever came out of the first."""
    learner = CellMatrixRounds(DELTA, 12, 20, 2).learner()
    state, host = learner.init(), np.random.default_rng(3)
    answer = host.normal(size=(20, 6))
    answer[5] *= 1e4 if coherent else 1
    later = learner.tell(state, jnp.asarray(answer.ravel(), jnp.float32))
    reach = [
        max(
            float(jnp.linalg.norm(learner.ask(own, jnp.array([i, j, 1.0]))))
            for i in range(12)
            for j in range(0, 20, 3 if own is later else 1)
        )
        for own in (later, state)
    ]

    for own in (state, later):
        assert float(jnp.linalg.norm(learner.ask(own, jnp.array(person)))) <= 1 + 1e-6
    assert reach == pytest.approx([1, 1], abs=1e-5)


def test_who_holds_no_cell_is_nobody():
    """A NaN, an infinity, a row or a column that is none: in both rounds, and beside others."""
    learner = CellMatrix(jnp.ones((3, 2)), 2, 3)
    later = learner.tell(learner.init(), jnp.arange(6.0))
    odd = [[np.nan, 0, 1], [0, np.inf, 1], [0, 0, np.nan], [2, 0, 1], [0, 3, 1], [-1, 0, 1]]
    for state in (learner.init(), later):
        together = learner.terms(state, jnp.array([*odd, [1, 1, 1]], jnp.float32))
        alone = learner.ask(state, jnp.array([1.0, 1.0, 1.0]))
        np.testing.assert_allclose(together.weighted_sum(jnp.ones((7, 1))), alone)
        assert not np.asarray(together.norms)[:6].any()


@pytest.mark.parametrize(
    "given, said",
    [
        ((tacit.Local(1.0), 3, 3, 1), "trust must be a Central or NonPrivate"),
        ((DELTA, 0, 3, 1), "rows must be from 1 to"),
        ((DELTA, 3, 2.5, 1), "columns must be from 1 to"),
        ((DELTA, 3, 3, True), "rank must be from 1 to"),
        ((DELTA, 3, 5, 4), "rank must be at most 3"),
    ],
)
def test_what_is_no_matrix_is_refused(given, said):
    """By the argument that is wrong."""
    with pytest.raises(ValueError, match=said):
        CellMatrixRounds(*given)
