"""What is said of an interval that is all that was declared before anything was asked."""

from tacit.statistics.limits import Limits

UNLEARNT = "nothing was learnt, so ask more people, or at a larger epsilon"


def unlearnt(limits: Limits, bounds: tuple[float, float]) -> tuple[str, ...]:
    """Of one estimate whose limits reach both bounds."""
    if limits.lower > bounds[0] or limits.upper < bounds[1]:
        return ()
    return (f"the interval is everything between the bounds: {UNLEARNT}",)
