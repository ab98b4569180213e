"""Ways to report as public values: every device is made again, and no other one."""

import json

import pytest

import tacit
import tacit.live.reporting
from tacit.device.product import JointDevice
from tacit.live.masked.sharing import Sharing
from tacit.live.message import MessageError
from tacit.live.reporting import MOST_PARTS, Reporting, digest, read_shape
from tacit.question.workloads import Prefix
from tacit.record import plain

NUMBER = tacit.Interval(0, 10)
PLANS = [
    (tacit.Local(4.0), NUMBER),
    (tacit.Local(4.0), tacit.Grid(0, 10, 0.5)),
    (tacit.Local(4.0), tacit.OneHot(10)),
    (tacit.Local(4.0), tacit.Counts(8, 2, 3)),
    (tacit.Local(4.0), tacit.Cube(20, 0, 1)),
    (tacit.Local(4.0), tacit.Sphere(20)),
    (tacit.Local(4.0), tacit.Ball(20, 2.0, 0.5)),
    (tacit.Local(4.0), tacit.L1Ball(20, 2.0)),
    (tacit.Local(4.0), tacit.Outer(4, 1.0)),
    (tacit.Local(4.0), tacit.Product(NUMBER, tacit.OneHot(4), shares=(0.25, 0.75))),
    (tacit.Local(4.0, upload=2), tacit.Ball(200, 1.0)),
    (tacit.Federated(8.0, tacit.Central(2.0, 1e-5)), tacit.Ball(20, 1.0)),
    (tacit.Federated(8.0, tacit.Central(2.0, 1e-5), upload=40), tacit.Ball(200, 1.0)),
    (tacit.Federated(tacit.Split(4.0, 2.0), tacit.Central(2.0, 1e-5)), tacit.Ball(20, 1.0)),
]


@pytest.mark.parametrize("trust, shape", PLANS, ids=lambda each: type(each).__name__)
def test_a_device_is_made_again_of_its_text(trust, shape):
    """By JSON and back, to the last number; what it promises follows from what was made."""
    plan = trust.plan(tacit.Mean(shape, tacit.Everyone(), 3, 1000))
    text = json.loads(json.dumps(Reporting.of(plan).text))
    made = Reporting.read(text).device()

    assert digest(plan.device) == digest(made)
    assert plan.device.facts.epsilon == made.facts.epsilon
    assert shape == read_shape(json.loads(json.dumps(plain(shape))))


@pytest.mark.parametrize(
    "trust", [tacit.Central(1.0, 1e-6), tacit.NonPrivate(), tacit.Aggregated(1.0, 1e-6)]
)
def test_devices_that_do_not_randomise_have_no_text(trust):
    """What they would send is not private by itself."""
    with pytest.raises(ValueError, match=r"randomise by themselves|report in one of"):
        Reporting.of(trust.plan(tacit.Mean(NUMBER, tacit.Everyone(), 1, 1000)))


def test_tables_of_a_workload_have_no_text():
    """They are found by a search, which no device repeats."""
    sums = tacit.Mean(tacit.OneHot(8), tacit.Everyone(), 1, 1000)
    plan = tacit.Local(1.0).plan(tacit.question.Linear(sums, Prefix(8)))
    with pytest.raises(ValueError, match="listed ways"):
        Reporting.of(plan)


SIDE = {"type": "Interval", "lower": 0.0, "upper": 1.0}
CUBE = {"type": "Cube", "dim": 3, "side": SIDE}
PAIR = {"type": "Product", "parts": [SIDE, SIDE], "shares": [0.5, 0.5]}
SPLIT = {"type": "Split", "direction": 1.0, "magnitude": 1.0}
GOOD = {"shape": {"type": "OneHot", "categories": 4}, "budget": 1.0, "upload": None, "way": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"shape": {"type": "Fifty", "dim": 3}},
        {"shape": {"type": "Ball", "dim": "3", "radius": 1.0, "typical": None}},
        {"shape": {"type": "Ball", "dim": 3, "radius": {"type": "Ball"}, "typical": None}},
        {"shape": {"type": "Ball", "dim": -3, "radius": 1.0, "typical": None}},
        {"shape": {"type": "OneHot", "categories": 4, "more": 1}},
        {"shape": {"type": "Product", "parts": [], "shares": None}},
        {"shape": {"type": "Product", "parts": [7, 8], "shares": None}},
        {"shape": {"type": "Product", "parts": [GOOD["shape"]] * 9, "shares": [0.1] * 9}},
        {"shape": {"type": "Product", "parts": [GOOD["shape"]] * 2, "shares": "ab"}},
        {"shape": {**PAIR, "more": 1}},
        {"shape": {**PAIR, "parts": [SIDE, {**CUBE, "more": [1]}]}},
        {"shape": {**PAIR, "shares": [10**400, 1]}},
        {"shape": {**CUBE, "more": [1]}},
        {"shape": {**CUBE, "side": {**SIDE, "more": "junk"}}},
        {"shape": {**CUBE, "side": {**SIDE, "type": "Grid"}}},
        {"shape": {**CUBE, "side": {"lower": 0.0, "upper": 1.0}}},
        {"shape": {**CUBE, "side": 7}},
        {"budget": 0.0},
        {"budget": -1.0},
        {"budget": True},
        {"budget": "1"},
        {"budget": 10**400},
        {"budget": {**SPLIT, "more": "junk"}},
        {"budget": {"type": "Split", "direction": -1.0, "magnitude": 1.0}},
        {"upload": 1.5},
        {"upload": True},
        {"way": -1},
        {"way": "0"},
        {"way": True},
        {"way": 0.0},
        {"more": 1},
    ],
    ids=lambda change: str(change)[:80],
)
def test_a_text_that_says_something_else_is_refused(change):
    """Nothing is made that is not a shape or a budget of the library's own."""
    with pytest.raises(MessageError):
        Reporting.read({**GOOD, **change})


@pytest.mark.parametrize("change", [{"way": 99}, {"budget": 1e-300}, {"upload": 1}], ids=str)
def test_a_way_that_is_none_makes_no_device(change):
    """A number beyond the list, a budget or a limit that no report keeps."""
    with pytest.raises(MessageError, match="no device reports like this"):
        Reporting.read({**GOOD, **change}).device()


@pytest.mark.parametrize("part", [CUBE, PAIR, SIDE], ids=lambda part: part["type"])
def test_without_what_is_wrong_in_them_they_are_read(part):
    """The shapes and the split above."""
    read = Reporting.read({**GOOD, "shape": part, "budget": SPLIT})
    assert part == plain(read.shape) and tacit.Split(1.0, 1.0) == read.budget


def test_shares_that_a_device_would_search_for_are_refused(monkeypatch):
    """Minutes of work that a server has for an order. Nothing is made for them."""
    monkeypatch.setattr(tacit.live.reporting, "_device", None)
    with pytest.raises(MessageError, match="has its shares"):
        Reporting.read({**GOOD, "shape": {**PAIR, "shares": None}, "budget": 700.0})


PARTS = [
    SIDE,
    {"type": "Grid", "least": 0, "most": 9, "step": 1.0},
    {"type": "OneHot", "categories": 4},
    {"type": "Counts", "categories": 4, "l0": 1, "linf": 1},
    {"type": "Ball", "dim": 3, "radius": 1.0, "typical": 0.5},
    {"type": "L1Ball", "dim": 3, "radius": 1.0},
    {"type": "Sphere", "dim": 3},
    CUBE,
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part["type"])
def test_a_product_that_takes_a_device_long_is_refused(part):
    """Of any shape: each part is to be compiled as a report of its own would be."""
    shares = [1 / MOST_PARTS] * MOST_PARTS
    shape = {"type": "Product", "parts": [part] * MOST_PARTS, "shares": shares}
    assert shape == plain(read_shape(shape))
    more = {**shape, "parts": [part] * 9, "shares": [1 / 16] * 8 + [0.5]}
    with pytest.raises(MessageError, match="at most 8 parts that are none themselves"):
        read_shape(more)


SLOW = {
    "many": tacit.Product(*[NUMBER] * 9, shares=(1 / 16,) * 8 + (0.5,)),
    "nested": tacit.Product(NUMBER, tacit.Product(NUMBER, NUMBER), shares=(0.5, 0.5)),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_server_does_not_ask_for_what_devices_refuse(name):
    """It is told as it asks, before anything is charged; under masks too."""
    asked = tacit.Mean(SLOW[name], tacit.Everyone(), 1, 1000)
    alone, masked = tacit.Local(30.0).plan(asked), tacit.Aggregated(4.0, 1e-5).plan(asked)
    for of in (lambda: Reporting.of(alone), lambda: Sharing.of(masked, bytes(32))):
        with pytest.raises(ValueError, match="at most 8 parts that are none themselves"):
            of()


def test_shares_that_nobody_declared_are_sent():
    """Those of the plan, which a device is spared to find: it makes the same reports."""
    plan = tacit.Local(4.0).plan(
        tacit.Mean(tacit.Product(NUMBER, tacit.OneHot(4)), tacit.Everyone(), 3, 1000)
    )
    text = json.loads(json.dumps(Reporting.of(plan).text))
    made = Reporting.read(text).device()

    assert 1.0 == pytest.approx(sum(text["shape"]["shares"]))
    assert isinstance(plan.device, JointDevice) and isinstance(made, JointDevice)
    assert plain(plan.device.devices) == plain(made.devices)
    assert plan.device.facts.epsilon == made.facts.epsilon


BALL = {"type": "Ball", "dim": 6, "radius": 3e38, "typical": None}
LARGE = [
    (BALL, 0),
    ({**BALL, "typical": 1e30}, 2),
    ({"type": "L1Ball", "dim": 6, "radius": 3e38}, 0),
    ({"type": "L1Ball", "dim": 6, "radius": 3e38}, 1),
    ({**CUBE, "side": {**SIDE, "lower": -1e38, "upper": 1e38}}, 0),
]


@pytest.mark.parametrize("shape, way", LARGE, ids=str)
def test_a_shape_near_the_end_of_floats_makes_no_device(shape, way):
    """Its reports would be infinite, and charged."""
    with pytest.raises(MessageError, match="reports like this: a report's numbers must be at most"):
        Reporting.read({**GOOD, "shape": shape, "way": way}).device()
