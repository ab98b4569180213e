"""What is foreseen to tell nothing is refused, in one sentence and before anything is charged."""

import math

import numpy as np
import pytest

import tacit
from tacit.statistics import GaussianMean, MeanByDirections, NormalCovariance, NormalLaw
from tacit.statistics.too_few import refuse_nothing_learnt

REPLACE = tacit.Relation.REPLACE_ONE
CURATOR = tacit.Central(1.0, 1e-6, REPLACE)


@pytest.mark.parametrize("error", [2.0, 7.5, math.inf, math.nan])
def test_an_error_that_is_no_less_is_refused(error):
    """As is one that is not known; where nothing is promised nothing is spent."""
    with pytest.raises(ValueError, match=r"off by .* for 30 people, .* off by 2 at most"):
        refuse_nothing_learnt(CURATOR, 30, error, 2.0, "it")
    refuse_nothing_learnt(tacit.NonPrivate(), 30, error, 2.0, "it")
    refuse_nothing_learnt(CURATOR, 30, 1.99, 2.0, "it")


@pytest.mark.parametrize(
    "asked, what",
    [
        (GaussianMean(4, 10.0, 1.0, CURATOR, 4), "the mean is"),
        (NormalCovariance(4, (1.0, 3.0), CURATOR, 40), "the covariance, in its own units, is"),
        (NormalLaw(4, 50.0, (1.0, 3.0), CURATOR, 40), "the mean, in deviations, is"),
        (MeanByDirections(40, 1.0, 1.0, tacit.Local(0.1), 20), "the mean is"),
    ],
    ids=["mean", "covariance", "law", "directions"],
)
def test_statistics_refuse_before_they_charge(asked, what, tmp_path):
    """By public numbers: no ledger is opened. The plan can be looked at."""
    rows = np.zeros((asked.people, asked.dim))
    with pytest.raises(ValueError, match=f"nothing would be learnt: {what} predicted"):
        asked.of(rows, tmp_path / "ledger.db", "people")

    assert not (tmp_path / "ledger.db").exists()
    assert "off by" in str(asked.plan) or "error" in str(asked.plan)


def test_a_law_is_refused_for_its_covariance_alone(tmp_path, monkeypatch):
    """Of which no units are left in which the mean would be told."""
    asked = NormalLaw(4, 50.0, (1.0, 3.0), CURATOR, 400)
    monkeypatch.setattr(NormalLaw, "rmse", 0.1)
    monkeypatch.setattr(NormalLaw, "covariance_rmse", 2.0)
    with pytest.raises(ValueError, match=r"the covariance, in its own units, is .* off by 2 for"):
        asked.of(np.zeros((400, 4)), tmp_path / "ledger.db", "people")
