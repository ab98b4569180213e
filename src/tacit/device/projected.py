"""A device whose people's vectors are projected first, so that a report fits a limit of bytes.

The round projects every term and lifts every answer, with the key that it publishes; what stands
between is a device of fewer dimensions and a server of its sums (`device.projection`).
"""

import math
from dataclasses import replace
from typing import final

import equinox as eqx
from jaxtyping import Array, Float, Num, PRNGKeyArray

from tacit.argument import got, is_whole
from tacit.contribution import Ball, Contribution, Sphere
from tacit.device.projection import LEAST_KEPT, SharedProjection
from tacit.facts import ReportFacts
from tacit.noise.keys import KEY_BYTES
from tacit.plan import FLOAT_BITS, Device

_NUMBER_BYTES = FLOAT_BITS // 8


@final
class Projected(eqx.Module):
    """A device of a Ball or Sphere in few dimensions, for terms in many.

    **Guarantee**: that of `device`, whatever the public key.

    Args:
      projection: of each term, before the device has it.
      device: of the projected terms.
      radius, typical: the largest norm of a term, and the declared typical one.
    """

    projection: SharedProjection
    device: Device
    radius: float
    typical: float | None = eqx.field(static=True, default=None)

    @property
    def facts(self) -> ReportFacts:
        own, way = self.device.facts, self.projection
        common = self.radius if self.typical is None else self.typical
        return replace(
            own,
            worst_error=way.stretch * own.worst_error,
            typical_error=None if own.typical_error is None else way.stretch * own.typical_error,
            stretch=way.stretch,
            shared_error=way.error(self.radius, self.radius),
            typical_shared_error=way.error(common, common),
            answer_bits=8 * KEY_BYTES + FLOAT_BITS * way.kept,
        )

    def sample(
        self, key: PRNGKeyArray, terms: Float[Array, "people kept"]
    ) -> Float[Array, "people kept"]:
        return self.device.sample(key, terms)

    def projected(
        self, public: PRNGKeyArray, terms: Num[Array, "people dim"]
    ) -> Float[Array, "people kept"]:
        return self.projection.project(public, terms)

    def lifted(self, public: PRNGKeyArray, answer: Float[Array, " kept"]) -> Float[Array, " dim"]:
        return self.projection.lift(public, answer)


def projection_for(contribution: Contribution, upload: int | None) -> SharedProjection | None:
    """The projection to as many numbers as fit in so many bytes; None where a whole report does.

    Raises:
      ValueError: if no report fits, or the shape is not projected.
    """
    if upload is None:
        return None
    dim, fitting = _projectable(contribution).dim, upload // _NUMBER_BYTES
    if fitting >= dim:
        return None
    if fitting < LEAST_KEPT:
        least = _NUMBER_BYTES * min(LEAST_KEPT, dim)
        raise ValueError(f"upload must be at least the {least} bytes of a report, got {upload}")
    return SharedProjection(dim, 2 ** math.floor(math.log2(fitting)))


def kept(contribution: Contribution, projection: SharedProjection) -> Contribution:
    """The shape of projected terms: they are as long as they were."""
    return replace(_projectable(contribution), dim=projection.kept)


def projected(
    projection: SharedProjection, contribution: Contribution, device: Device
) -> Projected:
    """A device of what is kept of `contribution`, for all of it."""
    typical = contribution.typical if isinstance(contribution, Ball) else None
    return Projected(projection, device, contribution.bound, typical)


def _projectable(contribution: Contribution) -> Ball | Sphere:
    if not isinstance(contribution, Ball | Sphere):
        raise ValueError(
            f"an upload limit is for a Ball or Sphere, got {type(contribution).__name__}: leave "
            "upload None"
        )
    return contribution


def refuse_no_upload(upload: int | None) -> None:
    """Raises a ValueError unless this is a whole number of bytes, or None."""
    if upload is not None and not (is_whole(upload) and upload > 0):
        raise ValueError(
            f"upload must be a positive whole number of bytes, or None, got {got(upload)}"
        )
