"""A charge to a device's own ledger: what a report spends, and what the device has for it."""

from dataclasses import dataclass, field
from typing import NamedTuple, final

from tacit.live.cap import Cap


class OverCap(ValueError):
    """A report that would exceed the device's cap, or cannot be had again, or has no time to count
    from; nothing was spent."""


def beyond(cap: Cap) -> OverCap:
    """Why what has no room under this cap is not sent."""
    return OverCap(f"it would exceed this device's cap, {cap}")


class Cost(NamedTuple):
    """What a report spends, as the device itself finds it.

    Args:
      epsilon: of its law, or of all reports of its run together.
      distance: how far its sampler is from that law, in total variation.
      delta: of its run; positive if there is one, and otherwise zero.
      run: of which it is one, where a promise is of a whole run: that is spent once, in any stretch
        that one of its reports is in.
      times: how many reports a run has, at most.
    """

    epsilon: float
    distance: float
    delta: float = 0.0
    run: bytes | None = None
    times: int = 1

    @property
    def spent(self) -> tuple[float, float, float]:
        """Epsilon, distance and delta."""
        return self.epsilon, self.distance, self.delta


@final
@dataclass(frozen=True)
class Ready:
    """A round that is charged: its report, or the key that it is drawn from."""

    key: bytes | None = field(repr=False)
    report: bytes | None = field(repr=False)
