"""Second data sets, beside those that a study is about: nothing was tuned on them.

**Clients** are the 45,211 of bank-marketing: seven numbers over declared ends and a column for each
category, both answers among them, 53 columns. **Steps** are 149,332 readings of the accelerometers
of 22 people who walk, three numbers between -20 and 20. **Districts** are California's 20,640.
Categories are read off the file. Of a folder that is not there the claim is that it is skipped.
"""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from claims import Skipped
from defaults import FILES, cells

# What a number is divided by.
ENDS = {
    "age": 100.0,
    "balance": 1.1e5,
    "day": 31.0,
    "duration": 5e3,
    "campaign": 100.0,
    "pdays": 1e3,
    "previous": 300.0,
}


def clients() -> np.ndarray | Skipped:
    """Rows of length one, in an order of their own."""
    return _read("bank-marketing", _clients)


def balances() -> np.ndarray | Skipped:
    """Euros of the same people, many of whom have none."""
    return _read("bank-marketing", lambda folder: _column(folder, "balance"))


def steps() -> np.ndarray | Skipped:
    """Metres per second squared, gravity with them, which is along the second."""
    return _read("walking-activity", _steps)


def districts() -> np.ndarray | Skipped:
    """Degrees east and north."""
    return _read("california-housing", _districts)


def _read(folder: str, read: Callable[[Path], np.ndarray]) -> np.ndarray | Skipped:
    """In an order of their own."""
    path = FILES / folder
    if not path.is_dir():
        return Skipped(f"no {path}")
    return np.random.default_rng(0).permutation(read(path))


def _table(folder: Path) -> tuple[list[str], np.ndarray]:
    names, *lines = cells(f"{folder.name}/bank-full.csv.gz", ";")
    return list(names), np.array(lines)


def _column(folder: Path, name: str) -> np.ndarray:
    names, table = _table(folder)
    return table[:, names.index(name)].astype(float)


def _clients(folder: Path) -> np.ndarray:
    names, table = _table(folder)
    parts = []
    for name, column in zip(names, table.T, strict=True):
        if name in ENDS:
            parts.append(column.astype(float)[:, None] / ENDS[name])
        else:
            parts.append(column[:, None] == np.unique(column))
    rows = np.hstack(parts).astype(float)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _steps(folder: Path) -> np.ndarray:
    (path,) = folder.glob("*.zip")
    with zipfile.ZipFile(path) as packed:
        texts = [packed.read(f"{path.stem}/{person}.csv").decode() for person in range(1, 23)]
    return np.concatenate([np.loadtxt(io.StringIO(text), delimiter=",") for text in texts])[:, 1:]


def _districts(folder: Path) -> np.ndarray:
    return cells(f"{folder.name}/housing.csv.gz")[1:, :2].astype(float)
