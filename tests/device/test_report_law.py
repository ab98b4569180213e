"""Laws of reports: private, and with the blankets that their mechanisms state."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import quick_keys
import tacit
from tacit.device.categories import OnCategory
from tacit.device.choose import device_for
from tacit.device.report_law import law_of
from tacit.mechanisms.frequency.hadamard_response import HadamardResponse
from tacit.mechanisms.frequency.local_hashing import LocalHashing
from tacit.mechanisms.frequency.projective_geometry import ProjectiveGeometry
from tacit.mechanisms.frequency.randomised_response import RandomisedResponse
from tacit.mechanisms.frequency.rappor import Rappor, SymmetricUnary
from tacit.mechanisms.frequency.subset_selection import AllSubsets, SubsetSelection
from tacit.mechanisms.frequency.unary_encoding import UnaryEncoding

ORACLES = [
    RandomisedResponse(1.0, 2),
    RandomisedResponse(2.0, 5),
    HadamardResponse(1.0, 5),
    AllSubsets(1.0, 6),
    SubsetSelection(1.0, 7),
    ProjectiveGeometry(1.0, 7),
    LocalHashing(1.7, 5),
    UnaryEncoding(1.0, 5),
    SymmetricUnary(1.0, 5),
    Rappor(1.0, 5, 2.0),
]


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda oracle: type(oracle).__name__)
def test_a_law_is_private_and_has_the_blanket_its_file_states(oracle):
    """Which that file finds otherwise: so every report is here, with its chance."""
    law = law_of(OnCategory(oracle))
    ratio = (law.max(axis=0) / law.min(axis=0)).max()

    assert law.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert math.exp(oracle.epsilon) * 0.99 < ratio <= math.exp(oracle.epsilon) * (1 + 1e-9)
    assert law.min(axis=0).sum() == pytest.approx(oracle.blanket, rel=1e-9)


@pytest.mark.parametrize(
    "oracle", [HadamardResponse(1.0, 3), SubsetSelection(1.0, 5), LocalHashing(1.7, 5)]
)
def test_reports_follow_the_law(oracle):
    """By a chi-square test of 40,000 of one category's; a hash's buckets come one after another."""
    law = law_of(OnCategory(oracle))[2]
    sent = np.asarray(oracle.sample(quick_keys.key(0), jnp.full(40_000, 2)))
    if isinstance(oracle, LocalHashing):
        sent = sent @ [oracle.buckets, 1]
    seen = np.bincount(sent, minlength=len(law))

    assert chisquare(seen, 40_000 * law).pvalue > 1e-4


def test_a_tables_law_is_the_table():
    """Of what is reported for a workload."""
    plan = tacit.Local(1.0).plan(
        tacit.question.Linear(
            tacit.Mean(tacit.OneHot(4), tacit.Everyone(), 1, 100), tacit.question.Prefix(4)
        )
    )
    law = law_of(plan.device)

    assert 4 == len(law) and law.sum(axis=1) == pytest.approx(1)
    assert (law.max(axis=0) / law.min(axis=0)).max() <= math.e


@pytest.mark.parametrize(
    "device", [device_for(tacit.Ball(3, 1.0), 1.0), OnCategory(UnaryEncoding(1.0, 40))]
)
def test_what_cannot_be_listed_is_refused(device):
    """A vector, or a report of too many bits."""
    with pytest.raises(ValueError, match=r"can be listed"):
        law_of(device)
