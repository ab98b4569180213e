"""Keys and their sums: what is charged covers what neighbours can tell, enumerated exactly."""

import itertools
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest

import tacit
from tacit.accounting import accountant, events
from tacit.accounting.decimals import exp_down
from tacit.accounting.relation import Relation
from tacit.contribution import Tally
from tacit.mechanisms.selection.truncated_geometric import ONE, TruncatedGeometric
from tacit.question.keyed import Keyed
from tacit.server.keyed import keyed_mean

KEYS = "abc"


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
    trust = tacit.Central(1.0, 0.2, relation)
    choice = keyed_mean(trust, asked(keys))[0].choice
    many = keys * relation.people_moved
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


def test_the_event_is_the_choice_and_the_noise():
    """A choice for each key of a person, and one noise: from the server's own numbers; both of its
    accountants agree."""
    server, promise = keyed_mean(tacit.Central(1.0, 1e-6), asked(keys=3))
    choice, noise = server.choice, server.sums.mechanism
    own = events.repeated(events.epsilon_delta(choice.epsilon, choice.delta), 3)
    made = events.composed([own, events.gaussian(noise.sigma / noise.sensitivity)])

    assert promise.epsilon <= 1.0 and 1e-6 == promise.delta
    found = accountant.epsilon(made, promise.delta_of_event, promise.relation)
    assert promise.epsilon == pytest.approx(found.epsilon, rel=1e-6)
    second = accountant.cross_check(made, promise.delta_of_event, promise.relation)
    assert accountant.agree(found, second)


def test_the_promise_is_divided_as_stated():
    """A quarter of delta over all keys, and the share of epsilon, or more where many compose."""
    few, many = (keyed_mean(tacit.Central(1.0, 1e-6), asked(k))[0].choice for k in (1, 60))

    assert few == TruncatedGeometric(few.epsilon, few.delta)
    assert 0.25 == pytest.approx(few.epsilon) and few.delta <= 0.25e-6
    assert many.delta <= 0.25e-6 / 60 and many.epsilon > 1.5 * 0.25 / 60
    whole = events.repeated(events.epsilon_delta(many.epsilon, many.delta), 60)
    assert accountant.epsilon(whole, 0.5e-6, Relation.ADD_REMOVE).epsilon <= 0.25


def test_a_promise_without_a_delta_is_refused():
    """In a sentence that says what to state."""
    with pytest.raises(ValueError, match="need a delta above 0"):
        tacit.Central(1.0, 0.0).plan(asked())
