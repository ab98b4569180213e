"""Declared keys: every group there is, and which row is in which."""

import pandas as pd
import pytest

from tacit.tables.engine import rows_of
from tacit.tables.keys import DeclaredKeys, Key


def test_every_row_is_in_the_group_of_its_keys_or_in_none():
    """Crossed, in the order of `rows`; a missing key is one where it is declared."""
    frame = pd.DataFrame({"a": ["x", "y", None, "z"] * 2, "b": [1, 1, 1, 1, 2, 2, 2, 2]})
    keys = DeclaredKeys.of({"a": ["y", None], "b": [2, 1]})
    rows = rows_of(frame)
    places = rows.select(place=keys.place(rows)).to_pyarrow()["place"].to_pylist()

    assert [("y", 2), ("y", 1), (None, 2), (None, 1)] == keys.rows and 4 == keys.groups
    assert [None, 1, 3, None, None, 0, 2, None] == places


@pytest.mark.parametrize("values", ["ab", [], [1.5], [1, "a"], [None], [True, 1], ["a", "a"], 3])
def test_values_that_are_no_key_are_refused(values):
    """In a sentence that shows how a key is declared."""
    with pytest.raises(ValueError, match=r"declared values|each once"):
        Key.of("ward", values)


def test_too_many_groups_are_refused():
    """Before any are made."""
    with pytest.raises(ValueError, match="16,384 groups at most"):
        DeclaredKeys.of({name: list(range(1000)) for name in ("a", "b")})
