"""The report says how far rows are from what was released, and what noise did before."""

import itertools

import numpy as np
import pytest

import tacit
from tacit.synthesis import Synthesizer
from tacit.synthesis.from_pairs import PairLaw


def test_the_report_is_of_released_numbers(tmp_path):
    """A row for each pair: total variation from the release, and what noise alone has of it."""
    rng = np.random.default_rng(0)
    domain = {"a": list(range(5)), "b": list(range(4)), "c": [0, 1]}
    table = {name: rng.integers(0, len(values), 4_000) for name, values in domain.items()}
    asked = Synthesizer(domain, tacit.Central(1.0, 1e-6), 4_000)
    book = tacit.Ledger(tmp_path / "people.db")
    book.limit_for("people", asked.plan)
    made = asked.fit(table, ledger=book, name="people", seed=1)
    report, law = made.report(), made.law
    assert isinstance(law, PairLaw)

    assert list(zip(report["first"], report["second"], strict=True)) == list(
        itertools.combinations("abc", 2)
    )
    for (_, row), pair in zip(report.iterrows(), law.answer.tables.sets, strict=True):
        released = law.answer.of(pair).estimates / law.answer.contrasts[()]
        exact = np.zeros(released.shape)
        np.add.at(exact, tuple(table["abc"[i]] for i in pair), 1 / 4_000)
        assert row.from_released == pytest.approx(np.abs(law.model.pair(pair) - released).sum() / 2)
        # Some twenty cells: their mean size is within a half of what is expected.
        assert row.by_noise == pytest.approx(np.abs(released - exact).sum() / 2, rel=0.5)
    assert law.counted == repr(made).splitlines()[-1] == repr(law.answer).splitlines()[-1]
    assert 4_000 == len(made.sample())
    assert made.receipt()["plan"]["question"]["contribution"]["type"] == "Contrasts"


@pytest.mark.parametrize(("columns", "said"), [(6, "c0, c1, c2, c3, c4, c5"), (9, "c5 and 3 more")])
def test_it_says_what_rows_are_of_in_one_short_line(columns, said, tmp_path):
    """Six columns by name, and how many more there are."""
    names = [f"c{i}" for i in range(columns)]
    asked = Synthesizer({name: [0, 1] for name in names}, tacit.NonPrivate(), 50)
    table = {name: np.arange(50) % 2 for name in names}
    made = asked.fit(table, ledger=tacit.Ledger(tmp_path / "people.db"), name="people", seed=1)

    assert repr(made).splitlines()[0].endswith(said)
