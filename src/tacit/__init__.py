"""Differentially private statistics and machine learning, in every trust model.

Ask a question (`Mean`, `Select`, `Above`, `Running` or `OfRows`, of a shape such as `Interval` or
`OneHot`), choose a trust model (`Central`, `Local`, `Shuffled`, `Aggregated`, `Federated`), look at
the plan, and let a population grant it. Questions that are asked less often stand with these in
`tacit.question`, and what each other room is for, its own page says.

A name is imported when it is first used, so that `import tacit` waits for nothing; where each comes
from stands in `__init__.pyi`.
"""

from typing import Any

import lazy_loader

from tacit.uncollected import uncollected

_imported, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """What the name stands for, imported with all that it needs."""
    with uncollected():
        return _imported(name)
