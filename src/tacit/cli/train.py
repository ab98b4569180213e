"""`tacit train`: the same model under every trust model, and the price of each.

What the command will release is planned, and known to fit its folder and the people's accounts,
before the first file or charge. From then on it is a session, which a run that was stopped, or
refused half-way, goes on with.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.cli import report, tables, voice, work
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted
from tacit.cli.room import looked_at, refuse_unaffordable, refuse_unwritable
from tacit.cli.session import MOST_SEED, Planned, Session, planned, resumption
from tacit.cli.tasks import Task
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger, OverBudget, Spent
from tacit.plan import Plan

NOTHING_YET = "stopped before anything was charged"
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
    update: work.RuleOption = work.UpdateRule.gradient,
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
        float, typer.Option(help="Limit of each account of the public, one for each relation.")
    ] = math.inf,
    seed: Annotated[
        int | None, typer.Option(help="For tests: repeatable, and therefore not private.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="The checkpoint folder of a run that was cut off.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Trains the same model under every trust model and shows the price of each."""
    with noted(NOTHING_YET if resume is None else _going_on(resume)) as stop:
        if resume is None:
            if not limit > 0:
                raise ValueError(f"--limit must be positive, got {limit}")
            if seed is not None and not 0 <= seed < MOST_SEED:
                raise ValueError(f"--seed must be at least 0 and below {MOST_SEED}, got {seed}")
            options = {
                **work.shared_options(locals()),
                "sweep": sweep,
                "ledger": ledger or str(out / "ledger.db"),
                "limit": None if math.isinf(limit) else limit,
                "seed": seed,
            }
            _begin(options, out, stop, json)
        else:
            _refuse_other_options(context)
            _go_on(Session.resume(resume), stop, json)


def _begin(options: dict[str, Any], out: Path, stop: Stop, json: bool) -> None:
    """A new session, once all of it is known to fit."""
    Session.refuse_unfinished(out)
    refuse_unwritable(out, ("report.html", "receipt.json"), ("models", "checkpoint"))
    task, jobs = work.task_and_jobs(options)
    releases = planned(task, jobs, stop.check)
    with looked_at(options["ledger"]) as book:
        _refuse_unaffordable(book, task, [release.plan for release in releases], options["limit"])
    stop.check()
    if Path(options["ledger"]).parent != out:
        # A ledger that cannot be used is refused before anything else is written.
        Ledger(options["ledger"])
    session = Session.start(out, options, len(jobs))
    stop.left = _going_on(session.folder)
    _train(session, task, releases, Ledger(options["ledger"]), stop, json)


def _go_on(session: Session, stop: Stop, json: bool) -> None:
    task, jobs = work.task_and_jobs(session.options)
    releases, ledger = planned(task, jobs, stop.check), Ledger(session.options["ledger"])
    plans = session.uncharged(releases, ledger, task.population.name)
    _refuse_unaffordable(ledger, task, plans, session.options["limit"])
    _train(session, task, releases, ledger, stop, json)


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
            results = session.run(task, releases, ledger, watch, stop.check)
    except OverBudget as error:
        # It all fitted before; somebody else was charged in between.
        if session.results:
            _write(session, task, ledger)
        raise OverBudget(
            f"{error}; {len(session.results)} of {len(releases)} releases are finished and kept in "
            f"{session.out}/"
        ) from error
    spent = _write(session, task, ledger)
    stop.check()
    if json:
        voice.data([asdict(result) for result in results])
        return
    tables.results(
        "settings tuned for each trust model", [r for r in results if r.table == "tuned"]
    )
    tables.results("one shared setting", [r for r in results if r.table == "shared"])
    tables.accounts(spent)
    voice.note(f"report, receipt, models and ledger are in {session.out}/")


def _write(session: Session, task: Task, ledger: Ledger) -> list[Spent]:
    """The receipts and the report of what is finished; and what every account reads."""
    spent = ledger.spent(task.population.name)
    receipt.write(session.out / "receipt.json", [result.receipt for result in session.results])
    report.write(session.out / "report.html", task.name, session.results, spent)
    return spent


def _refuse_unaffordable(
    ledger: Ledger, task: Task, plans: Sequence[Plan], limit: float | None
) -> None:
    try:
        refuse_unaffordable(ledger, task.population.name, plans, limit)
    except OverBudget as error:
        if all(plan.private for plan in plans):
            raise
        raise OverBudget(f"{error}; choose others than none with --setting") from error


def _going_on(folder: Path) -> str:
    return f"stopped; what was done is kept, go on with: {resumption(folder)}"


def _refuse_other_options(context: typer.Context) -> None:
    """What is resumed has options of its own."""
    others = [option for option in work.given(context) if option not in ("resume", "json")]
    if others:
        raise ValueError(
            "--resume goes on with the options that the run was started with, and takes --json "
            f"alone beside it, got --{others[0]}"
        )
