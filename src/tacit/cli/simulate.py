"""`tacit simulate`: what training with millions of people would give, tried on a few.

A plan of the declared people is made, and so many of those there are play its rounds; the server's
noise on the mean is that of the declared cohort. Nothing is charged: none of it is private, and
every table and receipt says so.

With a folder, the state of every setting is remembered there, and the receipts are at the end. The
same command goes on with what is there: a setting that is over is read, and one that was cut off
goes on in the round it was in. A folder whose states are of other options is refused.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, final

import typer

from tacit.cli import looks, several, steps, tables, voice, work
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop
from tacit.cli.looks import HeldOut, Looks
from tacit.cli.meeting import Team
from tacit.cli.planned import Planned, planned
from tacit.cli.settings import Job, simulated, stepped
from tacit.cli.simulation_folder import SimulationFolder
from tacit.cli.tasks import Task
from tacit.federated.training import Training
from tacit.learning.evaluation import Look
from tacit.population import hosts as all_hosts
from tacit.simulation import Simulated, Simulation

OPENING = (
    "A plan for the declared people, played by a few of those there are. Its ε are what the real "
    "run would promise; what is printed here comes from a simulation and is not private."
)
LEFT = "stopped: nothing of a simulation is kept without --out"
KEPT = "stopped; what was played is kept, the same command goes on"
# Options of no other command.
OWN = "population", "cohort", "drop_outs", "played", "held_out", "every", "seed"
commands = typer.Typer(add_completion=False)


@final
@dataclass(frozen=True)
class Tried:
    """A setting that was simulated, and how well its model does on the test part."""

    name: str
    found: Simulation
    accuracy: float
    seen: Sequence[Look]

    @property
    def data(self) -> dict[str, Any]:
        """What `--json` prints of it."""
        plan, promises = self.found.plan, self.found.plan.guarantees
        return {
            "setting": self.name,
            "simulation": str(self.found),
            "private": False,
            "accuracy": self.accuracy,
            "planned": {p.observer: {"epsilon": p.epsilon, "delta": p.delta} for p in promises},
            "upload_bytes": plan.upload_bytes,
            "download_bytes": plan.download_bytes,
            "error": plan.error,
            "played_error": self.found.error,
            "looks": looks.plain(self.seen),
        }


@commands.command()
@guarded
def simulate(
    context: typer.Context,
    data_dir: work.DirOption = None,
    writers_dir: work.WritersOption = None,
    people: work.PeopleOption = work.People.writers,
    model: work.ModelOption = work.Model.cnn,
    update: steps.RuleOption = steps.UpdateRule.gradient,
    epochs: steps.EpochsOption = None,
    batch: steps.BatchOption = None,
    server: steps.ServerOption = steps.ServerRule.descent,
    rate: steps.RateOption = None,
    schedule: steps.ScheduleOption = steps.Shrinking.constant,
    warm_up: steps.WarmUpOption = 0,
    rounds: work.RoundsOption = 100,
    epsilon: work.EpsilonOption = 2.0,
    delta: work.DeltaOption = 1e-7,
    direction: work.DirectionOption = 56.0,
    magnitude: work.MagnitudeOption = 8.0,
    radius: work.RadiusOption = None,
    upload: work.UploadOption = None,
    setting: work.OnlyOption = None,
    population: Annotated[int, typer.Option(help="People that are declared.")] = 10**7,
    cohort: Annotated[int, typer.Option(help="How many of them a round asks.")] = 20_000,
    drop_outs: Annotated[float, typer.Option(help="The share of these who do not report.")] = 0.0,
    played: Annotated[int, typer.Option(help="How many people play a round.")] = 200,
    held_out: looks.HeldOutOption = 0,
    every: looks.EveryOption = None,
    seed: Annotated[int | None, typer.Option(help="Of all that is drawn.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for receipts and states; needs --seed.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    hosts: several.HostsOption = 1,
    host: several.HostOption = 0,
    meet: several.MeetOption = None,
) -> None:
    """Trains on MNIST as if millions of people took part. Nothing of it is private."""
    given = {**locals(), **_NOT_ASKED}
    options = {**work.shared_options(given), **{name: given[name] for name in OWN}}
    folder = None if out is None else SimulationFolder(out, options)
    team, stop = Team(hosts, host, meet), Stop(KEPT if out else LEFT)

    def fitting() -> tuple[Task, Simulated, list[Planned], HeldOut]:
        if not 1 <= cohort <= population:
            raise ValueError(f"--cohort must be from 1 to --population, got {cohort}")
        if not 0 <= drop_outs < 1:
            raise ValueError(f"--drop-outs must be at least 0 and below 1, got {drop_outs:g}")
        if folder is not None and team.first:
            folder.refuse_unusable()
        return _planned(options, stop.check)

    with several.joined(team, context, stop), several.stopping(team, stop):
        task, few, releases, held_back = all_hosts.together(fitting)
        if folder is not None:
            all_hosts.alone(folder.open)
        if team.first and not json:
            voice.opening(OPENING)
        with voice.progress(len(releases), stop) if team.first else nullcontext() as watch:
            play = _Played(task, few, held_back, seed, folder, watch, stop)
            tried = [play.tried(release) for release in releases]
        all_hosts.alone(lambda: _show(tried, folder, json))


def _planned(
    options: dict[str, Any], check: Callable[[], None]
) -> tuple[Task, Simulated, list[Planned], HeldOut]:
    """Who plays, every setting planned for the declared people, and who looks on; nothing is
    played.

    Raises:
      ValueError: if an option is none of its kind, or more would play than a cohort has.
    """
    server, budget = steps.server_of(options), work.budgets(options)
    rule, people = steps.update_of(options, steps=5, rate=0.05), options["population"]
    asked = options["cohort"], options["drop_outs"]
    rows = work.chosen(simulated(budget, rule, options["rounds"], people, *asked), options)
    task, held_back = HeldOut.of(work.mnist_of(options), options["held_out"], options["every"])
    jobs = [Job("simulated", row) for row in stepped(rows, server)]
    few = Simulated(task.population, options["played"])
    releases = planned(task, jobs, check, people)
    for release in releases:
        few.refuse_unplayable(release.plan)
    return task, few, releases, held_back


def _show(tried: list[Tried], folder: SimulationFolder | None, json: bool) -> None:
    if folder is not None:
        folder.write([each.found for each in tried])
    if json:
        voice.data([each.data for each in tried])
        return
    if any(each.seen for each in tried):
        looks.shown([(each.name, each.seen) for each in tried])
    tables.tried(tried)


_NOT_ASKED: dict[str, Any] = {"data": work.TrainingData.mnist, "local_epsilon": 8.0}


@final
@dataclass(frozen=True)
class _Played:
    """What all settings have in common, and who looks on: the first process, where there are
    several, whose models are the same."""

    task: Task
    few: Simulated
    held_out: HeldOut
    seed: int | None
    folder: SimulationFolder | None
    watch: voice.Watch | None
    stop: Stop

    def tried(self, release: Planned) -> Tried:
        """One setting, played by a few."""
        row, learner = release.job.setting, release.learner
        looking = all_hosts.together(lambda: self._looking(row.name, learner))

        def seen(done: int, state: Any) -> None:
            if self.watch is not None:
                self.watch(row.name, done, row.rounds, None)
            self.stop.check()

        state = None if self.folder is None else self.folder.state(row.name)
        kept = {"seed": self.seed, "checkpoint": state, "at_once": self.task.at_once}
        found = self.few.run(release.plan, learner, **kept, watch=[*looking, seen])
        right = self.task.accuracy(learner.released(found.state))
        return Tried(row.name, found, right, [look for each in looking for look in each.all])

    def _looking(self, name: str, learner: Training) -> list[Looks]:
        """Who is told of the models of a setting, if anybody is, in the first process alone."""
        self.stop.check()
        if self.held_out.people is None or self.watch is None:
            return []
        if self.folder is None:
            return [self.held_out.looks(learner, [], lambda seen: None)]
        keep = partial(self.folder.keep_looks, name)
        return [self.held_out.looks(learner, self.folder.looks(name), keep)]
