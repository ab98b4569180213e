"""The command line: `tacit train`, `tacit compare`, `tacit plan`, `tacit verify`.

A refused command says one sentence, spends nothing, leaves nothing behind, and exits with
status 2; `verify` exits with status 1 if a receipt does not hold. All printing is `voice`'s.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy.exc import SQLAlchemyError

from tacit.accounting import receipt
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.ledger import Ledger, LedgerError, OverBudget
from tacit.cli import report, settings, voice
from tacit.cli.compare import price
from tacit.cli.ledger import commands as ledger_commands
from tacit.cli.plan import mean
from tacit.cli.session import Job, Session
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
    """Refusals become one sentence and exit status 2."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except REFUSALS as error:
            voice.refuse(" ".join(str(error).split()))
            raise typer.Exit(2) from error

    return run


@app.command()
@guarded
def train(
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
    if resume is None:
        options = {
            **_shared_options(locals()),
            "sweep": sweep,
            "ledger": ledger or str(out / "ledger.db"),
            "limit": None if math.isinf(limit) else limit,
            "seed": seed,
        }
        task, jobs = _work(options)
        # A ledger that cannot be used is refused before anything is written.
        book = Ledger(ledger) if ledger else None
        session = Session.start(out, options, len(jobs))
    else:
        session = Session.resume(resume)
        book, (task, jobs) = None, _work(session.options)
    _train(session, task, jobs, book or Ledger(session.options["ledger"]), json)


def _train(session: Session, task: Task, jobs: list[Job], ledger: Ledger, json: bool) -> None:
    with voice.progress(len(jobs) - len(session.results)) as watch:
        results = session.run(task, jobs, ledger, watch)
    receipt.write(session.out / "receipt.json", [result.receipt for result in results])
    spent = ledger.spent(task.population.name)
    report.write(session.out / "report.html", task.name, results, spent)
    if json:
        voice.data([asdict(result) for result in results])
        return
    voice.results("settings tuned for each trust model", [r for r in results if r.table == "tuned"])
    voice.results("one shared setting", [r for r in results if r.table == "shared"])
    voice.accounts(spent)
    voice.note(f"report, receipt, models and ledger are in {session.out}/")


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
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option, command = name.replace("_", "-"), context.invoked_subcommand
            raise ValueError(f"--{option} must follow `{command}`, and be an option of it")


@app.command()
@guarded
def verify(path: Annotated[Path, typer.Argument(help="A receipt.json.")]) -> None:
    """Recomputes every promise of a receipt with two accountants."""
    found = receipt.verify(path)
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
