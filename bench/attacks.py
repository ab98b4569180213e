"""What attacks find, beside what noise is foreseen to give away and what a promise allows.

    python bench/attacks.py

* **Secret bits** (1,024 people, as many answers): under noise of 0.1, 0.3, 0.5 and 1 root people,
  over 40 sets of bits, beside Phi(1/(2 noise)); and under plans, beside what their promise allows.
* **Subset sums**: the same of 4 and 8 times as many random subsets, by least squares, beside
  Phi((subsets - people)^(1/2)/(4 noise)); by a linear program and exhaustively under bounded noise.
* **Tracing** (members among others, 1% of whom are taken for members): under exact means and plans.
* **Few people** (fifteen, and fifteen others): how often a true promise is called broken.
* **Named rows** (one of 1,797 known people, by their update of 650 numbers): of plain updates, and
  of reports, whole and of fewer bytes, of an epsilon of 4 and more, beside what that allows.
"""

import math
import time
from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.attacks.decoders import Exhaustive, LinearProgram, NearestInSquares
from tacit.attacks.named_rows import NamedRows
from tacit.attacks.secret_bits import SecretBits
from tacit.attacks.shadow_models import ShadowModels
from tacit.attacks.subset_sums import BY, SubsetSums
from tacit.attacks.table_rows import TableRows
from tacit.attacks.tracing import Tracing
from tacit.audit.promises import most_found
from tacit.estimators import LogisticRegression

PEOPLE, SETS, FEW_RUNS = 1024, 40, 200
PROMISES = tuple(tacit.Central(epsilon, 1e-6) for epsilon in (0.1, 1.0, 5.0, 20.0))


def under_noise(attack: SecretBits | SubsetSums, noise: float, sets: int) -> tuple[float, float]:
    """The share of bits found, and seconds of the processor for one guess.

    Args:
      attack: on its people.
      noise: in root people, on a sum.
      sets: of bits.
    """
    numbers, shares, spent, people = np.random.default_rng(0), [], 0.0, attack.people
    for _ in range(sets):
        bits = numbers.integers(0, 2, people).astype(bool)
        exact = attack.terms(bits).sum(axis=0)
        answers = exact + numbers.normal(0, noise * math.sqrt(people), exact.size)
        start = time.process_time()
        guess = attack.guess(answers / people)
        spent += time.process_time() - start
        shares.append(np.mean(guess == bits))
    return float(np.mean(shares)), spent / sets


def under_bounded_noise(attack: SubsetSums, noise: float) -> float:
    """The share of bits found of one set, under uniform noise of at most so many root people."""
    numbers, most = np.random.default_rng(0), noise * math.sqrt(attack.people)
    bits = numbers.integers(0, 2, attack.people).astype(bool)
    answers = attack.terms(bits).sum(axis=0) + numbers.uniform(-most, most, attack.subsets)
    return float(np.mean(attack.guess(answers / attack.people) == bits))


def subset_sums() -> Iterator[Claim]:
    """By least squares as foreseen; by a linear program more, of the same subsets; exhaustively no
    more wrong than four errors."""
    for times, noise in ((4, 0.3), (8, 0.3), (4, 0.5), (8, 0.5)):
        attack = SubsetSums(PEOPLE, times * PEOPLE)
        share, seconds = under_noise(attack, noise, 2)
        foreseen = BY.expected(attack.subsets, PEOPLE, noise * math.sqrt(PEOPLE)) or 0.0
        name = f"{times} subsets a person, noise {noise} root people"
        print(f"{name}: {share:.1%} found, {foreseen:.1%} foreseen, {seconds:.3f} processor s")
        yield at_most(f"{name}, found beside foreseen", abs(share - foreseen), 0.02)
    squares, program = (
        under_bounded_noise(SubsetSums(512, 1536, by), 0.5)
        for by in (NearestInSquares(), LinearProgram())
    )
    yield at_least(
        f"512 people, bounded noise, linear program beside {squares:.3f}", program, squares
    )
    whole = under_bounded_noise(SubsetSums(16, 2**16, Exhaustive()), 0.25)
    yield at_least("16 people, all subsets within one", whole, 1 - 4 / 16)


def named() -> Iterator[Claim]:
    """By what devices send: no more than is allowed; at an epsilon of 64 two in five or more, but
    of an index, whose candidates no such budget has a use for."""
    attack = NamedRows(1797)
    plain = attack.run(tacit.NonPrivate(), 0)
    yield at_least(f"{attack}, without a promise", plain.found.share, 1.0)
    for upload in (None, 512, 64, 2):
        for epsilon in (4.0, 9.0, 16.0, 64.0):
            trust, size = tacit.Local(epsilon, upload), upload or "all"
            found = attack.run(trust, 0)
            print(f"{attack}, reports of {size} bytes, epsilon {epsilon:g}: {found}")
            name = f"{attack}, {size} bytes, epsilon {epsilon:g}"
            yield at_most(name, found.found.low, found.allowed)
            if epsilon == 64 and size != 2:
                yield at_least(f"  of {size} bytes", found.found.share, 0.4)


def few() -> Iterator[Claim]:
    """Fifteen who were counted and fifteen others, at epsilon 1: how often a lower limit is above
    what is allowed, and above what would be if the others' share were taken for their rate."""
    trust, beaten = tacit.Central(1.0, 1e-6), np.zeros(2, int)
    for seed in range(FEW_RUNS):
        attack = TableRows(15)
        people = attack.made(seed)
        found = attack.against(people._replace(others=people.others[:15]), trust, seed)
        plain = most_found(attack.asked(trust).plan, found.others or 0.0)
        beaten += np.array([found.found.low > found.allowed, found.found.low > plain])
    print(f"of {FEW_RUNS} true promises {beaten[0]} are beaten, {beaten[1]} at the others' share")
    yield at_most("true promises beaten, of few people", beaten[0] / FEW_RUNS, 0.025)


def main() -> Iterator[Claim]:
    yield from few()
    bits = SecretBits(PEOPLE)
    for noise in (0.1, 0.3, 0.5, 1.0):
        share, seconds = under_noise(bits, noise, SETS)
        foreseen = float(norm.cdf(1 / (2 * noise)))
        found = f"{share:.1%} found, {foreseen:.1%} foreseen"
        print(f"noise {noise} root people: {found}, {seconds:.3f} processor s")
        yield at_most(f"noise {noise}, found beside foreseen", abs(share - foreseen), 0.02)
    yield from subset_sums()
    yield from named()
    squares = SubsetSums(PEOPLE, 4 * PEOPLE)
    fits = ShadowModels(LogisticRegression(bounds=(-1, 1), classes=[0, 1]), 200, 300)
    for attack in (bits, squares, Tracing(100, 2000), Tracing(1000, 4000), TableRows(100), fits):
        plain = attack.run(tacit.NonPrivate(), 0)
        print(f"{attack}, without a promise: {plain}")
        # What is not foreseen has to be more than others are taken for, by luck too.
        if plain.expected is None:
            yield at_least(f"{attack}, without a promise", plain.found.low, plain.others or 0.0)
        else:
            yield at_least(f"{attack}, without a promise", plain.found.high, plain.expected)
        for trust in PROMISES:
            found = attack.run(trust, 0)
            print(f"{attack}, {trust.epsilon:g}: {found}")
            yield at_most(f"{attack}, epsilon {trust.epsilon:g}", found.found.low, found.allowed)


if __name__ == "__main__":
    settle(main())
