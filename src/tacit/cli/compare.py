"""`tacit compare`: test accuracy against epsilon, for several methods and whom people trust.

Every epsilon is a promise to the public over all that one release shows. What is promised to
others besides, a shuffler or a server, stands under the table. Nothing is written before
everything is done, and then each file in one move. A ledger is charged for nothing unless it has
room for all.
"""

import itertools
import json as written
import math
import os
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.box import SIMPLE
from rich.table import Table

from tacit import picture
from tacit.accounting.upper import upper
from tacit.cli import cases, tables, voice
from tacit.cli.cases import Case, ComparisonData
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted
from tacit.cli.room import looked_at, open_accounts, refuse_unaffordable, refuse_unwritable
from tacit.learning.classifiers import InRounds, NewtonRounds, PerturbedMinimum
from tacit.learning.compare import (
    Comparison,
    Method,
    Point,
    Trial,
    compare,
    refuse_out_of_range,
    trials,
)
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger
from tacit.picture import COLOURS
from tacit.trust.nonprivate import NonPrivate

FILES = ("compare.svg", "compare.json", "receipt.json")
COMMONEST, WITHOUT = "commonest label", "without privacy"
ABOUT = "ε against the public, for one person replaced by another"
STYLES = {InRounds: "-", PerturbedMinimum: "--", NewtonRounds: "-."}

DataOption = Annotated[ComparisonData, typer.Option(help="What to learn from.")]
OutOption = Annotated[Path, typer.Option(help="Folder for the picture, numbers and receipts.")]
DirectoryOption = Annotated[
    Path | None, typer.Option(help="For Adult: folder of adult.data and adult.test.")
]
EpsilonsOption = Annotated[str, typer.Option(help="Promises to the public, with commas between.")]
DeltaOption = Annotated[float, typer.Option(help="Their delta.")]
RepeatsOption = Annotated[int, typer.Option(help="Releases for each point.")]
LedgerOption = Annotated[
    str | None, typer.Option(help="The people's ledger: a file or database URL; else none is kept.")
]
PlainOption = Annotated[
    bool, typer.Option(help="Also without privacy, which a ledger with limits refuses.")
]
SeedOption = Annotated[
    int | None, typer.Option(help="For tests: repeatable, and therefore not private.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")]


commands = typer.Typer(add_completion=False)


@commands.command("compare")
@guarded
def price(
    out: OutOption,
    data: DataOption = ComparisonData.digits,
    directory: DirectoryOption = None,
    epsilons: EpsilonsOption = "0.5,1,2,4,8",
    delta: DeltaOption = 1e-5,
    repeats: RepeatsOption = 3,
    ledger: LedgerOption = None,
    plain: PlainOption = True,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> None:
    """Draws test accuracy against epsilon, for several methods and trust models.

    Each point is so many releases, each with its receipt. All of them together
    promise far less than one: compare on data that is public.
    """
    with noted("stopped before anything was charged") as stop:
        refuse_out_of_range(repeats, seed)
        refuse_unwritable(out, FILES)
        case = cases.of(data, directory, delta)
        methods = [method for method in case.methods if plain or _promises(method)]
        planned = trials(case.problem, methods, _numbers(epsilons))
        plans = [trial.asked.plan for trial in planned for _ in range(repeats)]
        if ledger:
            with looked_at(ledger) as looked:
                refuse_unaffordable(looked, case.name, plans, None)
        stop.check()
        # Where files will go, so that a folder nobody may write to is refused before any charge.
        with tempfile.TemporaryDirectory(prefix=".compare-", dir=_standing(out)) as folder:
            part = Path(folder)
            book = Ledger(ledger or part / "ledger.db")
            open_accounts(book, case.name, plans, None)
            found = _played(case, planned, repeats, book, stop, ledger, seed)
            numbers, spent = _plain(case, found, seed), book.spent(case.name)
            draw(part / FILES[0], case, found)
            (part / FILES[1]).write_text(written.dumps(numbers, indent=1) + "\n")
            receipt.write(part / FILES[2], found.receipts)
            stop.check()
            _move(part, out)
    if json:
        voice.data(numbers)
        return
    tables.accounts(spent)
    voice.OUT.print(_table(case, found))
    if not found.private:
        voice.note("this run was seeded: its noise can be replayed, so nothing in it is private")
    voice.note(f"picture, numbers and receipts are in {out}/")


def _move(part: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        os.replace(part / name, out / name)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(sorted(float(number) for number in text.split(",")))
    except ValueError as error:
        raise ValueError(f"--epsilons must be numbers with commas between, got {text}") from error


def _standing(folder: Path) -> Path:
    """The folder itself, or the nearest above it that there is."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


def _played(
    case: Case,
    planned: Sequence[Trial],
    repeats: int,
    book: Ledger,
    stop: Stop,
    ledger: str | None,
    seed: int | None,
) -> Comparison:
    releases = repeats * len(planned)
    done = itertools.count(1)
    stop.left = _left(0, releases, ledger)
    with voice.progress(releases, stop) as bars:

        def watch(trial: Trial, accuracy: float) -> None:
            bars(_trust(trial.method), 1, 1, accuracy)
            stop.left = _left(next(done), releases, ledger)
            stop.check()

        return compare(
            planned,
            case.train,
            case.test,
            name=case.name,
            repeats=repeats,
            ledger=book,
            seed=seed,
            watch=watch,
        )


def _left(done: int, of: int, ledger: str | None) -> str:
    """What an interrupted comparison leaves."""
    stopped = f"stopped after {done} of {of} releases; a comparison keeps nothing"
    if ledger is None:
        return f"{stopped}, and no ledger was charged"
    show = f"tacit ledger show {shlex.quote(ledger)}"
    return f"{stopped}, but they and one in progress stay charged: {show}"


def _trust(method: Method) -> str:
    return type(method.trust).__name__.lower()


def _promises(method: Method) -> bool:
    return not isinstance(method.trust, NonPrivate)


def _lines(found: Comparison) -> dict[Method, list[Point]]:
    """Of those that promise something."""
    return {method: line for method, line in found.lines().items() if _promises(method)}


def _levels(case: Case, found: Comparison) -> dict[str, float]:
    """What to lay the lines beside: accuracies that no epsilon changes."""
    plain = [point.mean for point in found.points if not _promises(point.method)]
    return {COMMONEST: case.commonest} | ({WITHOUT: plain[0]} if plain else {})


def _plain(case: Case, found: Comparison, seed: int | None) -> dict[str, Any]:
    """Everything, as JSON has it."""
    points = [
        {
            "method": point.method.name,
            "trust": _trust(point.method),
            "epsilon": point.epsilon,
            "accuracy": point.mean,
            "spread": point.spread,
            "accuracies": point.accuracies,
            "receipts": point.receipts,
        }
        for line in _lines(found).values()
        for point in line
    ]
    levels = {name.replace(" ", "_"): level for name, level in _levels(case, found).items()}
    return {"data": case.name, "seed": seed, "private": found.private, **levels, "points": points}


def _table(case: Case, found: Comparison) -> Table:
    """Accuracies in per cent, and of several repetitions their spread."""
    lines = _lines(found)
    title = f"test accuracy on {case.name}, %"
    table = Table(title=title, box=SIMPLE, padding=0, title_justify="left", caption_justify="left")
    table.add_column("method", max_width=16)
    table.add_column("trust", no_wrap=True)
    epsilons = [point.epsilon for point in next(iter(lines.values()))]
    for epsilon in epsilons:
        table.add_column(f"ε {epsilon:g}", justify="right", min_width=5)
    for method, points in lines.items():
        table.add_row(method.name, _trust(method), *map(_cell, points))
    for name, level in _levels(case, found).items():
        table.add_row(name, "", *[f"{100 * level:.1f}"] * len(epsilons))
    table.caption = "; ".join([ABOUT, *_beside(lines)])
    return table


def _cell(point: Point) -> str:
    spread = "" if point.spread is None else f" ±{100 * point.spread:.1f}"
    return f"{100 * point.mean:.1f}{spread}"


def _beside(lines: dict[Method, list[Point]]) -> list[str]:
    """Promises that are, at some point, weaker than the public's: to whom, and the weakest."""
    every, weaker = {}, []
    for method, points in lines.items():
        for point in points:
            promised = {p["observer"]: p["epsilon"] for p in point.receipts[0]["guarantees"]}
            for observer, epsilon in promised.items():
                whose = f"{_trust(method)}, {observer}"
                every[whose] = max(epsilon, every.get(whose, 0.0))
                weaker += [whose] if epsilon > 1.01 * promised["public"] else []
    return [f"{whose}: ε up to {upper(every[whose])}" for whose in dict.fromkeys(weaker)]


def draw(path: Path, case: Case, found: Comparison) -> None:
    """Accuracy against epsilon: a colour for each trust model, a dash for each way to learn."""
    lines = _lines(found)
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = _axes(figure, _title(case, found))
    ends = [(level, name, COLOURS["none"]) for name, level in _levels(case, found).items()]
    for level, _, colour in ends:
        axes.axhline(level, color=colour, linestyle=":")
    ends += [_line(axes, method, points) for method, points in lines.items()]
    epsilons = [point.epsilon for point in next(iter(lines.values()))]
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.minorticks_off()
    _name(axes, ends)
    picture.save(figure, path)


def _axes(figure: Figure, title: str) -> Axes:
    """Empty, of accuracy against epsilon."""
    axes = figure.subplots()
    axes.set(xscale="log", xlabel=ABOUT, ylabel="test accuracy")
    axes.set_title(title, loc="left", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return axes


def _title(case: Case, found: Comparison) -> str:
    repeats = len(found.points[0].accuracies)
    bars = f"; bars: deviation of one of {repeats} releases" if repeats > 1 else ""
    return f"The price of privacy on {case.name}, {case.problem.people:,} people{bars}"


def _line(axes: Axes, method: Method, points: list[Point]) -> tuple[float, str, str]:
    """Draws a method; where it ends, with its name and colour."""
    trust, style = _trust(method), STYLES[type(method.way)]
    across, up = [point.epsilon for point in points], [point.mean for point in points]
    # Of one repetition there is no spread, and no bar.
    bars = [math.nan if point.spread is None else point.spread for point in points]
    axes.errorbar(across, up, bars, color=COLOURS[trust], linestyle=style, marker="o", capsize=2)
    return up[-1], f"{method.name}, {trust}", COLOURS[trust]


def _name(axes: Axes, ends: list[tuple[float, str, str]]) -> None:
    """Names to the right of the lines, moved apart where lines end together."""
    low, high = axes.get_ylim()
    at, right = high, axes.get_xlim()[1]
    for level, name, colour in sorted(ends, reverse=True):
        at = min(level, at - 0.05 * (high - low))
        style: dict[str, Any] = {"color": colour, "va": "center", "annotation_clip": False}
        axes.annotate(name, (right, at), (6, 0), textcoords="offset points", **style)
