"""Certified epsilons beside those of the peers: how tight, and in what fraction of their time.

Each timed pair alternates in one run and the medians are compared. dp_accounting runs at its
default grid; both calibrations start from a bracket that assumes nothing about the noise.
prv-accountant and autodp are shown where they are installed.

Run: python bench/accounting.py
"""

import statistics
import time
import warnings
from collections.abc import Callable
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
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def side_by_side(ours: Callable[[], object], theirs: Callable[[], object], turns: int) -> float:
    """The median time of ours over that of theirs, in alternating turns."""
    times = [(timed(ours), timed(theirs)) for _ in range(turns)]
    return statistics.median(t[0] for t in times) / statistics.median(t[1] for t in times)


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


def row(name: str, value: object, peer: object, claim: str) -> None:
    shown = [f"{each:.5g}" if isinstance(each, float) else str(each) for each in (value, peer)]
    print(WIDE.format(name, *shown, claim))


def speed() -> None:
    """The reference training run and its calibration, against dp_accounting."""
    row("epsilon, q 0.01, z 1, 10,000 rounds", ours(), theirs(), "claim: <= 6.1879")
    row("  time, ratio", side_by_side(ours, theirs, TURNS), 1.0, "claim: <= 0.333")
    noise, peer = our_noise(), their_noise()
    row("noise for (1, 1e-5), the same", noise, peer, "claim: <= 3.8140")
    spent = epsilon(training(noise), DELTA, Relation.ADD_REMOVE).epsilon
    row("  epsilon of that noise", spent, theirs_at(peer), "claim: <= 1")
    row("  time, ratio", side_by_side(our_noise, their_noise, 3), 1.0, "claim: <= 0.333")
    renyi = RdpAccountant().compose(TRAINING).get_epsilon(DELTA)
    second = cross_check(TRAINING, DELTA, Relation.ADD_REMOVE).epsilon
    row("second accountant (Renyi)", second, renyi, "")
    for name, peer_of in (("prv-accountant", prv), ("autodp", autodp)):
        try:
            label = (
                f"  beside {name} {version(name)}, time ratio {side_by_side(ours, peer_of, 3):.2f}"
            )
            row(label, ours(), peer_of(), "")
        except (PackageNotFoundError, ImportError):
            print(f"  {name} is not installed")


def theirs_at(noise: float) -> float:
    return PLDAccountant().compose(training(noise)).get_epsilon(DELTA)


def breadth() -> None:
    """What the peers do not have, or cannot resolve."""
    fixed = repeated(without_replacement(10_000, 100, gaussian(2.0)), 1000)
    peer = (
        RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE)
        .compose(fixed)
        .get_epsilon(DELTA)
    )
    bound = epsilon(fixed, DELTA, Relation.REPLACE_ONE).epsilon
    row("fixed-size samples, q 0.01, noise 4C, 1,000 rounds", bound, peer, "claim: <= 0.7287")
    for local, once, hundred in ((1, 0.0531, 0.629), (2, 0.1552, 1.841), (4, 0.6011, 7.39)):
        for rounds, claim in ((1, once), (100, hundred)):
            passes = repeated(shuffled(local, 10_000), rounds)
            start = time.perf_counter()
            bound = epsilon(passes, 1e-6, Relation.REPLACE_ONE).epsilon
            name = f"shuffled, n 10,000, e0 {local}, {rounds} rounds"
            row(name, bound, "-", f"claim: <= {claim}; {time.perf_counter() - start:.2f} s of 0.5")
    start = time.perf_counter()
    budget = calibration.local_epsilon(lambda each: shuffled(each, 10**6), 1.0, 1e-8)
    took = time.perf_counter() - start
    row("local epsilon for (1, 1e-8) among 1,000,000", budget, "-", f"{took:.2f} s of 2")
    for delta in (1e-15, 1e-30):
        peer = PLDAccountant().compose(TRAINING).get_epsilon(delta)
        bound = epsilon(TRAINING, delta, Relation.ADD_REMOVE).epsilon
        row(f"the training run at delta {delta:g}", bound, peer, "finite")
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
    row("50 different mechanisms", bound, peer, f"{took:.2f} s of 2")


def main() -> None:
    """Prints one table: ours, the peer's, and what is claimed."""
    warnings.simplefilter("ignore")
    print(", ".join(f"{name} {version(name)}" for name in ("dp-accounting", "numpy", "scipy")))
    print(WIDE.format("", "tacit", "dp-accounting", ""))
    speed()
    breadth()


if __name__ == "__main__":
    main()
