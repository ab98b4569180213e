"""The releases of a session: what each is planned for, and its seed."""

import pytest

from tacit.cli.planned import MOST_RELEASES, MOST_SEED, planned, seed_of
from tacit.cli.settings import Budgets, Job, tuned_digits
from tacit.cli.tasks import digits_task
from tacit.federated.updates import GradientSteps


class Enough(Exception):
    """What a check raises."""


def test_every_job_is_planned_for_the_people_there_are_unless_it_is_stopped():
    """In order; whoever stops is asked before each."""
    task, calls = digits_task(), []
    rows = tuned_digits(Budgets(2.0, 1e-5, 8.0, 56.0, 8.0), GradientSteps(1, 0.1))[:2]
    jobs = [Job("tuned", row) for row in rows]

    def stop() -> None:
        calls.append(None)
        if len(calls) == 4:
            raise Enough

    found = planned(task, jobs, stop)
    with pytest.raises(Enough):
        planned(task, jobs, stop)

    assert [each.job for each in found] == jobs
    assert {each.plan.sums.people for each in found} == {task.population.people}


def test_no_two_releases_have_one_seed_and_none_is_none():
    """Also not the last of one session and the first of the next."""
    seeds = [seed_of({"seed": seed}, index) for seed in (0, 1, 2) for index in range(MOST_RELEASES)]

    assert len(set(seeds)) == 3 * MOST_RELEASES
    assert max(seeds) < MOST_SEED * MOST_RELEASES <= 2**64
    assert seed_of({"seed": None}, 3) is None
