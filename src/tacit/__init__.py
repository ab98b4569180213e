"""Differentially private statistics and machine learning, in every trust model.

Ask a question (`Mean`, `Select`, `Above`, `Running` or `Fit`, of a shape such as `Interval` or
`OneHot`), choose a trust model (`Central`, `Local`, `Shuffled`, `Federated`), look at the plan, and
let a population grant it.
"""

from tacit.accounting.relation import Relation
from tacit.contribution import (
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
from tacit.device.choose import Split
from tacit.federated.training import Training
from tacit.federated.updates import GradientSteps, ProximalPoint
from tacit.ledger.filters import Basic, Renyi
from tacit.ledger.ledger import Finished, Ledger, LedgerError, OverBudget
from tacit.plan import Guarantee, Plan
from tacit.population.arrays import Arrays
from tacit.population.checkpoint import Checkpoint, CheckpointError
from tacit.population.grant import Grant
from tacit.population.loop import Learner
from tacit.population.release import Release
from tacit.question.participation import (
    AtMost,
    Available,
    Cyclic,
    Everyone,
    Fixed,
    Once,
    Participation,
    Poisson,
)
from tacit.question.rows import (
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
from tacit.question.sums import Above, Mean, Question, Running, Select
from tacit.statistics.answers import Answers
from tacit.statistics.frequencies import Frequencies
from tacit.statistics.mean import Average
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

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
