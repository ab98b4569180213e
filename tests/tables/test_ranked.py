"""Which rows of a person count: as many as the caps say, chosen by what they hold."""

import ibis
import pandas as pd
import pytest

from tacit.tables import ranked as ranking
from tacit.tables.bytewise import text_of
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
        [text_of(x[0]) for x in found[0]]
    ).value_counts().to_dict()


@pytest.mark.parametrize("caps", [(None, 2, 1), (3, 2, 2), (2, 1, 2)], ids=str)
def test_caps_hold_where_all_digests_are_one(monkeypatch, caps):
    """Whoever makes two groups of the same digest is in no more groups; and the same rows count
    however they lie."""
    monkeypatch.setattr(ranking, "md5", lambda text: ibis.literal("same"))
    frame = pd.DataFrame({"patient": ["a"] * 6, "ward": list("ABCABC"), "days": range(6)})
    keys = DeclaredKeys.of({"ward": ["A", "B", "C"]})
    columns = {"days": lambda rows: rows.days}
    ranked = Ranked(Whose.told("patient", None), "people", (), keys, Caps.of(*caps), columns)
    found = []
    for lying in (frame, frame[::-1]):
        read = ranked.of(rows_of(lying))
        kept = read.filter(ranked.kept(read)).select("group", "days").to_pandas()
        assert kept.group.nunique() <= caps[1] and kept.groupby("group").size().max() <= caps[2]
        assert len(kept) <= ranked.caps.rows
        found.append(kept.sort_values("days").to_numpy().tolist())

    assert found[0] == found[1]
