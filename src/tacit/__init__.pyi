from .accounting.relation import Relation
from .contribution import (
    Ball,
    Contribution,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Product,
    Scored,
    Sphere,
)
from .device.choose import Split
from .federated.training import Training
from .federated.updates import GradientSteps, ProximalPoint
from .ledger.filters import Basic, Renyi
from .ledger.ledger import Finished, Ledger, LedgerError, OverBudget
from .plan import Guarantee, Plan
from .population.arrays import Arrays
from .population.checkpoint import Checkpoint, CheckpointError
from .population.grant import Grant
from .population.loop import Learner
from .population.release import Release
from .question.participation import (
    AtMost,
    Available,
    Cyclic,
    Everyone,
    Fixed,
    Once,
    Participation,
    Poisson,
)
from .question.rows import (
    BlockMeans,
    BlockMedians,
    Fit,
    LastIterate,
    Minimiser,
    ProposedQuantile,
    Quantile,
    SmoothQuantile,
    TrimmedMean,
)
from .question.sums import Above, Mean, Question, Running, Select
from .statistics.answers import Answers
from .statistics.frequencies import Frequencies
from .statistics.mean import Average
from .trust.central import Central
from .trust.federated import Federated
from .trust.local import Local
from .trust.nonprivate import NonPrivate
from .trust.shuffled import Shuffled

__all__ = [
    "Above",
    "Answers",
    "Arrays",
    "AtMost",
    "Available",
    "Average",
    "Ball",
    "Basic",
    "BlockMeans",
    "BlockMedians",
    "Central",
    "Checkpoint",
    "CheckpointError",
    "Contribution",
    "Counts",
    "Cube",
    "Cyclic",
    "Everyone",
    "Federated",
    "Finished",
    "Fit",
    "Fixed",
    "Frequencies",
    "GradientSteps",
    "Grant",
    "Grid",
    "Guarantee",
    "Interval",
    "L1Ball",
    "LastIterate",
    "Learner",
    "Ledger",
    "LedgerError",
    "Local",
    "Mean",
    "Minimiser",
    "NonPrivate",
    "Once",
    "OneHot",
    "OverBudget",
    "Participation",
    "Plan",
    "Poisson",
    "Product",
    "ProposedQuantile",
    "ProximalPoint",
    "Quantile",
    "Question",
    "Relation",
    "Release",
    "Renyi",
    "Running",
    "Scored",
    "Select",
    "Shuffled",
    "SmoothQuantile",
    "Sphere",
    "Split",
    "Training",
    "TrimmedMean",
]
