"""Members of a fit's data, by shadow models: found without a promise, and with one no more than it
allows."""

import numpy as np
import pytest

import tacit
from tacit.attacks.shadow_models import ShadowModels, likelier_inside
from tacit.audit import EpsilonDelta
from tacit.estimators import LogisticRegression

MODEL = LogisticRegression(bounds=(-1, 1), classes=[0, 1])


def test_a_fit_without_a_promise_gives_its_people_away():
    """Most of those who were fitted, at one in twenty-eight of the others; so it is an attack."""
    found = ShadowModels(MODEL, 60, 300, shadows=14).run(tacit.NonPrivate(), seed=0)

    assert found.found.low > 0.3 and found.allowed == 1.0
    assert found.others == 1 / 28


def test_a_private_fit_hides_them():
    """No more are found than the promise allows, and that is little."""
    found = ShadowModels(MODEL, 200, 20, shadows=8).run(tacit.Central(1.0, 1e-6), seed=0)

    assert found.found.low <= found.allowed < 0.3
    assert EpsilonDelta(1.0, 1e-6).most_found(found.others) < 0.15


def test_who_is_likelier_inside_is_who_looks_as_if_they_were():
    """Of two laws that shadows show, a person's own; nobody's if shadows say nothing."""
    numbers = np.random.default_rng(0)
    inside = numbers.random((400, 3)) < 0.5
    shadows = numbers.normal(size=(400, 3)) + inside * np.array([4.0, 4.0, 0.0])
    first, second, third = likelier_inside(shadows, inside, np.array([4.0, 0.0, 4.0]))

    assert first == pytest.approx(8, abs=3) and second == pytest.approx(-8, abs=3)
    assert abs(third) < 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ((19, 5), "people must be a whole number from 20"),
        ((20, 0), "features must be a whole number from 1"),
        ((20, 5, 7), "shadows must be a whole number from 8"),
        ((20, 5, 8, 0.0), "false_alarms must be in"),
    ],
)
def test_other_numbers_are_refused(asked, said):
    """In a sentence that names what is allowed."""
    with pytest.raises(ValueError, match=said):
        ShadowModels(MODEL, *asked)
