"""Solvers: what they are handed of each person, and what they prove of what they return."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "solve/one_thread.py",
        "solve/test_one_thread.py",
        (
            'if "numpy.libs" in each["filepath"]]',
            "]",
            "a machine is another once SciPy is loaded",
            "kernels_are_those_of_numpys_blas",
        ),
    ),
    *of(
        "solve/objective.py",
        "solve/test_objective.py",
        (
            "scales = _scales(objective.bound, rows) * objective.loss.valid(labels)",
            "scales = _scales(objective.bound, rows)",
            "a label that is none counts",
            "rows_are_made_to_fit",
        ),
        (
            "fitted = np.where(norms <= longest, 1.0, longest / np.maximum(norms, 1.0))",
            "fitted = np.where(norms <= 2 * longest, 1.0, longest / np.maximum(norms, 1.0))",
            "rows up to twice as long as declared are left",
            "no_row_reaches_beyond",
        ),
        (
            "scales[doubtful] = np.where(finite, fitted, 0.0)",
            "scales[doubtful] = fitted",
            "a broken row takes part",
            "rows_are_made_to_fit",
        ),
        (
            "return self.bound * (1 + 2.0**-20)",
            "return self.bound",
            "a row that was cut is longer than is accounted for",
            "no_row_reaches_beyond",
        ),
    ),
    *of(
        "solve/certified.py",
        "solve/test_certified.py",
        (
            "if kind == np.float64:",
            "if True:",
            "products in float32 are taken for a proof",
            "a_point_anywhere_has_a_certificate_that_holds",
        ),
        (
            "whole = gradient + objective.strength * weights + self.tilt",
            "whole = gradient + self.tilt",
            "the penalty is not differentiated",
            "a_point_anywhere_has_a_certificate_that_holds",
            "gradient_and_hessian_are_the_derivatives",
        ),
        (
            "error = self._rounding(norm(weights), norm(gradient), norm(self.tilt), slopes)",
            "error = 0.0",
            "rounding is not allowed for",
            "the_certificate_covers_the_exact_gradient",
        ),
    ),
    *of(
        "solve/minimise.py",
        "solve/test_minimise.py",
        (
            "if not state.certified <= tolerance:",
            "if False:",
            "a point is returned that nothing is proved of",
            "unreachable_tolerances_are_reported",
            "stopped_early_is_reported",
        ),
    ),
    *of(
        "solve/nonnegative.py",
        "solve/test_nonnegative.py",
        (
            "factor = float(np.min(held[below] / -values[below]))",
            "factor = float(np.max(held[below] / -values[below]))",
            "some sums are negative",
            "it_is_allowed_and_as_near_as_is_said",
        ),
        (
            "off = (1 - factor) ** 2 * float(moved @ moved)",
            "off = 0.0",
            "what is drawn towards zero is thought to be where it was",
            "the_distance_is_that_of_the_gap_of_its_prices",
        ),
        (
            "math.sqrt(off + 2 * float(slack))",
            "math.sqrt(off + float(slack))",
            "the nearest point is farther than is said",
            "the_distance_is_that_of_the_gap_of_its_prices",
        ),
    ),
    *of(
        "solve/worst_error.py",
        "solve/test_worst_error.py",
        (
            "(1 - _ROUNDING) * least**2 / float(u.sum() * v.sum())",
            "(1 + _ROUNDING) * least**2 / float(u @ v)",
            "no strategy is as good as is said to be possible",
            "the_optimum_is_the_known_one",
        ),
        (
            "float(q.max() * (s / v).max())",
            "float(q.mean() * (s / v).max())",
            "the mean error is taken for the worst",
            "the_strategy_is_within_its_bounds",
        ),
        (
            "float(q.max() * (s / v).max())",
            "float(q.max() * (s / v).mean())",
            "the longest column is taken to be as long as the mean one",
            "the_strategy_is_within_its_bounds",
        ),
    ),
)
