"""Which rows of a person count: as many as the caps say, chosen by what they hold."""

import pandas as pd
import pytest

from tacit.tables.caps import Caps
from tacit.tables.engine import rows_of
from tacit.tables.keys import DeclaredKeys
from tacit.tables.ranked import Ranked
from tacit.tables.whose import Whose


@pytest.mark.parametrize(("caps", "most"), [((2, None, None), 2), ((None, 2, 1), 2)], ids=str)
def test_rows_that_count_are_as_many_as_the_caps_say(caps, most):
    """Of each person by themselves, and the same ones however rows lie."""
    frame = pd.DataFrame(
        {"patient": list("aaaaabbc"), "ward": list("AABBCABC"), "days": [1, 2, 3, 4, 5, 6, 7, 8]}
    )
    keys = DeclaredKeys.of({"ward": ["A", "B", "C"]})
    ranked = Ranked(
        Whose.told("patient", None), "people", (), keys, Caps.of(*caps), {"days": lambda x: x.days}
    )
    found = []
    for lying in (frame, frame[::-1]):
        read = ranked.of(rows_of(lying))
        kept = read.filter(ranked.kept(read)).select("person", "group", "days").to_pandas()
        found.append(kept.sort_values("days").to_numpy().tolist())

    assert found[0] == found[1]
    assert {"a": most, "b": 2, "c": 1} == pd.Series(
        [x[0] for x in found[0]]
    ).value_counts().to_dict()
