"""From noisy sums of public subsets to the bits that were summed: three ways, of rising cost.

Answers are a = A x + noise, with A a public matrix of zeros and ones, a row for each subset, and x
everybody's bit.

| way | what it finds | what it costs | what it needs |
| --- | --- | --- | --- |
| least squares | the x that is nearest | n² m | more subsets than people |
| linear program | x in [0, 1] with the least largest error | more than either | bounded noise |
| exhaustive | of all 2^n x one with the least largest error | 2^n times the subsets | n <= 16 |

**Exhaustive is Dinur and Nissim's first theorem.** Let all 2^n subsets be answered within E. The x
that is found errs by no more than E on each. On the subset of those who have the bit and are said
not to, both x differ by as many as these are, and by 2 E at most; so do the others: at most 4 E
people are wrong, whoever made up the errors.

References:
    Dinur and Nissim 2003, "Revealing information while preserving privacy", Theorems 2 and 3.
    Dwork, McSherry and Talwar 2007, "The price of privacy and the limits of LP decoding".
"""

import math
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import linprog
from scipy.stats import norm

# There are 2^16 candidates then, each of them held against every answer.
MOST_EXHAUSTIVE = 16
# Subsets that are looked at first, to leave most candidates out.
_FIRST = 64

Subsets = Bool[np.ndarray, "subsets people"]
Answers = Float[np.ndarray, " subsets"]
Guess = Float[np.ndarray, " people"]


@runtime_checkable
class Decoder(Protocol):
    """A way from answers to bits."""

    def bits(self, subsets: Subsets, answers: Answers) -> Guess:
        """Numbers that are nearer to one for those who are likelier to have the bit."""
        ...

    def expected(self, subsets: int, people: int, noise: float) -> float | None:
        """The share that is found of random subsets under such noise; None if unforeseen."""
        ...


@final
@dataclass(frozen=True)
class NearestInSquares:
    """The nearest in squares.

    **Error.** Of m random subsets A'A is about m/4 times the identity beside its mean direction,
    and its inverse about 4/(m - n): noise of deviation s on answers is 2 s/(m - n)^(1/2) on a bit,
    and a share Phi((m - n)^(1/2)/(4 s)) of all is found.
    """

    def bits(self, subsets: Subsets, answers: Answers) -> Guess:
        rows = subsets.astype(np.float64)
        return np.linalg.pinv(rows.T @ rows, hermitian=True) @ (rows.T @ answers)

    def expected(self, subsets: int, people: int, noise: float) -> float | None:
        if not noise:
            return 1.0 if subsets >= people else None
        return float(norm.cdf(math.sqrt(max(subsets - people, 0)) / (4 * noise)))


@final
@dataclass(frozen=True)
class LinearProgram:
    """The least largest error, of bits that may be fractions: for noise that is never large."""

    def bits(self, subsets: Subsets, answers: Answers) -> Guess:
        rows, ones = subsets.astype(np.float64), np.ones((len(subsets), 1))
        above, below = np.hstack([rows, -ones]), np.hstack([-rows, -ones])
        people = subsets.shape[1]
        found = linprog(
            np.append(np.zeros(people), 1.0),
            A_ub=np.vstack([above, below]),
            b_ub=np.concatenate([answers, -answers]),
            bounds=[(0, 1)] * people + [(0, None)],
        )
        return np.asarray(found.x[:-1])

    def expected(self, subsets: int, people: int, noise: float) -> float | None:
        return 1.0 if not noise and subsets >= people else None


@final
@dataclass(frozen=True)
class Exhaustive:
    """The least largest error among all bits there can be, of at most 16 people."""

    def bits(self, subsets: Subsets, answers: Answers) -> Guess:
        """Raises the ValueError of more people."""
        people = subsets.shape[1]
        if not people <= MOST_EXHAUSTIVE:
            raise ValueError(f"at most {MOST_EXHAUSTIVE} people are searched for, got {people}")
        known, seen = _everything(people), slice(0, _FIRST)
        rough = _largest(known, subsets[seen], answers[seen])
        first = known[np.argmin(rough)]
        reached = _largest(first[None], subsets, answers)[0]
        left = known[rough <= reached]
        errors = np.concatenate([_largest(own, subsets, answers) for own in _blocks(left)])
        return left[np.argmin(errors)].astype(np.float64)

    def expected(self, subsets: int, people: int, noise: float) -> float | None:
        """At least so many, all subsets being asked for, in 19 of 20 draws of normal noise."""
        largest = noise * float(norm.isf(0.025 / subsets))
        return max(0.0, 1 - 4 * largest / people) if subsets >= 2**people else None


def _everything(people: int) -> Bool[np.ndarray, "candidates people"]:
    return (np.arange(2**people)[:, None] >> np.arange(people)) % 2 == 1


def _largest(
    candidates: Bool[np.ndarray, "candidates people"], subsets: Subsets, answers: Answers
) -> Float[np.ndarray, " candidates"]:
    """Each one's largest error on these subsets."""
    sums = candidates.astype(np.float32) @ subsets.T.astype(np.float32)
    return np.abs(sums - answers).max(axis=1)


def _blocks(candidates: Bool[np.ndarray, "candidates people"]) -> list[np.ndarray]:
    """A few hundred side by side: errors on all subsets fill memory."""
    return np.array_split(candidates, math.ceil(len(candidates) / 256))
