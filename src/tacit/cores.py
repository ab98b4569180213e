"""How many of a machine's cores this process may run on."""

import os


def cores() -> int | None:
    """Where the system says so; else all there are, and None if it does not say that either."""
    own = getattr(os, "sched_getaffinity", None)
    return len(own(0)) if own else os.cpu_count()
