"""`tacit audit`: whether a promise holds, as far as runs can show, in one line.

Made people are the default: everybody at the lower bound, and a canary who is far out of bounds
there or not. `--data module:function` gives other neighbours. The status is 1 if the promise is
broken.
"""

from typing import Annotated, Any

import typer

from tacit import audit as audits
from tacit.audit.finding import AuditFinding
from tacit.audit.neighbouring import Neighbours
from tacit.audit.promises import EpsilonDelta
from tacit.cli import voice
from tacit.cli.audited import called, estimator_of, function_of, named_function, sure
from tacit.cli.guard import guarded
from tacit.trust.central import Central

# The exit status where a promise is broken: a command that is refused ends with 2 (`guard`).
BROKEN = 1
TargetArgument = Annotated[
    str, typer.Argument(help="module:function, of (data, seed); or an estimator's name.")
]
EpsilonOption = Annotated[float, typer.Option(help="What is promised.")]
DeltaOption = Annotated[float, typer.Option(help="Its delta.")]
RunsOption = Annotated[int, typer.Option(help="On each of two data sets.")]
CanariesOption = Annotated[
    int | None, typer.Option(help="One run of a function, with so many canaries instead.")
]
ConfidenceOption = Annotated[float, typer.Option(help="Of what is shown.")]
PeopleOption = Annotated[int, typer.Option(help="Besides the canary.")]
ColumnsOption = Annotated[
    int | None, typer.Option(help="Of a person's row.", show_default="one number")
]
BoundsOption = Annotated[tuple[float, float], typer.Option(help="Between which numbers are.")]
DataOption = Annotated[
    str | None, typer.Option(help="module:function that makes two neighbouring data sets.")
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="A parameter of the estimator (repeat).")
]
JsonOption = Annotated[bool, typer.Option("--json", help="The finding as JSON.")]
SeedOption = Annotated[int, typer.Option(help="Of the runs.")]

commands = typer.Typer(add_completion=False)


@commands.command()
@guarded
def audit(
    target: TargetArgument,
    epsilon: EpsilonOption,
    delta: DeltaOption = 0.0,
    runs: RunsOption = 1_000,
    canaries: CanariesOption = None,
    confidence: ConfidenceOption = 0.95,
    people: PeopleOption = 100,
    columns: ColumnsOption = None,
    bounds: BoundsOption = (0.0, 1.0),
    data: DataOption = None,
    set: SetOption = None,
    json: JsonOption = False,
    seed: SeedOption = 0,
) -> None:
    """Tests a promise: on your own function, or on an estimator.

    tacit audit mine:mean --epsilon 1 --people 100

    tacit audit LogisticRegression --epsilon 1 --set classes=[0,1] --runs 200
    """
    promise, terms = EpsilonDelta(epsilon, delta), {"confidence": confidence, "seed": seed}
    if canaries is not None and ":" not in target:
        raise ValueError(f"--canaries is of one run of a function, module:function, got {target}")
    if canaries is not None:
        own = audits.canaries_apart(canaries, people, bounds=bounds)
        own_function = sure(function_of(target), target)
        found = audits.in_one_run(own_function, *own, promise, **terms)
    else:
        made = _neighbours_of(data)
        function, default = _audited(target, promise, bounds, people, columns, set or ())
        found = audits.by_runs(function, made or default, promise, runs=runs, **terms)
    _said(found, json)


def _audited(
    target: str, promise: EpsilonDelta, bounds: Any, people: int, columns: int | None, given: Any
) -> tuple[Any, Neighbours]:
    """What is run, and on which data if nobody says."""
    own = named_function(target)
    if own is not None:
        if given:
            raise ValueError("--set is of an estimator, got a function")
        return own, audits.neighbours(people, columns, bounds=bounds)
    trust = Central(promise.epsilon, promise.delta)
    estimator = estimator_of(target, trust, bounds, people, given)
    return audits.fitting(estimator), audits.fit_neighbours(
        estimator, people, 1 if columns is None else columns
    )


def _neighbours_of(data: str | None) -> Neighbours | None:
    if data is None:
        return None
    made = called(function_of(data), data)
    if not (isinstance(made, tuple) and len(made) == 2):
        raise ValueError(f"{data} must return two data sets, got {type(made).__name__}")
    return Neighbours(*made)


def _said(found: AuditFinding, json: bool) -> None:
    if json:
        voice.data(found.to_json())
    else:
        voice.OUT.print(str(found), markup=False, highlight=False, soft_wrap=True)
    if found.broken:
        raise typer.Exit(BROKEN)
