"""Audits of users' functions: convictions that are not earned, and bugs that are let go."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "audit/many_runs.py",
        "audit/test_many_runs.py",
        (
            "(each[half:] >= threshold).sum()",
            "(each[:half] >= threshold).sum()",
            "the runs that have chosen are measured as well",
            "noise_that_says_nothing_is_not_made_to",
        ),
        (
            "alpha, half = (1 - confidence) / 2, len(outputs[0]) // 2",
            "alpha, half = 1 - confidence, len(outputs[0]) // 2",
            "two limits have the error of one",
            "outputs_without_noise_show_the_most_that_so_many_runs_can",
        ),
    ),
    *of(
        "audit/one_run.py",
        "audit/test_one_run.py",
        (
            "as_many + 2 * canaries * delta * worst",
            "as_many + delta * worst",
            "a delta for all canaries together",
            "a_delta_counts_as_the_theorem_says",
            "canaries_that_are_revealed_together_are_no_less_likely_than_allowed",
        ),
        (
            "inside[order[many - half :]].sum() + (~inside[order[:half]]).sum()",
            "np.maximum(inside, ~inside)[order[: 2 * half]].sum()",
            "every guess is right",
            "who_keeps_a_promise_exactly_is_convicted_as_seldom_as_was_said",
        ),
    ),
    *of(
        "audit/many_runs.py",
        "audit/test_many_runs.py",
        (
            "function(deepcopy(each), int(seed))",
            "function(each, int(seed))",
            "one run's data are another's output",
            "who_writes_into_the_data_is_judged_by_the_data",
        ),
        (
            "return apart / np.where(largest > 0, largest, 1.0)",
            "return apart",
            "squares of large numbers are no floats",
            "planted_bugs_are_convicted",
        ),
        (
            'rows.astype(object) if rows.dtype.kind in "iu"',
            'rows.astype(np.float64) if rows.dtype.kind in "iu"',
            "large whole numbers are rounded before they are told apart",
            "planted_bugs_are_convicted",
        ),
    ),
    *of(
        "sq/local_transcripts.py",
        "sq/test_local_transcripts.py",
        (
            "        if min(own.min() for own in self.law.values()) < _SMALLEST:",
            "        if False:",
            "chances too small for floats have no ratio",
            "chances_whose_product_is_no_float_have_their_epsilon",
        ),
    ),
    *of(
        "audit/fits.py",
        "audit/test_fits.py",
        (
            "own.set_params(seed=seed, ledger=None)",
            "own.set_params(seed=1, ledger=None)",
            "all fits have the same noise",
            "a_copy_is_fitted_and_what_it_learnt_is_seen",
        ),
        (
            "for each in jax.tree.leaves(kept)",
            "for each in kept",
            "tables in a list are not seen",
            "every_number_is_seen_wherever_it_stands",
        ),
        (
            "_NUMBERS = float | np.ndarray | np.generic | jax.Array",
            "_NUMBERS = np.ndarray | jax.Array",
            "a number that stands alone is not seen",
            "an_estimator_that_remembers_is_convicted",
        ),
        (
            "    places[0][-1] = 1",
            "    pass",
            "the canary's label is that of all others",
            "canaries_are_of_the_estimator_s_own_bounds",
        ),
        (
            'bounds = own.get("bounds", (0.0, 1.0))',
            "bounds = (0.0, 1.0)",
            "the canary is within the bounds",
            "canaries_are_of_the_estimator_s_own_bounds",
        ),
        (
            'bounds=own["target_bounds"], relation=relation)',
            "bounds=(0.0, 0.1), relation=relation)",
            "a canary's target is within its bounds",
            "canaries_are_of_the_estimator_s_own_bounds",
        ),
        (
            "rows = neighbours(people, columns, bounds=bounds, relation=relation)",
            "rows = neighbours(people, columns, bounds=bounds)",
            "a canary is missing where one is replaced",
            "canaries_are_of_the_estimator_s_own_bounds",
        ),
    ),
    *of(
        "audit/promises.py",
        "audit/test_promises.py",
        (
            "np.log(np.maximum(least - delta, 0.0))",
            "np.log(np.maximum(least, 0.0))",
            "what the delta allows is shown as an epsilon",
            "chances_show_their_ratio_less_the_delta",
        ),
    ),
    *of(
        "statistics/chance_limits.py",
        "statistics/test_chance_limits.py",
        (
            "betainc(many, none + 1.0, middle) <= alpha",
            "betainc(many, none + 1.0, middle) <= 2 * alpha",
            "a limit is wrong twice as often",
            "a_limit_is_on_the_wrong_side_as_seldom_as_was_said",
        ),
    ),
)
