"""Keys and their sums: what is charged covers what neighbours can tell, enumerated exactly."""

import itertools
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import jax
import numpy as np
import pytest

import tacit
from tacit.accounting import accountant, events
from tacit.accounting.decimals import exp_down
from tacit.accounting.relation import Relation
from tacit.contribution import Tally
from tacit.mechanisms.selection.gaussian_threshold import GaussianThreshold
from tacit.mechanisms.selection.truncated_geometric import ONE, TruncatedGeometric
from tacit.question.keyed import Keyed
from tacit.server.keyed import chosen, keyed_mean, thresholded, truncated

KEYS, ADDED = "abc", Relation.ADD_REMOVE


def asked(keys=2, at_least=1, share=0.25):
    """Counts of people, by at most 64 keys."""
    sums = tacit.Mean(Tally(64, 1, keys), tacit.Everyone(), 1, 10_000)
    return Keyed(sums, 64, keys, at_least, share)


def law(choice, people):
    """The exact law of the set of kept keys."""
    many = Counter(key for each in people for key in each)
    chances = [Fraction(choice.numerator(many[key]), ONE) for key in KEYS]
    return {
        kept: math.prod(p if k else 1 - p for p, k in zip(chances, kept, strict=True))
        for kept in itertools.product((0, 1), repeat=len(KEYS))
    }


def told(one, other, factor):
    """The largest P(S) - factor Q(S) over all events S."""
    return sum(max(p - factor * other[kept], 0) for kept, p in one.items())


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("keys", [1, 2])
def test_no_neighbours_tell_more_than_is_charged(relation, keys):
    """All tables of up to four people with up to so many of three keys, all neighbours, exactly:
    alone with a key or not, everything that the set of kept keys tells; and a third of
    what is charged is told."""
    many = keys * relation.people_moved
    choice = truncated(many, 0.25, 0.2, relation, 1).mechanism
    factor = Fraction(exp_down(Decimal(choice.epsilon))) ** many
    persons = [own for k in range(1, keys + 1) for own in itertools.combinations(KEYS, k)]
    tables = [
        people for n in range(4) for people in itertools.combinations_with_replacement(persons, n)
    ]
    worst = Fraction(0)
    for rest in tables:
        new = [law(choice, (*rest, own)) for own in persons]
        pairs = [(law(choice, rest), each) for each in new]
        if relation is Relation.REPLACE_ONE:
            pairs = list(itertools.combinations(new, 2))
        worst = max(worst, *(told(*way, factor) for a, b in pairs for way in ((a, b), (b, a))))
    spent = many * Fraction(choice.delta)

    assert spent / 3 < worst <= spent


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("keys", [1, 50])
def test_the_event_is_the_choice_and_the_noise(relation, keys):
    """A choice for each key that a person changes, or one noise on them, and one on the sums: from
    the server's own numbers; both accountants agree. What is not so is reserved."""
    server, promise = keyed_mean(tacit.Central(1.0, 1e-6, relation), asked(keys))
    choice, noise, many = server.choice, server.sums.mechanism, keys * relation.people_moved
    if isinstance(choice, GaussianThreshold):
        own = events.gaussian(choice.sigma / math.sqrt(many))
        assert promise.delta_reserved >= (1 + math.e) * many * choice.alone * (1 - 1e-6)
    else:
        own = events.repeated(events.epsilon_delta(choice.epsilon, choice.delta), many)
    assert isinstance(choice, GaussianThreshold) == (keys == 50)
    made = events.composed([own, events.gaussian(noise.sigma / noise.sensitivity)])

    assert promise.epsilon <= 1.0 and 1e-6 == promise.delta
    found = accountant.epsilon(made, promise.delta_of_event, promise.relation)
    assert promise.epsilon == pytest.approx(found.epsilon, rel=1e-6)
    second = accountant.cross_check(made, promise.delta_of_event, promise.relation)
    assert accountant.agree(found, second)


def test_the_promise_is_divided_as_stated():
    """A quarter of delta over all keys, and the share of epsilon, or more where many compose."""
    few, many = (truncated(k, 0.25, 1e-6, ADDED, 1).mechanism for k in (1, 60))

    assert 0.25 == pytest.approx(few.epsilon) and few.delta <= 0.25e-6
    assert many.delta <= 0.25e-6 / 60 and many.epsilon > 1.5 * 0.25 / 60
    whole = events.repeated(events.epsilon_delta(many.epsilon, many.delta), 60)
    assert accountant.epsilon(whole, 0.5e-6, ADDED).epsilon <= 0.25


def test_a_threshold_is_for_many_keys():
    """Its event keeps the share of epsilon at a quarter of delta, and what is reserved for keys of
    one person alone is another; of two ways the one is chosen for which keys need fewer people."""
    own = thresholded(30, 0.25, 1e-6, ADDED, 1, whole=1.0)
    assert accountant.epsilon(own.event, 0.25e-6, ADDED).epsilon <= 0.25
    assert (1 + math.e) * own.chance <= 0.25e-6 * (1 + 1e-6)
    for keys, kind in ((1, TruncatedGeometric), (30, GaussianThreshold)):
        both = (
            truncated(keys, 0.25, 1e-6, ADDED, 1),
            thresholded(*(keys, 0.25, 1e-6, ADDED, 1), whole=1),
        )
        best = chosen(asked(keys), 1.0, 1e-6, ADDED).mechanism
        assert isinstance(best, kind)
        assert best.needed(0.5) == min(each.mechanism.needed(0.5) for each in both)


def test_a_promise_without_a_delta_is_refused():
    """In a sentence that says what to state."""
    with pytest.raises(ValueError, match="need a delta above 0"):
        tacit.Central(1.0, 0.0).plan(asked())


def test_without_privacy_all_keys_of_so_many_people_are_kept():
    """Nothing is drawn, so a key needs as many people with any chance; there is room for as many
    keys as are asked for."""
    server = tacit.NonPrivate().plan(asked(at_least=3)).server

    assert [False, True, True] == server.kept(jax.random.key(0), np.array([2, 3, 4])).tolist()
    assert 3 == server.choice.needed(0.01) == server.choice.needed(0.99) and 64 == server.most
