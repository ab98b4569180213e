"""Many runs on two neighbouring data sets, told apart: better than a promise allows, or not.

The runs are in two halves. The first chooses how to tell both data sets apart: outputs of several
numbers become one, along the direction in which their means differ most beside their spreads; and
of all thresholds of that number, above or below, that with which most is shown. The second half,
which nobody has looked at, is told apart in that one way. So its counts are binomial whatever was
chosen, and with limits at half of 1 - confidence each (Clopper and Pearson), of the chances t of a
true and a of a false alarm, more is shown than is true with probability 1 - confidence at most.

That t is at least its lower limit and a at most its upper one then shows an epsilon, and refutes a
promise that allows less than this t at this a (`promises`).

References:
    Jagielski, Ullman and Oprea 2020, "Auditing differentially private machine learning".
    Nasr and others 2023, "Tight auditing of differentially private machine learning".
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from jaxtyping import Float

from tacit.argument import counted, got, is_made, is_whole, refuse_no_seed
from tacit.audit.finding import AuditFinding
from tacit.audit.neighbouring import Neighbours
from tacit.audit.promises import AuditPromise, shown
from tacit.statistics.chance_limits import lower_limit, upper_limit
from tacit.statistics.limits import refuse_no_confidence

# Unless stated: at most an epsilon of 4.9 can be shown. And four in each half.
RUNS, LEAST_RUNS = 1_000, 8
# Thresholds that are tried from either end, at most: more may tell apart better, and each widens
# the limits that choose; those of the second half are true with any. A choice, not measured.
TRIED = 500
# Kinds of arrays that NumPy makes floats of, with something lost.
NO_NUMBERS = "cUSMm"
# What is audited: of data and a seed, a number or an array of them.
Audited = Callable[[Any, int], Any]
Outputs = Float[np.ndarray, "runs numbers"]
Scores = Float[np.ndarray, " runs"]


def by_runs(
    function: Audited,
    data: Neighbours,
    promise: AuditPromise,
    *,
    runs: int = RUNS,
    confidence: float = 0.95,
    seed: int = 0,
) -> AuditFinding:
    """Whether a function's runs on two neighbouring data sets are told apart too well.

    **Guarantee.** A function that keeps the promise is said to break it with probability
    1 - confidence at most; so is `epsilon` above the true one.

    | outputs | what happens |
    | --- | --- |
    | without any noise | the most that so many runs can show |
    | the same everywhere | nothing is shown |
    | not finite, or of different shapes | refused |

    Args:
      function: called with data and a seed; it returns a number, or an array of numbers.
      data: two data sets that the promise calls neighbours.
      promise: `EpsilonDelta(epsilon, delta)`, or `PlanPromise(plan)`.
      runs: on each of both, at least 8.
      confidence: of what is shown.
      seed: of the seeds that the function gets.

    Raises:
      ValueError: if an argument is not of its kind, or an output is none.
    """
    refuse_no_audit(function, promise)
    refuse_no_confidence(confidence)
    refuse_no_seed(seed)
    if not (isinstance(data, tuple) and len(data) == 2):
        raise ValueError(f"data must be two neighbouring data sets, Neighbours, got {got(data)}")
    if not (is_whole(runs) and runs >= LEAST_RUNS):
        raise ValueError(f"runs must be a whole number from {LEAST_RUNS} on, got {got(runs)}")
    numbers = np.random.default_rng(seed)
    outputs = _outputs(function, data, counted(runs), numbers)
    told = f"{counted(runs):,} runs on each of two data sets"
    return verdict_of(outputs, promise, confidence, told)


def refuse_no_audit(function: Any, promise: Any) -> None:
    """Raises a ValueError unless these are a function and a promise."""
    if not callable(function):
        raise ValueError(f"what is audited must be a function of data and a seed, got {function}")
    if not is_made(promise, AuditPromise):
        raise ValueError(f"promise must be an EpsilonDelta or a PlanPromise, got {got(promise)}")


def verdict_of(
    outputs: list[Outputs], promise: AuditPromise, confidence: float, told: str
) -> AuditFinding:
    """What outputs on two neighbouring data sets show, the first half of which chooses."""
    alpha, half = (1 - confidence) / 2, len(outputs[0]) // 2
    # A direction that runs have chosen is too good in these runs.
    turned = half // 2 if outputs[0].shape[1] > 1 else 0
    along = _direction(*(each[:turned] for each in outputs)) if turned else np.ones(1)
    scores = [each @ along for each in outputs]
    first, threshold = _told_apart([each[turned:half] for each in scores], promise, alpha)
    hits, wrong = (int((each[half:] >= threshold).sum()) for each in scores[:: 1 if first else -1])
    tries = len(outputs[0]) - half
    found, false = lower_limit(hits, tries, alpha), upper_limit(wrong, tries, alpha)
    epsilon = float(shown(found, false, promise.delta))
    broken = float(found) > promise.most_found(float(false))
    return AuditFinding(epsilon, promise.epsilon, promise.delta, confidence, told, broken)


def _outputs(
    function: Audited, data: Neighbours, runs: int, numbers: np.random.Generator
) -> list[Outputs]:
    """A row for each run, on either data set: each on a copy of its own, for what one run writes
    into its data is nothing that another one starts from.

    Raises:
      ValueError: if they are not all finite numbers, as many in each.
    """
    rows = [
        _numbers(function(deepcopy(each), int(seed)))
        for each in data
        for seed in numbers.integers(0, 2**63, runs)
    ]
    if len({row.shape for row in rows}) > 1 or not all(np.isfinite(row).all() for row in rows):
        raise ValueError("what is audited must answer finite numbers, as many in every run")
    scaled = _scaled(np.stack(rows))
    return [scaled[:runs], scaled[runs:]]


def _numbers(answer: Any) -> np.ndarray:
    """Whole numbers as they are; what is no number is NaN."""
    try:
        found = np.ravel(np.asarray(answer))
        if found.dtype.kind not in NO_NUMBERS:
            return found if found.dtype.kind in "iu" else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    return np.array([np.nan])


def _scaled(rows: np.ndarray) -> Outputs:
    """Each number less what it was in the first run, beside the largest that this is: it differs in
    floats as it does where it is large, and as much as any where it is small. It is the same law in
    other units."""
    # Halves, so that two numbers near the largest have a difference.
    exact = rows.astype(object) if rows.dtype.kind in "iu" else rows.astype(np.float64) / 2
    apart = (exact - exact[0]).astype(np.float64)
    largest = np.abs(apart).max(axis=0)
    return apart / np.where(largest > 0, largest, 1.0)


def _direction(one: Outputs, other: Outputs) -> Float[np.ndarray, " numbers"]:
    """Along which both differ most, beside the spread of each number."""
    apart, spread = one.mean(axis=0) - other.mean(axis=0), one.var(axis=0) + other.var(axis=0)
    # What has no noise, or hardly any, tells more than all that has. No number is above one.
    return apart / np.maximum(spread, 1e-6)


def _told_apart(scores: list[Scores], promise: AuditPromise, alpha: float) -> tuple[bool, float]:
    """Whether large scores are taken for the first data set's, and from which on."""
    tries, thresholds = len(scores[0]), _few(np.unique(np.concatenate(scores)))
    counts = np.stack([tries - np.searchsorted(np.sort(each), thresholds) for each in scores])
    # Of so many the best one is lucky: wider limits for whom few runs speak.
    alpha = alpha / len(thresholds)
    # Of few runs, many thresholds count the same.
    each, place = np.unique(counts, return_inverse=True)
    least, most = (limit(each, tries, alpha)[place] for limit in (lower_limit, upper_limit))
    shape = counts.shape
    evidence = promise.evidence(least.reshape(shape), most.reshape(shape)[::-1])
    way, place = np.unravel_index(np.argmax(evidence), evidence.shape)
    return bool(way == 0), float(thresholds[place])


def _few(thresholds: Scores) -> Scores:
    """Those that are tried, of many: the finer, the nearer to either end."""
    ranks = np.unique(np.geomspace(1, len(thresholds), TRIED).astype(int)) - 1
    return thresholds[np.union1d(ranks, len(thresholds) - 1 - ranks)]
