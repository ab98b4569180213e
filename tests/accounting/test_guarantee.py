"""One promise, the same from the accountant to the receipt: checked when made, exact as JSON."""

import json
import math
from dataclasses import asdict, replace

import pytest

from every_event import EVERY
from tacit.accounting import events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.record import plain

ONE = Guarantee(
    "public",
    "person",
    Relation.ADD_REMOVE,
    events.gaussian(3),
    1.1,
    1e-5,
    "PLD",
    0.1 + 0.2e-6 - 0.1,
)


@pytest.mark.parametrize("event, relation", EVERY, ids=repr)
def test_a_promise_comes_back_from_json_equal(event, relation):
    """Every event and the last digit of every number; under the names a plan records."""
    made = replace(ONE, event=event, relation=relation, epsilon=0.1 + 0.2)
    written = json.loads(json.dumps(made.to_json()))

    assert Guarantee.from_json(written) == made
    assert {"type": "Guarantee", **written} == plain(made)


def test_what_is_left_for_the_event_is_what_is_not_reserved():
    """The whole delta where nothing is; nothing where the reserve is all of it."""
    assert 1e-5 - ONE.delta_reserved == ONE.delta_of_event
    assert 0.0 == replace(ONE, delta=1e-12, delta_reserved=1e-12).delta_of_event


@pytest.mark.parametrize(
    "field, bad",
    [
        *(("epsilon", bad) for bad in (-0.1, math.nan, math.inf)),
        *(("delta", bad) for bad in (-1e-9, math.nan, 1.0)),
        *(("delta_reserved", bad) for bad in (-1e-9, math.nan, 1.1e-5)),
    ],
)
def test_a_promise_is_made_of_numbers_in_range(field, bad):
    """NaN, negative, infinite, or a reserve of more than delta: refused, made or read."""
    with pytest.raises(ValueError, match=f"{field} must be .* got {bad}"):
        replace(ONE, **{field: bad})
    with pytest.raises(ValueError, match=f"{field} must be .* got {bad}"):
        Guarantee.from_json({**ONE.to_json(), field: bad})


def test_a_promise_is_for_a_relation():
    """Its name is a word, and no relation."""
    with pytest.raises(ValueError, match=r"relation must be .*, got 'add/remove'"):
        replace(ONE, relation="add/remove")


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": "1"},
        {"delta": False},
        {"part": ""},
        {"relation": "near"},
        {"event": {"event": 1}},
    ],
    ids=str,
)
def test_json_that_is_no_promise_is_refused(change):
    """Words for numbers, a field more, an unknown relation or event."""
    with pytest.raises(ValueError):
        Guarantee.from_json({**ONE.to_json(), **change})


@pytest.mark.parametrize("field", sorted(asdict(ONE)))
def test_json_that_lacks_a_field_is_refused(field):
    """Nothing about a promise is taken for granted."""
    written = ONE.to_json()
    del written[field]
    with pytest.raises(ValueError, match="the fields of a promise"):
        Guarantee.from_json(written)
