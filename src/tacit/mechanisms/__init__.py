"""Mechanisms: each answers once, with noise, and says what that promises and how wrong it is.

    from tacit.mechanisms import PermuteAndFlip, release
    winner = release(PermuteAndFlip(epsilon=0.5, sensitivity=1.0), votes)

A plan picks among them. Alone, by `release`, they know no ledger: to bound what one person
contributes, and to add up what is released, is then the caller's. A `Mechanism` is what `release`
takes.

| of what | mechanisms |
| --- | --- |
| whole numbers | `DiscreteLaplace`, `DiscreteGaussian` |
| one number | `Staircase` |
| a vector that moves in L2 | `Gaussian`, `EuclideanNorm` |
| the same in L1; in every number | `Laplace`; `CubeNorm` |
| sums of squares x x' | `WishartDifference` |
| a sum that devices make private together | `NoiseShare` |
| the best of some, by scores | `PermuteAndFlip`, `Exponential`, `LaplaceMax` |
| the best few; the best place of an interval | `TopK`; `IntervalChoice` |
| which sums of a `Stream` reach a threshold | `AboveThreshold`; with the sums, `SparseVector` |
| which keys many people have | `TruncatedGeometric`, `GaussianThreshold` |

**A curator has everybody's rows:**

| what is asked | mechanisms |
| --- | --- |
| a quantile | `ExponentialQuantile` |
| several | `ExponentialQuantiles`; of a `PublicGrid` `JointQuantiles`, `ApproximateQuantiles` |
| one, with noise for its data | `SmoothSensitivityQuantile`, `ProposeTestReleaseQuantile` |
| a mean without the ends; a spread | `SmoothTrimmedMean`; `StableScale` |
| the most frequent category | `StableMode`, by a `StabilityTest` |
| a number of known smooth sensitivity | `SmoothLaplace`, `SmoothCauchy`, `SmoothStudent` |
| any function of a block of people | `SampleAndAggregate`, of `BlockMean` |
| a convex minimum | `ObjectivePerturbation`, `OutputPerturbation`, `LastIterateDescent` |
| the direction of most squares | `BinghamDirection` |
| a rule that is mostly right | `ConceptChoice`, `TreeChoice`, `RuleListChoice`, `LineChoice` |
| the parity behind people's labels | `ParityElimination` |
| which public law is nearest | `MinimumDistance` |
| data that answer many queries | `MultiplicativeWeights`, `SmallDatabase`, by `WholeScores` |

**Each person reports for themselves:**

| what is reported | mechanisms |
| --- | --- |
| a category (all of these are a `FrequencyOracle`) | `RandomisedResponse`, `LocalHashing` |
| | `SubsetSelection`, `AllSubsets`, `HadamardResponse`, `ProjectiveGeometry` |
| | `UnaryEncoding`, `SymmetricUnary`; of the least error, `lowest_error` |
| the same category, again and again | `Rappor` |
| a number of [0, maximum] | `Piecewise`, `Hybrid`, `LocalLaplace`, `ScalarDP`, `ScalarRelDP` |
| a direction | `PrivUnit2`, `PrivUnitG`; in few bytes `KClosest`; of many numbers `FastProjUnit` |
| a vector of a ball, in L2 | `Separated`, `Folded`, `Shells` |
| the same, in L1; in a cube | `VertexResponse`, `VertexSigns`; `PrivUnitInfinity` |
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
