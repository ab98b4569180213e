"""One of 512 known people is named from one report of every kind, and no more often than allowed.

At an epsilon above 8 a report hides hardly anybody of a list (`attacks.dictionary`): every device
is attacked here, by whichever person's own answer is nearest to what a server makes of their
report. Those of one bit tell one half of the list from the other, and of counts one is reported.
"""

import math

import numpy as np
import pytest

import tacit
from measured import answers
from tacit.accounting.theorems.reconstruction import after
from tacit.attacks.breach import BreachRate
from tacit.device.choose import devices_for
from tacit.device.indexed import Indexed
from tacit.plan import Device, Plan, Sum
from tacit.question.sums import Mean
from tacit.server.means import plain_mean

EPSILON, KNOWN, SENDERS, EACH, DIM = 9.0, 512, 16, 16, 64
HOST = np.random.default_rng(0)
UNIT = HOST.normal(size=(KNOWN, DIM))
UNIT /= np.linalg.norm(UNIT, axis=1, keepdims=True)
SIGNS = HOST.choice([-1.0, 1.0], (KNOWN, DIM))
CORNERS = np.repeat(np.eye(KNOWN // 2), 2, axis=0) * np.tile([1, -1], KNOWN // 2)[:, None]
EVERY_PAIR = [(i, j) for i in range(33) for j in range(i)][:KNOWN]
PAIRS = np.stack([np.isin(np.arange(33), pair) * 1.0 for pair in EVERY_PAIR])

# Devices that tell little, whatever epsilon is.
LITTLE = ("L1Ball, 0", "OneHot, 4", "Counts")

CASES = {
    "Sphere": (tacit.Sphere(DIM), UNIT, None),
    "Ball": (tacit.Ball(DIM, 1.0), UNIT, None),
    "Ball, typical": (tacit.Ball(DIM, 1.0, typical=0.5), UNIT / 2, None),
    "Sphere, 64 bytes": (tacit.Sphere(DIM), UNIT, 64),
    "Ball, 32 bytes": (tacit.Ball(DIM, 1.0), UNIT, 32),
    "Cube": (tacit.Cube(DIM, -1.0, 1.0), SIGNS, None),
    "L1Ball": (tacit.L1Ball(KNOWN // 2, 1.0), CORNERS, None),
    "OneHot": (tacit.OneHot(KNOWN), np.arange(KNOWN), None),
    "Counts": (tacit.Counts(33, 2, 1), PAIRS, None),
    "Product": (
        tacit.Product(tacit.Sphere(DIM - 1), tacit.Interval(0.0, 1.0)),
        np.column_stack([UNIT[:, 1:], np.linspace(0, 1, KNOWN)]),
        None,
    ),
}
DEVICES = {
    f"{name}, {place}": (shape, people, device)
    for name, (shape, people, upload) in CASES.items()
    for place, device in enumerate(devices_for(shape, EPSILON, upload))
}


def plan_of(shape, device: Device) -> Plan:
    """Of one person's report, with no noise but their own."""
    asked = Mean(shape, tacit.Everyone(), 1, 1)
    return Plan({}, asked, device, Sum(device.facts.report_set), plain_mean(device, asked), (), 0.0)


def exact(people: np.ndarray) -> np.ndarray:
    """What an answer would be if somebody were alone."""
    return np.eye(KNOWN) if people.ndim == 1 else people


def nearest(scores: np.ndarray) -> np.ndarray:
    """The place of the largest of each row, one at random where several are."""
    largest = scores >= scores.max(axis=1, keepdims=True) - 1e-4
    return np.argmax(largest * HOST.random(scores.shape), axis=1)


@pytest.mark.parametrize("name", DEVICES)
def test_somebody_is_named_as_often_as_a_promise_allows_at_most(name):
    """By a lower limit that is wrong once in a million; and far more often than by chance."""
    shape, people, device = DEVICES[name]
    plan, known, named = plan_of(shape, device), exact(people), 0
    lengths = np.square(known).sum(axis=1) / 2
    # Candidates take time.
    senders = 2 if isinstance(device, Indexed) else SENDERS
    for who in HOST.permutation(KNOWN)[:senders]:
        seen = answers(plan, people[[who]], EACH, int(who)).reshape(EACH, -1)
        named += int((nearest(seen @ known.T - lengths) == who).sum())
    found = BreachRate(named, senders * EACH, 1 - 2e-6)

    assert 8 < device.facts.epsilon <= EPSILON * (1 + 1e-9)
    assert found.low <= after(-math.log(KNOWN), EPSILON)
    assert found.share > 10 / KNOWN or name.startswith(LITTLE)
