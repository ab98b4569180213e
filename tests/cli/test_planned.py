"""The releases of a session: what each is planned for, and its seed."""

from unittest import mock

import jax
import numpy as np
import pytest

from tacit.cli.planned import MOST_RELEASES, MOST_SEED, Planned, planned, seed_of
from tacit.cli.settings import Budgets, Job, tuned_digits
from tacit.cli.tasks import digits_task
from tacit.federated.updates import GradientSteps
from tacit.live.function import state_message


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


def test_a_page_says_what_tells_a_person_the_learners_state():
    """As many bytes as a device is sent: the weights, whatever the server keeps beside, and where
    these are; and nothing else of the plan changes."""
    task = digits_task()
    rows = tuned_digits(Budgets(2.0, 1e-5, 8.0, 56.0, 8.0), GradientSteps(1, 0.1))[:1]
    (release,) = planned(task, [Job("tuned", row) for row in rows])
    state = release.learner.init()
    numbers = sum(np.asarray(leaf).nbytes for leaf in jax.tree.leaves(state))
    (line,) = set(release.page.splitlines()) - set(str(release.plan).splitlines())

    told = len(state_message(state).packed())
    assert numbers < told < numbers + 300
    assert line == f"download  {told:,} bytes a person in a round: the learner's state"


def test_a_page_of_projected_answers_has_their_own_bytes_down():
    """They are in the line of the upload, and the state is not sent."""
    page = mock.Mock(download_bytes=7, __str__=lambda self: "page")

    assert Planned(mock.Mock(), mock.Mock(), page).page == "page"


def test_no_two_releases_have_one_seed_and_none_is_none():
    """Also not the last of one session and the first of the next."""
    seeds = [seed_of({"seed": seed}, index) for seed in (0, 1, 2) for index in range(MOST_RELEASES)]

    assert len(set(seeds)) == 3 * MOST_RELEASES
    assert max(seeds) < MOST_SEED * MOST_RELEASES <= 2**64
    assert seed_of({"seed": None}, 3) is None
