"""Reports under a limit of bytes: the ways there are, which is taken, and what is refused."""

import dataclasses
import math

import pytest

import tacit
from tacit.device.choose import Split, devices_for
from tacit.device.coded import Coded
from tacit.device.indexed import Indexed
from tacit.device.own_rows import OwnRows
from tacit.device.shared_rows import SharedRows
from tacit.device.upload import within

DIM, PEOPLE, LIMIT = 200, 6, 64
BALL = tacit.Ball(DIM, 2.0)
ONCE = tacit.Mean(BALL, tacit.Once(), 1, PEOPLE)
CENTRAL = tacit.Central(8.0, 1e-5, tacit.Relation.REPLACE_ONE)
TRUSTS = [
    tacit.Local(9.0, upload=LIMIT),
    tacit.Federated(9.0, CENTRAL, upload=LIMIT),
    tacit.Federated(Split(40.0, 10.0), CENTRAL, upload=LIMIT),
    tacit.Shuffled(4.0, 1e-3, upload=LIMIT),
]
NAMES = ["local", "federated", "split", "shuffled"]


def question(shape=BALL, people=PEOPLE) -> tacit.Mean:
    return tacit.Mean(shape, tacit.Everyone(), 1, people)


@pytest.mark.parametrize("shape", [BALL, tacit.Sphere(DIM)], ids=["ball", "sphere"])
@pytest.mark.parametrize("limit", [2, 5, 64, 100, 200, 799])
def test_every_way_keeps_the_limit(shape, limit):
    """Of both kinds of rows, and of each number of bits that fits; typical norms stay."""
    found = devices_for(shape, 9.0, limit)

    assert all(each.facts.report_bits <= 8 * limit for each in found)
    assert max(each.facts.report_bits for each in found) > 2 * limit
    assert {OwnRows, SharedRows} <= {type(each) for each in found} or limit >= 200
    assert any(isinstance(each, Coded) for each in found) == (limit >= 100)


@pytest.mark.parametrize("limit", [800, 10**6])
def test_a_report_that_fits_goes_whole(limit):
    """The devices are those of no limit."""
    assert devices_for(BALL, 5.0, limit) == devices_for(BALL, 5.0)


def test_a_limit_that_no_report_keeps_is_refused():
    """The sentence names the least; shapes that are not projected are named as well."""
    with pytest.raises(ValueError, match="upload must be at least the 2 bytes of a report, got 1"):
        within(BALL, 1)
    with pytest.raises(ValueError, match="at least the 2 bytes of a report, got 1"):
        within(tacit.Ball(3, 1.0), 1)
    with pytest.raises(ValueError, match="for a Ball or Sphere, got Cube: leave upload None"):
        tacit.Local(1.0, upload=100).plan(question(tacit.Cube(DIM, 0.0, 1.0)))


@pytest.mark.parametrize("upload", [0, -1, 2.5, math.nan, "100", True])
def test_an_unusable_limit_is_refused(upload):
    """By each trust model, when it is made."""
    for make in (
        lambda: tacit.Local(1.0, upload=upload),
        lambda: tacit.Shuffled(1.0, 1e-6, upload=upload),
        lambda: tacit.Federated(1.0, CENTRAL, upload=upload),
    ):
        with pytest.raises(ValueError, match="upload must be a positive whole number of bytes, or"):
            make()


@pytest.mark.parametrize("trust", TRUSTS, ids=NAMES)
def test_the_promises_are_those_without_a_limit(trust):
    """The limit costs error and no privacy, and what is promised knows nothing of it."""
    limited, whole = trust.plan(ONCE), dataclasses.replace(trust, upload=None).plan(ONCE)
    found = [(p.observer, p.relation, p.unit, p.delta) for p in limited.guarantees]

    assert found == [(p.observer, p.relation, p.unit, p.delta) for p in whole.guarantees]
    for own, others in zip(limited.guarantees, whole.guarantees, strict=True):
        assert own.epsilon <= others.epsilon * 1.35
    assert limited.upload_bytes <= LIMIT


def test_a_local_plan_takes_the_least_error_of_a_cohort():
    """Whatever a report by itself would have: rows of one's own where many report."""
    local = tacit.Local(9.0, upload=LIMIT)
    many = local.plan(question(people=10**6))
    errors = [way.facts.compared_at(10**6) for way in devices_for(BALL, 9.0, LIMIT)]

    assert many.error == min(errors) and many.device.facts.numbered


@pytest.mark.parametrize("shape", [tacit.Ball(10**6, 1.0), tacit.Sphere(10**6)])
@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
def test_two_bytes_are_nearly_enough_for_a_small_budget(shape, epsilon):
    """By an index, within 1.015 of the whole report's error."""
    whole, short = (
        tacit.Local(epsilon, upload=upload).plan(question(shape, 10_000)) for upload in (None, 2)
    )

    assert isinstance(short.device, Indexed) and short.upload_bytes <= 2
    assert whole.error < short.error < 1.015 * whole.error


@pytest.mark.parametrize("limit, listed", [(2, 2), (511, 2), (512, 0)])
def test_an_index_is_listed_where_bytes_are_few(limit, listed):
    """Where many numbers fit they cost no more error, and no candidates."""
    shape = tacit.Ball(10**5, 1.0)
    found = [type(each) for each in devices_for(shape, 8.0, limit)]
    least = min(each.facts.compared_at(1000) for each in devices_for(shape, 8.0, 512))
    index = min(each.facts.compared_at(1000) for each in devices_for(shape, 8.0, 2))

    assert found.count(Indexed) == listed
    assert least < 1.001 * index


def test_a_shuffled_report_is_no_index():
    """Candidates are a person's own, so an index tells whose it is."""
    asked = tacit.Mean(BALL, tacit.Once(), 1, 1000)
    device = tacit.Shuffled(4.0, 1e-3, upload=2).plan(asked).device

    assert isinstance(device, SharedRows) and not device.facts.numbered


def test_a_shuffled_report_needs_nobodys_number():
    """What can be opened only with a person's number tells whose it is."""
    device = TRUSTS[3].plan(ONCE).device

    assert isinstance(device, SharedRows) and not device.facts.numbered


def test_a_federated_plan_counts_the_noise_on_the_sum():
    """Loud noise is least in few numbers; without it everybody has rows of their own."""
    dim, people = 2_000, 10**4
    shape = tacit.Sphere(dim)
    loud, quiet = (
        tacit.Federated(40.0, tacit.Central(epsilon, 1e-6), upload=256).plan(
            tacit.Mean(shape, tacit.Everyone(), 1, people)
        )
        for epsilon in (0.01, 1e4)
    )

    assert isinstance(loud.device, SharedRows) and isinstance(quiet.device, OwnRows)
    assert loud.server.facts.error < quiet.server.facts.error * 1e12


def test_noise_on_the_sum_has_as_few_numbers_as_it():
    """Its energy comes back with the stretch."""
    plan = TRUSTS[1].plan(question())
    facts, noise = plan.device.facts, plan.server.facts
    (numbers,) = plan.collect.within.answer_shape

    assert noise.error == pytest.approx(numbers * noise.noise**2, 1e-3)
    stated = facts.worst_error / PEOPLE + facts.stretch * noise.error / PEOPLE**2
    assert plan.error == pytest.approx(stated + facts.shared_error, 1e-6)


def test_a_radius_cuts_reports_in_their_places_too():
    """The promise is that of the radius, and the error depends on the data."""
    trust = tacit.Federated(9.0, CENTRAL, radius=1.0, upload=LIMIT)
    plan = trust.plan(question())

    assert plan.collect.within.bound == 1.0 and plan.error is None


def test_a_plan_says_that_it_is_projected():
    """Bytes up and down, and which part of the error more people do not lower."""
    shared = tacit.Shuffled(4.0, 1e-3, upload=LIMIT).plan(ONCE)
    flat, whole = " ".join(str(shared).split()), str(tacit.Shuffled(4.0, 1e-3).plan(ONCE))

    assert "64 bytes a person in a round" in flat and "down with its answer" in flat
    assert "which falls with rounds and not with people" in flat
    assert "upload 64" in flat
    assert "project" not in whole and "upload None" not in whole
