"""How devices report under masks: read back as it was written, and believed in nothing."""

from dataclasses import replace

import pytest

import tacit
from live.masked.group import plan
from live.phones import DIM, MANY, RUN
from tacit.live.masked.sharing import Sharing
from tacit.live.message import MessageError
from tacit.live.reporting import digest
from tacit.question.dropouts import DropOuts

PLAN = plan()
WAYS = Sharing.of(PLAN, RUN)


def of(participation, rounds=4, people=8, shape=None):
    return tacit.Mean(shape or tacit.Ball(DIM, 1.0), participation, rounds, people)


@pytest.mark.parametrize(
    "question",
    [
        of(tacit.Everyone()),
        of(tacit.AtMost(2)),
        of(tacit.Cyclic(2)),
        of(DropOuts(tacit.Available(0.9), 0.1, 5)),
        of(DropOuts(tacit.Once(), 0.1, 2), shape=tacit.OneHot(3)),
        of(tacit.Everyone(), shape=tacit.Product(tacit.Interval(0.0, 1.0), tacit.OneHot(3))),
    ],
    ids=str,
)
def test_what_is_written_is_read(question):
    """The same plan, device and promise on the other side."""
    whole = tacit.Aggregated(2.0, 1e-5, colluding=0.2).plan(question)
    ways = Sharing.of(whole, RUN)
    read = Sharing.read(ways.text)

    assert read == ways and digest(read.device()) == digest(whole.device)
    assert read.cost(read.device())[:3] == (whole.guarantees[0].epsilon, 0.0, 1e-5)
    assert read.cost(read.device()).times == question.times
    bits = zip(read.layout.sizes, read.layout.bits, strict=True)
    assert whole.device.report_bits == sum(size * each for size, each in bits)


def test_a_charge_is_of_everything_that_is_promised():
    """Another epsilon, another number of rounds, in the name of one run: other charges."""
    costs = {
        replace(WAYS, **change).cost(WAYS.device()).run
        for change in (
            {},
            {"trust": tacit.Aggregated(0.5, 1e-5)},
            {"question": plan(3).sums},
            {"run": b"r" * 32},
        )
    }

    assert 4 == len(costs) and WAYS.run not in costs


def test_whole_numbers_are_numbers():
    """An epsilon of 4 is one of 4.0."""
    assert (
        4.0 == Sharing.of(tacit.Aggregated(4, 1e-5).plan(of(tacit.Everyone())), RUN).trust.epsilon
    )


def test_the_smallest_round_of_uneven_ones():
    """Five people in two rounds: two in one of them, whose threshold is of the larger."""
    uneven = replace(WAYS, question=of(tacit.AtMost(1), 2, 5))

    assert (2, 3) == (uneven.smallest, uneven.threshold)


def test_a_run_has_a_name_of_its_own():
    """Which two runs of one plan do not share; one that is gone on with keeps it."""
    assert WAYS.text == Sharing.of(PLAN, RUN).text != Sharing.of(PLAN, b"r" * 32).text


@pytest.mark.parametrize("people", [3, 4, 5, 10, 33, 64])
@pytest.mark.parametrize("colluding", [0.0, 0.1, 0.3])
def test_two_lists_of_survivors_would_have_an_honest_signer_in_common(people, colluding):
    """Of n who are asked two sets of the threshold share more than c; and it can be met."""
    question = of(DropOuts(tacit.Everyone(), 0.1, max(people // 2, 2)), 1, people)
    ways = replace(WAYS, trust=tacit.Aggregated(2.0, 1e-5, colluding=colluding), question=question)

    assert 2 * ways.threshold - people > ways.colluding
    assert people // 2 <= ways.threshold <= people


def test_the_least_cohort_is_a_threshold_too():
    """Where it is the larger one."""
    all_ = replace(WAYS, question=of(tacit.Everyone(), 1, 9))
    least = replace(WAYS, question=of(DropOuts(tacit.Everyone(), 0.1, 8), 1, 9))

    assert (9, 8) == (all_.threshold, least.threshold)


TRUST, QUESTION = WAYS.text["trust"], WAYS.text["question"]


@pytest.mark.parametrize(
    "change, why",
    [
        ({"run": "ab"}, "64 hexadecimal digits"),
        ({"run": "zz"}, "64 hexadecimal digits"),
        ({"more": 1}, "a trust, a question and a run"),
        ({"trust": {**TRUST, "relation": "zero-out"}}, "one person is replaced by another"),
        ({"trust": {**TRUST, "epsilon": -1.0}}, "epsilon must be positive"),
        ({"trust": {**TRUST, "delta": 2.0}}, "delta must lie"),
        ({"trust": {**TRUST, "colluding": 1}}, "colluding must be"),
        ({"trust": {**TRUST, "colluding": "all"}}, "is replaced by another"),
        ({"question": {**QUESTION, "people": 0}}, "no mean is asked like this"),
        ({"question": {**QUESTION, "people": 2.0}}, "its shape, cohorts and rounds"),
        ({"question": {**QUESTION, "contribution": {"type": "Secret"}}}, "a shape is one of"),
        ({"question": {**QUESTION, "participation": {"type": "Poisson", "rate": 0.5}}}, "Cyclic"),
        ({"question": {**QUESTION, "participation": {"type": "AtMost", "n": 1}}}, "no mean is"),
        ({"question": {**QUESTION, "participation": {"type": "AtMost", "limit": True}}}, "Cyclic"),
    ],
    ids=str,
)
def test_other_words_are_refused(change, why):
    """In a sentence, and nothing is made of them."""
    with pytest.raises(MessageError, match=why):
        Sharing.read({**WAYS.text, **change})


def test_a_question_without_a_plan_is_refused():
    """Nobody would be left to count on."""
    ways = replace(WAYS, trust=tacit.Aggregated(2.0, 1e-5, colluding=0.8))
    with pytest.raises(MessageError, match="no sums are asked like this: of a least cohort"):
        ways.device()


def test_a_question_of_nobody_is_refused():
    """In a sentence too, where numbers divide by nothing."""
    few = DropOuts(tacit.Available(turnout=1e-300), 0.5, 3)
    ways = replace(WAYS, question=of(few, people=MANY))
    with pytest.raises(MessageError, match="no sums are asked like this"):
        ways.device()


def test_other_plans_are_refused():
    """Reports that are private by themselves, and a promise that devices do not take."""
    zeroed = tacit.Aggregated(2.0, 1e-5, tacit.Relation.ZERO_OUT)
    with pytest.raises(ValueError, match="as Aggregated has them"):
        Sharing.of(tacit.Local(2.0).plan(of(tacit.Everyone(), people=MANY)), RUN)
    with pytest.raises(ValueError, match=r"must be tacit\.Relation\.REPLACE_ONE, got zero-out"):
        Sharing.of(zeroed.plan(of(tacit.Everyone(), people=MANY)), RUN)
