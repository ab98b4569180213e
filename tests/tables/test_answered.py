"""What a table's answer shows."""

import gc
import pickle
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import ibis
import pandas as pd
import pyarrow as pa
import pytest

import tacit
from tables.records import crowded, everything, table, visits
from tacit import tables
from tacit.tables.answered import TableAnswer, framed, numbers_of, values_of


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
    words = "95% intervals; seeded, so not private; counted: at most 2 rows of one patient"
    assert axes.figure.get_supxlabel().replace("\n", " ").startswith(words)
    assert 2 == len(axes.lines[0].get_xdata())


def test_an_answer_says_how_many_rows_of_one_person_count(tmp_path):
    """Below its numbers, where a count of all rows would be more."""
    own = table(visits(60, 20, seed=3), tmp_path)
    ask = own.by(ward=["A", "B"]).ask(n=tables.count(), rows_per_person=2)
    answer = ask.run(tacit.NonPrivate())
    words = "counted: at most 2 rows of one patient, in at most 2 groups, 2 in each"

    assert answer.said.endswith(words) and words in " ".join(str(answer).split())
    assert "<td>A</td>" in answer._repr_html_() and words in answer._repr_html_()


def test_the_plan_of_an_answer_is_the_one_of_its_question(tmp_path):
    """It prints the same page, about the question and no sum."""
    own = table(visits(60, 20, seed=3), tmp_path)
    own.budget(epsilon=3, delta=1e-6)
    ask, trust = own.ask(n=tables.count(), rows_per_person=2), tacit.Central(1.0, 1e-6)
    answer = ask.run(trust)

    assert str(ask.plan(trust)) == str(answer.plan) and "n: how many rows" in str(answer.plan)
    assert answer.release.plan.guarantees == answer.plan.guarantees


@pytest.mark.parametrize("open_keys", [True, False])
def test_an_answer_holds_nothing_of_the_table(tmp_path, open_keys):
    """Pickled or not, also where expressions are of the table itself; what it says stays."""
    secret = "a-secret-of-one-person"
    frame = visits(60, 20, seed=3).assign(diary=secret)
    own = table(frame, tmp_path)
    bound = ibis._.days + own.rows.days > 1
    by = own.by("ward") if open_keys else own.by(ward=["A", None], long=(bound, [True, False]))
    ask = by.ask(n=tables.count_if(bound), m=tables.median("days", 0, 30), rows_per_person=2)
    answer = ask.run(tacit.NonPrivate())
    again = pickle.loads(whole := pickle.dumps(answer))

    assert secret.encode() not in whole and secret not in " ".join(texts_in(answer))
    assert secret.encode() in pickle.dumps(ask.table.rows) and secret in " ".join(texts_in(ask))
    assert str(answer) == str(again) and str(answer.plan) == str(again.plan)
    assert answer.frame.equals(again.frame) and answer.receipt() == again.receipt()


def test_an_answer_of_many_numbers_is_printed_at_80_columns(tmp_path):
    """Numbers that do not fit beside others stand below them."""
    numbers = {f"number_{i}": tables.mean("days", 0, 30) for i in range(5)}
    ask = table(visits(60, 20, seed=3), tmp_path).by(ward=["A"]).ask(**numbers, rows_per_person=2)
    shown = str(ask.run(tacit.NonPrivate()))

    assert max(map(len, shown.splitlines())) <= 80
    assert all(f"{name}{end}" in shown.split() for name in numbers for end in ("", "_rows"))


@pytest.fixture(scope="module")
def nothing(tmp_path_factory) -> TableAnswer:
    """Of keys that nobody declared, none of which has people enough; of every aggregate."""
    own = table(crowded(), tmp_path_factory.mktemp("nothing"))
    own.budget(epsilon=3, delta=1e-4)
    ask = own.by("ward").ask(**everything(), groups_per_person=1, rows_per_group=2)
    return ask.run(tacit.Central(1.0, 1e-6))


def test_an_answer_of_no_key_has_every_column_and_no_row(nothing):
    """What was charged is answered, whatever was asked; it is written and drawn as others are."""
    header, *rows = nothing.frame.to_csv(index=False).splitlines()

    assert [] == rows and {"ward", "stays_90_low", "middle", "upto[2]"} <= set(header.split(","))
    assert all(name in numbers_of(nothing.frame) for name in ("n", "spread", "sexes[f]"))
    assert {"first_1_n": "first_1", "first_2_n": "first_2"} == values_of(nothing.frame, ["ward"])
    figure = nothing.plot()
    assert [] == figure.axes and "no key had" in figure.get_supxlabel()


def test_an_answer_of_no_key_says_why(nothing):
    """In one sentence, with how many people one needs; without privacy there is no such draw."""
    needed = nothing.plan.plan.server.choice.needed(0.5)
    assert str(nothing).startswith("no key had enough people to be released: one of ")
    said = " ".join(str(nothing).split())
    assert f"of {needed} people with chance 50%" in said and "epsilon 1" in said


def test_more_found_groups_than_can_be_read_are_drawn_in_part(tmp_path):
    """How many there would be nobody could know: the first hundred, and the words say so."""
    rows = pd.DataFrame({"patient": range(110), "ward": [f"w{i}" for i in range(110)]})
    ask = table(rows, tmp_path).by("ward").ask(n=tables.count(), rows_per_person=1)
    answer = ask.run(tacit.NonPrivate())
    figure = answer.plot("n")

    assert 110 == len(answer.frame) and 100 == len(figure.axes[0].get_yticks())
    assert "the first 100 of 110 groups" in " ".join(figure.get_supxlabel().split())


@pytest.mark.parametrize("whole", [[2**53 + 1, -(2**63)], [2**64 - 1, 0], [-1, 2**63], [2**70, 3]])
def test_whole_numbers_stay_whole_beside_a_missing_one(whole):
    """Whatever their signs and sizes."""
    own = framed({"no": [*whole, None]}).no
    assert whole == own.tolist()[:2] and pd.isna(own[2])


def texts_in(root: Any) -> Iterator[str]:
    """Of all that can be reached from it, but by way of code."""
    met, left = set[int](), [root]
    while left:
        own = left.pop()
        if id(own) in met or isinstance(own, type | ModuleType):
            continue
        met.add(id(own))
        if isinstance(own, str):
            yield own
        if isinstance(own, pd.DataFrame | pa.Table):
            yield str(own)
        code = isinstance(own, FunctionType)
        left += (own.__closure__ or ()) if code else gc.get_referents(own)
