"""A fit that is refused, or cut off, leaves what an earlier one learnt."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators.kmeans import KMeans
from tacit.estimators.linear_regression import LinearRegression
from tacit.estimators.logistic_regression import LogisticRegression
from tacit.estimators.untouched import untouched

ROWS = pd.DataFrame(np.random.default_rng(3).uniform(-1, 1, (300, 3)), columns=list("abc"))
SAID: dict[str, Any] = {"bounds": ([-1] * 3, [1] * 3), "people": 300}
TRUST = tacit.Central(1.0, 1e-6)
MODELS = {
    "classes": (LogisticRegression(TRUST, classes=(False, True), **SAID), ROWS["a"] > 0),
    "numbers": (LinearRegression(TRUST, target_bounds=(-1, 1), **SAID), ROWS["a"]),
    "clusters": (KMeans(TRUST, n_clusters=2, **SAID), None),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_refused_fit_leaves_the_model_that_was_there(name):
    """Of fewer columns than have bounds: it predicts as before."""
    model, labels = MODELS[name]
    model.fit(ROWS, labels)
    before, said = model.predict(ROWS), dict(vars(model))

    with pytest.raises(ValueError, match="bounds"):
        model.fit(ROWS[["a", "b"]], labels)

    assert said == vars(model)
    np.testing.assert_array_equal(before, model.predict(ROWS))


def test_a_fit_that_is_cut_off_leaves_nothing():
    """Whatever it has found by then, and whatever ends it."""

    class Own:
        old = 1

        @untouched
        def fit(self, X: Any) -> None:
            """As named."""
            self.old, self.new = 2, X
            raise KeyboardInterrupt

    own = Own()
    with pytest.raises(KeyboardInterrupt):
        own.fit(3)

    assert {} == vars(own) and 1 == own.old and "As named." == Own.fit.__doc__
