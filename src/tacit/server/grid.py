"""The step of the public grid that a round's sums are whole multiples of."""

import math

from tacit.contribution import Contribution, Outer, Tally
from tacit.contribution.outer import MOST_DIVIDED
from tacit.mechanisms.additive.gaussian import LEAST_STEPS
from tacit.noise.fixed import step_for


def step_of(shape: Contribution, people: int, noise: float) -> float:
    """For sums of so many people's members, with noise of this deviation.

    A unit divided into powers of two, or several units, to which terms are cut; squares are not to
    be cut one by one, and of more people than fit in their units no sum is made.

    Raises:
      ValueError: if they are squares of too many people.
    """
    unit = shape.unit or 1.0
    step = unit * step_for(shape.bound / unit, people, noise / unit)
    if isinstance(shape, Tally):
        # Whole numbers need nothing finer, and so have room; normal noise needs steps of its own.
        own = 2.0 ** math.floor(math.log2(noise / LEAST_STEPS)) if noise > 0 else unit
        return max(step, min(own, unit))
    if not isinstance(shape, Outer):
        return step
    if not people <= shape.most_people:
        raise ValueError(
            f"squares of {shape.levels:,} levels are summed over at most {shape.most_people:,} "
            f"people, got {people:,}: fewer levels, e.g. Outer(dim, radius, {shape.levels // 2}), "
            "let more be summed"
        )
    return max(min(step, unit), unit * 2.0**-MOST_DIVIDED)
