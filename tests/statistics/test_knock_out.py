"""Knock-outs: who meets whom, what is asked, who stays, and how far off plays end."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from tacit.population.owners import Group
from tacit.statistics.knock_out import Bracket, KnockOut, Standing, played

LAWS, CELLS = 13, 24
ENDS = np.linspace(-6, 6, CELLS - 1)
MASSES = np.stack(
    [
        np.diff(stats.norm(mean, 0.5 + number % 3).cdf(ENDS), prepend=0.0, append=1.0)
        for number, mean in enumerate(np.linspace(-4, 4, LAWS))
    ]
)
MASSES /= MASSES.sum(axis=1, keepdims=True)
DISTANCES = np.stack([np.abs(MASSES - own).sum(axis=1) / 2 for own in MASSES])
BRACKET = Bracket(LAWS, 9)
LEARNER = KnockOut.of(MASSES, BRACKET)
tell, met = eqx.filter_jit(LEARNER.tell), eqx.filter_jit(LEARNER.met)


def ended(law: np.ndarray) -> Standing:
    """After answers without noise of people who follow this law."""
    state = LEARNER.init()
    for _ in range(BRACKET.rounds):
        first, second = met(state)
        inside = MASSES[np.asarray(first)] > MASSES[np.asarray(second)]
        state = tell(state, jnp.asarray(2 * (inside @ law) - 1))
    return state


@pytest.mark.parametrize("laws", [2, 3, 8, 9, 13, 105, 256])
def test_a_stage_halves_the_list_until_all_pairs_are_few(laws):
    """Everybody who is left is met once or stays unmet; the last stage has every pair once."""
    bracket, left = Bracket(laws, 24), laws
    first, second = bracket.places
    for stage, pairs in enumerate(bracket.pairs[:-1]):
        met = {*first[stage, :pairs].tolist(), *second[stage, :pairs].tolist()}
        assert met == set(range(2 * (left // 2)))
        left -= left // 2
    both = set(zip(first[-1].tolist(), second[-1].tolist(), strict=True))

    assert 2 <= left <= 8 and bracket.last == left
    assert both == {(a, b) for b in range(left) for a in range(b)}
    assert bracket.sets == max(bracket.pairs) and len(bracket.stages) == 24
    assert sorted(set(bracket.stages)) == list(range(len(bracket.pairs)))
    assert list(bracket.stages) == sorted(bracket.stages)


def test_without_noise_nobody_knocks_out_the_law_people_follow():
    """Whichever it is, unmet ones too."""
    for number, law in enumerate(MASSES):
        assert int(ended(law).left[0]) == number


def test_people_of_no_law_of_the_list_have_one_near():
    """A mixture of two: never three times as far as the nearest."""
    law = 0.8 * MASSES[3] + 0.2 * MASSES[11]
    far = np.abs(MASSES - law).sum(axis=1) / 2

    assert far[int(ended(law).left[0])] <= 3 * far.min()


def test_a_person_says_of_each_set_whether_they_are_in_it():
    """One, or minus one; who is in no cell says nothing."""
    state = LEARNER.init()
    first, second = map(np.asarray, met(state))
    for cell in (0, 11, CELLS - 1):
        expected = np.where(MASSES[first, cell] > MASSES[second, cell], 1.0, -1.0)
        np.testing.assert_array_equal(LEARNER.ask(state, jnp.asarray(cell)), expected)
    for cell in (-1, CELLS):
        np.testing.assert_array_equal(LEARNER.ask(state, jnp.asarray(cell)), 0.0)


def test_a_stage_decides_by_all_its_rounds():
    """A wrong first answer is made up for by what comes after; nobody is out before the last."""
    state, first = LEARNER.init(), BRACKET.stages.count(0)
    bracket_first, _ = met(state)
    answers = np.full(BRACKET.sets, 1.0)
    for t in range(first):
        assert np.array_equal(state.left, np.arange(LAWS))
        state = tell(state, jnp.asarray(-answers if t == 0 else first * answers))

    assert first >= 2
    assert np.array_equal(state.left[:6], np.asarray(bracket_first)[:6])
    assert int(state.left[6]) == LAWS - 1 and np.all(np.asarray(state.sums) == 0)


def test_a_pair_that_is_asked_in_several_numbers_is_their_mean():
    """Six pairs in 21 numbers: what one says against, the others outvote."""
    state = LEARNER.init()
    answers = np.where(np.arange(BRACKET.sets) < 6, -1.0, 1.0)
    for _ in range(BRACKET.stages.count(0)):
        state = tell(state, jnp.asarray(answers))

    assert (BRACKET.pairs[0], BRACKET.sets) == (6, 21)
    assert np.array_equal(state.left[:6], np.arange(6))


def test_plays_are_as_far_off_as_their_noise():
    """None without; with more, farther; with so much that nothing is heard, about as far as two
    laws of the list are apart."""
    quiet, some, loud = (
        played(LEARNER, noise, 1e-9, DISTANCES).mean() for noise in (1e-9, 0.3, 1e4)
    )

    assert quiet == 0.0 < some < loud
    assert 0.85 <= loud / DISTANCES.mean() <= 1.3


def test_people_of_a_round_are_noise_too():
    """A hundred of them, without any of reports: a law is now and then taken for its neighbour."""
    few = played(LEARNER, 0.0, 1 / 5, DISTANCES).mean()

    assert played(LEARNER, 0.0, 1e-9, DISTANCES).mean() == 0.0 < few


def test_a_person_of_several_records_is_refused():
    """With what helps."""
    with pytest.raises(ValueError, match="ask for one value of each"):
        LEARNER.ask(LEARNER.init(), Group(jnp.ones(2, jnp.int32), np.ones(2, bool)))
