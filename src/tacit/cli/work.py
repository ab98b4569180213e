"""What a command trains: the options that name the data, the people, the budget and the settings.

`train` and `plan` take the same ones, so that what `plan` shows is what `train` would do.
"""

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.steps import server_of, update_of
from tacit.late import LatePart

if TYPE_CHECKING:
    from tacit.cli import settings, tasks
    from tacit.cli.settings import Budgets, Job, TrustSetting
    from tacit.cli.tasks import Task
else:
    # Who is refused, or wants help, waits for no JAX.
    settings, tasks = LatePart("tacit.cli.settings"), LatePart("tacit.cli.tasks")

# Parts and multiples of what is promised, as many below it as above: a choice, not measured.
SWEEP = (0.25, 0.5, 2.0, 4.0)


class TrainingData(StrEnum):
    digits = "digits"
    mnist = "mnist"


class People(StrEnum):
    images = "images"
    batches = "batches"
    writers = "writers"


class Model(StrEnum):
    cnn = "cnn"
    linear = "linear"


DataOption = Annotated[TrainingData, typer.Option(help="What to learn from.")]
DirOption = Annotated[Path | None, typer.Option(help="Folder of the four MNIST IDX files.")]
WritersOption = Annotated[
    Path | None, typer.Option(help="Folder of QMNIST's writer labels, if another.")
]
PeopleOption = Annotated[People, typer.Option(help="Who a person is, for MNIST.")]
ModelOption = Annotated[Model, typer.Option(help="What is trained, for MNIST.")]
RoundsOption = Annotated[int, typer.Option(help="Rounds of each release, for MNIST.")]
EpsilonOption = Annotated[float, typer.Option(help="Central and shuffled promise.")]
DeltaOption = Annotated[float, typer.Option(help="Its delta.")]
LocalOption = Annotated[float, typer.Option(help="Local promise, for everything a person sends.")]
DirectionOption = Annotated[float, typer.Option(help="Federated: a report's direction.")]
MagnitudeOption = Annotated[float, typer.Option(help="Federated: a report's magnitude.")]
RadiusOption = Annotated[
    float | None, typer.Option(help="Federated: the server projects reports to this norm.")
]
UploadOption = Annotated[int | None, typer.Option(help="Bytes that a device may send in a round.")]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--setting", help="Only these settings (repeat).")
]

_OF_MNIST = ("data-dir", "writers-dir", "people", "model", "rounds")


def shared_options(given: dict[str, Any]) -> dict[str, Any]:
    names = (
        "data data_dir writers_dir people model update rounds epsilon delta local_epsilon "
        "direction magnitude radius upload setting epochs batch server rate schedule warm_up"
    )
    options = {name: given[name] for name in names.split()}
    return {k: str(v) if isinstance(v, Path | StrEnum) else v for k, v in options.items()}


def budgets(options: dict[str, Any]) -> "Budgets":
    """What these options promise."""
    if options["upload"] is not None and not options["upload"] > 0:
        raise ValueError(
            f"--upload must be a positive whole number of bytes, got {options['upload']}"
        )
    return settings.Budgets(
        options["epsilon"],
        options["delta"],
        options["local_epsilon"],
        options["direction"],
        options["magnitude"],
        math.inf if options["radius"] is None else options["radius"],
        options["upload"],
    )


def task_and_jobs(options: dict[str, Any]) -> "tuple[Task, list[Job]]":
    """The task and every release, in order, for these options."""
    budget, server = budgets(options), server_of(options)
    if options["data"] == TrainingData.digits:
        task, update = tasks.digits_task(), update_of(options, steps=1, rate=0.1)
        tuned = settings.tuned_digits(budget, update)
        shared = settings.shared_digits(budget, update)
    else:
        task, update = mnist_of(options), update_of(options, steps=5, rate=0.05)
        tuned = settings.tuned_mnist(budget, update, options["rounds"], task.population.people)
        shared = settings.shared_mnist(budget, update, options["rounds"])
    tuned, shared = (settings.stepped(chosen(rows, options), server) for rows in (tuned, shared))
    swept = settings.sweep(tuned, SWEEP) if options["sweep"] else ()
    tables = (("tuned", tuned), ("shared", shared), ("sweep", swept))
    return task, [settings.Job(table, row) for table, rows in tables for row in rows]


def mnist_of(options: dict[str, Any]) -> "Task":
    """The people who hold MNIST's images."""
    if options["data_dir"] is None:
        raise ValueError("MNIST needs --data-dir, the folder of its four IDX files")
    directory = Path(options["data_dir"])
    writers = Path(options["writers_dir"] or directory)
    return tasks.mnist_task(directory, writers, options["people"], options["model"] == Model.linear)


def chosen(rows: "tuple[TrustSetting, ...]", options: dict[str, Any]) -> "tuple[TrustSetting, ...]":
    """Those of the settings that were asked for; all, if none was."""
    names, known = options["setting"], [row.name for row in rows]
    unknown = set(names or ()) - set(known)
    if unknown:
        raise ValueError(f"--setting must be one of {', '.join(known)}, got {min(unknown)}")
    found = tuple(row for row in rows if not names or row.name in names)
    if options["upload"] is not None and not any(row.reports for row in found):
        reporting = ", ".join(row.name for row in rows if row.reports)
        raise ValueError(
            f"--upload bounds the reports of {reporting}, and --setting asks for "
            f"{', '.join(row.name for row in found)} alone"
        )
    return found


def refuse_of_mnist(context: typer.Context, data: TrainingData) -> None:
    """Raises a ValueError for an option that would say nothing of the digits."""
    alone = [name for name in given(context) if name in _OF_MNIST]
    if data == TrainingData.digits and alone:
        raise ValueError(f"--{alone[0]} is for --data mnist, got it with --data digits")


def given(context: typer.Context) -> list[str]:
    """The options that stand on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [
        name.replace("_", "-")
        for name, source in sources.items()
        if source is not None and source.name == "COMMANDLINE"
    ]
