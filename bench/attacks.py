"""What attacks find, beside what noise is foreseen to give away and what a promise allows.

    python bench/attacks.py

* **Secret bits** (1,024 people, as many answers): under noise of 0.1, 0.3, 0.5 and 1 root people,
  over 40 sets of bits, beside Phi(1/(2 noise)); and under plans, beside what their promise allows.
* **Tracing** (members among others, 1% of whom are taken for members): under exact means and plans.
"""

import math
import time
from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.attacks.secret_bits import SecretBits
from tacit.attacks.tracing import Tracing

PEOPLE, SETS = 1024, 40
PROMISES = tuple(tacit.Central(epsilon, 1e-6) for epsilon in (0.1, 1.0, 5.0, 20.0))


def under_noise(attack: SecretBits, noise: float) -> tuple[float, float]:
    """The share of bits found, and seconds of the processor for one guess."""
    numbers, shares, spent = np.random.default_rng(0), [], 0.0
    for _ in range(SETS):
        bits = numbers.integers(0, 2, PEOPLE).astype(bool)
        exact = attack.terms(bits).sum(axis=0)
        answers = exact + numbers.normal(0, noise * math.sqrt(PEOPLE), PEOPLE)
        start = time.process_time()
        guess = attack.guess(answers / PEOPLE)
        spent += time.process_time() - start
        shares.append(np.mean(guess == bits))
    return float(np.mean(shares)), spent / SETS


def main() -> Iterator[Claim]:
    bits = SecretBits(PEOPLE)
    for noise in (0.1, 0.3, 0.5, 1.0):
        share, seconds = under_noise(bits, noise)
        foreseen = float(norm.cdf(1 / (2 * noise)))
        found = f"{share:.1%} found, {foreseen:.1%} foreseen"
        print(f"noise {noise} root people: {found}, {seconds:.3f} processor s")
        yield at_most(f"noise {noise}, found beside foreseen", abs(share - foreseen), 0.02)
    for attack in (bits, Tracing(100, 2000), Tracing(1000, 4000)):
        plain = attack.run(tacit.NonPrivate(), 0)
        print(f"{attack}, without a promise: {plain}")
        yield at_least(f"{attack}, without a promise", plain.found.high, plain.expected)
        for trust in PROMISES:
            found = attack.run(trust, 0)
            print(f"{attack}, {trust.epsilon:g}: {found}")
            yield at_most(f"{attack}, epsilon {trust.epsilon:g}", found.found.low, found.allowed)


if __name__ == "__main__":
    settle(main())
