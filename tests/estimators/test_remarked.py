"""What is said beside a line that may not be what was meant, of released numbers alone."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators import Lasso, LinearRegression, LogisticRegression, Ridge
from tacit.estimators.declared import REACH
from tacit.estimators.remarked import at_target_bound, of_moments

PEOPLE = 4_000
RNG = np.random.default_rng(0)
AGES = np.clip(RNG.normal(39, 12, PEOPLE), 18, 90)
X = pd.DataFrame({"age": AGES, "visits": RNG.poisson(4, PEOPLE).astype(float)})
CENTRAL = tacit.Central(1.0, 1e-6)
TERMS = {"trust": CENTRAL, "bounds": [(0, 120), (0, 20)], "people": PEOPLE, "seed": 0}
REGRESSION = {**TERMS, "target_bounds": (0, 360)}
AT_BOUND = "in the middle .* is not told from the {} one of target_bounds.*may be wrong"
MEAN_AT_BOUND = "the mean of the target is not told from the {} bound.*may be wrong"


def told(model, y: np.ndarray = 3 * AGES) -> str:
    """The remarks of a fit, of each of which this line is warned."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert [str(each.message) for each in seen] == list(model.remarks_)
    assert all(each.filename == __file__ for each in seen)
    return " / ".join(model.remarks_)


REGRESSIONS = {
    "line": (LinearRegression(**REGRESSION), AT_BOUND),
    "sparse": (Lasso(**REGRESSION), AT_BOUND),
    "moments": (Ridge(**REGRESSION, penalty=0.0), MEAN_AT_BOUND),
    "devices": (LinearRegression(**{**REGRESSION, "trust": tacit.Local(8.0)}), MEAN_AT_BOUND),
}


@pytest.mark.parametrize("model, said", REGRESSIONS.values(), ids=REGRESSIONS)
def test_target_bounds_that_miss_everybody_are_remarked_on(model, said):
    """In a warning that points at whoever called; of bounds that hold people nothing is said."""
    assert re.search(said.format("upper"), told(model.set_params(target_bounds=(0, 1))))
    assert re.search(said.format("lower"), told(model.set_params(target_bounds=(900, 1000))))
    assert told(model.set_params(target_bounds=(0, 360))) == ""


def test_a_prediction_is_told_from_a_bound_by_what_is_foreseen_of_noise():
    """By a part of the width, and more where more is foreseen to be lost."""
    assert not at_target_bound(0.84, None) and not at_target_bound(-0.84, 0.0)
    assert not at_target_bound(0.6, 0.01) and not at_target_bound(-0.45, 0.2)
    assert at_target_bound(0.86, None) and at_target_bound(-0.7, 0.01) and at_target_bound(7, 0.0)


def test_second_moments_tell_which_column_is_beyond_its_bounds():
    """By its name, where the rows have any; and a line of weights says nothing of columns."""
    missed = {**REGRESSION, "bounds": [(0, 120), (100, 200)]}

    assert told(Ridge(**missed, penalty=0.0)).startswith(
        "the mean of 'visits' is not told from the lower bound"
    )
    with pytest.warns(UserWarning, match="the mean of column 1 is not told"):
        Ridge(**missed, penalty=0.0).fit(X.to_numpy(), 3 * AGES)
    assert told(LinearRegression(**missed)) == ""


FEW = {
    "classes": (LogisticRegression(**TERMS, classes=[False, True]), AGES > 39),
    "targets": (LinearRegression(**REGRESSION), 3 * AGES),
}


@pytest.mark.parametrize("model, y", FEW.values(), ids=FEW)
def test_so_few_people_that_much_is_lost_are_remarked_on(model, y):
    """As declared: whether they are fewer than there are is not told. Without noise none are."""
    said, lost = told(model.set_params(people=40), y), model.settings_.lost

    assert f"{lost:.2g} of what a line can tell is foreseen to be lost" in said and lost > 0.25
    assert "few people, 40 as declared" in said
    assert told(model.set_params(people=PEOPLE), y) == ""
    assert told(model.set_params(people=None, trust=tacit.NonPrivate()), y) == ""


def test_second_moments_tell_that_there_are_more_rows_than_people():
    """As a mean does."""
    said = told(Ridge(**{**REGRESSION, "people": 40}, penalty=0.0))

    assert re.match(r"about \d,\d\d\d rows for 40 declared people", said)


def test_whoever_makes_errors_of_warnings_keeps_what_was_paid_for():
    """The fit is done before anything is said of it."""
    model = LinearRegression(**{**REGRESSION, "target_bounds": (0, 1)})
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="target_bounds"):
        warnings.simplefilter("error")
        model.fit(X, 3 * AGES)

    assert model.coef_.shape == (2,) and model.receipt_ and model.remarks_


def released(noise: float, mean: float, times: int, rows: float = 1.0) -> list[tuple[str, ...]]:
    """What is said of moments of one feature and a target of these means, with fresh noise."""
    own = np.array([mean * 2, 1.0]) / REACH, mean
    exact, rng = np.outer((person := np.append(*own)), person) * rows, np.random.default_rng(1)
    found = []
    for _ in range(times):
        loud = rng.normal(0, noise, exact.shape)
        found.append(of_moments(exact + (loud + loud.T) / 2, noise, 1_000, ()))
    return found


def test_a_mean_at_a_bound_is_told_and_one_away_from_it_is_not():
    """By two deviations of its noise, that of the count included: of both means at a bound, and
    each as often as normal noise has it; of one far from it neither."""
    there = [" ".join(each) for each in released(0.01, 1.0, 2_000)]
    named = [sum(name in each for each in there) for name in ("column 0", "the target")]

    assert [0.977, 0.977] == pytest.approx([each / 2_000 for each in named], abs=0.01)
    assert not any(released(0.01, 0.5, 200)) and not any(released(1.0, 1.0, 200, rows=0.01))
