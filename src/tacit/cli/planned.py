"""What a training session releases, or a simulation tries, planned; and how processes that have no
session play it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import jax
import numpy as np

from tacit.cli.settings import Job
from tacit.cli.tasks import Task
from tacit.federated.training import Training
from tacit.live.function import state_message
from tacit.plan import Plan
from tacit.population import hosts

# Every release of a session has a seed of its own.
MOST_RELEASES = 1000
MOST_SEED = 2**64 // MOST_RELEASES
# Never opened: of several processes the first alone has a ledger.
NO_LEDGER = Path()


@final
@dataclass(frozen=True, eq=False)
class Planned:
    """A job with the learner that will play it, and its plan."""

    job: Job
    learner: Training
    plan: Plan

    @property
    def page(self) -> str:
        """The plan's page; and where answers are not projected, so that a person is told the whole
        state of the learner in each round, how much that is."""
        if self.plan.download_bytes is not None:
            return str(self.plan)
        # Of its shapes alone: a program takes longer than what it would make.
        like = jax.eval_shape(self.learner.init)
        state = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), like)
        told = len(state_message(state).packed())
        down = f"{told:,} bytes a person in a round: the learner's state"
        return self.plan.page.instead(download=down)


def planned(
    task: Task,
    jobs: Sequence[Job],
    check: Callable[[], None] = lambda: None,
    declared: int | None = None,
) -> list[Planned]:
    """Every job, planned for the task's people, or as many as are declared; `check` is called
    between two. Spends nothing."""
    found, people = [], task.population.people if declared is None else declared
    for job in jobs:
        check()
        setting = job.setting
        own = setting.update, setting.length, setting.average_from
        learner = task.learner(*own, setting.server.optimizer)
        found.append(Planned(job, learner, setting.plan(learner, people)))
    return found


def play_along(task: Task, releases: Sequence[Planned], options: Mapping[str, Any]) -> None:
    """What every other process does while the first runs its session."""
    while at := hosts.number(int):
        plan, learner = releases[at - 1].plan, releases[at - 1].learner
        own = plan, learner, NO_LEDGER
        seed = seed_of(options, at - 1)
        task.population.grant(*own, at_once=task.at_once, seed=seed).run()


def seed_of(options: Mapping[str, Any], index: int) -> int | None:
    """Of one release of a session."""
    seed = options["seed"]
    return None if seed is None else seed * MOST_RELEASES + index
