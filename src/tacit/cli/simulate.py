"""`tacit simulate`: what training with millions of people would give, tried on a few.

A plan of the declared people is made, and so many of those there are play its rounds; the server's
noise on the mean is that of the declared cohort. Nothing is charged and nothing kept but what is
printed: none of it is private, and every table says so.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated, Any, final

import typer

from tacit.cli import several, tables, voice, work
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop
from tacit.cli.meeting import Team
from tacit.cli.settings import TrustSetting, simulated
from tacit.cli.tasks import Task
from tacit.federated.training import Training
from tacit.plan import Plan
from tacit.population import hosts as all_hosts
from tacit.simulation import Simulated, Simulation

OPENING = (
    "A plan for the declared people, played by a few of those there are. Its ε are what the real "
    "run would promise; what is printed here comes from a simulation and is not private."
)
LEFT = "stopped: nothing of a simulation is kept"
commands = typer.Typer(add_completion=False)


@final
@dataclass(frozen=True)
class Tried:
    """A setting that was simulated, and how well its model does on the test part."""

    name: str
    found: Simulation
    accuracy: float

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
        }


@commands.command()
@guarded
def simulate(
    context: typer.Context,
    data_dir: work.DirOption = None,
    writers_dir: work.WritersOption = None,
    people: work.PeopleOption = work.People.writers,
    model: work.ModelOption = work.Model.cnn,
    update: work.RuleOption = work.UpdateRule.gradient,
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
    played: Annotated[int, typer.Option(help="How many people play a round.")] = 200,
    seed: Annotated[int | None, typer.Option(help="Of all that is drawn.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    hosts: several.HostsOption = 1,
    host: several.HostOption = 0,
    meet: several.MeetOption = None,
) -> None:
    """Trains on MNIST as if millions of people took part. Nothing of it is private."""
    options = {**work.shared_options({**locals(), **_NOT_ASKED}), "sweep": False}
    team = Team(hosts, host, meet)

    def fitting() -> tuple[Task, Simulated, tuple[TrustSetting, ...]]:
        if not 1 <= cohort <= population:
            raise ValueError(f"--cohort must be from 1 to --population, got {cohort}")
        task, budget = work.mnist_of(options), work.budgets(options)
        rule = work.update_of(options["update"], steps=5, rate=0.05)
        rows = work.chosen(simulated(budget, rule, rounds, population, cohort), options)
        return task, Simulated(task.population, played), rows

    with several.joined(team, context), several.stopping(team, LEFT) as stop:
        task, few, rows = all_hosts.together(fitting)
        if team.first and not json:
            voice.opening(OPENING)
        with voice.progress(len(rows), stop) if team.first else nullcontext() as watch:
            tried = [_tried(task, few, row, population, seed, watch, stop) for row in rows]
        all_hosts.alone(lambda: _show(tried, json))


def _show(tried: list[Tried], json: bool) -> None:
    if json:
        voice.data([each.data for each in tried])
        return
    tables.tried(tried)


_NOT_ASKED: dict[str, Any] = {"data": work.TrainingData.mnist, "local_epsilon": 8.0}


def _tried(
    task: Task,
    few: Simulated,
    row: TrustSetting,
    population: int,
    seed: int | None,
    watch: voice.Watch | None,
    stop: Stop,
) -> Tried:
    """One setting, planned for the declared people and played by a few.

    The first process looks on, and the others' models are the same.
    """

    def prepared() -> tuple[Training, Plan]:
        stop.check()
        learner = task.learner(row.update, row.rate, row.average_from)
        return learner, row.plan(learner, population)

    def seen(done: int, state: Any) -> None:
        if watch is not None:
            watch(row.name, done, row.rounds, None)
        stop.check()

    learner, plan = all_hosts.together(prepared)
    found = few.run(plan, learner, seed=seed, at_once=task.at_once, watch=seen)
    return Tried(row.name, found, task.accuracy(learner.released(found.state)))
