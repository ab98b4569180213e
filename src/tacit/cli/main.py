"""The command line: `tacit train`, `tacit compare`, `tacit plan`, `tacit verify`, `tacit ledger`.

A refused command says one sentence, spends nothing, leaves nothing behind, and exits with
status 2; `verify` exits with status 1 if a receipt does not hold. One that is stopped says what is
left, and exits with 130 after Ctrl-C, with 143 after SIGTERM. All printing is `voice`'s.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from sqlalchemy.exc import SQLAlchemyError

from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.cli import voice, work
from tacit.cli.compare import price
from tacit.cli.interruption import Interrupted
from tacit.cli.ledger import commands as ledger_commands
from tacit.cli.plan import mean
from tacit.cli.train import train
from tacit.data.dataset import DataError
from tacit.ledger import receipt
from tacit.ledger.ledger import LedgerError, OverBudget
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
DELTAS = (1e-4, 1e-5, 1e-6, 1e-8)


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


@plans.callback(invoke_without_command=True)
@guarded
def plan(
    context: typer.Context,
    data: work.DataOption = work.Data.digits,
    data_dir: work.DirOption = None,
    writers_dir: work.WritersOption = None,
    people: work.PeopleOption = work.People.batches,
    model: work.ModelOption = work.Model.cnn,
    update: work.RuleOption = work.Rule.gradient,
    rounds: work.RoundsOption = 20,
    epsilon: work.EpsilonOption = 2.0,
    delta: work.DeltaOption = 1e-5,
    local_epsilon: work.LocalOption = 8.0,
    direction: work.DirectionOption = 56.0,
    magnitude: work.MagnitudeOption = 8.0,
    radius: work.RadiusOption = None,
    setting: work.OnlyOption = None,
) -> None:
    """Shows noise, promises and predicted error of what `train` would do. Spends nothing."""
    if context.invoked_subcommand is not None:
        _refuse_options_before(context)
        return
    task, jobs = work.task_and_jobs({**work.shared_options(locals()), "sweep": False})
    for job in jobs:
        chosen = job.setting
        learner = task.learner(chosen.update, chosen.rate, chosen.average_from)
        made = chosen.plan(learner, task.population.people)
        voice.plan(f"{chosen.name} ({job.table})", made)
        voice.curve(_profile(made))


app.command()(guarded(train))
plans.command()(guarded(mean))
app.command("compare")(guarded(price))
app.add_typer(ledger_commands(guarded))


def _refuse_options_before(context: typer.Context) -> None:
    """Options of `plan` say nothing to the commands under it, and are not passed over silently."""
    for option in work.given(context):
        command = context.invoked_subcommand
        raise ValueError(f"--{option} must follow `{command}`, and be an option of it")


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
