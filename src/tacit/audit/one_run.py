"""One run with many canaries: for learners that are too expensive to be run often.

Each of m canaries is in the data or not, by a coin of its own. From what the one run answers an
onlooker guesses of some canaries whether they are in, and abstains of the others. Of r guesses v
are right. If the answer is (epsilon, delta)-private for one canary who comes or goes, then with
W of the law Bin(r, e^epsilon/(1 + e^epsilon))

    P[v or more are right] <= P[W >= v] + 2 m delta max over i from 1 to v of P[v > W >= v - i]/i,

however the guesses are made of the answer (Steinke, Nasr and Jagielski 2023, Theorem 5.2). This is
a p-value of every (epsilon, delta); the epsilon that is shown is the last of a grid, from zero on,
of which all are refuted. Whoever keeps a smaller one keeps every point above it, the next of the
grid among them, and that is refuted with probability 1 - confidence at most.

How many guesses to make is not chosen by what comes out: several numbers are tried, and each has
its part of 1 - confidence. Of r guesses half say "in", of the canaries whose scores are largest,
and half say "out".

References:
    Steinke, Nasr and Jagielski 2023, "Privacy auditing with one (1) training run".
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import expit, logit
from scipy.stats import binom

from tacit.argument import got, is_number, is_whole, refuse_no_seed
from tacit.audit.finding import AuditFinding
from tacit.audit.many_runs import Audited, refuse_no_audit
from tacit.audit.promises import EpsilonDelta
from tacit.statistics.chance_limits import lower_limit
from tacit.statistics.limits import refuse_no_confidence

# Of the grid on which an epsilon is shown, and where it ends.
STEP, MOST = 0.01, 20.0
# Guesses, as shares of the canaries.
SHARES = 1.0, 0.5, 0.1
# How much an answer, and which canary, look as if it were in.
CanaryScore = Callable[[Any, Any], float]


def in_one_run(
    function: Audited,
    rows: Any,
    canaries: Any,
    promise: EpsilonDelta,
    *,
    score: CanaryScore | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> AuditFinding:
    """Whether one run gives away too many of its canaries.

    **Guarantee.** A function that keeps the promise, for one person who comes or goes, is said to
    break it with probability 1 - confidence at most; so is `epsilon` above the true one.

    **Power.** m canaries show no more than the epsilon at which all of r guesses are right with
    probability (1 - confidence)/3: about log(r/4.1) at 95%. Gaussian noise of a small delta shows
    less than its epsilon, even with many canaries.

    Args:
      function: called once, with the data and a seed.
      rows: everybody else: an array, or several in a tuple, with an axis for people first.
      canaries: as many who may be there, in the same form; at least 8.
      promise: an epsilon and a delta.
      score: of the answer and one canary, larger if it seems to be in; say, minus its loss. None
        for the product of both, number by number.
      confidence: of what is shown.
      seed: of the coins, and of the seed that the function gets.

    Raises:
      ValueError: if an argument is not of its kind, or a score is NaN.
    """
    refuse_no_audit(function, promise)
    refuse_no_confidence(confidence)
    refuse_no_seed(seed)
    many = len(_parts(canaries)[0])
    if not many >= 8:
        raise ValueError(f"there must be at least 8 canaries, got {many}")
    numbers = np.random.default_rng(seed)
    inside = numbers.integers(0, 2, many).astype(bool)
    answer = function(_joined(rows, _chosen(canaries, inside)), int(numbers.integers(0, 2**63)))
    each = (_chosen(canaries, place) for place in range(many))
    scores = np.array([float((score or along)(answer, canary)) for canary in each])
    return verdict_of_scores(scores, inside, promise, confidence)


def along(answer: Any, canary: Any) -> float:
    """How far an answer goes a canary's way.

    Raises:
      ValueError: if they have not as many numbers.
    """
    numbers, row = np.ravel(answer), np.ravel(canary)
    if numbers.size != row.size:
        raise ValueError(
            f"in one run a function must answer as many numbers as a row has, {row.size}, got "
            f"{numbers.size}"
        )
    return float(numbers @ row)


def verdict_of_scores(
    scores: Float[np.ndarray, " canaries"],
    inside: Bool[np.ndarray, " canaries"],
    promise: EpsilonDelta,
    confidence: float,
) -> AuditFinding:
    """What the scores of canaries show, of whom each was inside by a coin.

    Raises:
      ValueError: if a score is NaN.
    """
    if np.isnan(scores).any():
        raise ValueError("a score must be a number, got NaN")
    many, order, epsilon = len(scores), np.argsort(scores, kind="stable"), 0.0
    for half in (max(1, int(share * many) // 2) for share in SHARES):
        right = int(inside[order[many - half :]].sum() + (~inside[order[:half]]).sum())
        alpha = (1 - confidence) / len(SHARES)
        epsilon = max(epsilon, epsilon_of(many, 2 * half, right, promise.delta, alpha))
    told = f"{many:,} canaries in one run"
    broken = epsilon > promise.epsilon
    return AuditFinding(epsilon, promise.epsilon, promise.delta, confidence, told, broken)


def epsilon_of(canaries: int, guesses: int, right: int, delta: float, alpha: float) -> float:
    """The largest epsilon of the grid up to which all are refuted at level `alpha`; 0 for none."""
    # No p-value is below the tail of W, which the lower limit of a chance turns round.
    grid = np.arange(0.0, MOST, STEP)
    grid = grid[grid <= logit(lower_limit(right, guesses, alpha))]
    if not delta:
        return float(max(grid, default=0.0))
    found = 0.0
    for epsilon in grid:
        if p_value(canaries, guesses, right, float(epsilon), delta) > alpha:
            break
        found = float(epsilon)
    return found


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """At most so likely are so many right guesses under (epsilon, delta)-privacy.

    Raises:
      ValueError: unless 0 <= right <= guesses <= canaries, epsilon >= 0 and delta is in [0, 1].
    """
    if not (all(map(is_whole, (canaries, guesses, right))) and 0 <= right <= guesses <= canaries):
        raise ValueError(
            "there are at most as many right guesses as guesses, and guesses as canaries, got "
            f"{got(right)}, {got(guesses)} and {got(canaries)}"
        )
    if not (is_number(epsilon) and epsilon >= 0 and is_number(delta) and 0 <= delta <= 1):
        raise ValueError(
            f"epsilon is at least 0 and delta in [0, 1], got {got(epsilon)} and {got(delta)}"
        )
    chance = float(expit(epsilon))
    as_many = float(binom.sf(right - 1, guesses, chance))
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, chance))
    worst = float(np.max(below / np.arange(1, right + 1), initial=0.0))
    return min(1.0, as_many + 2 * canaries * delta * worst)


def _parts(data: Any) -> tuple[Any, ...]:
    parts = tuple(map(np.asarray, data)) if isinstance(data, tuple) else (np.asarray(data),)
    if not (parts and all(each.ndim for each in parts)):
        raise ValueError("rows and canaries must be arrays with an axis for people first")
    return parts


def _chosen(data: Any, which: Any) -> Any:
    """Some of the people, or one, in the same form."""
    own = tuple(part[which] for part in _parts(data))
    return own if isinstance(data, tuple) else own[0]


def _joined(first: Any, second: Any) -> Any:
    own = tuple(map(np.concatenate, zip(_parts(first), _parts(second), strict=True)))
    return own if isinstance(first, tuple) else own[0]
