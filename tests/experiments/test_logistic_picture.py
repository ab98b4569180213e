"""The two pictures of the experiment: every method has its gaps and its errors, by budget."""

import math

import numpy as np
import pytest

from tacit.experiments import logistic_picture
from tacit.experiments.logistic import POINTS, Curves, Size
from tacit.experiments.logistic_picture import budget

SMALL = Size(people=100, dim=5, signal=3.0, repetitions=3)


def found(method: str, epsilon: float) -> Curves:
    gaps = np.linspace(2, 1, 3 * POINTS).reshape(3, POINTS)
    return Curves(method, epsilon, 1.0, None, gaps, np.array([0.5, 0.6, 0.7]))


def test_every_method_and_budget_is_named(tmp_path):
    """A row for each method; the likelihood stands beside the errors, zero beside the gaps."""
    methods = [[found("published", 8.0), found("published", math.inf)], [found("ours", 0.5)]]
    logistic_picture.draw(tmp_path / "it.svg", SMALL, methods, found("likelihood", math.inf))
    said = (tmp_path / "it.svg").read_text()

    for words in ("published", "ours", "ε = 8", "ε = 0.5", "not private", "likelihood", "θ = 0"):
        assert words in said
    assert said.count("people, one a round") == len(methods)


@pytest.mark.parametrize("epsilon, said", [(8.0, "ε = 8"), (0.25, "ε = 0.25")])
def test_a_budget_is_said(epsilon, said):
    """Where there is none, it is said that nothing is private."""
    assert budget(epsilon) == said and budget(math.inf) == "not private"
