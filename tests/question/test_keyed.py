"""Sums by keys that nobody declared, as a question."""

import pytest

import tacit
from tacit.question.keyed import Keyed
from tacit.question.words import in_words

SUMS = tacit.Mean(tacit.contribution.Tally(8, 2, 2), tacit.Everyone(), 1, 500)


@pytest.mark.parametrize(
    "own",
    [
        (tacit.Mean(tacit.contribution.Tally(8, 2, 2), tacit.Everyone(), 2, 500), 4, 2, 1, 0.5),
        (tacit.Mean(tacit.contribution.Tally(8, 2, 2), tacit.Poisson(0.5), 1, 500), 4, 2, 1, 0.5),
        (SUMS, 0, 2, 1, 0.5),
        (SUMS, 4, 1.5, 1, 0.5),
        (SUMS, 4, 2, 0, 0.5),
        (SUMS, 4, 2, 1, 1.0),
    ],
)
def test_what_is_no_such_question_is_refused(own):
    """Several rounds, samples of people, and numbers out of range."""
    with pytest.raises(ValueError):
        Keyed(*own)


def test_devices_do_not_answer_it():
    """Which keys there are is seen by nobody but a curator."""
    asked = Keyed(SUMS, 4, 2, 1, 0.25)
    for trust in (tacit.Local(1.0), tacit.Shuffled(1.0, 1e-6)):
        with pytest.raises(ValueError, match="only Central"):
            trust.plan(asked)
    assert in_words(asked).startswith("keys that nobody declared, and for each of them sums of")
