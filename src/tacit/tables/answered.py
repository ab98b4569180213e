"""What a table answers: a row for each group, with estimates and intervals, and its receipt."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, Any, final

from tacit.page import WIDTH
from tacit.plan import Choosing
from tacit.population.release import Release, met, promised
from tacit.tables.planned import TablePlan, none_in_words

_KIND = re.compile(r"(.+)\[(.*)\]")
# Of pandas' whole numbers that may be missing: from where, and to below which.
_WHOLE = {"Int64": (-(2**63), 2**63), "UInt64": (0, 2**64)}

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, eq=False, repr=False)
class TableAnswer:
    """Released numbers, all of them public: it holds nothing of the table, and may be pickled.

    Args:
      frame: a DataFrame with a row for each group: its keys, and for every number asked the
        estimate, and its limits in the columns ending in `_low` and `_high`.
      keys: the columns that say whose group it is.
      confidence: of each interval by itself.
      release: what was run.
      kept: how much of a person's rows counts, in words.
      plan: what was promised before the data were read: what the question's own `plan` says.
      remarks: what is to be known beside it, of what is released and declared.
    """

    frame: Any
    keys: Sequence[str]
    confidence: float
    release: Release
    kept: str
    plan: TablePlan
    remarks: tuple[str, ...] = ()

    def receipt(self) -> dict[str, Any]:
        """Everything from which anybody can recompute every promise."""
        return self.release.receipt()

    def plot(self, *names: str) -> "Figure":
        """A picture of these numbers, or of all: a dot for each estimate, a bar for its interval.

        Of no group there is nothing but the words. Of more groups that nobody declared than can be
        read, the first are drawn, and the words say so.

        Returns:
          a Matplotlib figure, which a notebook shows and `savefig` writes.

        Raises:
          ValueError: if there is no such number, or there are more lines than can be read.
        """
        from tacit.tables.drawn import drawn, readable

        found = isinstance(self.release.plan.server, Choosing)
        return (readable if found else drawn)(self.frame, self.keys, names, self.said)

    @property
    def said(self) -> str:
        """How sure its intervals are, or why there is none; what is promised, what counts, and what
        is remarked."""
        sure, plan = f"{100 * self.confidence:.6g}% intervals", self.release.plan
        if not len(self.frame):
            sure = none_in_words(plan)
        missing = f"; missing: {self.plan.missing}" * bool(self.plan.missing)
        promises = promised(plan, self.release.private, met)
        return "; ".join([sure, promises, f"counted: {self.kept}{missing}", *self.remarks])

    def __repr__(self) -> str:
        from tacit.tables.lined import in_lines

        below = fill(self.said, WIDTH)
        return f"{in_lines(self.frame, self.keys)}\n\n{below}" if len(self.frame) else below

    def _repr_html_(self) -> str:
        """For a notebook."""
        table = self.frame.to_html(index=False) if len(self.frame) else ""
        return f"{table}<p>{escape(self.said)}</p>"


def framed(columns: Mapping[str, Any]) -> Any:
    """The DataFrame of columns; whole numbers stay whole where one of a list is missing."""
    import pandas as pd

    return pd.DataFrame(
        {name: pd.Series(own, dtype=_kind_of(own)) for name, own in columns.items()}
    )


def numbers_of(frame: Any) -> list[str]:
    """Of an answer's DataFrame, the columns of estimates: those that have limits."""
    columns = set(frame.columns)
    return [name for name in frame.columns if {f"{name}_low", f"{name}_high"} <= columns]


def values_of(frame: Any, keys: Sequence[str]) -> dict[str, str]:
    """The columns of values that were chosen, by the number of how many rows have each."""
    numbers = set(numbers_of(frame))
    others = {name + end for name in numbers for end in ("", "_low", "_high")} | set(keys)
    return {f"{name}_n": name for name in frame.columns if name not in others}


def kinds_of(frame: Any) -> dict[str, dict[str, str]]:
    """Its numbers by name, each with its columns: of a histogram's `sexes[f]` for every kind, and
    of any other alone, for no kind."""
    found: dict[str, dict[str, str]] = {}
    for column in numbers_of(frame):
        kind = _KIND.fullmatch(column)
        name, of = (kind[1], kind[2]) if kind else (column, "")
        found.setdefault(name, {})[of] = column
    return found


def _kind_of(column: Any) -> Any:
    """None where pandas finds it: of whole numbers beside a missing one it would make floats."""
    whole = [each for each in column if type(each) is int] if isinstance(column, list) else []
    if not (whole and None in column):
        return None
    fits = (kind for kind, (low, end) in _WHOLE.items() if low <= min(whole) and max(whole) < end)
    return next(fits, object)
