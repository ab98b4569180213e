"""Limits of answers that people report for themselves hold, and are not much longer than needed."""

import math

import numpy as np
import pytest

from tacit.device.workload import WORDS, OnWorkload
from tacit.queries import reported_reach as module
from tacit.queries.reported_reach import reported_reach
from tacit.question.composed_workloads import WithNone
from tacit.question.workloads import Prefix, Queries, Ranges

PEOPLE, DRAWS = 400, 4_000
WORKLOADS = {
    "prefix": WithNone(Prefix(5)),
    "ranges": Ranges(5),
    "matrix": Queries(np.array([[3.0, -1.0, 0.5], [0.0, -5.0, 0.0], [0.0, 0.0, 5.0]])),
}


def off(device: OnWorkload, cell: int) -> np.ndarray:
    """What each answer is off by, of people who are all in one cell: a row for each draw."""
    workload = device.workload
    chances = np.asarray(device.table, np.float64)[:, cell] / WORDS
    counts = np.random.default_rng(cell).multinomial(PEOPLE, chances, DRAWS)
    weights = workload.answers(workload.basis())
    return counts @ workload.answers(device.decoder).T - PEOPLE * weights[:, cell]


@pytest.mark.parametrize("chance", [0.1, 0.01])
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_limits_hold_in_every_cell(name, chance):
    """As often as is said; at the cell of most variance half of their length would not hold."""
    device = OnWorkload.of(WORKLOADS[name], 1.0)
    far = reported_reach(device, PEOPLE, chance)
    beyond = [
        (np.abs(off(device, cell))[:, :, None] > np.outer(far, [1, 0.5]).reshape(1, -1, 2)).mean(0)
        for cell in range(device.workload.cells)
    ]
    whole, half = np.max(beyond, axis=0).T

    assert (whole <= chance + 4 * math.sqrt(chance / DRAWS)).all()
    assert half.max() > 2 * chance


@pytest.mark.parametrize("name", WORKLOADS)
def test_limits_are_of_the_worst_cell_and_the_farthest_report(name):
    """Of many people the variance is what counts, of one, and small chances, how far a report may
    be; both enumerated."""
    device = OnWorkload.of(WORKLOADS[name], 1.0)
    workload, chances = device.workload, np.asarray(device.table) / WORDS
    errors = (
        workload.answers(device.decoder)[:, :, None]
        - workload.answers(workload.basis())[:, None, :]
    )
    variances = (errors**2 * chances).sum(1).max(1)
    farthest, sure, many = np.abs(errors).max((1, 2)), 300.0, 10**6
    chance = 2 * math.exp(-sure)
    of_many, of_one = reported_reach(device, many, 0.5), reported_reach(device, 1, chance)
    least = np.sqrt(2 * many * variances * math.log(4))

    assert (of_one >= 2 / 3 * sure * farthest).all()
    assert (of_one < 2 / 3 * sure * farthest * 1.2 + 1e-3).all()
    assert (of_many >= least).all() and (of_many < 1.1 * least + 200).all()


def test_of_too_many_queries_none_are_computed(monkeypatch):
    """Rather than filling the memory."""
    device = OnWorkload.of(Ranges(5), 1.0)
    monkeypatch.setattr(module, "_MOST", 15 * device.outputs - 1)

    assert reported_reach(device, PEOPLE, 0.05) is None
