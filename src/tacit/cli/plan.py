"""`tacit plan`: noise, promises and predicted errors of what `train` would do, and `plan mean`.

No data is touched and nothing spent: the numbers are those of the very plans that would be charged.
"""

from typing import TYPE_CHECKING

import typer

from tacit.cli import steps, tables, work
from tacit.cli.guard import guarded
from tacit.cli.plan_mean import mean
from tacit.late import LatePart

if TYPE_CHECKING:
    from tacit.accounting import accountant
    from tacit.cli import planned
    from tacit.plan import Plan
else:
    # Who is refused, or wants help, waits for no JAX.
    accountant, planned = LatePart("tacit.accounting.accountant"), LatePart("tacit.cli.planned")

# From one in ten thousand people to one in a hundred million: a choice, not measured.
DELTAS = (1e-4, 1e-5, 1e-6, 1e-8)

commands = typer.Typer(add_completion=False)


@commands.callback(invoke_without_command=True)
@guarded
def plan(
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
) -> None:
    """Shows noise, promises and predicted error of what `train` would do. Spends nothing.

    Of a model of your own, print(plan) in Python shows the same:
    docs/how-to-choose.md.
    """
    if context.invoked_subcommand is not None:
        _refuse_options_before(context)
        return
    work.refuse_of_mnist(context, data)
    task, jobs = work.task_and_jobs({**work.shared_options(locals()), "sweep": False})
    # All of them, before one is shown: what is refused shows nothing.
    for release in planned.planned(task, jobs):
        tables.plan(f"{release.job.setting.name} ({release.job.table})", release.page)
        tables.curve(_profile(release.plan))


commands.command()(guarded(mean))


def _refuse_options_before(context: typer.Context) -> None:
    """Options of `plan` say nothing to the commands under it, and are not passed over silently."""
    for option in work.given(context):
        command = context.invoked_subcommand
        raise ValueError(f"--{option} must follow `{command}`, and be an option of it")


def _profile(made: "Plan") -> list[tuple[str, float, float]]:
    """Epsilon at several deltas, for every promise that has a curve."""
    return [
        (p.observer, delta, accountant.epsilon(p.event, delta, p.relation).epsilon)
        for p in made.guarantees
        for delta in DELTAS
        if p.delta > 0
    ]
