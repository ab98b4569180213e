"""Tables of scores are those of concepts tried one by one."""

import itertools

import numpy as np
import pytest

from tacit.mechanisms.rows.concept_scores import Conjunctions, MonotoneConjunctions, Parities

ROWS = np.random.default_rng(0).integers(0, 2, (30, 5)).astype(np.float32)
ROWS[3, -1] = -1.0
COUNTED = ROWS[ROWS[:, -1] >= 0]


def label(told, bits: np.ndarray) -> np.ndarray:
    told = np.array(told)
    return (((bits == 1) | (told != 1)) & ((bits == 0) | (told != -1))).all(axis=1)


def odd(told, bits: np.ndarray) -> np.ndarray:
    *parity, opposite = told
    return (bits @ np.array(parity) + opposite) % 2


@pytest.mark.parametrize(
    ("scored", "every", "rule"),
    [
        (MonotoneConjunctions(4), itertools.product((0, 1), repeat=4), label),
        (Conjunctions(4), itertools.product((-1, 0, 1), repeat=4), label),
        (Parities(4), itertools.product((0, 1), repeat=5), odd),
    ],
    ids=["monotone", "both", "parities"],
)
def test_scores_are_how_many_are_labelled_right(scored, every, rule):
    """Up to one number that all have in common, for each concept by what tells it; whoever has no
    label counts for none."""
    told = list(every)
    right = [np.sum(rule(each, COUNTED[:, :-1]) == COUNTED[:, -1]) for each in told]
    scores = scored.scores(ROWS)

    assert len(told) == scored.concepts == len(scores)
    assert [tuple(map(int, scored.answer(number))) for number in range(len(told))] == told
    assert len(set(scores - np.array(right))) == 1
