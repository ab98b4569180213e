"""Questions whose answers are read off means; what no means give is refused before a search."""

from dataclasses import dataclass
from typing import Any
from unittest import mock

import pytest

import tacit
from tacit.accounting import calibration
from tacit.question.keyed import Keyed
from tacit.question.objectives import MaxError, MeanError
from tacit.question.workloads import Prefix
from tacit.solve import local_reports
from tacit.trust import federated

SEARCHES = {
    "local": (tacit.Local(1.7), local_reports, "least_variance"),
    "shuffled": (tacit.Shuffled(1.7, 1e-6), calibration, "local_epsilon"),
    "federated": (tacit.Federated(1.7, tacit.Central(1.0, 1e-6)), federated, "devices_for"),
}


class Begun(Exception):
    """A search was."""


def ask(objective) -> tacit.question.Linear:
    workload = Prefix(23)
    return tacit.question.Linear(
        tacit.Mean(tacit.OneHot(23), tacit.Once(), 1, 1_000), workload, objective
    )


@pytest.mark.parametrize("name", SEARCHES)
def test_the_least_worst_error_of_reports_is_refused_before_any_search(name):
    """In one sentence; the search for reports, which may take seconds, is not begun for it."""
    trust, module, search = SEARCHES[name]
    with mock.patch.object(module, search, side_effect=Begun):
        with pytest.raises(Begun):
            trust.plan(ask(MeanError()))
        with pytest.raises(ValueError, match="curator's noise: ask it under Central, or MeanError"):
            trust.plan(ask(MaxError()))


def test_who_is_promised_nothing_may_ask_for_the_least_worst_error():
    """Exact answers are the same for every objective."""
    most, mean = (tacit.NonPrivate().plan(ask(each())).server for each in (MaxError, MeanError))

    assert str(most) == str(mean)


@dataclass(frozen=True)
class Unknown:
    """What has everything that a question has, and is none that anybody answers."""

    sums: tacit.Mean
    words: str = "something else"
    of_means: bool = True


EVERY = {
    "central": tacit.Central(1.0, 1e-6),
    "nobody promised anything": tacit.NonPrivate(),
    "local": tacit.Local(1.0),
    "shuffled": tacit.Shuffled(1.0, 1e-6),
    "federated": tacit.Federated(1.0, tacit.Central(1.0, 1e-6)),
    "aggregated": tacit.Aggregated(1.0, 1e-6),
}


@pytest.mark.parametrize("trust", EVERY.values(), ids=EVERY)
def test_what_is_no_question_is_answered_by_nobody(trust):
    """Not as the means it is about, by whom nothing is promised either."""
    asked: Any = Unknown(tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Once(), 1, 1_000))
    with pytest.raises(ValueError, match=r"a question is a Mean, .* Keyed or OfRows, got"):
        trust.plan(asked)


@pytest.mark.parametrize("name", SEARCHES)
def test_keys_that_nobody_declared_are_found_by_who_sees_them(name):
    """The refusal says what devices do answer."""
    counted = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 1_000)
    with pytest.raises(ValueError, match=r"only Central .* keys that are declared are a Mean"):
        SEARCHES[name][0].plan(Keyed(counted, 10, keys=1, at_least=1, share=0.5))
