"""What an engine found of keys that nobody declared: all of it secret until keys are chosen.

Every key that somebody has comes to this process (those of `at_least` people, where that was
asked), in columns: some twenty bytes and its own text, and eight for each cell that is summed.
Nothing may be left out of it for being many: that there are many, or that the process stopped,
would be about people.
"""

import importlib
from typing import Any

import numpy as np
from jaxtyping import Int64, UInt8

from tacit.population.keyed import KeyedTotals, PartSums
from tacit.tables.engine import quoting_nobody
from tacit.tables.statement import PRINTS, Statement


def keys_of(statement: Statement, rows: Any) -> KeyedTotals:
    """Every key's text, people and exact sums, in the order of the texts.

    Args:
      statement: what is asked, by keys that nobody declared.
      rows: the table.

    Raises:
      ValueError: if the statement does not fit the table.
      EngineError: if the engine stops.
    """
    table = quoting_nobody(statement.of(rows).to_pyarrow)
    part = _whole(table["part"]) if "part" in table.column_names else np.full(len(table), -1)
    # In an order of their own: a grant is bound to all of this, and engines have none.
    named = {each: table.filter(part == each) for each in range(-1, len(statement.aggregates))}
    wide = named.pop(-1).sort_by("group")
    texts, ends = _texts(wide["group"])
    sums = [_sums(wide, below, f"cell_{i}_") for i, below in named.items()]
    prints = np.array([_whole(wide[name])[:1] for name in PRINTS]).tobytes()
    return KeyedTotals(texts, ends, _whole(wide["people"]), sums, np.frombuffer(prints, np.uint8))


def _sums(wide: Any, below: Any, named: str) -> PartSums:
    """One aggregate's, of keys that are in `wide`."""
    columns = [name for name in wide.column_names if name.startswith(named)]
    cells = np.array([int(name.removeprefix(named)) for name in columns], np.int64)
    summed = [_whole(wide[name]) for name in columns]
    stacked = np.stack(summed, axis=1) if summed else np.zeros((len(wide), 0), np.int64)
    return PartSums(cells, stacked, *_one_by_one(wide, below))


def _one_by_one(wide: Any, below: Any) -> list[Int64[np.ndarray, " sums"]]:
    """Keys' numbers, cells and sums, in order."""
    if not len(below):
        return [np.zeros(0, np.int64)] * 3
    below = below.sort_by([("group", "ascending"), ("node", "ascending")])
    index_in = importlib.import_module("pyarrow.compute").index_in
    places = _whole(index_in(below["group"], wide["group"]).fill_null(-1))
    there = places >= 0
    return [each[there] for each in (places, _whole(below["node"]), _whole(below["many"]))]


def _whole(column: Any) -> Int64[np.ndarray, " keys"]:
    return column.to_numpy().astype(np.int64)


def _texts(column: Any) -> tuple[UInt8[np.ndarray, " bytes"], Int64[np.ndarray, " keys"]]:
    """All texts one after the other, and where each ends."""
    if not len(column):
        return np.zeros(0, np.uint8), np.zeros(0, np.int64)
    texts = column.cast("large_binary").combine_chunks()
    _, ends, joined = texts.buffers()
    ends = np.frombuffer(ends, np.int64)[texts.offset :][: len(texts) + 1]
    return np.frombuffer(joined, np.uint8)[ends[0] : ends[-1]], ends[1:] - ends[0]
