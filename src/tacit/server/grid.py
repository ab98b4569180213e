"""The step of the public grid that a round's sums are whole multiples of.

A sum has room for twice as many people as it is made for, and wraps beyond. Where all people take
part there may be many more than were declared, and nobody may be told so: their number is a secret.
So such sums are made for `ROOM` people at least, where that cuts nothing off what is whole. Terms
keep 25 bits of their bound then; sums without noise stay finer, and wrap sooner.
"""

import math

from tacit.contribution import Contribution, Outer, Tally
from tacit.contribution.outer import MOST_DIVIDED
from tacit.mechanisms.additive.gaussian import LEAST_STEPS
from tacit.noise.fixed import step_for
from tacit.question.participation import Everyone
from tacit.question.sums import Mean

ROOM = 2**19
# Of a deviation of noise, in steps: beyond it normal noise is as good as in the finest.
_BITS = 16


def step_in(question: Mean, shape: Contribution, noise: float) -> float:
    """For the sums of a question's rounds, with noise of this deviation.

    Raises:
      ValueError: as `step_of`.
    """
    own = step_of(shape, question.capacity, noise)
    if isinstance(shape, Outer) or not isinstance(question.participation, Everyone):
        return own
    roomy = step_of(shape, max(question.capacity, ROOM), noise)
    return roomy if not shape.unit or roomy <= shape.unit else own


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
    return _whole_squares(step, unit, noise)


def _whole_squares(step: float, unit: float, noise: float) -> float:
    """Nothing is cut off them: the fewer the steps, the more room for people."""
    few = unit * 2.0 ** math.floor(math.log2(noise / unit) - _BITS) if noise > 0 else unit
    return max(min(max(step, few), unit), unit * 2.0**-MOST_DIVIDED)
