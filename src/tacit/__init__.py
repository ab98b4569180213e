"""Differentially private statistics and machine learning, in every trust model.

Ask a question (`Mean`, `Select`, `Above`, `Running` or `OfRows`, of a shape such as `Interval` or
`OneHot`), choose a trust model (`Central`, `Local`, `Shuffled`, `Aggregated`, `Federated`), look at
the plan, and let a population grant it. Questions that are asked less often stand with these in
`tacit.question`, and what each other room is for, its own page says.

A name is imported when it is first used, so that `import tacit` waits for nothing; where each comes
from stands in `__init__.pyi`.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
