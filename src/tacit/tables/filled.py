"""People with their records, in arrays that are filled from an engine batch by batch.

The engine decides which of a person's records are kept, by the digest that caps go by (`ranked`),
and hands them over in an order that follows from digests too: of the person, then of the record. So
neither what the arrays hold nor where follows from how rows are stored, and nobody's name leaves
the engine. How many people there are is counted beforehand; arrays are made once, of that size.

**Memory**: the arrays, in single precision, and one batch of 65,536 records; what the engine needs
to sort is its own, and DuckDB takes it from the disk if it has to. (Ibis brings Spark's answer as a
whole.)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, final

import jax
import numpy as np
from jaxtyping import Int64, PyTree

from tacit.accounting.guarantee import PERSON
from tacit.argument import counted, got, is_made, is_whole
from tacit.population.owned import OwnedRows
from tacit.population.owners import Group
from tacit.tables.caps import MOST_ROWS
from tacit.tables.engine import EngineError, quoting_nobody
from tacit.tables.features import RecordColumn
from tacit.tables.language import ibis
from tacit.tables.ranked import Ranked, joined, md5

# Records at a time, as **Memory** counts them.
BATCH = 2**16
_TARGET = "target"


@final
@dataclass(frozen=True)
class RecordArrays:
    """What every record holds.

    Args:
      features: in order.
      target: what is to be learnt, if anything is.
      at_most: how many records of one person are kept.
    """

    features: tuple[RecordColumn, ...]
    target: RecordColumn | None
    at_most: int

    @classmethod
    def told(cls, features: Any, target: Any, at_most: Any) -> Self:
        """From what was stated.

        Raises:
          ValueError: if a column is none, there is no feature, or `at_most` no number of records.
        """
        several = isinstance(features, Sequence) and not isinstance(features, str)
        columns: tuple[Any, ...] = tuple(features) if several else (features,)
        for each in (*columns, *(() if target is None else (target,))):
            if not is_made(each, RecordColumn):
                raise ValueError(
                    'a column of records is tables.number("days", 0, 30) or '
                    f'tables.category("ward", ["A", "B"]), got {got(each)}'
                )
        if not columns:
            raise ValueError("records need at least one feature, got none")
        if not (is_whole(at_most) and 1 <= at_most <= MOST_ROWS):
            raise ValueError(
                f"at_most must be a whole number from 1 to {MOST_ROWS:,}, got {got(at_most)}"
            )
        return cls(columns, target, counted(at_most))

    @property
    def columns(self) -> dict[str, RecordColumn]:
        """All of them, by the names they are read by."""
        named = {f"feature_{i}": each for i, each in enumerate(self.features)}
        return named if self.target is None else {**named, _TARGET: self.target}

    @property
    def wholes(self) -> dict[str, Callable[[Any], Any]]:
        """What an engine is asked for of each."""
        return {name: column.whole for name, column in self.columns.items()}

    def of(self, ranked: Ranked, rows: Any) -> PyTree:
        """Everybody who has a record: their features, and the target beside them where there is
        one; with several records a person, a `Group` of these.

        Args:
          ranked: which rows are read, with these columns.
          rows: the table.

        Raises:
          EngineError: if the engine stops, or rows change while they are read.
        """
        read = ranked.of(rows)
        kept = _in_order(read.filter(ranked.kept(read)), ranked.salt, list(self.columns))
        people = int(quoting_nobody(read.person.nunique().to_pyarrow).as_py())
        batches = quoting_nobody(partial(kept.to_pyarrow_batches, chunk_size=BATCH))
        return self._owned(self._shaped(self._filled(people, _wholes(batches))), ranked.whose.unit)

    def _filled(self, people: int, batches: Iterator[dict[str, np.ndarray]]) -> Group:
        own, met = self._empty(people), 0
        for batch in batches:
            first = batch["place"] == 0
            whose = met - 1 + np.cumsum(first)
            met += int(np.count_nonzero(first))
            if met > people:
                break
            self._put(own, (whose, batch["place"]), batch)
        if met != people:
            raise EngineError("the table changed while it was read; nothing was charged")
        return own

    def _empty(self, people: int) -> Group:
        """Room for everybody: features, and targets where there are any."""
        places = people, self.at_most
        arrays: list[np.ndarray] = [
            np.zeros((*places, sum(each.numbers for each in self.features)), np.float32)
        ]
        if self.target is not None:
            kind = self.target.targets(np.zeros(0, np.int64)).dtype
            arrays.append(np.zeros(places, kind))
        return Group(tuple(arrays), np.zeros(places, bool))

    def _put(
        self,
        own: Group,
        at: tuple[Int64[np.ndarray, " rows"], Int64[np.ndarray, " rows"]],
        batch: dict[str, Int64[np.ndarray, " rows"]],
    ) -> None:
        wholes = [batch[name] for name in self.columns]
        pairs = zip(self.features, wholes, strict=False)
        features, *target = own.records
        features[at] = np.concatenate([each.features(whole) for each, whole in pairs], axis=1)
        if self.target is not None:
            target[0][at] = self.target.targets(wholes[-1])
        own.present[at] = True

    def _shaped(self, own: Group) -> PyTree:
        """As learners take them: with no axis that says nothing."""
        arrays = own.records if self.at_most > 1 else tuple(each[:, 0] for each in own.records)
        records = arrays[0] if self.target is None else arrays
        return Group(records, own.present) if self.at_most > 1 else records

    def _owned(self, data: PyTree, unit: str) -> PyTree:
        """With what a row is, where it is not one person."""
        if self.at_most == 1 and unit == PERSON:
            return data
        words = f"several records of one {unit}" if self.at_most > 1 else f"a row for each {unit}"
        return jax.tree.map(lambda leaf: OwnedRows.of(leaf, words), data)


def _in_order(kept: Any, salt: str, columns: list[str]) -> Any:
    """Person by person, each one's records by their digests; people's names are left behind."""
    drawn = kept.mutate(turn=md5(joined([ibis().literal(salt), kept.person])))
    return drawn.order_by("turn", "person", "place").select("place", *columns)


def _wholes(batches: Any) -> Iterator[dict[str, Int64[np.ndarray, " rows"]]]:
    stream = iter(batches)
    while (batch := quoting_nobody(partial(next, stream, None))) is not None:
        yield {
            name: batch[name].to_numpy(zero_copy_only=False).astype(np.int64)
            for name in batch.schema.names
        }
