from .finding import AuditFinding
from .fits import fit_neighbours, fitting
from .many_runs import by_runs
from .neighbouring import Neighbours, canaries_apart, neighbours
from .one_run import in_one_run
from .promises import EpsilonDelta, PlanPromise

__all__ = [
    "AuditFinding",
    "EpsilonDelta",
    "Neighbours",
    "PlanPromise",
    "by_runs",
    "canaries_apart",
    "fit_neighbours",
    "fitting",
    "in_one_run",
    "neighbours",
]
