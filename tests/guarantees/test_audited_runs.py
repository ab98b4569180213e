"""The audit's quick version, of whole runs: claims stand, bugs are caught, runs are a grant's."""

from unittest import mock

import jax
import numpy as np
import pytest

import quick_keys
from audits import aggregated, catalogue, clusters, indexed, projected, runs, whole_paths
from audits.row import Row, findings, stands
from tacit.estimators.release import Terms
from tacit.noise import keys
from tacit.population.arrays import Arrays
from tacit.population.release import Release

ROWS = catalogue.whole_paths()
PATHS = [
    whole_paths.descent,
    whole_paths.federated,
    whole_paths.ridge,
    clusters.clustered,
    projected.compressed,
    aggregated.aggregated,
    indexed.indexed,
]


@pytest.mark.parametrize("row", ROWS, ids=[row.mechanism for row in ROWS])
def test_claims_stand_and_planted_bugs_are_caught(row: Row):
    """No run refutes the claim, and as many refute every bug."""
    own, bugs = findings(row, quick_keys.key(1), row.quick)

    assert stands(own, bugs), (own, bugs)


@pytest.mark.parametrize("path", PATHS)
def test_runs_at_once_end_where_their_grants_end(path, tmp_path):
    """From the same root keys: the same people are asked, and the same noise is added."""
    plan, learner, data = path()
    ends = runs.states(runs.granted(plan, learner, data), tuple(map(keys.from_seed, range(3))))
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        people, ledger = Arrays(data, "people"), runs.limited(folder, plan)
        alone = people.grant(plan, learner, ledger, seed=seed).run().state
        for own, whole in zip(jax.tree.leaves(ends), jax.tree.leaves(alone), strict=True):
            np.testing.assert_allclose(own[seed], whole, rtol=1e-5, atol=1e-6)


def test_what_a_fit_makes_of_its_release_is_a_function_of_that_alone():
    """The same state released, and people of whom one was replaced: the same line, to the bit."""
    plan, learner, data = whole_paths.ridge()
    ends = runs.states(runs.granted(plan, learner, data), (keys.from_seed(1),))
    made = Release("a", plan, jax.tree.map(lambda leaf: leaf[0], ends), False)
    with mock.patch.object(Terms, "released", lambda *asked: made):
        one, other = (
            whole_paths.estimator().fit(whole_paths.PEOPLE, targets)
            for targets in (whole_paths.TARGETS, whole_paths.OPPOSITE)
        )

    assert one.coef_.tolist() == other.coef_.tolist()
    assert one.intercept_ == other.intercept_
    assert one.receipt_ == other.receipt_
