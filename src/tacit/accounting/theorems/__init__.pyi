from . import classical, iteration, laplace_thresholds, mean_breach, reconstruction, shuffle_bounds

__all__ = [
    "classical",
    "iteration",
    "laplace_thresholds",
    "mean_breach",
    "reconstruction",
    "shuffle_bounds",
]
