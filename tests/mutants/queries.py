"""Answers to many queries: what they are off by, and what their noise is weighted with."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "queries/linear_counts.py",
        "queries/test_linear_counts.py",
        (
            "return _FLOAT32 * self.people * self.workload.largest()",
            "return _FLOAT32 * self.people * np.ones(self.workload.queries)",
            "a large weight is thought to be rounded as little as one",
            "large_weights_are_within_their_roundings",
        ),
    ),
)
