"""What is refused says nothing of anybody: no cell, no number of people, and nothing beside it."""

import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars
import pytest

import tacit
from tacit.estimators import PCA, GaussianNB, Ridge
from tacit.estimators.reworded import anew

TRUST = tacit.Central(1.0, 1e-6)
COMPLEX = np.array([[0.1, 0.2 + 0j], [0.3, 4711j]])


class Odd:
    """A cell that says what it is."""

    def __float__(self) -> float:
        raise ValueError("4711 is my number")


def refused(fit) -> str:
    """The sentence, with no other exception beside it."""
    with pytest.raises(ValueError) as caught:
        fit()
    assert caught.value.__context__ is None and "4711" not in str(caught.value)
    return str(caught.value)


def directions(X) -> str:
    """Of rows alone."""
    return refused(lambda: PCA(TRUST, bounds=(-1.0, 1.0), people=7).fit(X))


def labels(y) -> str:
    """Of labels."""
    made = GaussianNB(TRUST, bounds=(-1.0, 1.0), classes=(0, 1), people=7)
    return refused(lambda: made.fit(np.ones((2, 2)), y))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize(
    "X",
    [
        COMPLEX,
        pd.DataFrame(COMPLEX),
        pd.DataFrame({"a": [1.0, 2.0], "b": [1j, 4711]}),
        pd.DataFrame(COMPLEX).astype("category"),
        jnp.asarray(COMPLEX),
        COMPLEX.tolist(),
        list(COMPLEX),
    ],
    ids=["array", "frame", "column", "category", "jax", "list", "arrays"],
)
def test_complex_numbers_are_refused_whatever_they_are_held_in(X):
    """scikit-learn prints the whole table."""
    assert "must hold" in directions(X)


def test_complex_targets_are_refused():
    """As rows are."""
    made = Ridge(TRUST, bounds=(-1.0, 1.0), target_bounds=(0.0, 1.0), people=7)

    for y in ([1, 4711j], pd.Series([1, 4711j]), jnp.array([1, 4711j])):
        assert "real numbers" in refused(lambda y=y: made.fit(np.ones((2, 2)), y))


@pytest.mark.parametrize(
    "cell",
    [pd.NA, pd.NaT, {4711}, Odd()],
    ids=["NA", "NaT", "a set", "an object of one's own"],
)
@pytest.mark.parametrize("held", [list, lambda rows: np.array(rows, object), pd.DataFrame])
def test_odd_cells_are_refused_in_one_sentence(cell, held):
    """Not by what they say themselves."""
    assert "got objects that are none" in directions(held([[1.0, cell], [1.0, 2.0]]))


def test_a_masked_number_is_missing():
    """What lies under a mask is nobody's."""
    rows = np.ma.array([[1, 2], [3, -999]], mask=[[0, 0], [0, 1]])

    assert directions(rows) == directions([[1.0, np.nan], [1.0, 2.0]])
    assert labels(np.ma.array([0, 1], mask=[0, 1])) == labels([0, None])


def test_labels_that_are_not_one_for_each_row_tell_no_number():
    """Of people, where that is a secret."""
    for y in ([0, 1, 1], [[0, 1], [1, 0]]):
        said = labels(y)
        assert said.startswith("y must hold one label") and not set("23") & set(said)


def test_polars_objects_are_refused_alike():
    """By their type, in one sentence."""
    frame = polars.DataFrame({"a": polars.Series([Odd(), Odd()], dtype=polars.Object)})

    assert "must hold numbers" in directions(frame)


def test_what_a_later_version_says_is_not_kept():
    """Only what is known to be about types, columns and the estimator."""
    assert anew(RuntimeError("row 3 of 4711")) == anew(ValueError("4711 is odd"))
    assert anew(ValueError("Found array with dim 3")) is None
