"""What `tacit compare` compares on: people, their problem, and ways to learn it of every trust."""

from pathlib import Path

import pytest

from tacit.accounting.relation import Relation
from tacit.cli import cases
from tacit.cli.cases import ComparisonData, digits_case
from tacit.data import digits
from tacit.features.encoding import Encoding
from tacit.learning.classifiers import InRounds
from tacit.learning.compare import trials

DELTA = 1e-5
PERSON = (
    "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, "
    "Male, 2174, 0, 40, United-States, <=50K"
)


def test_digits_are_learnt_in_every_trust_model_by_one_learner():
    """Every line can be planned, and every way of descent is the same steps."""
    case = digits_case(DELTA, digits.load(0))
    planned = trials(case.problem, case.methods, (1.0,))
    steps = {trial.method.way.steps for trial in planned if isinstance(trial.method.way, InRounds)}
    trusts = [type(trial.method.trust).__name__ for trial in planned]

    assert (1437, 64) == case.train[0].shape and 0.09 < case.commonest < 0.15
    assert ["NonPrivate", "Central", "Central", "Federated", "Shuffled", "Local"] == trusts
    assert 1 == len(steps)


def test_adult_is_read_encoded_and_planned(tmp_path):
    """Every declared column, and Newton's method besides."""
    (tmp_path / "adult.data").write_text("\n".join([PERSON] * 40))
    (tmp_path / "adult.test").write_text(f"|1x3 Cross validator\n{PERSON}.\n")
    case = cases.adult_case(tmp_path, DELTA)
    (last,) = trials(case.problem, case.methods[-1:], (1.0,))

    assert isinstance(cases.ADULTS, Encoding) and (40, cases.ADULTS.dim) == case.train[0].shape
    assert "Newton's method" == last.method.name and 1.0 == case.commonest
    assert not case.train[1].any() and 2 == case.problem.classes


@pytest.mark.parametrize(
    "data, directory, said",
    [
        (ComparisonData.adult, None, "--data adult needs --directory"),
        (ComparisonData.digits, Path(), "--directory is for --data adult"),
    ],
)
def test_a_folder_is_for_what_lies_in_one(data, directory, said):
    """Missing or needless, it is said before anything is read."""
    with pytest.raises(ValueError, match=said):
        cases.of(data, directory, DELTA)


def test_every_promise_is_of_one_replaced_by_another():
    """The relation that all trust models keep, at the delta that was asked for."""
    methods = cases._methods(cases.Steps(1.0, 1.0, 1), 3, 0.1, DELTA)
    curators = [each.trust for each in methods if isinstance(each.trust, cases.Central)]

    assert {(each.relation, each.delta) for each in curators} == {(Relation.REPLACE_ONE, DELTA)}
    assert isinstance(methods[0].trust, cases.NonPrivate)
