"""Who is no row and label is refused before anybody is charged, by every learner."""

import numpy as np
import pytest

import tacit
from tacit import sq
from tacit.sq.row_and_label import row_and_label

PEOPLE, DIM = 40, 4
BITS, LABELS = np.ones((PEOPLE, DIM), np.int32), np.ones(PEOPLE, np.int32)
LEARNERS = [
    sq.KeptLiterals(DIM, 0.05),
    sq.LowDegree(DIM, 2),
    sq.GrownTree(DIM, 2),
    sq.Halfspace(DIM, 3),
    sq.SmoothBoosting(DIM, 3, 0.2),
    sq.ParityInTurn(DIM),
    sq.CategoryTables((2,) * DIM, 2),
    sq.CategoryTablesInTurn((2,) * DIM, 2),
    sq.MomentTables.in_l1(DIM, 2),
    sq.MomentTablesInTurn(DIM, 2),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(
    "data",
    [
        BITS,
        LABELS,
        (LABELS, LABELS),
        (BITS[:, :1], LABELS),
        (BITS[:, :-1], LABELS),
        (np.ones((PEOPLE, DIM + 1), np.int32), LABELS),
        (BITS, LABELS[:, None]),
        (BITS, LABELS, LABELS),
    ],
    ids=["bits", "labels", "no rows", "one", "fewer", "more", "labels in rows", "three"],
)
def test_who_is_none_is_refused_and_nobody_charged(learner, data, tmp_path):
    """In one sentence, with the shapes."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    asked = sq.QueryLearning(learner, tacit.Central(1.0, 1e-6), PEOPLE)
    book.limit_for("people", asked.plan)
    with pytest.raises(ValueError, match="people must be a pair, rows of 4 numbers and a label"):
        asked.of(data, book, "people")
    assert all(account.epsilon == 0 for account in book.spent("people"))


def test_a_pair_is_what_it_was():
    """Of NumPy or JAX."""
    bits, label = row_and_label((BITS[0], LABELS[0]), DIM)

    assert bits is BITS[0] or np.array_equal(bits, BITS[0])
    assert label == 1
