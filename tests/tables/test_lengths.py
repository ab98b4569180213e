"""Texts that an expression makes are short, whatever a person's own is."""

import ibis
import pandas as pd
import pytest

import tacit
from tacit.tables.lengths import refuse_long
from tacit.tables.stopping import NotOfOneRow

ROWS = ibis.table({"ward": "string", "room": "string", "days": "float64"})
LONG = "a" * 1_001


def _doubled(text, times):
    for _ in range(times):
        text = text + text
    return text


@pytest.mark.parametrize(
    "made",
    [
        ibis.ifelse(ROWS.days > 3, LONG, "").length(),
        (_doubled(ROWS.ward, 5) == "a"),
        ROWS.ward.contains(LONG[:500] + ibis.literal(LONG[500:])),
        ROWS.ward.isin(["b", LONG]),
        ROWS.ward.like(LONG),
    ],
    ids=["chosen", "doubled", "looked for", "among", "pattern"],
)
def test_a_long_text_is_refused(made):
    """Wherever it stands, and however often what it is made of is written."""
    with pytest.raises(NotOfOneRow, match="20 others and 1,000 letters"):
        refuse_long(made.op())


def test_many_short_ones_are_not():
    """Values to compare with, results to choose from, and some texts put together."""
    many = [f"ward {i}" * 10 for i in range(200)]
    named = ibis.cases(*[(ROWS.ward == each, each) for each in many], else_="none")
    for made in (ROWS.ward.isin(many), named, _doubled(ROWS.ward, 4) + LONG[:1_000]):
        refuse_long(made.op())


def test_a_public_table_has_no_long_text(tmp_path):
    """Beside one person's row it would do the same."""
    frame = pd.DataFrame({"person": [1, 2], "ward": ["A", "B"]})
    table = tacit.Table(frame, "person", "people", tmp_path / "people.db")
    for letters, fits in ((1_000, True), (1_001, False)):
        public = pd.DataFrame({"ward": ["A"], "said": ["a" * letters]})
        if fits:
            assert "said" in table.join(public, on="ward").joined.columns
            continue
        with pytest.raises(ValueError, match="1,000 letters at most"):
            table.join(public, on="ward")
