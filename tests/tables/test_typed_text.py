"""Files of text: no cell of anybody stops a question, or changes how another's is read."""

from datetime import date
from pathlib import Path

import ibis
import pandas as pd
import pytest

import tacit
from tables.records import table
from tacit import tables
from tacit.tables.files import rows_in
from tacit.tables.typed_text import MISSING

# More than the lines that DuckDB looks at by itself.
FIRST = 20_480

UNREAD = "text that reads as no number, day or truth value asked for"

GOOD = {
    "whole": ["1", "2"],
    "real": ["1.5", "2"],
    "day": ["2024-01-01", "2024-01-02"],
    "at": ["2024-01-01 10:00:00", "2024-01-02 11:30:00"],
    "well": ["true", "False"],
    "ward": ["A", "B"],
}
ASKED = {
    "stay": tables.total("whole", 0, 3),
    "bins": tables.histogram("real", bins=[0, 1.75, 3]),
    "days": tables.histogram("day", categories=[date(2024, 1, 1), date(2024, 1, 2)]),
    "ones": tables.histogram("whole", categories=[1, 2]),
    "well": tables.count_if("well"),
    "middle": tables.median("whole", 0, 4, steps=4),
}


def lines(path: Path, rows: int = 20, **others: str) -> Path:
    """A file of these columns, a row a patient, and one last row of other values."""
    frame = pd.DataFrame({name: [own[i % 2] for i in range(rows)] for name, own in GOOD.items()})
    last = {"patient": "last", **dict.fromkeys(GOOD, ""), **others}
    frame = pd.concat([frame.assign(patient=[f"p{i}" for i in range(rows)]), pd.DataFrame([last])])
    frame.to_csv(path, index=False)
    return path


def answer(path: Path, **asked) -> dict:
    """Without noise, of a row a patient."""
    ask = table(path, path.parent).ask(**asked, rows_per_person=1)
    return ask.run(tacit.NonPrivate()).frame.iloc[0].to_dict()


def test_a_missing_value_is_missing_in_every_column(tmp_path):
    """In whatever words; and every column is text, whatever is in it."""
    for mark in MISSING:
        rows = rows_in(lines(tmp_path / "visits.csv", **dict.fromkeys(GOOD, mark)))
        assert {"string"} == {str(rows[name].type()) for name in GOOD}
        last = rows.filter(rows.patient == "last").execute().iloc[0]
        assert last[[*GOOD]].isna().all()


@pytest.mark.parametrize(
    "many, odd, declared",
    [
        ("02/01/2024", "03/25/2024", [date(2024, 1, 2), date(2024, 2, 1)]),
        ("10/01/2024", "abc", [date(2024, 1, 10), date(2024, 10, 1)]),
        ("A", '"B,C"', ["A", '"A"']),
        ("'A'", '"B"', ["A", "'A'"]),
        ('"A ""q"""', '"A\\"', ['A "q"', 'A ""q""']),
        ("100000000000000000", "1.5", ["100000000000000000", "1e17"]),
        ("7.0", "abc", ["7", "7.0"]),
        ("True", "abc", ["True", "true"]),
        ("7", "true", [7, 0]),
        ("NA", "abc", ["NA", None]),
    ],
)
def test_one_persons_cell_changes_nothing_of_anothers(tmp_path, many, odd, declared):
    """Neither their type, nor their quotes, nor the form of their days, nor what is missing."""
    path, counts = tmp_path / "visits.csv", []
    for last in ("", f"x,{odd}\n"):
        path.write_text("patient,own\n" + f"p,{many}\n" * 9 + last)
        asked = table(path, tmp_path).by(own=declared).ask(n=tables.count(), rows_per_person=9)
        counts.append(asked.run(tacit.NonPrivate()).frame.n.tolist())

    assert counts[0] == counts[1]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_first_line_says_what_stands_between_values(tmp_path, mark):
    """Whatever the others have most of, and whatever its names have in quotes."""
    path = tmp_path / "visits.csv"
    path.write_text(f'patient{mark}"a,b;c\td|e,;|"{mark}days\np1{mark}";,|,|"{mark}7\n')

    assert 7 == answer(path, n=tables.total("days", 0, 9))["n"]


@pytest.mark.parametrize(
    "name, rows",
    [("whole", 20), ("real", 20), ("day", 20), ("well", 20), ("whole", FIRST + 9)],
)
def test_one_persons_odd_cell_stops_nothing_and_is_missing(tmp_path, name, rows):
    """Wherever it stands; the answer is that of a file in which nothing stands there, and so are
    the grants of it."""
    odd = answer(lines(tmp_path / "odd.csv", rows, **{name: "a secret"}), **ASKED)
    whole = answer(lines(tmp_path / "whole.csv", rows), **ASKED)

    assert whole == odd and 0 < whole["stay"]


def test_a_number_of_another_kind_changes_no_other_answer(tmp_path):
    """A fraction among whole numbers, and a time among days, are read as such."""
    path = lines(tmp_path / "visits.csv", whole="2.5", day="2024-01-02 10:00:00")

    assert 32.5 == round(answer(path, **ASKED)["stay"], 2)
    assert 11 == answer(path, **ASKED)["days[2024-01-02]"]


def test_a_file_that_changes_stops_nothing(tmp_path):
    """What its columns were when the table was made, they are."""
    path = lines(tmp_path / "visits.csv")
    ask = table(path, tmp_path).ask(**ASKED, rows_per_person=1)
    lines(path, whole="odd", real="odd", day="odd", well="odd")

    assert 30 == ask.run(tacit.NonPrivate()).frame.stay[0]


def test_yes_and_no_are_text_as_in_a_data_frame(tmp_path):
    """So what is declared of them is; true and false are read as such too."""
    path = tmp_path / "visits.csv"
    path.write_text("patient,outcome\n" + "p1,yes\np2,no\np3,\n" * 5)
    for values in (["yes", "no"], [True, False]):
        by = table(path, tmp_path).by(outcome=values)
        found = by.ask(n=tables.count(), rows_per_person=9).run(tacit.NonPrivate()).frame
        assert [5, 5] == found.n.tolist()
    assert 1 == answer(path, n=tables.count_if("outcome"))["n"]
    asked = table(path, tmp_path).sql(
        "SELECT COUNT_IF(outcome = 'yes') AS n FROM v", rows_per_person=9
    )
    assert 5 == asked.run(tacit.NonPrivate()).frame.n[0]


def test_truth_values_are_numbers_too(tmp_path):
    """0 and 1, beside numbers; letters that DuckDB would read so are none."""
    path = lines(tmp_path / "visits.csv", well="7")
    assert 17 == answer(path, n=tables.total("well", 0, 9))["n"]
    path.write_text("patient,sex\np1,t\np2,f\np3,YES\n")
    asked = {"one": tables.total("sex", 0, 1), "none": tables.count_if(~ibis._.sex.isnull())}
    assert (1, 3) == tuple(answer(path, **asked)[name] for name in asked)


def test_an_expression_says_that_text_is_numbers(tmp_path):
    """One that does not is refused, whatever is in the column, with how those are read."""
    path = lines(tmp_path / "visits.csv")
    with pytest.raises(ValueError, match=r"column 'whole' is of type string.*try_cast"):
        table(path, tmp_path).ask(n=tables.total(ibis._.whole / 2, 0, 9), rows_per_person=1)
    tried = ibis._.whole.try_cast("float64") / 2
    assert 15 == answer(path, n=tables.total(tried, 0, 9))["n"]


def test_sql_reads_text_as_what_is_wanted_of_it(tmp_path):
    """Beside numbers and dates, and in arithmetic: the same as where no cell is odd."""
    text = (
        "SELECT COUNT_IF(whole >= 2) AS n, COUNT_IF(TRY_CAST(whole AS DOUBLE) >= 2) AS tried, "
        "SUM(whole * real) AS both, COUNT_IF(day > DATE '2024-01-01' AND NOT well) AS late, "
        "COUNT_IF(EXTRACT(MONTH FROM day) = 1) AS january FROM visits"
    )
    for odd in ("", "odd"):
        path = lines(tmp_path / "visits.csv", **dict.fromkeys(["whole", "real", "day"], odd))
        ask = table(path, tmp_path).sql(text, bounds={"both": (0, 4)}, rows_per_person=1)
        found = ask.run(tacit.NonPrivate()).frame[["n", "tried", "both", "late", "january"]]
        assert [10, 10, 55, 10, 20] == found.iloc[0].tolist()


def test_a_public_table_is_joined_by_text_that_is_numbers(tmp_path):
    """As by a column of numbers; the odd cell has no public row."""
    path = lines(tmp_path / "visits.csv", whole="odd")
    public = pd.DataFrame({"whole": [1, 2], "floor": [3, 4]})
    joined = table(path, tmp_path).join(public, on="whole")
    asked = {"up": tables.total("floor", 0, 9), "stay": tables.total("whole", 0, 3)}
    found = joined.ask(**asked, rows_per_person=1).run(tacit.NonPrivate()).frame

    assert (70, 30) == (found.up[0], found.stay[0])


@pytest.mark.parametrize("far", [1, FIRST + 9])
def test_quotes_are_quotes_wherever_the_first_of_them_stands(tmp_path, far):
    """Though none is among the lines that tell what a file is like."""
    path = tmp_path / "visits.csv"
    path.write_text("patient,ward\n" + "p1,A\n" * far + 'p2,"D, ""east"""\n')
    rows = rows_in(path)
    assert 1 == rows.filter(rows.ward == 'D, "east"').count().execute()


def test_a_line_of_other_many_values_is_told_when_the_table_is_made(tmp_path):
    """What is wrong with it, and not which it is."""
    path = tmp_path / "visits.csv"
    path.write_text("patient,ward\n" + "p1,A\n" * (FIRST + 9) + "p2,SECRET,B\n")
    with pytest.raises(ValueError, match="lines have to be of as many values") as refused:
        rows_in(path)
    assert "SECRET" not in str(refused.value)


@pytest.mark.parametrize("end", ["json", "jsonl"])
def test_fields_of_json_have_types_that_all_records_have(tmp_path, end):
    """So none stops a question, however late."""
    rows = pd.DataFrame({"patient": range(FIRST + 9), "days": 1}).astype({"days": object})
    rows.loc[len(rows) - 1, "days"] = "a secret"
    rows.to_json(path := tmp_path / f"visits.{end}", orient="records", lines=end == "jsonl")

    assert FIRST + 9 == answer(path, n=tables.count())["n"]
    with pytest.raises(ValueError, match="column 'days' is of type"):
        table(path, tmp_path).ask(n=tables.mean("days", 0, 9), rows_per_person=1)


@pytest.mark.parametrize("name", ASKED)
def test_what_becomes_of_odd_cells_is_said_once_whatever_is_in_them(tmp_path, name):
    """Of a column of names too, which is answered of no row; a plan says it as well."""
    told = set()
    for odd in ({}, {"whole": "a secret", "well": "a secret"}):
        ask = table(lines(tmp_path / "visits.csv", **odd), tmp_path).ask(
            it=ASKED[name], rows_per_person=1
        )
        said = " ".join(ask.run(tacit.NonPrivate()).said.split())
        planned = ask.plan(tacit.NonPrivate())
        assert 1 == said.count(f"missing: {UNREAD}") == str(planned).count("\nmissing   text ")
        assert planned.missing == UNREAD
        told.add(said)
    assert 1 == len(told)


def test_nothing_is_said_of_cells_where_text_is_taken_as_it_is(tmp_path):
    """And nothing of a table that has types."""
    path = lines(tmp_path / "visits.csv")
    wards = table(path, tmp_path).by(ward=["A", "B"])
    typed = table(pd.DataFrame({"patient": [1, 2], "whole": [1, 2]}), tmp_path)
    for ask in (
        wards.ask(n=tables.count(), rows_per_person=1),
        typed.ask(n=ASKED["stay"], rows_per_person=1),
    ):
        assert "" == ask.plan(tacit.NonPrivate()).missing
        assert "missing" not in ask.run(tacit.NonPrivate()).said
