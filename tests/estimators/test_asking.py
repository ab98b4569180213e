"""What every estimator is told about its people is looked at alike before a plan and a fit."""

from typing import Any

import numpy as np
import pytest

import tacit
from tacit import estimators
from tacit.estimators.asking import asked_under, charged_to
from tacit.estimators.trusts import CURATED

PEOPLE = 40
ROWS = np.random.default_rng(0).uniform(-1, 1, (PEOPLE, 2))
TOLD: dict[str, Any] = {
    "bounds": (-1.0, 1.0),
    "target_bounds": (0.0, 1.0),
    "classes": [0, 1],
    "radius": 1.0,
    "people": PEOPLE,
}
KINDS = [getattr(estimators, name) for name in estimators.__all__]
EVERY = [kind for kind in KINDS if isinstance(kind, type) and hasattr(kind, "plan")]
BAD = {
    "population": ("", "population must be text of at least one character, got ''"),
    "note": ("a\nb", "note must be text of one line that can be printed"),
    "seed": (-1, "seed must be a whole number from 0"),
    "ledger": (3, "ledger must be a Ledger, or the path of one, got 3"),
}


@pytest.mark.parametrize("setting", BAD)
@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)
def test_what_a_fit_is_refused_for_its_plan_is_refused_for(kind, setting):
    """In the same words, of every estimator."""
    value, why = BAD[setting]
    own = {name: TOLD[name] for name in TOLD if name in kind().get_params()}
    made = kind(tacit.Central(1.0, 1e-6), **own, **{setting: value})
    with pytest.raises(ValueError, match=why):
        made.plan(features=2)
    with pytest.raises(ValueError, match=why):
        made.fit(ROWS, np.arange(PEOPLE) % 2)


def test_every_estimator_is_among_them():
    """Those that there are, by their names."""
    assert {"KMeans", "PCA", "Ridge", "GaussianNB", "DecisionTreeClassifier"} <= {
        kind.__name__ for kind in EVERY
    }


def test_no_ledger_is_made_of_a_path(tmp_path):
    """It is looked at, and not opened; who is charged is told by its name."""
    asking = estimators.PCA(tacit.NonPrivate(), ledger=tmp_path / "l.db", population="town")
    assert asked_under(asking, CURATED) == tacit.NonPrivate() and charged_to(asking) == "town"
    assert charged_to(asking.set_params(ledger=None)) is None and not any(tmp_path.iterdir())
