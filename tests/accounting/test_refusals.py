"""No accountant, event or theorem takes for a number what is none."""

from functools import partial

import numpy as np
import pytest

from refusals import refuse_no_numbers
from tacit import accounting
from tacit.accounting import Guarantee, Relation, calibration, events
from tacit.accounting.pairs import blanket, discrete, subsampled
from tacit.accounting.theorems import (
    classical,
    iteration,
    laplace_thresholds,
    mean_breach,
    reconstruction,
    shuffle_bounds,
)

ONE = events.gaussian(2.0)
ADD, REPLACE = Relation.ADD_REMOVE, Relation.REPLACE_ONE
EVENTS = [
    (events.gaussian, {"noise_multiplier": 2.0}),
    (events.laplace, {"noise_multiplier": 2.0}),
    (events.discrete_laplace, {"noise_parameter": 0.5, "sensitivity": 1}),
    (events.discrete_gaussian, {"sigma": 2.0, "sensitivity": 1}),
    (events.k_norm, {"epsilon": 1.0}),
    (events.euclidean_norm, {"epsilon": 1.0, "dimension": 3}),
    (events.exponential_mechanism, {"epsilon": 1.0}),
    (events.permute_and_flip, {"epsilon": 1.0}),
    (events.sparse_vector, {"epsilon": 1.0}),
    (events.randomized_response, {"noise_parameter": 0.5, "categories": 3}),
    (events.epsilon_delta, {"epsilon": 1.0, "delta": 1e-6}),
    (events.zcdp, {"rho": 0.1, "xi": 0.01}),
    (events.local, {"epsilon": 1.0}),
    (events.priv_unit, {"epsilon": 1.0, "cap": 0.6}),
    (events.shuffled, {"local_epsilon": 1.0, "people": 100}),
    (events.blanket, {"local_epsilon": 1.0, "blanket": 0.6, "people": 100}),
    (events.poisson, {"rate": 0.5, "event": ONE}),
    (events.poisson_records, {"rate": 0.5, "records": 2, "event": ONE}),
    (
        events.truncated_poisson,
        {"people": 100, "rate": 0.1, "capacity": 20, "noise_multiplier": 1.0},
    ),
    (events.without_replacement, {"people": 100, "sample": 10, "event": ONE}),
    (events.with_replacement, {"people": 100, "draws": 10, "event": ONE}),
    (events.group, {"size": 2, "event": ONE}),
    (
        events.last_iterate,
        {"steps": 9, "contraction": 0.9, "shift": 1.0, "noise": 2.0, "diameter": None},
    ),
    (events.repeated, {"event": ONE, "count": 3}),
]
ACCOUNTANTS = [
    (accounting.epsilon, {"event": ONE, "delta": 1e-6, "relation": ADD}),
    (accounting.delta, {"event": ONE, "epsilon": 1.0, "relation": ADD}),
    (accounting.cross_check, {"event": ONE, "delta": 1e-6, "relation": ADD}),
    (accounting.tradeoff, {"event": ONE, "false_positive": 0.1, "relation": ADD}),
    (accounting.gaussian_delta, {"noise_multiplier": 2.0, "epsilon": 1.0}),
    (accounting.gaussian_epsilon, {"noise_multiplier": 2.0, "delta": 1e-6}),
    (accounting.gaussian_noise_multiplier, {"epsilon": 1.0, "delta": 1e-6}),
    (
        Guarantee,
        {
            "observer": "public",
            "unit": "person",
            "relation": ADD,
            "event": ONE,
            "epsilon": 1.0,
            "delta": 1e-6,
            "accountant": "PLD",
            "delta_reserved": 1e-9,
        },
    ),
    (discrete.discrete_gaussian_delta, {"sigma": 2.0, "sensitivity": 1, "epsilon": 1.0}),
    (subsampled.amplified, {"epsilon": 1.0, "delta": 1e-6, "rate": 0.1}),
    (blanket.binary_response, {"local_epsilon": 1.0}),
    (blanket.randomised_response, {"local_epsilon": 1.0, "categories": 3}),
    (blanket.laplace, {"local_epsilon": 1.0}),
    (blanket.priv_unit, {"local_epsilon": 1.0, "cap": 0.6}),
]
SEARCH = {"make_event": events.gaussian, "epsilon": 1.0, "delta": 1e-6, "relation": ADD}
SEARCHES = [
    (calibration.noise_multiplier, SEARCH),
    (calibration.discrete_gaussian_sigma, {"epsilon": 4.0, "delta": 1e-6, "sensitivity": 1}),
    (
        calibration.sampling_rate,
        {**SEARCH, "make_event": lambda rate: events.poisson(rate, ONE)},
    ),
    (
        calibration.rounds,
        {**SEARCH, "make_event": lambda rounds: events.repeated(events.gaussian(9.0), rounds)},
    ),
    (
        calibration.local_epsilon,
        {"make_event": events.local, "epsilon": 1.0, "delta": 1e-6, "near": 1.0},
    ),
    (
        calibration.release_epsilon,
        {**SEARCH, "make_event": events.k_norm, "times": 1},
    ),
    (calibration.even_share, {"epsilon": 1.0, "times": 3}),
]
DESCENT = {"lipschitz": 1.0, "smoothness": 1.0, "step_size": 1.0, "noise": 1.0, "steps": 9}
PRIOR = {"sample": lambda source, many: source.random(many), "loss": lambda targets, guess: targets}
THEOREMS = [
    (classical.group, {"epsilon": 1.0, "delta": 1e-6, "size": 2}),
    (classical.advanced, {"epsilon": 0.1, "delta": 1e-6, "count": 9, "slack": 1e-6}),
    (classical.optimal, {"epsilon": 0.1, "delta": 1e-9, "count": 9, "total_delta": 1e-6}),
    (classical.lifetime, {"total": 1.0, "databases": 9, "slack": 1e-6}),
    (classical.kl_of_pure, {"epsilon": 1.0}),
    (classical.tight_kl_of_pure, {"epsilon": 1.0}),
    (classical.zcdp_of_pure, {"epsilon": 1.0}),
    (classical.tight_zcdp_of_pure, {"epsilon": 1.0}),
    (classical.zcdp_epsilon, {"rho": 0.1, "delta": 1e-6}),
    (classical.gdp_epsilon, {"mu": 1.0, "delta": 1e-6}),
    (classical.approximate_clt_mu, {"rate": 0.1, "noise_multiplier": 1.0, "steps": 9}),
    (
        classical.sgd_noise_advanced,
        {"lipschitz": 1.0, "people": 10, "steps": 1000, "epsilon": 0.5, "delta": 1e-5},
    ),
    (
        classical.sgd_noise_moments,
        {"rate": 0.01, "steps": 10**5, "epsilon": 1.0, "delta": 1e-5},
    ),
    (
        iteration.NoisyDescent,
        {**DESCENT, "relation": ADD, "strong_convexity": 0.5, "people": 9, "diameter": None},
    ),
    (iteration.SampledDescent, {**DESCENT, "people": 9, "batch": 9, "diameter": 2.0}),
    (iteration.noisy_gd, {"contraction": 0.9, "steps": 9, "ratio": 1.0}),
    (iteration.projected_noisy_gd, {"steps": 9, "ratio": 1.0, "crossing": 2.0}),
    (iteration.noisy_cgd, {"contraction": 0.9, "batches": 3, "epochs": 4, "ratio": 1.0}),
    (
        iteration.projected_noisy_cgd,
        {"batches": 3, "epochs": 4, "ratio": 1.0, "crossing": 2.0},
    ),
    (
        iteration.fmtt18,
        {"orders": np.arange(2.0, 9), "position": 1, "people": 9, "lipschitz": 1.0, "noise": 1.0},
    ),
    (
        partial(laplace_thresholds.curve, rate=0.1),
        {"epsilon": 1.0, "positives": 3, "values": 0.1},
    ),
    (laplace_thresholds.most, {"allowed": lambda rate: rate <= 0.3, "epsilon": 1.0}),
    (laplace_thresholds.published, {"epsilon": 1.0, "delta": 1e-6, "positives": 3}),
    (mean_breach.after_gaussian, {"log_prior": -9.0, "radius": 1.0, "sigma": 2.0}),
    (
        reconstruction.after,
        {"log_prior": -9.0, "epsilon": 1.0, "diffuseness": 0.5, "rounds": 2},
    ),
    (
        reconstruction.largest_epsilon,
        {"log_prior": -9.0, "probability": 0.1, "diffuseness": 0.5, "rounds": 2},
    ),
    (reconstruction.Directions, {"dimension": 3}),
    (reconstruction.Directions(3).log_breach, {"tolerance": 0.5}),
    (reconstruction.Zipf, {"words": 9, "draws": 3}),
    (reconstruction.Zipf(9, 3).log_breach, {"tolerance": 0.5}),
    (reconstruction.Zipf(9, 3).log_precision, {"precision": 0.5, "guessed": 2}),
    (reconstruction.Zipf(9, 3).log_recall, {"recall": 0.5, "guessed": 2}),
    (reconstruction.Zipf(9, 3).log_both, {"precision": 0.5, "recall": 0.5}),
    (
        lambda **numbers: reconstruction.SampledPrior(**PRIOR, guesses=[0], seed=0, **numbers),
        {"draws": 9, "confidence": 0.9},
    ),
    (
        reconstruction.SampledPrior(
            **PRIOR, guesses=[0], draws=9, confidence=0.9, seed=0
        ).log_breach,
        {"tolerance": 0.5},
    ),
    (shuffle_bounds.erlingsson2019, {"local_epsilon": 0.4, "people": 9000, "delta": 1e-6}),
    (shuffle_bounds.blanket_hoeffding, {"local_epsilon": 0.4, "people": 9000, "delta": 1e-6}),
    (shuffle_bounds.blanket_bennett, {"local_epsilon": 0.4, "people": 9000, "delta": 1e-6}),
    (shuffle_bounds.clones_closed_form, {"local_epsilon": 0.4, "people": 9000, "delta": 1e-6}),
]


@pytest.mark.parametrize(
    "call, right",
    [*EVENTS, *ACCOUNTANTS, *SEARCHES, *THEOREMS],
    ids=lambda each: getattr(each, "__qualname__", ""),
)
def test_only_numbers_are_numbers(call, right):
    """Text, None, True, lists, things, NaN and what no float holds are refused in a sentence."""
    refuse_no_numbers(call, right)
