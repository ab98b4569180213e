"""Under masks a fit is as good as a curator's nearly, and the server has the public's promise."""

import numpy as np
import pytest

import tacit
from tacit.estimators import PCA, CategoricalNB, SGDClassifier
from tacit.estimators.gradients import participation
from tacit.question.participation import Everyone

PEOPLE = 2_000
MASKS = tacit.Aggregated(4.0, 1e-5)
ROWS = np.random.default_rng(0).uniform(-1, 1, (PEOPLE, 3))
LABELS = ROWS[:, 0] > 0
TOLD = {"bounds": (-1, 1), "classes": (False, True), "people": PEOPLE, "seed": 0}


@pytest.mark.parametrize("kind", [SGDClassifier, CategoricalNB])
def test_a_fit_of_masked_sums_learns_and_keeps_its_promise(kind):
    """Against whoever adds them up as well as against all others."""
    model = kind(MASKS, **TOLD).fit(ROWS, LABELS)

    assert model.score(ROWS, LABELS) > 0.85
    assert [each.observer for each in model.plan_.guarantees] == ["public", "server"]
    assert all(each.epsilon <= 4.0 and each.delta <= 1e-5 for each in model.plan_.guarantees)
    assert model.plan_.trust["type"] == "Aggregated"


def test_nobody_is_drawn_where_the_server_sees_who_takes_part():
    """Whatever batch was wished for: a drawn one would hide nobody."""
    assert participation(MASKS, 100, PEOPLE) == Everyone()


def test_squares_are_not_summed_under_masks():
    """It is said which trusts have them."""
    with pytest.raises(ValueError, match="must be one of Central, Local, Shuffled, Federated, Non"):
        PCA(MASKS, bounds=(-1, 1), people=PEOPLE).fit(ROWS)
