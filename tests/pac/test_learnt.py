"""A concept that was learnt: it says itself, predicts, and tells where nothing was found."""

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.ledger.ledger import Ledger
from tacit.ledger.limits import NoDeltaWarning
from tacit.pac.learning import learn
from tacit.question.concepts import MonotoneConjunction, Parity

BITS = np.random.default_rng(0).integers(0, 2, (300, 3))


def learnt(labels, folder):
    book = Ledger(folder / "people.db")
    with pytest.warns(NoDeltaWarning):
        book.limit("people", "public", tacit.Relation.ADD_REMOVE, 2.0, 0.0)
    asked = {"trust": tacit.Central(1.0, 0.0), "ledger": book, "name": "people", "people": 300}
    return learn(BITS, labels, Parity(3), **asked, seed=1)


def test_labels_of_no_parity_have_no_answer(tmp_path):
    """It is said so, and there is nothing to predict with."""
    rule = learnt(BITS[:, 0] & BITS[:, 1], tmp_path)

    assert str(rule) == "nothing: no rule was found\nseeded, so not private"
    with pytest.raises(ValueError, match="nothing was learnt"):
        rule.predict(BITS)


def test_a_parity_predicts_its_labels(tmp_path):
    """Of rows with as many bits; others are refused."""
    rule = learnt((BITS[:, 0] + BITS[:, 2]) % 2, tmp_path)

    assert np.array_equal(rule.predict([[1, 0, 0], [1, 1, 1]]), [1, 0])
    with pytest.raises(ValueError, match="3 columns"):
        rule.predict(BITS[:, :2])


def test_columns_are_found_by_their_names(tmp_path):
    """In whatever order a table has them, and with others beside; one that is missing is named."""
    frame = pd.DataFrame(BITS, columns=["a", "b", "c"])
    book = Ledger(tmp_path / "people.db")
    with pytest.warns(NoDeltaWarning):
        book.limit("people", "public", tacit.Relation.ADD_REMOVE, 2.0, 0.0)
    asked = {"trust": tacit.Central(1.0, 0.0), "ledger": book, "name": "people", "people": 300}
    rule = learn(frame, BITS[:, 2], MonotoneConjunction(3), **asked, seed=1)

    assert np.array_equal(rule.predict(frame), BITS[:, 2])
    assert np.array_equal(rule.predict(frame[["c", "b", "a"]].assign(d=1)), BITS[:, 2])
    with pytest.raises(ValueError, match="'b' is missing"):
        rule.predict(frame[["a", "c"]])
