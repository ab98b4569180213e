"""Released tables as arrays, as DataFrames, and in print."""

import numpy as np
import pytest

import tacit
from tacit.queries import Binned, marginals

DOMAIN = {"sex": ["F", "M"], "age": Binned((0, 18, 40, 65, 120)), "ward": ["A", "B", "C"]}


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    rng = np.random.default_rng(0)
    table = {
        "sex": rng.choice(["F", "M"], 3_000),
        "age": rng.uniform(0, 120, 3_000),
        "ward": rng.choice(["A", "B", "C"], 3_000),
    }
    book = tacit.Ledger(tmp_path_factory.mktemp("ledger") / "people.db")
    book.limit("people", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-6)
    terms = {"ledger": book, "name": "people", "people": 3_000, "seed": 5, "confidence": 0.999}
    return marginals(table, domain=DOMAIN, ways=2, trust=tacit.Central(1.0, 1e-6), **terms)


def test_a_frame_has_a_row_for_each_cell(answer):
    """With labels, people and limits."""
    frame = answer.frame("sex", "age")

    assert ["sex", "age", "people", "low", "high"] == list(frame.columns) and 8 == len(frame)
    assert ["F", "0 to 18"] == frame.loc[0, ["sex", "age"]].tolist()
    assert repr(answer).startswith(
        "tables sex x age, sex x ward, age x ward\n99.9% intervals; seeded"
    )
