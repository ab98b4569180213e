"""Nothing that reads or divides data takes for a number what is none."""

import numpy as np
import pytest

from refusals import refuse_no_numbers
from tacit.data.dataset import two_parts
from tacit.data.people import batches, by_owner
from tacit.data.words import Vocabulary, windows

SOURCE = np.random.default_rng(0)
IMAGES, LABELS = np.zeros((4, 2, 2), np.float32), np.zeros(4, np.int32)
RIGHT = [
    (batches, {"images": IMAGES, "labels": LABELS, "size": 2, "rng": SOURCE}),
    (by_owner, {"owners": LABELS, "at_most": 2, "rng": SOURCE}),
    (lambda held_out: two_parts(9, held_out, 0), {"held_out": 3}),
    (Vocabulary.of_public, {"texts": ["to be or not to be"], "most": 3}),
    (windows, {"texts": [[1, 2, 3]], "length": 2}),
]


@pytest.mark.parametrize("call, right", RIGHT, ids=lambda each: getattr(each, "__qualname__", ""))
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
