"""The attacks that `tacit attack` plays: what each looks for, on made people or on a file's.

A file is read by the domain that is declared of it; a record with a value that is not declared is
left out. Every declared column becomes yes-no attributes, one for each of its values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Int32

from tacit.attacks.outcome import Attack, Outcome
from tacit.attacks.secret_bits import MOST_PEOPLE, SecretBits
from tacit.attacks.subset_sums import SubsetSums
from tacit.attacks.tracing import AttributeLaw, Crowd, Tracing
from tacit.queries.domain import Domain
from tacit.queries.domain_file import read_domain
from tacit.tables.engine import quoting_nobody, rows_of
from tacit.trust.central import Central
from tacit.trust.nonprivate import NonPrivate

# Of one release, under this promise, with this seed.
Play = Callable[[Central | NonPrivate, int], Outcome]


@final
@dataclass(frozen=True, eq=False)
class Given:
    """People of a file.

    Args:
      domain: the declared columns.
      cells: of every record whose values are all declared.
      secret: the column that is attacked, where one is.
    """

    domain: Domain
    cells: Int32[np.ndarray, "people columns"]
    secret: str | None

    @classmethod
    def read(cls, file: Path, domain: Path | None, secret: str | None) -> "Given":
        """Raises the ValueError of a file or domain that cannot be read."""
        if domain is None:
            raise ValueError("--domain says what the file's columns may hold, e.g. domain.json")
        known, rows = read_domain(domain), rows_of(file)
        missing = [each for each in known.names if each not in rows.columns]
        if missing:
            raise ValueError(f"{file} has no column {missing[0]!r}, which is declared")
        if secret is not None and secret not in known.names:
            raise ValueError(f"--secret must be one of {', '.join(known.names)}, got {secret}")
        with quoting_nobody():
            cells = known.cells(rows.select(*known.names).to_pandas())
        return cls(known, cells[(cells >= 0).all(axis=1)], secret)

    def attributes(self) -> Float[np.ndarray, "people attributes"]:
        """Whether each person has each value of each column."""
        parts = [
            np.eye(size)[own] for size, own in zip(self.domain.sizes, self.cells.T, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def bits(self) -> Bool[np.ndarray, " people"]:
        """Whether each person has the second of the secret column's two values."""
        places = [] if self.secret is None else self.domain.places([self.secret])
        if not (places and self.domain.sizes[places[0]] == 2):
            raise ValueError("--secret must be a declared column of two values")
        return self.cells[:, places[0]] == 1


@final
@dataclass(frozen=True)
class AttackCase:
    """An attack by its name.

    Args:
      told: what it looks for and in what, a sentence.
      made: the attack on made people.
      of: the same on those of a file; `int` is the seed of who is drawn.
    """

    told: str
    made: Attack
    of: Callable[[Given, int], Play]


def _bits_of(given: Given, seed: int) -> Play:
    """Of the file's people as many as there is a matrix for, by lot."""
    bits, rarer = _drawn(given, seed)
    attack = SecretBits(min(MOST_PEOPLE, 2 ** int(np.log2(len(bits)))))
    return lambda trust, run: attack.against(bits[: attack.people], trust, run, rarer)


def _subset_sums_of(given: Given, seed: int) -> Play:
    """Of up to 256 of the file's people, by lot, eight times as many subsets."""
    bits, rarer = _drawn(given, seed)
    chosen = bits[:256]
    attack = SubsetSums(len(chosen), 8 * len(chosen))
    return lambda trust, run: attack.against(chosen, trust, run, rarer)


def _drawn(given: Given, seed: int) -> tuple[Bool[np.ndarray, " people"], float]:
    """Everybody's bit, in an order by lot, and the share of the rarer value."""
    bits = np.random.default_rng(seed).permutation(given.bits())
    if not len(bits) >= 4:
        raise ValueError(f"a file must have at least 4 people, got {len(bits)}")
    ones = float(np.mean(bits))
    return bits, min(ones, 1 - ones)


def _traced_of(given: Given, seed: int) -> Play:
    """A third of the file's people are members, a third outsiders, and a third are the law."""
    records = np.random.default_rng(seed).permutation(given.attributes())
    members, others, known = np.array_split(records, 3)
    if not len(known) >= 2:
        raise ValueError(f"a file must have at least 6 people, got {len(records)}")
    attack = Tracing(*members.shape, false_alarms=0.05)
    crowd = Crowd(members, others, AttributeLaw.of(known))
    return lambda trust, run: attack.against(crowd, trust, run)


CASES = {
    "secret-bits": AttackCase(
        "Everybody's secret bit, from as many noisy sums as people (Dinur and Nissim 2003).",
        SecretBits(1024),
        _bits_of,
    ),
    "subset-sums": AttackCase(
        "The same from random subsets, by least squares (Dinur and Nissim 2003).",
        SubsetSums(256, 2048),
        _subset_sums_of,
    ),
    "tracing": AttackCase(
        "Who is in the data, from the means of many attributes (Homer and others 2008).",
        Tracing(100, 2000),
        _traced_of,
    ),
}
