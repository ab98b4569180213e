"""Walks of a class are its labelings, each once."""

import itertools

import pytest

from mechanisms.rows.every_labeling import CLASSES, every, labels_of
from tacit.mechanisms.rows.line_labelings import Intervals, PieceLabelings, Thresholds

SHORT = Thresholds(2), Intervals(2), PieceLabelings(2, 5, 2)


@pytest.mark.parametrize("labelings", [*CLASSES, *SHORT])
def test_every_labeling_is_one_walk(labelings):
    """Of all walks that may be, as many as are stated, with the labels of a list of them."""
    labels, first, after = labelings.states
    walks = [
        walk
        for walk in itertools.product(range(len(labels)), repeat=labelings.points)
        if first[walk[0]] and all(after[pair] for pair in itertools.pairwise(walk))
    ]
    told = [tuple(int(labels[state]) for state in walk) for walk in walks]

    assert len(told) == len(set(told)) == labelings.concepts
    assert sorted(told) == sorted(every(labelings))
    assert max(itertools.chain(*told)) < labels_of(labelings)
