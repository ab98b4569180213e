"""Reports of a few bits a number: each rounded, without bias, to a level that is dense near zero.

The levels are A sinh(h j) for whole j of so many bits, with the largest one the longest report. A
number x between two levels goes to the upper one with a probability that leaves its mean.

1. For x = A sinh(s), between the levels at a and b = a + h, the variance of the rounding is

       (upper - x)(x - lower) = 4 A² cosh((b+s)/2) cosh((a+s)/2) sinh((b-s)/2) sinh((s-a)/2)
                             <= 4 sinh(h/4)² e^(h/2) (A² + x²),

   for cosh p cosh q = (cosh(p+q) + cosh(p-q))/2 with p+q at most 2|s| + h/2 and p-q = h/2, and
   sinh p sinh q is at most its square at the middle.
2. Summed over k numbers of a report of norm at most b it is

       beta (b² + k A²),   beta = 4 sinh(h/4)² e^(h/2),

   whatever the report is: no number has to be where most of them are. A is the one of the least
   sum.
3. Likewise upper - lower = 2 A cosh((a+b)/2) sinh(h/2) <= 2 sinh(h/2) e^(h/2) (A² + x²)^(1/2),
   which bounds how far a report moves.

**Privacy**: rounding looks at the report alone, so it is post-processing.
"""

import math
from dataclasses import replace
from typing import cast, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from tacit.contribution import Ball
from tacit.facts import ReportFacts
from tacit.late import fminbound
from tacit.plan import Device


@final
class Coded(eqx.Module):
    """A device of vectors whose reports have `bits` bits a number. Build it with `best`.

    **Guarantee**: that of `device`.

    **Error**: the device's, and `rounding` at most. The mean is the device's, up to float32
    rounding of the levels.

    Args:
      device: whose reports are rounded.
      bits: of a number.
      unit: A, the size below which levels are as good as equal.
      step: h, so that the last level is the longest report.
    """

    device: Device
    bits: int = eqx.field(static=True)
    unit: float
    step: float

    @classmethod
    def best(cls, device: Device, bits: int) -> "Coded":
        """With the unit of the least error."""
        reports = cast(Ball, device.facts.report_set)
        equal = reports.bound / math.sqrt(reports.dim)

        def made(log_unit: float) -> Coded:
            unit = equal * math.exp(log_unit)
            return cls(device, bits, unit, math.asinh(reports.bound / unit) / _most(bits))

        return made(cast(float, fminbound(lambda each: made(each).rounding, -4.0, 4.0)))

    @property
    def rounding(self) -> float:
        """What the levels add to the error of a report, at most: step 2."""
        return 4 * math.sinh(self.step / 4) ** 2 * math.exp(self.step / 2) * self._squares

    @property
    def facts(self) -> ReportFacts:
        own, reports, typical = self.device.facts, self._reports, self.device.facts.typical_error
        furthest = 2 * math.sinh(self.step / 2) * math.exp(self.step / 2)
        return replace(
            own,
            report_set=Ball(reports.dim, reports.bound + furthest * math.sqrt(self._squares)),
            worst_error=own.worst_error + self.rounding,
            typical_error=None if typical is None else typical + self.rounding,
            second_moment=cast(float, own.second_moment) + self.rounding,
            report_bits=self.bits * reports.dim,
        )

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        for_report, for_level = jax.random.split(key)
        reports = self.device.sample(for_report, terms)
        return self.level(self.numbers(for_level, reports))

    def numbers(
        self, key: PRNGKeyArray, reports: Float[Array, "people dim"]
    ) -> Float[Array, "people dim"]:
        """The whole numbers that are sent."""
        most = _most(self.bits)
        place = jnp.arcsinh(reports / self.unit) / self.step
        below = jnp.clip(jnp.floor(place), -most, most - 1)
        lower, upper = self.level(below), self.level(below + 1)
        share = (reports - lower) / (upper - lower)
        return below + (jax.random.uniform(key, reports.shape) < share)

    def level(self, numbers: Float[Array, "people dim"]) -> Float[Array, "people dim"]:
        """What these stand for."""
        return self.unit * jnp.sinh(self.step * numbers)

    @property
    def _reports(self) -> Ball:
        return cast(Ball, self.device.facts.report_set)

    @property
    def _squares(self) -> float:
        return self._reports.bound**2 + self._reports.dim * self.unit**2


def _most(bits: int) -> int:
    return 2 ** (bits - 1) - 1
