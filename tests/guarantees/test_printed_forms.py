"""Formulas as they are often printed, which promise less than they say; and ours beside them.

Of others the test stands with what it is about: composition (`accounting/theorems`), queries that
are not normalised (`sq/test_simulated_reports.py`), Laplace noise at a smooth sensitivity
(`mechanisms/rows/test_smooth_sensitivity.py`), parities' coins (`test_parity_elimination.py`),
dyadic ranges (`queries/test_dyadic_tree.py`), what sampling adds (`sq/test_query_people.py`), and
how noise grows with positives (`server/test_above.py`).
"""

import math

import numpy as np
import pytest

import tacit
from tacit.accounting.relation import Relation
from tacit.contribution import Interval
from tacit.device.report_law import law_of
from tacit.mechanisms.local.local_laplace import LocalLaplace
from tacit.mechanisms.rows.tree_choice import TreeChoice
from tacit.mechanisms.selection.exponential import Exponential
from tacit.sq.simulated_reports import as_statistical_queries


def told(law: np.ndarray) -> float:
    """The largest log-ratio of two records' chances."""
    return float(np.log(law.max(axis=0) / law.min(axis=0)).max())


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_a_bit_that_is_right_with_half_of_one_and_epsilon_promises_half_of_what_it_tells(epsilon):
    """(1 + e)/2 and (1 - e)/2 are 2 artanh e apart, twice e and more; ours are e apart."""
    right, wrong = (1 + epsilon) / 2, (1 - epsilon) / 2
    printed = np.array([[right, wrong], [wrong, right]])
    asked = tacit.Mean(tacit.OneHot(2), tacit.Once(), 1, 1_000)

    assert told(printed) == pytest.approx(2 * math.atanh(epsilon)) and told(printed) >= 2 * epsilon
    assert told(law_of(tacit.Local(epsilon).plan(asked).device)) <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_laplace_noise_for_a_number_from_minus_one_to_one_is_for_a_width_of_two(epsilon):
    """Of scale 1/epsilon, a variance of 2/epsilon^2, it tells 2 epsilon; our own is of the width,
    with more of it, and a plan's report has the ratio that is promised."""
    ends = np.array([-1.0, 1.0])[:, None]
    printed = np.exp(-np.abs(np.linspace(-5, 5, 101) - ends) * epsilon)
    asked = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 1_000)
    ours = LocalLaplace.best(epsilon, 2.0)

    assert told(printed) == pytest.approx(2 * epsilon)
    assert ours.epsilon <= epsilon and ours.worst_error > 2 / epsilon**2
    assert told(law_of(tacit.Local(epsilon).plan(asked).device)) <= epsilon * (1 + 1e-9)


def test_one_over_n_is_the_sensitivity_of_one_person_more_or_less():
    """Of a number from -1 to 1 somebody else in one's place moves a sum by 2."""
    shape = Interval(-1.0, 1.0)

    assert 1.0 == pytest.approx(shape.sensitivity(Relation.ADD_REMOVE))
    assert 2.0 == pytest.approx(shape.sensitivity(Relation.REPLACE_ONE))


def test_half_of_epsilon_in_a_choice_is_for_one_person_changed():
    """Scores of people who are right all grow together: without the half for one person more, with
    it for one changed."""
    for moved, share in ((1, 1.0), (2, 0.5)):
        assert -math.log(TreeChoice(3, 1, 1.0, moved).law.rate) == pytest.approx(share, rel=1e-4)


def test_what_a_choice_falls_short_by_has_a_chance():
    """Without it, at (2 D/epsilon) ln N, the choice is as low in half of all draws: of one score
    above all others, which are just so far below. What is stated for a chance is not."""
    epsilon, many = 1.0, 1024
    short = 2 / epsilon * math.log(many)
    weights = np.exp(-epsilon / 2 * np.where(np.arange(many) == 0, 0.0, short))
    choice = Exponential(epsilon, 1.0)

    assert (weights / weights.sum())[1:].sum() > 0.49
    assert choice.shortfall(many, 1, math.log(20)) > short + 2 / epsilon * math.log(20)
    below = np.where(np.arange(many) == 0, 0.0, choice.shortfall(many, 1, 3.0))
    further = np.exp(-epsilon / 2 * below)
    assert (further / further.sum())[1:].sum() <= math.exp(-3.0)


@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_a_report_takes_fewer_queries_than_e_to_epsilon(epsilon):
    """Two of one bit, however large epsilon is; those of the published choice are e^epsilon."""
    asked = tacit.Mean(tacit.OneHot(2), tacit.Once(), 1, 1_000)
    view = as_statistical_queries(tacit.Local(epsilon).plan(asked).device)
    published = float((view.law / view.law[0]).max())

    assert view.mean_queries < 2 < published == pytest.approx(math.exp(epsilon), rel=1e-6)


@pytest.mark.parametrize("error", [0.01, 0.1])
def test_privacy_is_free_in_the_realisable_case_from_a_quarter_on(error):
    """Not from the error on: at an epsilon of that, it takes many times as many people."""
    free = tacit.pac.realisable_people(1024, math.inf, error)

    assert tacit.pac.realisable_people(1024, 0.25, error) == free
    assert tacit.pac.realisable_people(1024, error, error) > 2 * free
