"""People of a file, as `tacit attack` takes them.

A file is read by the domain that is declared of it; a record with a value that is not declared is
left out, and it is said how many are. Every declared column becomes yes-no attributes, one for each
of its values.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from jaxtyping import Bool, Float, Int32

from tacit.cli.declared_columns import declared_columns
from tacit.queries.domain import Domain
from tacit.queries.domain_file import read_domain


@final
@dataclass(frozen=True, eq=False)
class Given:
    """People of a file.

    Args:
      domain: the declared columns.
      cells: of every record whose values are all declared.
      secret: the column that is attacked, where one is.
      left_out: how many records have a value that is not declared.
    """

    domain: Domain
    cells: Int32[np.ndarray, "people columns"]
    secret: str | None
    left_out: int = 0

    @classmethod
    def read(cls, file: Path, domain: Path | None, secret: str | None) -> "Given":
        """Raises the ValueError of a file or domain that cannot be read."""
        if domain is None:
            raise ValueError("--domain says what the file's columns may hold, e.g. domain.json")
        known = read_domain(domain)
        table = declared_columns(file, known)
        if secret is not None and secret not in known.names:
            raise ValueError(f"--secret must be one of {', '.join(known.names)}, got {secret}")
        cells = known.cells(table)
        declared = (cells >= 0).all(axis=1)
        if not declared.any():
            raise ValueError(
                "a file must have people all of whose values --domain declares, got none of "
                f"{len(cells):,}"
            )
        return cls(known, cells[declared], secret, int(np.count_nonzero(~declared)))

    def attributes(self) -> Float[np.ndarray, "people attributes"]:
        """Whether each person has each value of each column."""
        parts = [
            np.eye(size)[own] for size, own in zip(self.domain.sizes, self.cells.T, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def besides(self) -> Float[np.ndarray, "people attributes"]:
        """The same of all columns but the secret one, which is there."""
        secret, sizes = self._place_of_secret(), self.domain.sizes
        if not len(sizes) >= 2:
            raise ValueError("--domain must declare a column besides the secret one")
        kept = np.repeat([place != secret for place in range(len(sizes))], sizes)
        return self.attributes()[:, kept]

    def bits(self) -> Bool[np.ndarray, " people"]:
        """Whether each person has the second of the secret column's two values."""
        return self.cells[:, self._place_of_secret()] == 1

    def _place_of_secret(self) -> int:
        places = [] if self.secret is None else self.domain.places([self.secret])
        if not (places and self.domain.sizes[places[0]] == 2):
            raise ValueError("--secret must be a declared column of two values")
        return places[0]
