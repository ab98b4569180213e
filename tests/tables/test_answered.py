"""What a table's answer shows."""

import tacit
from tables.records import table, visits
from tacit import tables


def test_an_answer_shows_its_numbers_and_what_is_promised(tmp_path):
    """A row for each group, and the promise below; a seeded one says that it is not private."""
    own = table(visits(60, 20, seed=3), tmp_path)
    own.budget(epsilon=3, delta=1e-6)
    ask = own.by(ward=["A", "B"]).ask(n=tables.count(), rows_per_person=2)
    private, seeded = ask.run(tacit.Central(1.0, 0.0)), ask.run(tacit.Central(1.0, 0.0), seed=1)

    assert "public meets epsilon 1" in str(private) and "95% intervals" in str(private)
    assert "not private" in str(seeded) and False is seeded.receipt()["private"]
    assert ["ward", "n", "n_low", "n_high"] == list(private.frame.columns)
    (axes,) = seeded.plot("n").axes
    assert "95% intervals; seeded, so not private" == axes.figure.get_supxlabel()
    assert 2 == len(axes.lines[0].get_xdata())
