"""Domains are read from JSON, or refused in a sentence."""

import json

import pytest

from tacit.queries import Binned, Domain
from tacit.queries.domain_file import read_domain


def test_a_file_declares_what_a_mapping_does(tmp_path):
    """Lists with null, bins, and how many whole numbers."""
    path = tmp_path / "domain.json"
    declared = {"sex": ["F", None], "age": {"ends": [0, 18, 65], "whole": True}, "kind": 3}
    path.write_text(json.dumps(declared))

    assert read_domain(path) == Domain.of(
        {"sex": ["F", None], "age": Binned((0, 18, 65), whole=True), "kind": [0, 1, 2]}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "must be a JSON file of columns"),
        ("[" * 100_000, "must be a JSON file of columns"),
        ('{"a": 2, "b": 2, "a": 3}', "each named once"),
        ('{"a": {"ends": [0, 1], "ends": [0, 2]}}', "each named once"),
        ('{"a": {"ends": [0, 1e300], "whole": true}}', "must be from -2\\^53 to 2\\^53, got 0 to"),
        ("[1]", r"must hold an object of columns, got \[1\]"),
        ('{"a": 0}', "column 'a' must be of 1 to 1,024 whole numbers, got 0"),
        ('{"a": 1.5}', "column 'a' must be a list of values, a whole number, or .*, got 1.5"),
        ('{"a": true}', "column 'a' must be a list of values, a whole number, or .*, got true"),
        ('{"a": "F"}', "column 'a' must be a list of values, a whole number, or .*, got \"F\""),
        ('{"a": ["F", "F"]}', "the values of column 'a' must all differ, got 'F' twice"),
        ('{"a": {"edges": [1]}}', "column 'a' must be a list of values, a whole number, or"),
        ('{"a": {"ends": [1, 0]}}', "column 'a': the ends of bins must rise, got 0 after 1"),
        ('{"a": {"ends": [0, NaN]}}', "column 'a': the ends of bins must be finite"),
        ('{"a": ["\\ud800"]}', "a value of column 'a', .*, must be text that UTF-8 can write"),
        ("{}", "must hold an object of columns, got {}"),
    ],
)
def test_other_files_are_refused(text, message, tmp_path):
    """By what a column may be."""
    (tmp_path / "domain.json").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_domain(tmp_path / "domain.json")


def test_a_missing_file_is_refused(tmp_path):
    """As none, and not as one that is no JSON."""
    with pytest.raises(ValueError, match=r"there is no file .*nothing\.json"):
        read_domain(tmp_path / "nothing.json")
