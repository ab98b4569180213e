"""Tables of classes and categories: exact without noise, under every trust, a cell a person."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from sq.queried import TRUSTS, named, state_of
from tacit.accounting.relation import Relation
from tacit.sq.category_tables import CategoryTables, CategoryTablesInTurn
from tacit.sq.within import WorstWithin, down, further, nearer, up
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

SIZES, CLASSES, PEOPLE = (3, 2), 2, 30_000
KINDS = [CategoryTables, CategoryTablesInTurn]


def people(many: int = PEOPLE) -> tuple[np.ndarray, np.ndarray]:
    """Class one has the last code twice as often."""
    host = np.random.default_rng(0)
    own = host.integers(0, CLASSES, many)
    codes = np.column_stack([np.minimum(host.integers(0, 3 + own), 2), host.integers(0, 2, many)])
    return codes.astype(np.float32), own.astype(np.float32)


def exact(data: tuple[np.ndarray, np.ndarray]) -> list[np.ndarray]:
    codes, own = data
    return [
        np.array([[np.mean((own == c) & (column == v)) for v in range(many)] for c in range(2)])
        for column, many in zip(codes.T, SIZES, strict=True)
    ]


@pytest.mark.parametrize("trust", TRUSTS, ids=named)
def test_tables_are_near_under_every_trust(trust, tmp_path):
    """The same numbers, by whichever of both learners such people are asked."""
    kind = CategoryTablesInTurn if isinstance(trust, Local | Shuffled) else CategoryTables
    learner, data = kind(SIZES, CLASSES), people()
    found = learner.tables(state_of(learner, trust, data, tmp_path))

    for own, true in zip(found, exact(data), strict=True):
        np.testing.assert_allclose(own, true, atol=0.03)


ROWS = list(product(*map(range, SIZES)))
# All of the first codes towards class one, and nobody's class.
AGAINST = jnp.array([-1, 0.5, 0.5, 1, -0.5, -0.5, -1, 1, 1, -1])


def margins(tables: list[np.ndarray]) -> np.ndarray:
    """By how much class one is likelier, in logarithms, of every row, as naive Bayes has it."""
    shares = np.mean([own.sum(axis=1) for own in tables], axis=0)
    scores = [
        np.log(shares)
        + sum(np.log(own[:, code] / shares) for own, code in zip(tables, row, strict=True))
        for row in ROWS
    ]
    return np.diff(np.array(scores), axis=1)[:, 0]


def moved(tables: list[np.ndarray], tolerance: float) -> np.ndarray:
    """The most that answers within a tolerance move a margin: t/(n - t) of each cell's logarithm,
    and of a class's share, which is the mean of sums of 3 and 2 cells, 2.5 t/(p - 2.5 t)."""
    cells = [tolerance / (own - tolerance) for own in tables]
    most = np.mean(SIZES) * tolerance
    shares = most / (np.mean([own.sum(axis=1) for own in tables], axis=0) - most)
    each = [sum(own[:, code].sum() for own, code in zip(cells, row, strict=True)) for row in ROWS]
    return np.array(each) + shares.sum()


def within(tolerance: float, worse, folder) -> list[np.ndarray]:
    learner = CategoryTables(SIZES, CLASSES)
    return learner.tables(state_of(learner, WorstWithin(tolerance, worse), people(), folder))


@pytest.mark.parametrize(
    "worse", [up, down, nearer, further, lambda a: AGAINST, lambda a: -AGAINST]
)
def test_answers_within_a_tolerance_label_rows_as_exact_ones_do(worse, tmp_path):
    """Of every row whose classes are further apart than such answers may move them; there are
    some."""
    true, tolerance = exact(people()), 0.006
    found, right = margins(within(tolerance, worse, tmp_path)), margins(true)
    sure = np.abs(right) > moved(true, tolerance)

    assert sure.any() and (np.sign(found) == np.sign(right))[sure].all()
    assert (np.abs(found - right) <= moved(true, tolerance)).all()


def test_answers_that_are_four_times_as_wrong_label_some_of_these_rows_otherwise(tmp_path):
    """So the theorem's test can fail."""
    true, found = exact(people()), margins(within(0.024, lambda a: AGAINST, tmp_path))
    sure = np.abs(margins(true)) > moved(true, 0.006)

    assert (np.sign(found) != np.sign(margins(true)))[sure].any()


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_promise_they_are_exact(kind, tmp_path):
    """In one round or in turn; who has an unknown code or class is in no cell."""
    codes, own = people(400)
    codes[:50, 0], own[50:80] = -1, 2
    codes[80:90, 1] = 2
    found = kind(SIZES, CLASSES)
    tables = found.tables(state_of(found, NonPrivate(), (codes, own), tmp_path))

    for one, true in zip(tables, exact((codes, own)), strict=True):
        np.testing.assert_allclose(one, true, atol=1e-6)


def test_a_person_is_in_one_cell_of_each_table():
    """So sums move by the number of features, in L1, and by its root, in L2."""
    learner = CategoryTables(SIZES, CLASSES)
    cells = learner.ask(learner.init(), (jnp.array([2.0, 0.0]), jnp.float32(1)))

    assert [0, 0, 0, 0, 0, 1, 0, 0, 1, 0] == cells.tolist()
    assert learner.shape.l1_sensitivity(Relation.ADD_REMOVE) == 2
    assert learner.shape.sensitivity(Relation.ADD_REMOVE) == pytest.approx(2**0.5)


def test_a_round_asks_about_one_feature():
    """For a cell's number, and -1 for none."""
    learner = CategoryTablesInTurn(SIZES, CLASSES)
    first = learner.init()
    second = learner.tell(first, jnp.zeros(6))
    person = jnp.array([2.0, 5.0]), jnp.float32(1)

    assert (5, -1) == (int(learner.ask(first, person)), int(learner.ask(second, person)))
    assert (2, 6) == (learner.rounds, learner.shape.categories)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("sizes", "classes", "said"),
    [
        ((), 2, "at least one category"),
        ((0,), 2, "at least one category"),
        ((2, 2), 1, "classes must be a whole number of at least 2"),
        ((2, 2), 2.5, "classes must be a whole number of at least 2"),
        ((10**6,), 2, "at most 1,048,576 cells"),
    ],
)
def test_what_is_not_of_its_kind_is_refused(kind, sizes, classes, said):
    """Before anybody is asked."""
    with pytest.raises(ValueError, match=said):
        kind(sizes, classes)
