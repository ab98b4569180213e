"""What is seen of a tilted sum of losses: masses on a window, and how far each answer can be off.

Outside the window lies next to nothing of the tilted mass; what wraps into it, and the rounding of
the transform, are bounded here for every question. Untilting multiplies a mass at the loss l by
e^(K - theta l), which is a moderate number about the losses theta was chosen for.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.accounting.loss.pld import LEAST, UNIT, Masses, Tail
from tacit.accounting.loss.transform import norm

# Of the tilted mass, below the window and what wraps from above: hardly above rounding.
WRAPPED = 1e-14
# At an epsilon below which the losses' own cannot lie; where none succeeds all of it is slack.
_ATTEMPTS = 8


@dataclass(frozen=True)
class Window:
    """Masses of the sum at the losses (bottom + i) * interval, tilted by theta and normalised."""

    theta: float
    log_moment: float
    interval: float
    bottom: int
    tilted: Masses
    l2_rounding: float
    above: float

    @cached_property
    def losses(self) -> Masses:
        return self.interval * (self.bottom + np.arange(len(self.tilted)))

    @cached_property
    def untilt(self) -> Masses:
        """What a tilted mass is multiplied by to be a mass again."""
        return np.exp(np.minimum(self.log_moment - self.theta * self.losses, 700.0))

    @cached_property
    def masses(self) -> Masses:
        """The masses before the tilt; exact to rounding about the losses theta was chosen for."""
        return np.maximum(self.tilted, 0.0) * self.untilt

    def rounding(self, epsilon: float) -> float:
        """What the transforms' rounding can have taken from delta(epsilon)."""
        above = self._beyond(epsilon)
        counts = self.untilt[above] * -np.expm1(epsilon - self.losses[above])
        return self.l2_rounding * norm(counts) + (len(counts) + 1) * LEAST

    def wrapped(self, epsilon: float) -> float:
        """At most how much of delta(epsilon) lies below the window, or wrapped into it."""
        return 2 * WRAPPED * math.exp(min(self.log_moment - self.theta * epsilon, 700.0))

    def lower(self, delta: float, guess: float) -> float:
        """An epsilon at which the losses' own delta is surely above `delta`; 0 if none is found."""
        for _ in range(_ATTEMPTS):
            doubt = self.above + self.rounding(guess) + self.wrapped(guess)
            found = self.epsilon(delta + doubt) * (1 - 1e-9)
            if found >= guess * (1 - 1e-6):
                return found
            guess = found
        return 0.0

    def delta(self, epsilon: float) -> float:
        """Of finite losses alone, rounded up: a difference of two losses errs by a part of these,
        and each product, and the sum, by a part of itself."""
        above = self._beyond(epsilon)
        masses, losses = self.masses[above], self.losses[above]
        if not len(losses):
            return 0.0
        found = float(masses @ -np.expm1(epsilon - losses)) * (1 + (len(losses) + 8) * UNIT)
        farthest = abs(epsilon) + max(abs(losses[0]), abs(losses[-1]))
        return found + 4 * UNIT * farthest * float(masses.sum())

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon >= 0 from which on delta is met, not below the window's bottom."""
        return self._tail.epsilon(delta)

    @cached_property
    def _tail(self) -> Tail:
        return Tail.of(float(self.losses[0]), self.interval, self.masses)

    def _beyond(self, epsilon: float) -> slice:
        """The losses, which rise, that are larger."""
        return slice(int(np.searchsorted(self.losses, epsilon, side="right")), None)
