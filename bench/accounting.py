"""Certified epsilons beside those of the peers: how tight, and in what fraction of their time.

Each timed pair alternates in one run and the medians are compared. dp_accounting runs at its
default grid; both calibrations start from a bracket that assumes nothing about the noise.
prv-accountant and autodp are shown where they are installed.

Run: python bench/accounting.py
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version

from dp_accounting import (
    DpEvent,
    GaussianDpEvent,
    NeighboringRelation,
    PoissonSampledDpEvent,
    SelfComposedDpEvent,
    calibrate_dp_mechanism,
)
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

from claims import Claim, at_most, settle
from tacit.accounting import calibration
from tacit.accounting.accountant import cross_check, epsilon
from tacit.accounting.events import (
    composed,
    gaussian,
    poisson,
    repeated,
    shuffled,
    without_replacement,
)
from tacit.accounting.relation import Relation

RATE, ROUNDS, DELTA = 0.01, 10_000, 1e-5
TRAINING = repeated(poisson(RATE, gaussian(1.0)), ROUNDS)
TURNS = 7
WIDE = "{:<58} {:>14} {:>14}  {}"


def timed(work: Callable[[], object]) -> float:
    """The wall time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def side_by_side(
    ours: Callable[[], object], theirs: Callable[[], object], turns: int
) -> list[float]:
    """The time of ours over that of theirs, in each of alternating turns."""
    return [timed(ours) / timed(theirs) for _ in range(turns)]


def training(noise: float) -> DpEvent:
    """The reference training run with this noise multiplier."""
    return repeated(poisson(RATE, gaussian(noise)), ROUNDS)


def ours() -> float:
    return epsilon(TRAINING, DELTA, Relation.ADD_REMOVE).epsilon


def theirs() -> float:
    return PLDAccountant().compose(TRAINING).get_epsilon(DELTA)


def our_noise() -> float:
    return calibration.noise_multiplier(training, 1.0, DELTA, Relation.ADD_REMOVE)


def their_training(noise: float) -> DpEvent:
    """The same run in their own words: their default bracket begins at no noise at all."""
    return SelfComposedDpEvent(PoissonSampledDpEvent(RATE, GaussianDpEvent(noise)), ROUNDS)


def their_noise() -> float:
    return calibrate_dp_mechanism(PLDAccountant, their_training, 1.0, DELTA)


def prv() -> float:
    from prv_accountant.dpsgd import DPSGDAccountant

    account = DPSGDAccountant(
        noise_multiplier=1.0,
        sampling_probability=RATE,
        max_steps=ROUNDS,
        eps_error=0.1,
        delta_error=1e-9,
    )
    return account.compute_epsilon(delta=DELTA, num_steps=ROUNDS)[2]


def autodp() -> float:
    from autodp.mechanism_zoo import NoisySGD_Mechanism

    return NoisySGD_Mechanism(prob=RATE, sigma=1.0, niter=ROUNDS).get_approxDP(DELTA)


def row(name: str, value: object, peer: object, more: str = "") -> None:
    shown = [f"{each:.5g}" if isinstance(each, float) else str(each) for each in (value, peer)]
    print(WIDE.format(name, *shown, more))


def speed() -> Iterator[Claim]:
    """The reference training run and its calibration, against dp_accounting."""
    row(name := "epsilon, q 0.01, z 1, 10,000 rounds", bound := ours(), theirs())
    yield at_most(name, bound, 6.1879)
    yield at_most("  its time, of theirs", side_by_side(ours, theirs, TURNS), 0.333)
    noise, peer = our_noise(), their_noise()
    row(name := "noise for (1, 1e-5), the same", noise, peer)
    yield at_most(name, noise, 3.8140)
    spent = epsilon(training(noise), DELTA, Relation.ADD_REMOVE).epsilon
    row(name := "  epsilon of that noise", spent, theirs_at(peer))
    yield at_most(name, spent, 1.0)
    yield at_most("  its time, of theirs", side_by_side(our_noise, their_noise, 3), 0.333)
    renyi = RdpAccountant().compose(TRAINING).get_epsilon(DELTA)
    second = cross_check(TRAINING, DELTA, Relation.ADD_REMOVE).epsilon
    row("second accountant (Renyi)", second, renyi)
    for name, peer_of in (("prv-accountant", prv), ("autodp", autodp)):
        try:
            ratio = statistics.median(side_by_side(ours, peer_of, 3))
            row(f"  beside {name} {version(name)}, time ratio {ratio:.2f}", ours(), peer_of())
        except (PackageNotFoundError, ImportError):
            print(f"  {name} is not installed")


def theirs_at(noise: float) -> float:
    return PLDAccountant().compose(training(noise)).get_epsilon(DELTA)


def breadth() -> Iterator[Claim]:
    """What the peers do not have, or cannot resolve."""
    fixed = repeated(without_replacement(10_000, 100, gaussian(2.0)), 1000)
    peer = (
        RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)
        .compose(fixed)
        .get_epsilon(DELTA)
    )
    bound = epsilon(fixed, DELTA, Relation.REPLACE_ONE).epsilon
    row(name := "fixed-size samples, q 0.01, noise 4C, 1,000 rounds", bound, peer)
    yield at_most(name, bound, 0.7287)
    for local, once, hundred in ((1, 0.0531, 0.629), (2, 0.1552, 1.841), (4, 0.6011, 7.39)):
        for rounds, claim in ((1, once), (100, hundred)):
            passes = repeated(shuffled(local, 10_000), rounds)
            start = time.process_time()
            bound = epsilon(passes, 1e-6, Relation.REPLACE_ONE).epsilon
            name = f"shuffled, n 10,000, e0 {local}, {rounds} rounds"
            yield at_most(name, bound, claim)
            yield at_most("  its CPU seconds", time.process_time() - start, 0.5)
    start = time.process_time()
    budget = calibration.local_epsilon(lambda each: shuffled(each, 10**6), 1.0, 1e-8, 1.0)
    took = time.process_time() - start
    row(name := "local epsilon for (1, 1e-8) among 1,000,000", budget, "-")
    yield at_most(f"CPU seconds for the {name}", took, 2.0)
    for delta in (1e-15, 1e-30):
        peer = PLDAccountant().compose(TRAINING).get_epsilon(delta)
        bound = epsilon(TRAINING, delta, Relation.ADD_REMOVE).epsilon
        row(name := f"the training run at delta {delta:g}", bound, peer)
        yield at_most(name, bound, sys.float_info.max)
    million = repeated(poisson(1e-3, gaussian(1.0)), 10**6)
    bound = epsilon(million, DELTA, Relation.ADD_REMOVE).epsilon
    took = timed(lambda: epsilon(million, DELTA, Relation.ADD_REMOVE))
    row("a million rounds, q 0.001, z 1", bound, "-", f"{took:.2f} s")
    mixture = composed(
        [repeated(poisson(0.01 + k / 1000, gaussian(1 + k / 10)), 10 + k) for k in range(50)]
    )
    peer = PLDAccountant().compose(mixture).get_epsilon(DELTA)
    took = timed(lambda: epsilon(mixture, DELTA, Relation.ADD_REMOVE))
    bound = epsilon(mixture, DELTA, Relation.ADD_REMOVE).epsilon
    row(name := "50 different mechanisms", bound, peer)
    yield at_most(f"CPU seconds for {name}", took, 2.0)


def main() -> Iterator[Claim]:
    """Prints one table, ours and the peer's, and what is claimed."""
    warnings.simplefilter("ignore")
    print(", ".join(f"{name} {version(name)}" for name in ("dp-accounting", "numpy", "scipy")))
    print(WIDE.format("", "tacit", "dp-accounting", ""))
    yield from speed()
    yield from breadth()


if __name__ == "__main__":
    settle(main())
