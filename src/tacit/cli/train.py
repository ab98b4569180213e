"""`tacit train`: the same model under every trust model, and the price of each.

What the command will release is planned, and known to fit its folder and the people's accounts,
before the first file or charge. From then on it is a session, which a run that was stopped, or
refused half-way, goes on with.

Of several processes (`several`) the first has folder, ledger and session, and all is as if it were
alone; the others plan the same releases and play along.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from json import dumps, loads
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import account_tables, report, room, several, steps, tables, voice, work
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop
from tacit.cli.meeting import Team
from tacit.cli.planned import MOST_SEED, Planned, planned, play_along
from tacit.cli.session import Session, resumption
from tacit.cli.tasks import Task
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger, OverBudget, Spent
from tacit.plan import Plan
from tacit.population import hosts as all_hosts

NOTHING_YET = "stopped before anything was charged"
BESIDE_RESUME = ("resume", "json", "hosts", "host", "meet")
OPENING = (
    "The same model learns from the same people under each trust model: first with settings tuned "
    "for that one, then with one setting for all. A row says against whom it promises what (ε, δ), "
    "and what that costs in accuracy on data nobody learned from. Rows promise different things "
    "to different observers: read ε first."
)

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def train(
    context: typer.Context,
    data: work.DataOption = work.TrainingData.digits,
    data_dir: work.DirOption = None,
    writers_dir: work.WritersOption = None,
    people: work.PeopleOption = work.People.batches,
    model: work.ModelOption = work.Model.cnn,
    update: steps.RuleOption = steps.UpdateRule.gradient,
    epochs: steps.EpochsOption = None,
    batch: steps.BatchOption = None,
    server: steps.ServerOption = steps.ServerRule.descent,
    rate: steps.RateOption = None,
    schedule: steps.ScheduleOption = steps.Shrinking.constant,
    warm_up: steps.WarmUpOption = 0,
    rounds: work.RoundsOption = 20,
    epsilon: work.EpsilonOption = 2.0,
    delta: work.DeltaOption = 1e-5,
    local_epsilon: work.LocalOption = 8.0,
    direction: work.DirectionOption = 56.0,
    magnitude: work.MagnitudeOption = 8.0,
    radius: work.RadiusOption = None,
    upload: work.UploadOption = None,
    setting: work.OnlyOption = None,
    sweep: Annotated[bool, typer.Option(help="Also train at other budgets, for a picture.")] = True,
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("demo"),
    ledger: Annotated[
        str | None, typer.Option(help="The people's ledger: a file or database URL.")
    ] = None,
    limit: Annotated[
        float, typer.Option(help="Epsilon of each account of the public, for ever.")
    ] = math.inf,
    limit_delta: Annotated[
        float | None,
        typer.Option(help="Delta beside --limit.", show_default=f"{room.LIMIT_DELTA:g}"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For tests: repeatable, and therefore not private.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="The checkpoint folder of a run that was cut off.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
    hosts: several.HostsOption = 1,
    host: several.HostOption = 0,
    meet: several.MeetOption = None,
) -> None:
    """Trains the same model under every trust model and shows the price of each."""
    team = Team(hosts, host, meet)
    stop = Stop(NOTHING_YET if resume is None else _going_on(resume, team))
    with several.joined(team, context, stop), several.stopping(team, stop):
        if resume is None:
            work.refuse_of_mnist(context, data)
            own_limit = room.limit_of(limit, limit_delta)
            if seed is not None and not 0 <= seed < MOST_SEED:
                raise ValueError(f"--seed must be at least 0 and below {MOST_SEED}, got {seed}")
            options = {
                **work.shared_options(locals()),
                "sweep": sweep,
                "ledger": ledger or str(out / "ledger.db"),
                "limit": own_limit and [*own_limit],
                "seed": seed,
            }
            _begin(options, out, stop, json, team)
        else:
            _refuse_other_options(context)
            _go_on(resume, stop, json, team)


def _begin(options: dict[str, Any], out: Path, stop: Stop, json: bool, team: Team) -> None:
    """A new session, once all of it is known to fit."""

    def begun(task: Task, releases: list[Planned]) -> Session:
        if Path(options["ledger"]).parent != out:
            # A ledger that cannot be used is refused before anything else is written.
            Ledger(options["ledger"])
        session = Session.start(out, options, len(releases))
        stop.left = _going_on(session.folder, team)
        return session

    fitting = partial(_fitting, options, out, stop, team)
    _play(fitting, begun, options, stop, json, team)


def _fitting(
    options: dict[str, Any], out: Path, stop: Stop, team: Team
) -> tuple[Task, list[Planned]]:
    """What is played, for which there is room; nothing is written."""
    if team.first:
        Session.refuse_unfinished(out)
        room.refuse_unwritable(out, ("report.html", "receipt.json"), ("models", "checkpoint"))
    task, jobs = work.task_and_jobs(options)
    releases = planned(task, jobs, stop.check)
    if team.first:
        plans = [release.plan for release in releases]
        with room.looked_at(options["ledger"]) as book:
            _refuse_unaffordable(book, task, plans, room.limited(options))
    stop.check()
    return task, releases


def _go_on(resume: Path, stop: Stop, json: bool, team: Team) -> None:
    """The session of a folder; its options are told to all."""
    told = all_hosts.decided(lambda: dumps(Session.resume(resume).options).encode())
    options = {**steps.PLAIN, **loads(told)}

    def fitting() -> tuple[Task, list[Planned]]:
        task, jobs = work.task_and_jobs(options)
        return task, planned(task, jobs, stop.check)

    def begun(task: Task, releases: list[Planned]) -> Session:
        session, ledger = Session.resume(resume), Ledger(options["ledger"])
        plans = session.uncharged(releases, ledger, task.population.name)
        _refuse_unaffordable(ledger, task, plans, room.limited(options))
        return session

    _play(fitting, begun, options, stop, json, team)


def _play(
    fitting: Callable[[], tuple[Task, list[Planned]]],
    begun: Callable[[Task, list[Planned]], Session],
    options: dict[str, Any],
    stop: Stop,
    json: bool,
    team: Team,
) -> None:
    """Once all processes have what they play, the first begins, and the others follow."""
    task, releases = all_hosts.together(fitting)
    if not team.first:
        all_hosts.alone(bytes)
        play_along(task, releases, options)
        all_hosts.alone(bytes)
        return
    session = all_hosts.together(lambda: begun(task, releases))
    _train(session, task, releases, Ledger(options["ledger"]), stop, json)


def _train(
    session: Session,
    task: Task,
    releases: list[Planned],
    ledger: Ledger,
    stop: Stop,
    json: bool,
) -> None:
    if not json:
        voice.opening(OPENING)
    try:
        with voice.progress(len(releases) - len(session.results), stop) as watch:
            session.run(task, releases, ledger, watch, stop.check)
    except OverBudget as error:
        # It all fitted before; somebody else was charged in between.
        if session.results:
            _write(session, task, ledger)
        raise OverBudget(
            f"{error.in_shell}; {len(session.results)} of {len(releases)} releases are finished "
            f"and kept in {session.out}/"
        ) from error
    all_hosts.alone(lambda: _show(session, task, ledger, stop, json))


def _show(session: Session, task: Task, ledger: Ledger, stop: Stop, json: bool) -> None:
    results, spent = session.results, _write(session, task, ledger)
    stop.check()
    if json:
        voice.data([asdict(result) for result in results])
        return
    titles = {"tuned": "settings tuned for each trust model", "shared": "one shared setting"}
    for table, title in titles.items():
        tables.results(title, [r for r in results if r.table == table])
    account_tables.accounts(spent)
    voice.note(f"report, receipt, models and ledger are in {session.out}/")


def _write(session: Session, task: Task, ledger: Ledger) -> list[Spent]:
    """The receipts and the report of what is finished; and what every account reads."""
    spent = ledger.spent(task.population.name)
    receipt.write(session.out / "receipt.json", [result.receipt for result in session.results])
    report.write(session.out / "report.html", task.name, session.results, spent)
    return spent


def _refuse_unaffordable(
    ledger: Ledger, task: Task, plans: Sequence[Plan], limit: room.Limit
) -> None:
    try:
        room.refuse_unaffordable(ledger, task.population.name, plans, limit)
    except OverBudget as error:
        if all(plan.private for plan in plans):
            raise
        raise OverBudget(f"{error.in_shell}; choose others than none with --setting") from error


def _going_on(folder: Path, team: Team) -> str:
    return f"stopped; what was done is kept, go on with: {resumption(folder)}{team.words}"


def _refuse_other_options(context: typer.Context) -> None:
    others = [option for option in work.given(context) if option not in BESIDE_RESUME]
    if others:
        raise ValueError(
            "--resume goes on with the options that the run was started with, and takes --json "
            f"alone beside it, got --{others[0]}"
        )
