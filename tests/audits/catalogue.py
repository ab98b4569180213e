"""Every row of the audit, gathered from the files beside this one; a file exports `ROWS`."""

import importlib
import pkgutil
from collections.abc import Iterable

import audits
from audits.row import Row

_MACHINERY = {"row", "runs", "likelihood", "slips", "catalogue", "lines", "__main__"}
# Whoever plays whole paths alone needs no other row, nor what those are made of.
_PATHS = ("aggregated", "classifiers", "clusters", "indexed", "projected", "whole_paths")


def rows() -> list[Row]:
    """All rows, in the order of their files' names."""
    names = sorted(m.name for m in pkgutil.iter_modules(audits.__path__))
    return _rows_of(n for n in names if n not in _MACHINERY)


def whole_paths() -> list[Row]:
    """Those of cell "whole path"."""
    return _rows_of(_PATHS)


def _rows_of(names: Iterable[str]) -> list[Row]:
    found = [importlib.import_module(f"audits.{n}") for n in names]
    return [row for module in found for row in module.ROWS]
