from .additive.cube_norm import CubeNorm
from .additive.discrete_gaussian import DiscreteGaussian
from .additive.discrete_laplace import DiscreteLaplace
from .additive.gaussian import Gaussian
from .additive.k_norm import EuclideanNorm
from .additive.laplace import Laplace
from .additive.noise_share import NoiseShare
from .additive.staircase import Staircase
from .additive.wishart import WishartDifference
from .alone import Mechanism, release
from .frequency.hadamard_response import HadamardResponse
from .frequency.local_hashing import LocalHashing
from .frequency.lowest_error import lowest_error
from .frequency.projective_geometry import ProjectiveGeometry
from .frequency.randomised_response import FrequencyOracle, RandomisedResponse
from .frequency.rappor import Rappor, SymmetricUnary
from .frequency.subset_selection import AllSubsets, SubsetSelection
from .frequency.unary_encoding import UnaryEncoding
from .local.compressed import KClosest
from .local.folded import Folded
from .local.local_laplace import LocalLaplace
from .local.piecewise import Hybrid, Piecewise
from .local.privunit2 import PrivUnit2
from .local.privunit_infinity import PrivUnitInfinity
from .local.privunitg import PrivUnitG
from .local.projunit import FastProjUnit
from .local.sampled_vertex import VertexResponse, VertexSigns
from .local.scalardp import ScalarDP
from .local.scalarreldp import ScalarRelDP
from .local.separated import Separated
from .local.shells import Shells
from .rows.approximate_quantiles import ApproximateQuantiles
from .rows.bingham import BinghamDirection
from .rows.concept_choice import ConceptChoice
from .rows.joint_quantiles import JointQuantiles
from .rows.last_iterate import LastIterateDescent
from .rows.line_choice import LineChoice
from .rows.minimum_distance import MinimumDistance
from .rows.multiplicative_weights import MultiplicativeWeights
from .rows.objective_perturbation import ObjectivePerturbation
from .rows.output_perturbation import OutputPerturbation
from .rows.parity_elimination import ParityElimination
from .rows.propose_test_release import ProposeTestReleaseQuantile, StabilityTest, StableMode
from .rows.public_grid import PublicGrid
from .rows.quantile import ExponentialQuantile
from .rows.quantiles import ExponentialQuantiles
from .rows.rule_list_choice import RuleListChoice
from .rows.sample_and_aggregate import BlockMean, SampleAndAggregate
from .rows.small_database import SmallDatabase
from .rows.smooth_quantile import SmoothSensitivityQuantile
from .rows.smooth_sensitivity import SmoothCauchy, SmoothLaplace
from .rows.smooth_student import SmoothStudent
from .rows.smooth_trimmed_mean import SmoothTrimmedMean
from .rows.stable_scale import StableScale
from .rows.tree_choice import TreeChoice
from .selection.above_threshold import AboveThreshold
from .selection.exponential import Exponential
from .selection.gaussian_threshold import GaussianThreshold
from .selection.interval_choice import IntervalChoice
from .selection.noisy_max import LaplaceMax
from .selection.permute_and_flip import PermuteAndFlip
from .selection.sparse_vector import SparseVector
from .selection.threshold_noise import Stream
from .selection.top_k import TopK
from .selection.truncated_geometric import TruncatedGeometric
from .selection.whole_scores import WholeScores

__all__ = [
    "AboveThreshold",
    "AllSubsets",
    "ApproximateQuantiles",
    "BinghamDirection",
    "BlockMean",
    "ConceptChoice",
    "CubeNorm",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "EuclideanNorm",
    "Exponential",
    "ExponentialQuantile",
    "ExponentialQuantiles",
    "FastProjUnit",
    "Folded",
    "FrequencyOracle",
    "Gaussian",
    "GaussianThreshold",
    "HadamardResponse",
    "Hybrid",
    "IntervalChoice",
    "JointQuantiles",
    "KClosest",
    "Laplace",
    "LaplaceMax",
    "LastIterateDescent",
    "LineChoice",
    "LocalHashing",
    "LocalLaplace",
    "Mechanism",
    "MinimumDistance",
    "MultiplicativeWeights",
    "NoiseShare",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "ParityElimination",
    "PermuteAndFlip",
    "Piecewise",
    "PrivUnit2",
    "PrivUnitG",
    "PrivUnitInfinity",
    "ProjectiveGeometry",
    "ProposeTestReleaseQuantile",
    "PublicGrid",
    "RandomisedResponse",
    "Rappor",
    "RuleListChoice",
    "SampleAndAggregate",
    "ScalarDP",
    "ScalarRelDP",
    "Separated",
    "Shells",
    "SmallDatabase",
    "SmoothCauchy",
    "SmoothLaplace",
    "SmoothSensitivityQuantile",
    "SmoothStudent",
    "SmoothTrimmedMean",
    "SparseVector",
    "StabilityTest",
    "StableMode",
    "StableScale",
    "Staircase",
    "Stream",
    "SubsetSelection",
    "SymmetricUnary",
    "TopK",
    "TreeChoice",
    "TruncatedGeometric",
    "UnaryEncoding",
    "VertexResponse",
    "VertexSigns",
    "WholeScores",
    "WishartDifference",
    "lowest_error",
    "release",
]
