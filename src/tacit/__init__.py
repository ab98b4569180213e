"""Differentially private statistics and machine learning, in every trust model.

Ask a question (`Mean`, `Select`, `Above`, `Running` or `OfRows`, of a shape such as `Interval` or
`OneHot`), choose a trust model (`Central`, `Local`, `Shuffled`, `Aggregated`, `Federated`), look at
the plan, and let a population grant it. Questions that are asked less often stand with these in
`tacit.question`, and what each other room is for, its own page says.

A name is imported when it is first used, so that `import tacit` waits for nothing; where each comes
from stands in `__init__.pyi`.
"""

from typing import Any

from tacit import first_use

_used, __dir__, __all__ = first_use.names(__name__, __file__)


def __getattr__(name: str) -> Any:
    """What a name stands for; of `__version__`, which of the library is installed."""
    if name != "__version__":
        return _used(name)
    from importlib import metadata

    return metadata.version("tacit")
