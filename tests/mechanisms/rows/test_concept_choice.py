"""The choice of a concept: scores move by a half for one more, and by one for one changed."""

import numpy as np
import pytest

import quick_keys
from mechanisms.rows import small_people
from tacit.mechanisms.rows.concept_choice import ConceptChoice
from tacit.mechanisms.rows.concept_scores import Conjunctions, MonotoneConjunctions, Parities

CLASSES = [MonotoneConjunctions(2), Conjunctions(2), Parities(2)]


def moved(scored, one: np.ndarray, other: np.ndarray) -> float:
    """How far scores move from what all have in common."""
    by = scored.scores(one) - scored.scores(other)
    return (by.max() - by.min()) / 2


@pytest.mark.parametrize("scored", CLASSES, ids=lambda each: type(each).__name__)
def test_sensitivities_are_met_and_no_more(scored):
    """Over all data sets of three people."""
    sets = [small_people.rows(each, 2) for each in small_people.data_sets(2, 3)]
    more = max(moved(scored, rows, rows[1:]) for rows in sets)
    others = [small_people.rows(one, 2) for one in small_people.data_sets(2, 1)]
    changed = max(
        moved(scored, rows, np.vstack([one, rows[1:]])) for rows in sets for one in others
    )

    assert (more, changed) == (0.5, 1.0)


def test_what_is_chosen_is_near_the_best():
    """In 40 draws of 40 within the shortfall of a chance of 1e-6; at a small epsilon hardly any is
    the best one."""
    rows = np.random.default_rng(1).integers(0, 2, (400, 7)).astype(np.float32)
    rows[:, -1] = rows[:, 0] * (1 - rows[:, 3])
    scored = Conjunctions(6)
    scores = {tuple(map(int, scored.answer(at))): s for at, s in enumerate(scored.scores(rows))}

    def chosen(epsilon: float) -> list[int]:
        choice = ConceptChoice(scored, epsilon, 0.5)
        told = [choice.sample(quick_keys.key(seed), rows) for seed in range(40)]
        return [max(scores.values()) - scores[tuple(map(int, each))] for each in told]

    assert max(chosen(1.0)) <= ConceptChoice(scored, 1.0, 0.5).shortfall(1e-6) < 400 * 0.1
    assert np.median(chosen(0.02)) > 20
