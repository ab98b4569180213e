"""What is audited, by its name."""

import pytest

import tacit
from tacit.cli.audited import ESTIMATORS, estimator_of, function_of, named_function
from tacit.estimators import KMeans


def test_a_name_with_a_colon_is_a_function():
    """Of any module that Python can import."""
    assert named_function("math:sqrt") is function_of("math:sqrt")
    assert function_of("math:sqrt")(9) == 3 and named_function("Ridge") is None


def test_an_estimator_gets_the_promise_and_its_parameters():
    """As JSON has them; words may stand without quotes."""
    trust = tacit.Central(1.0, 0.0)
    given = ["n_clusters=3", "population=those", "note=null"]
    made = estimator_of("KMeans", trust, (0.0, 1.0), 50, given)

    assert isinstance(made, KMeans) and (made.trust, made.people) == (trust, 50)
    assert (made.n_clusters, made.population, made.note) == (3, "those", None)


def test_every_estimator_can_be_asked_for():
    """With what the command tells each."""
    for name in ESTIMATORS:
        assert estimator_of(name, tacit.Central(1.0, 1e-6), (0.0, 1.0), 9, ()).people == 9


def test_what_is_no_function_is_refused():
    """By what it is."""
    with pytest.raises(ValueError, match="math:pi must be a function, got float"):
        function_of("math:pi")
