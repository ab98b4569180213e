"""The command line: `tacit train`, `tacit compare`, `tacit plan`, `tacit verify`.

A refused command says one sentence, spends nothing, leaves nothing behind, and exits with
status 2; `verify` exits with status 1 if a receipt does not hold. One that is stopped says what is
left, and exits with 130 after Ctrl-C, with 143 after SIGTERM. All printing is `voice`'s.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy.exc import SQLAlchemyError

from tacit.accounting import receipt
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.ledger import Ledger, LedgerError, OverBudget, Spent
from tacit.cli import report, settings, voice
from tacit.cli.compare import price
from tacit.cli.interruption import Interrupted, Stop, noted
from tacit.cli.ledger import commands as ledger_commands
from tacit.cli.plan import mean
from tacit.cli.session import (
    Job,
    Planned,
    Session,
    looked_at,
    planned,
    refuse_unaffordable,
    refuse_unwritable,
    resumption,
)
from tacit.cli.settings import Budget, Setting
from tacit.cli.tasks import Task, digits_task, mnist_task
from tacit.data.dataset import DataError
from tacit.federated.updates import GradientSteps, ProximalPoint, Update
from tacit.plan import Plan
from tacit.population.checkpoint import CheckpointError

app = typer.Typer(
    name="tacit",
    help="Differentially private learning, in every trust model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

plans = typer.Typer()
app.add_typer(plans, name="plan")

REFUSALS = (
    ValueError,
    DataError,
    LedgerError,
    OverBudget,
    CheckpointError,
    receipt.ReceiptError,
    SQLAlchemyError,
    OSError,
)
SWEEP = (0.25, 0.5, 2.0, 4.0)
NOTHING_YET = "stopped before anything was charged"
# A thousand releases of a session have a seed each.
MOST_SEED = 2**64 // 1000
DELTAS = (1e-4, 1e-5, 1e-6, 1e-8)


class Data(StrEnum):
    digits = "digits"
    mnist = "mnist"


class People(StrEnum):
    images = "images"
    batches = "batches"
    writers = "writers"


class Model(StrEnum):
    cnn = "cnn"
    linear = "linear"


class Rule(StrEnum):
    gradient = "gradient"
    proximal = "proximal"


DataOption = Annotated[Data, typer.Option(help="What to learn from.")]
DirOption = Annotated[Path | None, typer.Option(help="Folder of the four MNIST IDX files.")]
WritersOption = Annotated[
    Path | None, typer.Option(help="Folder of QMNIST's writer labels, if another.")
]
PeopleOption = Annotated[People, typer.Option(help="Who a person is, for MNIST.")]
ModelOption = Annotated[Model, typer.Option(help="What is trained, for MNIST.")]
RuleOption = Annotated[Rule, typer.Option(help="What a device computes.")]
RoundsOption = Annotated[int, typer.Option(help="Rounds of each release, for MNIST.")]
EpsilonOption = Annotated[float, typer.Option(help="Central and shuffled promise.")]
DeltaOption = Annotated[float, typer.Option(help="Its delta.")]
LocalOption = Annotated[float, typer.Option(help="Local promise, for everything a person sends.")]
DirectionOption = Annotated[float, typer.Option(help="Federated: a report's direction.")]
MagnitudeOption = Annotated[float, typer.Option(help="Federated: a report's magnitude.")]
RadiusOption = Annotated[
    float | None, typer.Option(help="Federated: the server projects reports to this norm.")
]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--setting", help="Only these settings (repeat).")
]


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Refusals become one sentence and exit status 2; interruptions one, and their own status."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except REFUSALS as error:
            voice.refuse(" ".join(str(error).split()))
            raise typer.Exit(2) from error
        except Interrupted as stopped:
            voice.note(stopped.left)
            raise typer.Exit(stopped.status) from stopped

    return run


@app.command()
@guarded
def train(
    context: typer.Context,
    data: DataOption = Data.digits,
    data_dir: DirOption = None,
    writers_dir: WritersOption = None,
    people: PeopleOption = People.batches,
    model: ModelOption = Model.cnn,
    update: RuleOption = Rule.gradient,
    rounds: RoundsOption = 20,
    epsilon: EpsilonOption = 2.0,
    delta: DeltaOption = 1e-5,
    local_epsilon: LocalOption = 8.0,
    direction: DirectionOption = 56.0,
    magnitude: MagnitudeOption = 8.0,
    radius: RadiusOption = None,
    setting: OnlyOption = None,
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
                **_shared_options(locals()),
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
    task, jobs = _work(options)
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
    task, jobs = _work(session.options)
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
    try:
        with voice.progress(len(releases) - len(session.results), stop) as watch:
            results = session.run(task, releases, ledger, watch, stop.check)
    except OverBudget as error:
        # It all fitted before; somebody else was charged in between.
        if session.results:
            _write(session, task, ledger)
        raise OverBudget(
            f"{error}; {len(session.results)} of {len(releases)} releases are finished and kept in "
            f"{session.out}/, to go on once there is room: {resumption(session.folder)}"
        ) from error
    spent = _write(session, task, ledger)
    stop.check()
    if json:
        voice.data([asdict(result) for result in results])
        return
    voice.results("settings tuned for each trust model", [r for r in results if r.table == "tuned"])
    voice.results("one shared setting", [r for r in results if r.table == "shared"])
    voice.accounts(spent)
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


@plans.callback(invoke_without_command=True)
@guarded
def plan(
    context: typer.Context,
    data: DataOption = Data.digits,
    data_dir: DirOption = None,
    writers_dir: WritersOption = None,
    people: PeopleOption = People.batches,
    model: ModelOption = Model.cnn,
    update: RuleOption = Rule.gradient,
    rounds: RoundsOption = 20,
    epsilon: EpsilonOption = 2.0,
    delta: DeltaOption = 1e-5,
    local_epsilon: LocalOption = 8.0,
    direction: DirectionOption = 56.0,
    magnitude: MagnitudeOption = 8.0,
    radius: RadiusOption = None,
    setting: OnlyOption = None,
) -> None:
    """Shows noise, promises and predicted error of what `train` would do. Spends nothing."""
    if context.invoked_subcommand is not None:
        _refuse_options_before(context)
        return
    task, jobs = _work({**_shared_options(locals()), "sweep": False})
    for job in jobs:
        chosen = job.setting
        learner = task.learner(chosen.update, chosen.rate, chosen.average_from)
        made = chosen.plan(learner, task.population.people)
        voice.plan(f"{chosen.name} ({job.table})", made)
        voice.curve(_profile(made))


plans.command()(guarded(mean))
app.command("compare")(guarded(price))
app.add_typer(ledger_commands(guarded))


def _refuse_options_before(context: typer.Context) -> None:
    """Options of `plan` say nothing to the commands under it, and are not passed over silently."""
    for option in _given(context):
        command = context.invoked_subcommand
        raise ValueError(f"--{option} must follow `{command}`, and be an option of it")


def _refuse_other_options(context: typer.Context) -> None:
    """What is resumed has options of its own."""
    others = [option for option in _given(context) if option not in ("resume", "json")]
    if others:
        raise ValueError(
            "--resume goes on with the options that the run was started with, and takes --json "
            f"alone beside it, got --{others[0]}"
        )


def _given(context: typer.Context) -> list[str]:
    """The options that stand on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [
        name.replace("_", "-")
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    ]


@app.command()
@guarded
def verify(
    path: Annotated[Path, typer.Argument(help="A receipt.json.")],
    json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Recomputes every promise of a receipt with two accountants.

    Exits with status 1 if one does not hold, is of a seeded run, or nothing is promised.
    """
    found = receipt.verify(path)
    if json:
        voice.verdict_data(found)
    else:
        voice.verdict(found)
    if not found.ok:
        raise typer.Exit(1)


def _shared_options(given: dict[str, Any]) -> dict[str, Any]:
    names = (
        "data data_dir writers_dir people model update rounds epsilon delta local_epsilon "
        "direction magnitude radius setting"
    )
    options = {name: given[name] for name in names.split()}
    return {k: str(v) if isinstance(v, Path | StrEnum) else v for k, v in options.items()}


def _work(options: dict[str, Any]) -> tuple[Task, list[Job]]:
    """The task and every release, in order, for these options."""
    budget = Budget(
        options["epsilon"],
        options["delta"],
        options["local_epsilon"],
        options["direction"],
        options["magnitude"],
        math.inf if options["radius"] is None else options["radius"],
    )
    if options["data"] == Data.digits:
        task, update = digits_task(), _update(options["update"], steps=1, rate=0.1)
        tuned = settings.tuned_digits(budget, update)
        shared = settings.shared_digits(budget, update)
    else:
        task, update = _mnist(options), _update(options["update"], steps=5, rate=0.05)
        tuned = settings.tuned_mnist(budget, update, options["rounds"], task.population.people)
        shared = settings.shared_mnist(budget, update, options["rounds"])
    tuned, shared = _chosen(tuned, options["setting"]), _chosen(shared, options["setting"])
    swept = settings.sweep(tuned, SWEEP) if options["sweep"] else ()
    tables = (("tuned", tuned), ("shared", shared), ("sweep", swept))
    return task, [Job(table, row) for table, rows in tables for row in rows]


def _mnist(options: dict[str, Any]) -> Task:
    if options["data_dir"] is None:
        raise ValueError("--data mnist needs --data-dir, the folder of the four IDX files")
    directory = Path(options["data_dir"])
    writers = Path(options["writers_dir"] or directory)
    return mnist_task(directory, writers, options["people"], options["model"] == Model.linear)


def _update(rule: str, steps: int, rate: float) -> Update:
    return GradientSteps(steps, rate) if rule == Rule.gradient else ProximalPoint(5, rate)


def _chosen(rows: tuple[Setting, ...], names: list[str] | None) -> tuple[Setting, ...]:
    known = [row.name for row in rows]
    unknown = set(names or ()) - set(known)
    if unknown:
        raise ValueError(f"--setting must be one of {', '.join(known)}, got {min(unknown)}")
    return tuple(row for row in rows if not names or row.name in names)


def _profile(made: Plan) -> list[tuple[str, float, float]]:
    """Epsilon at several deltas, for every promise that has a curve."""
    return [
        (p.observer, delta, certified_epsilon(p.event, delta, p.relation).epsilon)
        for p in made.guarantees
        for delta in DELTAS
        if p.delta > 0
    ]


if __name__ == "__main__":
    app()
