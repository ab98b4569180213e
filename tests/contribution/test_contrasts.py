"""Contrasts give their tables back, and one record moves them by what is stated."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from tacit.accounting.relation import Relation
from tacit.contribution import Contrasts
from tacit.contribution.contrasts import BITS, contrasts

SIZES = (3, 1, 4, 2)
SETS = ((), (0,), (2,), (0, 2), (0, 2, 3), (1,), (1, 3))
SHAPE = Contrasts(SIZES, SETS, (7, 5, 1, 3, 2, 1, 9))
RECORDS = np.array(list(itertools.product(*map(range, SIZES))), np.int32)
NOBODY = np.full((1, 4), -1, np.int32)


def of(record) -> list[int]:
    return SHAPE.sums(np.array([record], np.int32)).tolist()


@pytest.mark.parametrize("relation", Relation, ids=str)
def test_no_pair_of_records_is_further_apart_than_is_stated(relation):
    """All records, and none: the sensitivities are reached where somebody comes or goes."""
    each = [of(record) for record in [*RECORDS, NOBODY[0]]]
    none = each[-1]
    pairs = [(own, none) for own in each]
    if relation.people_moved == 2:
        pairs += itertools.combinations(each, 2)
    apart = [[a - b for a, b in zip(*pair, strict=True)] for pair in pairs]
    squares, sizes = (max(sum(f(x) for x in d) for d in apart) for f in (lambda x: x * x, abs))

    assert not any(none)
    assert squares <= SHAPE.sensitivity(relation) ** 2 and sizes <= SHAPE.l1_sensitivity(relation)
    if relation.people_moved == 1:
        assert squares == pytest.approx(SHAPE.sensitivity(relation) ** 2, rel=1e-12)


def test_who_is_in_no_table_may_come_to_be_in_one():
    """Where the number of records is nearly all that is asked, that is what replacing moves."""
    shape = Contrasts((2,), ((), (0,)), (2**20, 1))
    moved = np.linalg.norm(shape.sums(np.array([[0]], np.int32)).astype(float))

    assert moved <= shape.sensitivity(Relation.REPLACE_ONE) <= moved * (1 + 1e-9)


def test_sums_add_up_record_by_record():
    """In exact whole numbers; records in no declared category add nothing."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, SIZES, (60, 4)).astype(np.int32)
    odd = np.array([[3, 0, 0, 0], [0, 0, -1, 1], [0, 1, 0, 0]], np.int32)
    found = SHAPE.sums(np.concatenate([cells, odd]))

    assert found.tolist() == [sum(part) for part in zip(*map(of, cells), strict=True)]
    assert (found.shape[0],) == SHAPE.answer_shape


def test_rows_are_nearly_orthogonal():
    """To one another and to ones, within the rounding of ten bits."""
    rows = np.vstack([np.ones(30) * 2**BITS / np.sqrt(2), contrasts(30)]) / 2**BITS / np.sqrt(15)

    np.testing.assert_allclose(rows @ rows.T, np.eye(30), atol=2e-3)


@pytest.mark.parametrize(
    ("sizes", "sets", "weights", "message"),
    [
        ((0,), ((0,),), (1,), "attributes have 1 to 1,024 categories each"),
        ((2, 2), ((1, 0),), (1,), "sets must be of the attributes' numbers, rising"),
        ((2, 2), ((0,), (0,)), (1, 1), "each set once"),
        ((2, 2), ((2,),), (1,), "sets must be of the attributes' numbers"),
        ((2, 2), ((0,),), (0,), "weights must be positive whole numbers"),
        ((2, 2), ((0,),), (2**29,), "weights must be positive whole numbers"),
        ((2,) * 4, ((0, 1, 2, 3),), (1,), "a table is of at most 3 attributes"),
        ((1000,) * 3, ((0, 1, 2),), (1,), "ask for fewer tables, or coarser categories"),
    ],
)
def test_what_makes_no_tables_is_refused(sizes, sets, weights, message):
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        Contrasts(sizes, sets, weights)


def test_people_are_not_asked_for_all_tables_numbers():
    """The sentence names the way there is."""
    with pytest.raises(ValueError, match=r"by tacit\.queries\.marginals"):
        SHAPE.add(SHAPE.empty(jnp.ones(())), jnp.zeros((1, 4)), jnp.ones(1, bool))
