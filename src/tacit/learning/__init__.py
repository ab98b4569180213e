"""Learners: what is asked of people in each round, and what is made of the answers.

    from tacit.learning import Descent, Flat
    learner = Descent(model, loss, Flat(1.0), optax.sgd(0.5))
    question = learner.question(tacit.Poisson(0.01), rounds=1_000, people=60_000)

A learner knows no trust model: a plan of its question says under which it runs. Whoever wants a fit
of one call takes `tacit.estimators`.

| what is learnt | learners |
| --- | --- |
| any model with a gradient | `Descent`; `AdaptiveDescent`, whose bound follows the gradients |
| a linear model in a few rounds | `Newton`, `SufficientStatistics` |
| one coordinate at a time | `CoordinateDescent`, in `CyclicOrder` or `RandomOrder` |
| few of many weights, of a `LinearRisk` | `FrankWolfe`, `MirrorDescent` |
| which features matter | `Correlations`; `Votes`, for which `deal` and `ballots` make blocks |
| clusters | `Lloyd`, `Seeking`; and mixtures, `Mixture` |
| directions; a matrix of low rank | `Subspace`; `CellMatrix` |
| the same as `Descent`, to compare | `VarianceReduction` |

`LloydRounds`, `SeekingRounds`, `MixtureRounds`, `SubspaceRounds` and `CellMatrixRounds` choose
rounds from public numbers, and make the learner and its question.

| what a learner is handed | names |
| --- | --- |
| how gradients are clipped (`clipped`) | `Flat`, `PerLayer`, `Automatic`, `QuantileBound` |
| what one person holds | `OneEach`, `Several` |
| lengths of steps | `Cosine`, `Decay`, `WarmUp`; from the noise, `KalmanGain` |
| the same by theorems | `schedules`, a module |
| a loss of a linear model's scores | `OnScores` |

| beside a run | names |
| --- | --- |
| measures on public data, and when to stop | `Evaluation`, with `mean_of` and `Patience` |
| a measure of private people, charged | `PaidMeasure` |
| which of some settings is best | `choose`, of a `Setting` each |
| methods and trust models side by side | `compare`, a module |
| a model as one vector | `progress`, a module |
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
