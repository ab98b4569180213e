"""The report: one self-contained page with three pictures.

Accuracy against rounds, accuracy against epsilon, and what is spent of each limit. The
pictures are drawn as SVG inside the page, so the file can be mailed.
"""

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tacit import picture
from tacit.accounting.upper import upper
from tacit.cli.session import Result
from tacit.ledger.ledger import Spent
from tacit.picture import COLOURS

PAGE = jinja2.Environment(autoescape=True).from_string(
    """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>tacit: {{ task }}</title>
<style>
 body { font: 16px/1.5 Georgia, serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
 table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
 th, td { text-align: left; padding: 0.25rem 0.6rem; border-bottom: 1px solid #ddd; }
 td.number { text-align: right; font-variant-numeric: tabular-nums; }
 svg { max-width: 100%; height: auto; } .warn { color: #a33; }
</style></head><body>
<h1>The price of privacy on {{ task }}</h1>
{% if not private %}<p class="warn">This run was seeded: its noise can be replayed, so nothing in
it is private.</p>{% endif %}
<p>The same model, learned by the same learner under each trust model. Test images were used to
measure and for nothing else. The settings of the first table were fixed beforehand: for digits on
training images held out for that, for MNIST by judgement; that choice is not part of any promise
below.</p>
{% for title, rows in tables %}
<h2>{{ title }}</h2>
<table><tr><th>setting</th><th>promises</th><th>test accuracy</th><th>seconds</th></tr>
{% for row in rows %}<tr><td>{{ row.name }}</td><td>
{% for p in row.receipt.guarantees %}kept from the {{ p.observer }}: ε = {{ upper(p.epsilon) }},
δ = {{ "%g"|format(p.delta) }}, one {{ p.unit }}, {{ p.relation }} ({{ p.accountant }})<br>
{% else %}none{% endfor %}</td>
<td class="number">{{ "%.1f"|format(100 * row.accuracy) }}%</td>
<td class="number">{{ "%.1f"|format(row.seconds) }}</td></tr>{% endfor %}
</table>{% endfor %}
<h2>Accuracy against rounds</h2>{{ rounds }}
{% if budgets %}<h2>Accuracy against ε</h2>{{ budgets }}{% endif %}
{% if spent %}<h2>The budget spent</h2>
<p>Every release above is charged to the people's ledger, one account for each observer and
relation; accounts are never added to one another. Those that have a limit:</p>
{{ spent }}{% endif %}
</body></html>
"""
)


def write(path: Path, task: str, results: Sequence[Result], spent: Sequence[Spent]) -> None:
    """Writes the page for finished `results` and what is spent of the ledger's limits."""
    limited = [a for a in spent if math.isfinite(a.limit_epsilon)]
    named = {kind: [r for r in results if r.table == kind] for kind in ("tuned", "shared", "sweep")}
    page = PAGE.render(
        task=task,
        upper=upper,
        private=all(r.receipt["private"] for r in results),
        tables=(
            ("Settings tuned for each trust model", named["tuned"]),
            ("One shared setting", named["shared"]),
        ),
        rounds=_rounds(named["tuned"]),
        budgets=_budgets(named["tuned"], named["sweep"]) if named["sweep"] else "",
        spent=_spent(limited) if limited else "",
    )
    path.write_text(page)


def _rounds(results: Sequence[Result]) -> str:
    figure, axes = _axes("share of the rounds played", "test accuracy")
    for result in results:
        if result.curve:
            last = result.curve[-1][0]
            points = [(t / last, accuracy) for t, accuracy in result.curve]
            label = f"{result.name} ({last} rounds)"
            axes.plot(*zip(*points, strict=True), label=label, color=COLOURS[result.name])
    # What was played before a run was gone on with has no curve.
    if any(result.curve for result in results):
        axes.legend(frameon=False)
    return _svg(figure)


def _budgets(tuned: Sequence[Result], swept: Sequence[Result]) -> str:
    figure, axes = _axes("ε of one person's whole participation, at its worst observer", "")
    axes.set_xscale("log")
    for result in tuned:
        rows = sorted((_largest(r), r.accuracy) for r in (result, *swept) if r.name == result.name)
        if math.isinf(rows[0][0]):
            axes.axhline(result.accuracy, color=COLOURS["none"], linestyle=":", label="none")
            continue
        colour = COLOURS[result.name]
        axes.plot(*zip(*rows, strict=True), "o-", label=result.name, color=colour)
    axes.set_ylabel("test accuracy")
    axes.legend(frameon=False)
    return _svg(figure)


def _largest(result: Result) -> float:
    """The epsilon the setting is about: the public one, where there is one."""
    promises: list[dict[str, Any]] = result.receipt["guarantees"]
    public = [p["epsilon"] for p in promises if p["observer"] == "public"]
    return public[0] if public else math.inf


def _spent(spent: Sequence[Spent]) -> str:
    figure, axes = _axes("ε spent, by basic composition", "")
    names = [f"{a.observer}\n{a.relation.value}" for a in spent]
    bars = axes.barh(names, [a.epsilon for a in spent], color="#1b6ca8")
    axes.bar_label(bars, [upper(a.epsilon) for a in spent], padding=3)
    axes.margins(x=0.12)
    return _svg(figure)


def _axes(x: str, y: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> Markup:
    """The figure as an SVG element, the same bytes for the same figure."""
    text = io.StringIO()
    picture.save(figure, text)
    drawn = text.getvalue()
    return Markup(drawn[drawn.index("<svg") :])
