"""A plan as a page: what `print(plan)` shows, and `tacit plan`.

Every line is public before anything is asked. What no number tells is said in words, and not left
out: an answer that is drawn rather than measured has no noise to state, and where reports may be
cut the error depends on the data. Bounds are rounded up (`tacit.accounting.upper`).
"""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

from tacit.accounting.relation import Relation
from tacit.accounting.upper import upper, upper_delta

# Columns: what terminals have that nobody made wider.
WIDTH = 80
# The longest label, `promised`, and two blanks.
_LABEL = 10
_HEADINGS = ("kept from", "one", "neighbours", "ε", "δ", "found by")


class Promised(Protocol):
    """One promise of a plan."""

    @property
    def observer(self) -> str: ...

    @property
    def unit(self) -> str: ...

    @property
    def relation(self) -> Relation: ...

    @property
    def epsilon(self) -> float: ...

    @property
    def delta(self) -> float: ...

    @property
    def accountant(self) -> str: ...


@final
@dataclass(frozen=True)
class Page:
    """A plan's public numbers, to be read.

    Args:
      asked: the question in words.
      trust: the trust model's name and budget, as plain values.
      noise: the standard deviation on each number of a sum; zero if none is added, None if what is
        drawn is the answer.
      drawn_by: what draws the answer.
      ranks: by how many people a quantile is predicted to be off in rank; None if it is not one.
      distance: how far a chosen law may be from people's; None if it is not one.
      known: what else is known of an answer, in words; None if nothing is.
      of_least: how many times the least squared error of noise of its kind the answer's is, at
        most; None where that is not known.
      worst_of_least: that of its largest one of a number.
      queries: how many answers the error is of together; None where it is of one.
      report_errors: the largest mean squared error of one report, and that at the typical norm;
        None where none is declared.
      errors: the mean squared error of one answer at worst, None if it depends on the data, and
        that at the typical norm.
      shared_error: the part of an answer's error at worst that a round's projection adds.
      upload_bytes: what one person sends in one round.
      download_bytes: what tells one person a projected answer; None if it is not projected.
      promises: all of them; none if nothing is promised.
    """

    asked: str
    trust: Mapping[str, Any]
    noise: float | None
    drawn_by: str | None
    ranks: float | None
    distance: float | None
    known: str | None
    of_least: float | None
    worst_of_least: float | None
    queries: int | None
    report_errors: tuple[float, float | None]
    errors: tuple[float | None, float | None]
    shared_error: float
    upload_bytes: int
    download_bytes: int | None
    promises: Sequence[Promised]

    def __str__(self) -> str:
        return self.without()

    def without(self, *labels: str, **lines: str) -> str:
        """The page but for these lines, where they are of nothing that is asked; and with others
        in the place of those of their labels."""
        own = {**self._lines(), **lines}
        return self._of({label: text for label, text in own.items() if label not in labels})

    def instead(self, **lines: str) -> str:
        """The page with these lines, in the place of those of the same label or before the upload,
        where more is known of what is made of the answers."""
        own = self._lines()
        upload = own.pop("upload")
        return self._of({**own, **lines, "upload": upload})

    def _lines(self) -> dict[str, str]:
        return {
            "asked": self.asked,
            "trust": _budget(self.trust),
            "noise": self._noise(),
            "error": self._error(),
            "upload": self._upload(),
        }

    def _of(self, lines: Mapping[str, str]) -> str:
        promised = _table(self.promises) or [
            labelled("promised", "nothing: what is released may tell everything")
        ]
        return "\n".join([*(labelled(*line) for line in lines.items()), *promised])

    def _noise(self) -> str:
        where = "each number of a sum" if self.queries is None else "the noisiest answer's sum"
        on_sums = [f"{self.noise:.6g} on {where}"] if self.noise else []
        worst, typical = self.report_errors
        beside = "" if typical is None else f" ({math.sqrt(typical):.6g} at typical norms)"
        on_reports = [f"{math.sqrt(worst):.6g} on a report, at worst{beside}"] if worst > 0 else []
        if on_sums or on_reports:
            return f"standard deviation {' and '.join(on_sums + on_reports)}"
        drawn = self.drawn_by is not None and bool(self.promises)
        return f"on no sum: {self.drawn_by} draws the answer" if drawn else "none"

    def _error(self) -> str:
        worst, typical = self.errors
        if worst is None:
            return self._unknown()
        if worst == 0:
            return "none"
        beside = "" if typical is None else f", and {and_squared(typical)} at typical norms"
        if self.queries is not None:
            each = math.sqrt(worst / self.queries)
            beside = f"; {each:.4g} of each on average"
        whose = "an answer" if self.queries is None else f"all {self.queries:,} answers together"
        said = f"root mean squared {and_squared(worst)} of {whose}, at worst{beside}"
        return f"{said}{self._beside_error()}"

    def _beside_error(self) -> str:
        """What is known of the error besides: how near it is to the least, or a part of it."""
        if self.of_least is not None:
            return f"; at most {self.of_least:.5g} times the least square of such noise"
        if self.worst_of_least is not None:
            return f"; the worst at most {self.worst_of_least:.5g} times the least such square"
        if not self.shared_error:
            return ""
        return (
            f"; at worst {self.shared_error:.4g} of the square is the projection's, which "
            "falls with rounds and not with people"
        )

    def _unknown(self) -> str:
        """The error where the data have a part in it."""
        if self.known is not None:
            return self.known
        if self.distance is not None:
            return (
                "95% sure to be within three times the least distance of a law, and "
                f"{self.distance:.2g}, of people's law, in total variation"
            )
        if self.ranks is None:
            return "not known beforehand: it depends on the data"
        return (
            f"about {self.ranks:.2g} people off in rank on average, predicted for numbers that "
            "fill an eighth of the bounds evenly"
        )

    def _upload(self) -> str:
        up = f"{self.upload_bytes:,} bytes a person in a round"
        if self.download_bytes is None:
            return up
        return f"{up}, {self.download_bytes:,} down with its answer: both are projected"


def and_squared(error: float) -> str:
    """A mean squared error's root, and itself."""
    return f"{math.sqrt(error):.4g} (squared {error:.4g})"


def _budget(trust: Mapping[str, Any]) -> str:
    """The model's name and its own numbers; the parts of it by their names; no endless limit."""
    absent = None, str(math.inf)
    given = {name: value for name, value in trust.items() if value not in absent}
    said = [f"{name} {_plain(value)}" for name, value in given.items() if name != "type"]
    return ", ".join([str(trust.get("type", "")), *said])


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"({_budget(value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def folded(*texts: str) -> str:
    """Their lines, each broken between words at a page's width; a word alone may be longer."""
    whole: Any = {"break_long_words": False, "break_on_hyphens": False}
    lines = [line for text in texts for line in text.splitlines()]
    return "\n".join(textwrap.fill(line, WIDTH, **whole) for line in lines)


def labelled(label: str, text: str) -> str:
    """A line of a page, folded to its width beneath its own words."""
    return textwrap.fill(
        text, WIDTH, initial_indent=label.ljust(_LABEL), subsequent_indent=" " * _LABEL
    )


def _table(promises: Sequence[Promised]) -> list[str]:
    """A line of headings and one for each promise; columns are as wide as what is in them.

    The last column is folded, where the others leave it too little.
    """
    if not promises:
        return []
    rows = [_HEADINGS, *map(_cells, promises)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    first = ["promised", *[""] * len(promises)]
    return [
        line for label, row in zip(first, rows, strict=True) for line in _row(label, row, widths)
    ]


def _row(label: str, row: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The row's first line, and what its last cell needs besides."""
    *cells, last = row
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    before = f"{label.ljust(_LABEL)}{'  '.join(padded)}  "
    line, *folded = textwrap.wrap(last, max(WIDTH - len(before), _LABEL))
    return [before + line, *(" " * len(before) + part for part in folded)]


def _cells(p: Promised) -> tuple[str, ...]:
    numbers = upper(p.epsilon), upper_delta(p.delta)
    return p.observer, p.unit, p.relation.value, *numbers, p.accountant


def figures(number: float) -> str:
    """A number to be read: six digits, or all before the point of up to fifteen."""
    return f"{number:,.0f}" if 1e6 <= abs(number) < 1e15 else f"{number:,.6g}"
