"""What `tacit compare` found, as a table and as JSON; and what they share with its picture."""

from typing import Any

from rich.box import SIMPLE
from rich.table import Table

from tacit.accounting.upper import upper
from tacit.cli.cases import Case
from tacit.learning.compare import Comparison, Method, Point
from tacit.trust.nonprivate import NonPrivate

COMMONEST, WITHOUT = "commonest label", "without privacy"
ABOUT = "ε against the public, for one person replaced by another"


def trust_of(method: Method) -> str:
    """Whom people trust, in a word."""
    return type(method.trust).__name__.lower()


def promises(method: Method) -> bool:
    """Whether it promises anything."""
    return not isinstance(method.trust, NonPrivate)


def lines_of(found: Comparison) -> dict[Method, list[Point]]:
    """Of those that promise something."""
    return {method: line for method, line in found.lines().items() if promises(method)}


def levels_beside(case: Case, found: Comparison) -> dict[str, float]:
    """What to lay the lines beside: accuracies that no epsilon changes."""
    plain = [point.mean for point in found.points if not promises(point.method)]
    return {COMMONEST: case.commonest} | ({WITHOUT: plain[0]} if plain else {})


def as_json(case: Case, found: Comparison, seed: int | None) -> dict[str, Any]:
    """Everything, as JSON has it."""
    points = [
        {
            "method": point.method.name,
            "trust": trust_of(point.method),
            "epsilon": point.epsilon,
            "accuracy": point.mean,
            "spread": point.spread,
            "accuracies": point.accuracies,
            "receipts": point.receipts,
        }
        for line in lines_of(found).values()
        for point in line
    ]
    levels = {name.replace(" ", "_"): level for name, level in levels_beside(case, found).items()}
    return {"data": case.name, "seed": seed, "private": found.private, **levels, "points": points}


def table_of(case: Case, found: Comparison) -> Table:
    """Accuracies in per cent, and of several repetitions their spread."""
    lines = lines_of(found)
    title = f"test accuracy on {case.name}, %"
    table = Table(title=title, box=SIMPLE, padding=0, title_justify="left", caption_justify="left")
    table.add_column("method", max_width=16)
    table.add_column("trust", no_wrap=True)
    epsilons = [point.epsilon for point in next(iter(lines.values()))]
    for epsilon in epsilons:
        table.add_column(f"ε {epsilon:g}", justify="right", min_width=5)
    for method, points in lines.items():
        table.add_row(method.name, trust_of(method), *map(_cell, points))
    for name, level in levels_beside(case, found).items():
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
                whose = f"{trust_of(method)}, {observer}"
                every[whose] = max(epsilon, every.get(whose, 0.0))
                weaker += [whose] if epsilon > 1.01 * promised["public"] else []
    return [f"{whose}: ε up to {upper(every[whose])}" for whose in dict.fromkeys(weaker)]
