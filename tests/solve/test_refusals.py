"""No loss, penalty, set or objective takes for a number what is none."""

import numpy as np
import pytest

from refusals import refuse_no_numbers
from tacit.solve.losses import Huber, HuberisedHinge, Logistic, Multinomial
from tacit.solve.minimise import minimise
from tacit.solve.objective import Objective, cut
from tacit.solve.one_versus_rest import OneVersusRest
from tacit.solve.regularisers import L1, L2, Elastic

OBJECTIVE = Objective(Logistic(), L2(1.0), 1.0, 2, 1)
EXAMPLES = cut(OBJECTIVE, np.array([[0.5], [0.25]], np.float32), np.array([1, -1]))
RIGHT = [
    (Elastic, {"ridge": 1.0, "lasso": 1.0}),
    (Huber, {"width": 1.0}),
    (HuberisedHinge, {"width": 1.0}),
    (L1, {"lasso": 1.0}),
    (L2, {"ridge": 1.0}),
    (Logistic, {"steepest": 0.75}),
    (minimise, {"objective": OBJECTIVE, "examples": EXAMPLES, "tolerance": 0.1}),
    (Multinomial, {"classes": 3, "steepest": 0.75}),
    (
        Objective,
        {"loss": Logistic(), "penalty": L2(1.0), "bound": 1.0, "people": 9, "dimension": 2},
    ),
    (OneVersusRest, {"loss": Logistic(), "classes": 3}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
