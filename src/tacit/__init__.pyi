from . import (
    accounting,
    attacks,
    audit,
    contribution,
    estimators,
    features,
    federated,
    learning,
    ledger,
    live,
    mechanisms,
    models,
    pac,
    population,
    queries,
    question,
    simulation,
    sq,
    statistics,
    synthesis,
    tables,
)
from .accounting.relation import Relation
from .contribution import (
    Ball,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Outer,
    Product,
    Sphere,
)
from .device.choose import Split
from .learning.descent import Descent
from .ledger.ledger import Ledger
from .live.federation import Federation
from .plan import Plan
from .population.arrays import Arrays
from .population.release import Release
from .question.participation import (
    AtMost,
    Available,
    Cyclic,
    Everyone,
    Fixed,
    Once,
    Poisson,
)
from .question.rows import OfRows
from .question.running import Running
from .question.sums import Above, Mean, Select
from .tables.table import Table
from .trust.aggregated import Aggregated
from .trust.central import Central
from .trust.federated import Federated
from .trust.local import Local
from .trust.nonprivate import NonPrivate
from .trust.shuffled import Shuffled

__version__: str

__all__ = [
    "Above",
    "Aggregated",
    "Arrays",
    "AtMost",
    "Available",
    "Ball",
    "Central",
    "Counts",
    "Cube",
    "Cyclic",
    "Descent",
    "Everyone",
    "Federated",
    "Federation",
    "Fixed",
    "Grid",
    "Interval",
    "L1Ball",
    "Ledger",
    "Local",
    "Mean",
    "NonPrivate",
    "OfRows",
    "Once",
    "OneHot",
    "Outer",
    "Plan",
    "Poisson",
    "Product",
    "Relation",
    "Release",
    "Running",
    "Select",
    "Shuffled",
    "Sphere",
    "Split",
    "Table",
    "accounting",
    "attacks",
    "audit",
    "contribution",
    "estimators",
    "features",
    "federated",
    "learning",
    "ledger",
    "live",
    "mechanisms",
    "models",
    "pac",
    "population",
    "queries",
    "question",
    "simulation",
    "sq",
    "statistics",
    "synthesis",
    "tables",
]
