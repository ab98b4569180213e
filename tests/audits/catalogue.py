"""Every row of the audit, gathered from the files beside this one; a file exports `ROWS`."""

import importlib
import pkgutil

import audits
from audits.row import Row

_MACHINERY = {"row", "runs", "likelihood", "slips", "catalogue", "lines", "__main__"}


def rows() -> list[Row]:
    """All rows, in the order of their files' names."""
    names = sorted(m.name for m in pkgutil.iter_modules(audits.__path__))
    found = [importlib.import_module(f"audits.{n}") for n in names if n not in _MACHINERY]
    return [row for module in found for row in module.ROWS]
