"""A training session: several releases, remembered so that a killed one can go on.

The folder `checkpoint/` holds `session.json` (the options, and for each release its grant's
name and, once finished, its result) and the state of the release in progress. The names of
all grants are written before anything is charged, and a grant's name is an idempotency key, so
whatever moment the process dies at, going on asks the ledger for the same grants again: those
already charged are not charged twice.
"""

import json
import math
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, final

import equinox as eqx

from tacit.accounting.ledger import Ledger
from tacit.cli.settings import Setting
from tacit.cli.tasks import Task
from tacit.learning.progress import Progress
from tacit.plan import Plan
from tacit.population.checkpoint import Checkpoint, CheckpointError

CURVE_POINTS = 20

Watch = Callable[[str, int, int, float | None], None]


@final
@dataclass(frozen=True)
class Job:
    """One release of a session: a setting, and the table it belongs to."""

    table: str
    setting: Setting


@final
@dataclass
class Result:
    """What a finished job showed: accuracies on the test part, and its receipt."""

    table: str
    name: str
    accuracy: float
    curve: list[tuple[int, float]]
    seconds: float
    receipt: dict[str, Any]


@final
@dataclass
class Session:
    """A folder, the options the session was started with, and what is finished."""

    out: Path
    options: dict[str, Any]
    grants: list[str]
    results: list[Result]

    @classmethod
    def start(cls, out: Path, options: dict[str, Any], jobs: int) -> Self:
        """A new session in `out`; nothing is charged yet."""
        session = cls(out, options, [secrets.token_hex(16) for _ in range(jobs)], [])
        session._folder.mkdir(parents=True, exist_ok=True)
        for stale in session._folder.glob("*.npz"):
            stale.unlink()
        session._save()
        return session

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """The session whose checkpoint folder this is.

        Raises:
          CheckpointError: if the folder does not hold a whole session.
        """
        try:
            saved = json.loads((folder / "session.json").read_text())
            results = [_result(saved) for saved in saved["results"]]
            return cls(folder.parent, saved["options"], saved["grants"], results)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(
                f"{folder} must be the checkpoint folder of an earlier `tacit train`, with a "
                "whole session.json in it"
            ) from error

    def run(self, task: Task, jobs: Sequence[Job], ledger: Ledger, watch: Watch) -> list[Result]:
        """Plays every job that has no result yet."""
        for index in range(len(self.results), len(jobs)):
            self.results.append(self._play(index, task, jobs[index], ledger, watch))
            self._save()
        return self.results

    def _play(self, index: int, task: Task, job: Job, ledger: Ledger, watch: Watch) -> Result:
        setting = job.setting
        learner = task.learner(setting.update, setting.rate, setting.average_from)
        plan = setting.plan(learner, task.population.people)
        open_accounts(ledger, task.population.name, plan, self.options["limit"])
        began, curve = time.monotonic(), []
        grant = task.population.grant(
            plan,
            learner,
            ledger,
            grant_id=self.grants[index],
            at_once=task.at_once,
            seed=self._seed(index),
        )

        def look(rounds: int, state: Progress) -> None:
            if _worth_a_look(rounds, setting.rounds):
                curve.append((rounds, task.accuracy(learner.released(state))))
            watch(setting.name, rounds, setting.rounds, curve[-1][1] if curve else None)

        release = grant.run(watch=look, checkpoint=Checkpoint(self._state(index)))
        model = learner.released(release.state)
        self._keep(job, model)
        seconds = time.monotonic() - began
        accuracy = task.accuracy(model)
        return Result(job.table, setting.name, accuracy, curve, seconds, release.receipt())

    def _keep(self, job: Job, model: eqx.Module) -> None:
        folder = self.out / "models"
        folder.mkdir(exist_ok=True)
        if job.table != "sweep":
            eqx.tree_serialise_leaves(folder / f"{job.table}-{job.setting.name}.eqx", model)

    def _seed(self, index: int) -> int | None:
        seed = self.options["seed"]
        return None if seed is None else seed * 1000 + index

    def _state(self, index: int) -> Path:
        return self._folder / f"release{index}.npz"

    @property
    def _folder(self) -> Path:
        return self.out / "checkpoint"

    def _save(self) -> None:
        saved = {
            "options": self.options,
            "grants": self.grants,
            "results": [asdict(result) for result in self.results],
        }
        part = self._folder / "session.json.part"
        with open(part, "w") as file:
            json.dump(saved, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self._folder / "session.json")


def _result(saved: dict[str, Any]) -> Result:
    return Result(**{**saved, "curve": [tuple(point) for point in saved["curve"]]})


def open_accounts(ledger: Ledger, population: str, plan: Plan, limit: float | None) -> None:
    """Opens the accounts a plan will charge, where nobody has opened them yet.

    The public ones get `limit`, and are refused if they have another; the others only record.
    """
    known = {(a.observer, a.unit, a.relation) for a in ledger.spent(population)}
    for promise in plan.guarantees:
        limited = limit is not None and promise.observer == "public"
        if limited or (promise.observer, promise.unit, promise.relation) not in known:
            epsilon = limit if limit is not None and limited else math.inf
            ledger.limit(population, promise.observer, promise.relation, epsilon, 1.0, promise.unit)


def _worth_a_look(rounds: int, of: int) -> bool:
    step = max(1, of // CURVE_POINTS)
    return rounds % step == 0 or rounds == of
