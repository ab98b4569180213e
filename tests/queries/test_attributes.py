"""Values are of their cells, and cells of their values."""

import numpy as np

from tacit.queries import Binned, Domain
from tacit.queries.attributes import Listed

DOMAIN = Domain.of({"sex": ["F", "M", None], "age": Binned((0, 18, 65, 120), whole=True)})


def test_values_are_of_their_cells():
    """Listed are themselves, numbers lie in their bins, whole where they are whole."""
    rng = np.random.default_rng(0)
    sex, age = (attribute for _, attribute in DOMAIN.attributes)
    drawn = age.values(np.array([1] * 500), rng)

    assert sex.values(np.array([2, 0]), rng) == [None, "F"]
    assert min(drawn) == 18 and max(drawn) == 64 and all(isinstance(each, int) for each in drawn)
    assert (Binned((0.0, 1.0)).cells(Binned((0.0, 1.0)).values(np.zeros(9, int), rng)) == 0).all()


def test_whole_numbers_lie_in_their_bins_where_ends_are_none():
    """From the first at or above the lower end to the last below the upper one."""
    halves, rng = Binned((0.5, 2.5, 4.0, 4.5), whole=True), np.random.default_rng(0)
    for cell, values in enumerate(({1, 2}, {3}, {4})):
        assert set(halves.values(np.array([cell] * 100), rng)) == values
        assert (halves.cells(list(values)) == cell).all()


def test_text_is_read_as_what_is_declared():
    """Whatever the others are; what nobody declared stays none, and is not missing."""
    texts = ["F", "01", "1", "1.0", "true", " 3", "x", None]
    text, whole, truth = (Listed(each) for each in (("F", "01"), (1, 3, None), (True, None)))
    each = [own.cells(own.read(texts)).tolist() for own in (text, whole, truth)]

    assert each[0] == [0, 1, -1, -1, -1, -1, -1, -1]
    assert each[1] == [-1, 0, 0, 0, -1, 1, -1, 2]
    assert each[2] == [-1, -1, 0, -1, 0, -1, -1, 1]
    assert Binned((0.0, 2.0, 4.0)).cells(Binned((0.0, 2.0, 4.0)).read(texts)).tolist() == [
        *(-1, 0, 0, 0, -1, 1, -1, -1)
    ]
    assert Listed((2**53 + 1,)).cells([2**53 + 1]) == Listed((2**53 + 1,)).cells(
        Listed((2**53 + 1,)).read([str(2**53 + 1)])
    )
