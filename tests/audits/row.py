"""One row of the audit: a mechanism on two neighbouring inputs, and bugs it must not survive.

Under a privacy curve delta(e) every set S of outcomes satisfies P(S) <= e^e Q(S) + delta(e), in
both directions. The audit looks for the set that says otherwise. Half of the draws choose it: the
outcomes are put in bins, and for each e the best set is known to be all bins where P's count
exceeds e^e times Q's. The other half measure P(S) and Q(S) with exact (Clopper-Pearson) limits, so
a true curve is refuted with probability `ALPHA` at most, however the sets were chosen. Nothing is
proved by passing; that is what the planted bugs are for: the same harness must refute each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import jax
import numpy as np
from jaxtyping import PRNGKeyArray

from tacit.audit.promises import likelier
from tacit.statistics.chance_limits import lower_limit, upper_limit

ALPHA = 1e-7
BINS = 256
# The epsilons at which the curve is tested, relative to the claim.
SHARES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
# Draws of a quick version; and where a bug shows little more than is claimed.
QUICK, CLOSE = 30_000, 100_000

# `draws` independent outcomes: one whole or real number each, never NaN.
Sampler = Callable[[PRNGKeyArray, int], np.ndarray]


@dataclass(frozen=True)
class Row:
    """A claim, two neighbouring inputs' outcomes, and planted bugs.

    Args:
      cell: where it stands in the table ("local", "selection", ...).
      mechanism: its name.
      epsilon: the claim at `delta`.
      delta: what the claim allows; for a pure mechanism 0, or its samplers' distance.
      one, other: the mechanism's outcomes on two neighbouring inputs.
      planted: pairs of samplers with a bug, by what is wrong; each must be refuted.
      curve: the claimed delta at each epsilon; left out, that of a pure `epsilon` plus `delta`.
      draws, quick: outcomes of each input, in the audit and in its quick version.
    """

    cell: str
    mechanism: str
    epsilon: float
    one: Sampler
    other: Sampler
    planted: Mapping[str, tuple[Sampler, Sampler]] = field(default_factory=dict)
    delta: float = 0.0
    curve: Callable[[float], float] | None = None
    draws: int = 1_000_000
    quick: int = QUICK

    def allowed(self, epsilon: float) -> float:
        """The claimed delta at this epsilon."""
        if self.curve is not None:
            return self.curve(epsilon)
        worst = -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon))
        return max(0.0, worst) + self.delta


@dataclass(frozen=True)
class Finding:
    """What the draws prove: `epsilon` at the claim's delta, and by how much the curve is exceeded.

    Above zero, `excess` refutes the claim.
    """

    epsilon: float
    excess: float

    @property
    def refuted(self) -> bool:
        return self.excess > 0


def findings(row: Row, key: PRNGKeyArray, draws: int) -> tuple[Finding, dict[str, Finding]]:
    """Of the claim, and of each planted bug: in the same runs, so far as the bug leaves them."""
    own = examine(row, (row.one, row.other), key, draws)
    return own, {bug: examine(row, pair, key, draws) for bug, pair in row.planted.items()}


def stands(own: Finding, bugs: Mapping[str, Finding]) -> bool:
    """Whether the claim is not refuted, and every bug is: there is one at least."""
    return not own.refuted and bool(bugs) and all(bug.refuted for bug in bugs.values())


def examine(row: Row, pair: tuple[Sampler, Sampler], key: PRNGKeyArray, draws: int) -> Finding:
    """Tests the claim of `row` on a pair of samplers, with `draws` outcomes of each."""

    keys = jax.random.split(key, 2)
    outcomes = [np.asarray(sample(k, draws)) for sample, k in zip(pair, keys, strict=True)]
    if any(o.shape != (draws,) or np.isnan(o).any() for o in outcomes):
        raise ValueError(f"{row.mechanism}: samplers must give {draws} numbers, none of them NaN")
    half = draws // 2
    chosen, measured = ([o[:half] for o in outcomes], [o[half:] for o in outcomes])
    edges = _edges(np.concatenate(chosen))
    chosen, measured = ([_counts(o, edges) for o in part] for part in (chosen, measured))
    found = [_worst(row, chosen[::way], measured[::way]) for way in (1, -1)]
    return Finding(max(f.epsilon for f in found), max(f.excess for f in found))


def _edges(pooled: np.ndarray) -> np.ndarray:
    """Bins: single outcomes where they are few, else as many of each; the tails finer."""
    values = np.unique(pooled)
    if len(values) <= BINS:
        return values
    tails = np.geomspace(64 / len(pooled), 1 / BINS, 8)
    levels = np.concatenate([tails, np.linspace(1 / BINS, 1 - 1 / BINS, BINS), 1 - tails[::-1]])
    return np.unique(np.quantile(pooled, levels, method="nearest"))


def _counts(outcomes: np.ndarray, edges: np.ndarray) -> np.ndarray:
    bins = np.searchsorted(edges, outcomes, side="right")
    return np.bincount(bins, minlength=len(edges) + 1)


def _worst(row: Row, chosen: list[np.ndarray], measured: list[np.ndarray]) -> Finding:
    """One direction: the largest excess over the curve, and the largest epsilon, proved."""
    draws, alpha = int(measured[0].sum()), ALPHA / (4 * len(SHARES) + 4)
    excess, epsilon = -math.inf, -math.inf
    for target in (*(share * row.epsilon for share in SHARES), math.inf):
        ratio = math.exp(min(target, 700.0))
        # Past the claim, whatever one side alone can do.
        best = chosen[0] > ratio * chosen[1] if target < math.inf else chosen[1] == 0
        hits = [int(counts[best].sum()) for counts in measured]
        least, most = lower_limit(hits[0], draws, alpha), upper_limit(hits[1], draws, alpha)
        level = min(target, row.epsilon)
        excess = max(excess, float(least - math.exp(level) * most) - row.allowed(level))
        epsilon = max(epsilon, float(likelier(least, most, row.delta)))
    return Finding(epsilon, excess)
