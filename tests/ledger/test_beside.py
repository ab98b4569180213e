"""A promise beside its plan: what the plan's own noise, rounds and sampling make it."""

from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.accounting import accountant, event_json
from tacit.accounting.relation import Relation
from tacit.ledger import receipt
from tacit.population.release import Release

UNLIKE = "the event is not that of the noise, rounds and sampling of the plan beside it"
SHAPES = (
    tacit.Interval(-3.0, 70.0),
    tacit.OneHot(4),
    tacit.Ball(3, 1.0),
    tacit.Cube(5, 0.0, 1.0),
    tacit.Product(tacit.Interval(0.0, 1.0), tacit.OneHot(3)),
)
TAKING_PART = (
    (tacit.Everyone(), Relation.ADD_REMOVE),
    (tacit.Available(0.5), Relation.REPLACE_ONE),
    (tacit.Poisson(0.1), Relation.ZERO_OUT),
    (tacit.Fixed(20), Relation.REPLACE_ONE),
    (tacit.AtMost(2), Relation.REPLACE_ONE),
    (tacit.Cyclic(2), Relation.ZERO_OUT),
)


def _planned(trust: Any, question: tacit.question.Question) -> dict[str, Any]:
    return Release("g", trust.plan(question), None, private=True).receipt()


def _found(folder: Path, one: dict[str, Any]) -> receipt.Report:
    receipt.write(folder / "r.json", [{**one, "digest": receipt.digest(one)}])
    return receipt.verify(folder / "r.json")


def _promising(one: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
    """The same plan with another event, and the epsilon that this event costs, in both places."""
    for promise in (one["guarantees"][0], one["plan"]["guarantees"][0]):
        delta = promise["delta"] - promise["delta_reserved"]
        relation = Relation(promise["relation"])
        costs = accountant.epsilon(event_json.from_json(event), delta, relation)
        promise.update(event=event, epsilon=costs.epsilon, accountant=costs.accountant)
    return one


@pytest.mark.parametrize("participation, relation", TAKING_PART, ids=repr)
@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_the_event_of_every_plan_is_made_again(tmp_path, delta, participation, relation) -> None:
    """Of every shape, every kind of noise, and everybody who may take part."""
    trust = tacit.Central(0.9, delta, relation)
    for shape in SHAPES:
        made = _planned(trust, tacit.Mean(shape, participation, 4, 200))

        assert [""] == [found.wrong for found in _found(tmp_path, made).findings], shape


def _mean(delta: float = 1e-6) -> dict[str, Any]:
    people = tacit.Mean(tacit.Ball(3, 1.0), tacit.Poisson(0.1), 3, 100)
    return _planned(tacit.Central(1.0, delta), people)


def _changed(event: dict[str, Any], **numbers: Any) -> dict[str, Any]:
    sampled, noise = event["of"], event["of"]["of"]
    noise = {name: numbers.get(name, value) for name, value in noise.items()}
    sampled = {**sampled, "rate": numbers.get("rate", sampled["rate"]), "of": noise}
    return {**event, "count": numbers.get("count", event["count"]), "of": sampled}


@pytest.mark.parametrize(
    "number", [{"noise_multiplier": 3.0}, {"count": 2}, {"rate": 0.05}], ids=str
)
def test_a_stronger_promise_than_the_noise_is_noticed(tmp_path: Path, number) -> None:
    """More noise, fewer rounds or a rarer sample than the plan says, in promise and copy alike."""
    honest = _mean()
    forged = _promising(_mean(), _changed(honest["guarantees"][0]["event"], **number))
    found = _found(tmp_path, forged)

    assert forged["guarantees"][0]["epsilon"] < honest["guarantees"][0]["epsilon"]
    assert UNLIKE == found.findings[0].wrong and not found.altered and not found.ok


def test_a_stronger_pure_promise_is_noticed(tmp_path: Path) -> None:
    """The server's noise is of epsilon 1, and the event of a half."""
    forged = _planned(
        tacit.Central(1.0, 0.0), tacit.Mean(tacit.OneHot(4), tacit.Everyone(), 1, 100)
    )
    half = {"event": "repeated", "of": {"event": "k-norm", "epsilon": 0.5}, "count": 1}

    assert UNLIKE == _found(tmp_path, _promising(forged, half)).findings[0].wrong


def test_a_sampling_that_nobody_did_is_noticed(tmp_path: Path) -> None:
    """Everybody is asked, and the event is of a tenth of them."""
    people = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 3, 100)
    forged = _planned(tacit.Central(1.0, 1e-6), people)
    event = forged["guarantees"][0]["event"]
    sampled = {**event, "of": {"event": "poisson", "rate": 0.1, "of": event["of"]}}

    assert UNLIKE == _found(tmp_path, _promising(forged, sampled)).findings[0].wrong


def test_what_is_changed_in_the_noise_alike_is_not_noticed(tmp_path: Path) -> None:
    """A receipt is no signature: a whole plan of another noise adds up."""
    forged = _promising(_mean(), _changed(_mean()["guarantees"][0]["event"], noise_multiplier=3.0))
    noise = forged["plan"]["server"]["mechanism"]
    noise["sigma"] = 3.0 * noise["sensitivity"]

    assert _found(tmp_path, forged).ok
