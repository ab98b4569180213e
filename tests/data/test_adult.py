"""Adult is read as published; a line that is not a whole record is refused by its number."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from tacit.data import adult
from tacit.data.dataset import DataError
from told import alone

PUBLISHED = Path(__file__).resolve().parents[2] / "../shared/data/adult"
FIRST = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, "
    "Male, 2174, 0, 40, United-States, <=50K"
)
SECOND = "50, ?, 83311, HS-grad, 9, Divorced, ?, Husband, Black, Female, 0, 1902, 13, ?, >50K"
COMMENT = "|1x3 Cross validator"


def folder(path: Path, train: str = FIRST, test: str | None = None) -> Path:
    (path / "adult.data").write_text(train)
    (path / "adult.test").write_text(f"{COMMENT}\n{FIRST}.\n\n" if test is None else test)
    return path


def test_columns_have_their_types_and_missing_values_their_sign(tmp_path):
    """Numbers are float64, categories text, in the order of the lines; an income is a bool."""
    table = adult.load(folder(tmp_path, f"{FIRST}\n{SECOND}\r\n\n")).train
    columns = table.columns
    assert 14 == len(columns) and {*adult.NUMBERS, *adult.CATEGORIES} == set(columns)
    assert all(columns[name].dtype == np.float64 for name in adult.NUMBERS)
    np.testing.assert_array_equal([39, 50], columns["age"])
    np.testing.assert_array_equal([0, 1902], columns["capital-loss"])
    np.testing.assert_array_equal(["State-gov", adult.MISSING], columns["workclass"])
    np.testing.assert_array_equal(["United-States", adult.MISSING], columns["native-country"])
    np.testing.assert_array_equal([False, True], table.rich)


def test_a_missing_number_is_nan(tmp_path):
    """It is not a zero."""
    columns = adult.load(folder(tmp_path, FIRST.replace("2174", "?"))).train.columns
    assert np.isnan(columns["capital-gain"]) and columns["capital-loss"] == 0


def test_the_test_part_has_a_comment_and_dots(tmp_path):
    """Its people are those after the first line."""
    read = adult.load(folder(tmp_path, test=f"{COMMENT}\n{FIRST}.\n{SECOND}.\n{SECOND}.\n"))
    np.testing.assert_array_equal([False, True, True], read.test.rich)
    assert 1 == read.train.rich.size


def test_gzipped_files_are_the_same(tmp_path):
    """Under the names that gzip gives them."""
    folder(tmp_path)
    for name in ("adult.data", "adult.test"):
        plain = tmp_path / name
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    read = adult.load(tmp_path)
    assert 39 == read.train.columns["age"] == read.test.columns["age"]


@pytest.mark.parametrize(
    "line, message",
    [
        (FIRST + ", 1", "line 2 must have 15 fields, got 16"),
        ("", "line 2 must have 15 fields, got 1"),
        (FIRST + ".", "line 2: income must be one of <=50K, >50K"),
        (FIRST.replace("<=50K", "?"), "line 2: income must be one of"),
        (FIRST.replace("39", "-39"), "line 2: age must be a whole number"),
        (FIRST.replace("39", "39.5"), "line 2: age must be a whole number"),
        (FIRST.replace("39", "nan"), "line 2: age must be a whole number"),
        (FIRST.replace("77516", ""), "line 2: fnlwgt must be a whole number"),
        (FIRST.replace("40", "9" * 16), "line 2: hours-per-week must be a whole number"),
        (FIRST.replace("White", "white"), "line 2: race must be one of White, .*Black, "),
        (FIRST.replace("Male", ""), "line 2: sex must be one of Female, Male, "),
    ],
)
def test_a_line_that_is_no_record_is_refused(tmp_path, line, message):
    """By its file, its number and the field; the value is a person's and is not told."""
    with pytest.raises(DataError, match=f"adult.data, {message}"):
        adult.load(folder(tmp_path, f"{FIRST}\n{line}\n{FIRST}\n"))


@pytest.mark.parametrize(
    "test, message",
    [
        (f"{FIRST}.\n", "adult.test, line 1 must begin with |"),
        (f"{COMMENT}\n{FIRST}\n", "adult.test, line 2: income must be one of <=50K., >50K."),
        (f"{COMMENT}\n", "adult.test must hold at least one person"),
        ("\n \n", "adult.test must hold at least one line"),
        (f"{COMMENT}\n{FIRST.replace('White', 'Whité')}.\n", "adult.test must be ASCII text"),
    ],
)
def test_another_test_file_is_refused(tmp_path, test, message):
    """Without its comment, its dots or its people."""
    with pytest.raises(DataError, match=message.replace("|", r"\|")) as refused:
        adult.load(folder(tmp_path, test=test))
    assert alone(refused.value)


def test_a_comment_in_the_training_part_is_refused(tmp_path):
    """The two files are not taken for each other."""
    with pytest.raises(DataError, match="line 1 must have 15 fields, got 1"):
        adult.load(folder(tmp_path, f"{COMMENT}\n{FIRST}.\n"))


def test_a_file_that_is_not_there_is_refused_by_both_names(tmp_path):
    """Plain and gzipped."""
    with pytest.raises(DataError, match=r"adult\.test or .*\.gz or adult\.test\.xz, got none"):
        adult.load(tmp_path)


@pytest.mark.parametrize("left_out", [1, 8, 40])
def test_a_gzip_stream_cut_short_is_refused(tmp_path, left_out):
    """Even where only its checksum is missing."""
    (folder(tmp_path) / "adult.data").unlink()
    stream = gzip.compress(f"{FIRST}\n{SECOND}\n".encode())
    (tmp_path / "adult.data.gz").write_bytes(stream[:-left_out])
    with pytest.raises(DataError, match=r"adult.data.gz must be one whole gzip stream"):
        adult.load(tmp_path)


def test_the_text_of_a_table_has_no_values(tmp_path):
    """Names and a count: the structure is public."""
    text = repr(adult.load(folder(tmp_path)))
    assert "people=1" in text and "39" not in text and "State-gov" not in text


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published files are not here")
def test_the_published_files_are_read_whole():
    """Counts are the published ones, and the categories are those that the training part has."""
    read = adult.load(PUBLISHED)
    assert (32_561, 16_281) == (read.train.rich.size, read.test.rich.size)
    assert (7_841, 3_846) == (read.train.rich.sum(), read.test.rich.sum())
    assert 1_836 == np.sum(read.train.columns["workclass"] == adult.MISSING)
    for name, values in adult.CATEGORIES.items():
        assert set(values) == set(read.train.columns[name]) - {adult.MISSING}
