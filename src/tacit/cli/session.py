"""A training session: several releases, remembered so that a killed one can go on.

The folder `checkpoint/` holds `session.json` (the options, and for each release its grant's
name and, once finished, its result) and the state of the release in progress. The names of
all grants are written before anything is charged, and a grant's name is an idempotency key, so
whatever moment the process dies at, going on asks the ledger for the same grants again: those
already charged are not charged twice.
"""

import json
import os
import secrets
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, final

import equinox as eqx
import jax

from tacit.cli.room import open_accounts
from tacit.cli.settings import Job
from tacit.cli.tasks import Task
from tacit.cli.voice import Watch
from tacit.federated.training import Training
from tacit.learning.progress import Progress
from tacit.ledger.ledger import Finished, Ledger
from tacit.plan import Plan
from tacit.population.checkpoint import Checkpoint, CheckpointError
from tacit.population.release import Release

CURVE_POINTS = 20
# Every release of a session has a seed of its own.
MOST_RELEASES = 1000
MOST_SEED = 2**64 // MOST_RELEASES


@final
@dataclass(frozen=True, eq=False)
class Planned:
    """A job with the learner that will play it, and its plan."""

    job: Job
    learner: Training
    plan: Plan


def planned(
    task: Task, jobs: Sequence[Job], check: Callable[[], None] = lambda: None
) -> list[Planned]:
    """Every job, planned; `check` is called between two. Spends nothing."""
    found = []
    for job in jobs:
        check()
        setting = job.setting
        learner = task.learner(setting.update, setting.rate, setting.average_from)
        found.append(Planned(job, learner, setting.plan(learner, task.population.people)))
    return found


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
        session.folder.mkdir(parents=True, exist_ok=True)
        for stale in session.folder.glob("*.npz"):
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

    @classmethod
    def refuse_unfinished(cls, out: Path) -> None:
        """Raises a CheckpointError if a run that was cut off is kept in `out`: it could not be
        gone on with once another is there."""
        try:
            kept = cls.resume(out / "checkpoint")
        except CheckpointError:
            return
        if len(kept.results) < len(kept.grants):
            raise CheckpointError(
                f"{out} holds a run that was cut off: go on with {resumption(kept.folder)}, or "
                "name another --out"
            )

    @property
    def folder(self) -> Path:
        """What `tacit train --resume` is given."""
        return self.out / "checkpoint"

    def uncharged(self, releases: Sequence[Planned], ledger: Ledger, population: str) -> list[Plan]:
        """The plans that this ledger has not been charged for yet."""
        known = {entry.grant_id for entry in ledger.history(population)}
        pairs = zip(releases, self.grants, strict=True)
        return [release.plan for release, grant in pairs if grant not in known]

    def run(
        self,
        task: Task,
        releases: Sequence[Planned],
        ledger: Ledger,
        watch: Watch,
        check: Callable[[], None] = lambda: None,
    ) -> list[Result]:
        """Plays every release that has no result yet.

        Args:
          task: the people, and how well a model does.
          releases: as `planned` from this session's jobs.
          ledger: the people's.
          watch: told the rounds done, of how many, and the last accuracy.
          check: called between rounds and releases; what it raises stops the session there.
        """
        for index in range(len(self.results), len(releases)):
            check()
            self.results.append(self._play(index, task, releases[index], ledger, watch, check))
            self._save()
        check()
        return self.results

    def _play(
        self,
        index: int,
        task: Task,
        release: Planned,
        ledger: Ledger,
        watch: Watch,
        check: Callable[[], None],
    ) -> Result:
        job, learner, plan = release.job, release.learner, release.plan
        setting = job.setting
        open_accounts(ledger, task.population.name, [plan], self.options["limit"])
        began, curve = time.monotonic(), []

        def look(rounds: int, state: Progress) -> None:
            if _worth_a_look(rounds, setting.rounds):
                curve.append((rounds, task.accuracy(learner.released(state))))
            watch(setting.name, rounds, setting.rounds, curve[-1][1] if curve else None)
            # A process that ends while a round is computed may crash on its way out.
            jax.block_until_ready(state)
            check()

        made = self._released(index, task, plan, learner, ledger, look)
        model = learner.released(made.state)
        self._keep(job, model)
        seconds = time.monotonic() - began
        accuracy = task.accuracy(model)
        return Result(job.table, setting.name, accuracy, curve, seconds, made.receipt())

    def _released(
        self,
        index: int,
        task: Task,
        plan: Plan,
        learner: Training,
        ledger: Ledger,
        look: Callable[[int, Progress], None],
    ) -> Release:
        """What the release comes to: played, or read if it was finished but never noted down."""
        name, saved = self.grants[index], Checkpoint(self._state(index))
        named = {"grant_id": name, "checkpoint": saved, "at_once": task.at_once}
        seed = self._seed(index)
        try:
            grant = task.population.grant(plan, learner, ledger, **named, seed=seed)
        except Finished:
            own = task.population.name, plan, learner, ledger, saved
            return Release.read(name, *own, seeded=seed is not None)
        return grant.run(watch=look)

    def _keep(self, job: Job, model: eqx.Module) -> None:
        folder = self.out / "models"
        folder.mkdir(exist_ok=True)
        if job.table != "sweep":
            eqx.tree_serialise_leaves(folder / f"{job.table}-{job.setting.name}.eqx", model)

    def _seed(self, index: int) -> int | None:
        seed = self.options["seed"]
        return None if seed is None else seed * MOST_RELEASES + index

    def _state(self, index: int) -> Path:
        return self.folder / f"release{index}.npz"

    def _save(self) -> None:
        saved = {
            "options": self.options,
            "grants": self.grants,
            "results": [asdict(result) for result in self.results],
        }
        part = self.folder / "session.json.part"
        with open(part, "w") as file:
            json.dump(saved, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.folder / "session.json")


def resumption(folder: Path) -> str:
    """The command that goes on with the session of this checkpoint folder, as a shell takes it."""
    return f"tacit train --resume {shlex.quote(str(folder))}"


def _result(saved: dict[str, Any]) -> Result:
    return Result(**{**saved, "curve": [tuple(point) for point in saved["curve"]]})


def _worth_a_look(rounds: int, of: int) -> bool:
    step = max(1, of // CURVE_POINTS)
    return rounds % step == 0 or rounds == of
