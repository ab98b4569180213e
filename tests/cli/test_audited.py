"""What is audited, by its name."""

import pytest

import tacit
from tacit.cli.audited import ESTIMATORS, estimator_of, function_of, named_function, sure
from tacit.estimators import KMeans


def test_a_name_with_a_colon_is_a_function():
    """Of any module that Python can import."""
    called = named_function("math:hypot")
    assert called is not None and called(3, 4) == 5
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


def test_what_a_function_raises_is_told_and_no_verdict():
    """Whatever it is: the name of the function, and what it said."""

    def wrong(data, seed):
        raise KeyError("age")

    with pytest.raises(ValueError, match="mine:wrong raised KeyError: 'age'"):
        sure(wrong, "mine:wrong")([1.0], 0)
    with pytest.raises(ValueError, match="mine:one raised TypeError"):
        sure(lambda data: data, "mine:one")([1.0], 0)
