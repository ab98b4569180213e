"""The picture of accuracies: a panel for each way, a line for each budget."""

import math

import numpy as np

from tacit.experiments import accuracy_picture
from tacit.experiments.played import Learned


def found(way: str, direction: float, accuracies: list[list[float]]) -> Learned:
    return Learned(way, direction, 66, 1.0, 0.5, 0.5, None, (5, 10), np.array(accuracies))


def test_every_way_and_budget_is_named(tmp_path):
    """With one trial and with several."""
    ways = [
        [found("half", 50.0, [[0.5, 0.6], [0.6, 0.7]]), found("half", math.inf, [[0.7, 0.8]])],
        [found("whole", 50.0, [[0.9, 0.95]])],
    ]
    accuracy_picture.draw(tmp_path / "it.svg", "bright and dark", ways)
    said = (tmp_path / "it.svg").read_text()

    for words in ("bright and dark", "half, 66 numbers", "whole", "ε₁ = 50", "not private"):
        assert words in said
