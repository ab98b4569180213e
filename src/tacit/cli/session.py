"""A training session: several releases, remembered so that a killed one can go on.

The folder `checkpoint/` holds `session.json` (the options, and for each release its grant's
name and, once finished, its result) and the state of the release in progress. The names of
all grants are written before anything is charged, and a grant's name is an idempotency key, so
whatever moment the process dies at, going on asks the ledger for the same grants again: those
already charged are not charged twice.

Of several processes the first alone has a session. It tells the others what is next, or that it was
refused or stopped between two releases; they `play_along`.
"""

import functools
import json
import secrets
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self, final

import equinox as eqx
import jax

from tacit.cli.planned import Planned, seed_of
from tacit.cli.room import limited, open_accounts
from tacit.cli.settings import Job
from tacit.cli.tasks import Task
from tacit.cli.voice import Watch
from tacit.learning.progress import Progress
from tacit.ledger.ledger import Ledger
from tacit.plan import Plan
from tacit.population import hosts
from tacit.population.checkpoint import Checkpoint, CheckpointError
from tacit.population.release import Release
from tacit.whole_file import replacing

# A release of so many rounds is looked at so often, one of more up to twice as often: a choice.
CURVE_POINTS = 20
Curve = list[tuple[int, float]]


@final
@dataclass
class Result:
    """What a finished job showed: accuracies on the test part, and its receipt."""

    table: str
    name: str
    accuracy: float
    curve: Curve
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
        seen: tuple[Curve, float] = ([], 0.0)
        following = functools.partial(self._next, task, releases, ledger, check)
        while at := hosts.number(functools.partial(following, seen)):
            seen = self._play(at - 1, task, releases[at - 1], ledger, watch, check)
        return self.results

    def _next(
        self,
        task: Task,
        releases: Sequence[Planned],
        ledger: Ledger,
        check: Callable[[], None],
        seen: tuple[Curve, float],
    ) -> int:
        """Which release is played next, from 1 on, once those before it are noted; 0 for none."""
        while (index := len(self.results)) < len(releases):
            check()
            if not self._finished(index, task, ledger):
                plans = [releases[index].plan]
                open_accounts(ledger, task.population.name, plans, limited(self.options))
                return index + 1
            self.results.append(self._noted(index, task, releases[index], ledger, *seen))
            self._save()
            seen = ([], 0.0)
        check()
        return 0

    def _play(
        self,
        index: int,
        task: Task,
        release: Planned,
        ledger: Ledger,
        watch: Watch,
        check: Callable[[], None],
    ) -> tuple[Curve, float]:
        """The accuracies on the way, and how long it took; the rest is in ledger and checkpoint."""
        setting, learner = release.job.setting, release.learner
        began, curve = time.monotonic(), []

        def look(rounds: int, state: Progress) -> None:
            if _worth_a_look(rounds, setting.rounds):
                curve.append((rounds, task.accuracy(learner.released(state))))
            watch(setting.name, rounds, setting.rounds, curve[-1][1] if curve else None)
            # A process that ends while a round is computed may crash on its way out.
            jax.block_until_ready(state)
            check()

        named = {"grant_id": self.grants[index], "checkpoint": self._state(index)}
        named |= {"at_once": task.at_once, "seed": seed_of(self.options, index)}
        task.population.grant(release.plan, learner, ledger, **named).run(watch=look)
        return curve, time.monotonic() - began

    def _finished(self, index: int, task: Task, ledger: Ledger) -> bool:
        entries = ledger.history(task.population.name)
        return any(own.grant_id == self.grants[index] and own.closed for own in entries)

    def _noted(
        self,
        index: int,
        task: Task,
        release: Planned,
        ledger: Ledger,
        curve: Curve,
        seconds: float,
    ) -> Result:
        """The result of a finished release, and its model in the folder."""
        job, learner = release.job, release.learner
        own = task.population.name, release.plan, learner, ledger, self._state(index)
        seeded = seed_of(self.options, index) is not None
        made = Release.read(self.grants[index], *own, seeded=seeded)
        model = learner.released(made.state)
        self._keep(job, model)
        accuracy = task.accuracy(model)
        return Result(job.table, job.setting.name, accuracy, curve, seconds, made.receipt())

    def _keep(self, job: Job, model: eqx.Module) -> None:
        folder = self.out / "models"
        folder.mkdir(exist_ok=True)
        if job.table != "sweep":
            eqx.tree_serialise_leaves(folder / f"{job.table}-{job.setting.name}.eqx", model)

    def _state(self, index: int) -> Checkpoint:
        return Checkpoint(self.folder / f"release{index}.npz")

    def _save(self) -> None:
        saved = {
            "options": self.options,
            "grants": self.grants,
            "results": [asdict(result) for result in self.results],
        }
        with replacing(self.folder / "session.json") as file:
            file.write(json.dumps(saved).encode())


def resumption(folder: Path) -> str:
    """The command that goes on with the session of this checkpoint folder, as a shell takes it."""
    return f"tacit train --resume {shlex.quote(str(folder))}"


def _result(saved: dict[str, Any]) -> Result:
    return Result(**{**saved, "curve": [tuple(point) for point in saved["curve"]]})


def _worth_a_look(rounds: int, of: int) -> bool:
    step = max(1, of // CURVE_POINTS)
    return rounds % step == 0 or rounds == of
