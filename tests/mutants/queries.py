"""Answers to many queries: what they are off by, and what their noise is weighted with."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "queries/marginal_table.py",
        "queries/test_marginal_answer.py",
        (
            "math.floor(10 * least) / 10:,.1f",
            "least:,.1f",
            "a limit is printed above what it is",
            "the_first_cells_of_each_table_are_printed",
        ),
    ),
    *of(
        "queries/domain.py",
        "queries/test_domain.py",
        (
            "known = tuple((name, attribute_of(name, each)) for name, each in pairs)",
            "known = tuple(pairs)",
            "a domain that is called takes anything for a column's values",
            "what_declares_nothing_is_refused",
        ),
        (
            '    if times > 1:\n        raise ValueError(f"a column of a domain',
            '    if False:\n        raise ValueError(f"a column of a domain',
            "one column is declared twice",
            "what_declares_nothing_is_refused",
        ),
    ),
    *of(
        "queries/linear_counts.py",
        "queries/test_linear_counts.py",
        (
            "rounded = rounding * there * largest",
            "rounded = rounding * there * np.ones(self.workload.queries)",
            "a large weight is thought to be rounded as little as one",
            "large_weights_are_within_their_roundings",
        ),
    ),
    *of(
        "queries/attributes.py",
        "queries/test_domain.py",
        (
            '        return type(same).__name__ == "NAType" or not (np.ndim(same) or same)\n'
            "    except Exception:",
            '        return type(same).__name__ == "NAType" or not (np.ndim(same) or same)\n'
            "    except TypeError:",
            "what one person's value raises stops a table",
            "no_odd_object_of_anybody_stops_a_table",
        ),
    ),
    *of(
        "queries/binned.py",
        "queries/test_binned.py",
        (
            "place[np.asarray(none, bool)] = len(self.ends) - 1",
            "place[np.asarray(none, bool)] = len(self.ends) - 2",
            "whoever has no value is in the last bin",
            "no_value_has_a_cell_of_its_own",
        ),
    ),
    *of(
        "cli/answer_files.py",
        "cli/test_answer_files.py",
        (
            "own.with_name(own.name + side) for side in _SIDES",
            "own.with_name(own.name) for side in _SIDES",
            "an answer is written over what SQLite has not yet put into the ledger",
            "no_file_of_the_ledger_is_written_over",
        ),
    ),
    *of(
        "queries/record_source.py",
        "queries/test_record_source.py",
        (
            "relation_of(trust) not in (None, Relation.ADD_REMOVE)",
            "relation_of(trust) is None",
            "how many meet a condition is promised to be public",
            "a_secret_number_of_people_is_not_promised_to_be_public",
        ),
    ),
    *of(
        "tables/placed.py",
        "tables/test_placed.py",
        (
            "if unit != PERSON:",
            "if unit == PERSON:",
            "a household's row is a person's record",
            "rows_of_households_are_no_persons_records",
        ),
        (
            "own.isnull() | own.isnan()",
            "own.isnull() & own.isnan()",
            "a row without a number is in no cell of a stored table",
            "rows_without_a_number_are_in_the_cell_that_is_declared_for_them",
        ),
        (
            "fill_null(NOWHERE)",
            "fill_null(0)",
            "a value that nobody declared is the first that is",
            "a_row_a_person_has_the_cells_it_has_in_memory",
        ),
    ),
    *of(
        "queries/reported_reach.py",
        "queries/test_reported_reach.py",
        (
            "variance = _ROUNDING * (decoded**2 @ chances - weights**2).max(1)",
            "variance = _ROUNDING * (decoded**2 @ chances - weights**2).min(1)",
            "limits are those of the cell of the least variance",
            "limits_are_of_the_worst_cell_and_the_farthest_report",
        ),
        (
            "np.sqrt(third**2 + 2 * people",
            "np.sqrt(third**2 + people",
            "limits are those of half of the people",
            "the_limits_hold_in_every_cell[ranges-0.01]",
        ),
        (
            "above = decoded.max(1) - weights.min(1)",
            "above = np.zeros(workload.queries)",
            "a report far above what it reports is left out",
            "limits_are_of_the_worst_cell_and_the_farthest_report",
        ),
    ),
    *of(
        "queries/weighting.py",
        "queries/test_weighting.py",
        (
            "(cost / max(moved_by(sizes), _TINY)) ** 0.25",
            "(cost / max(moved_by(sizes), _TINY)) ** 0.5",
            "Gaussian noise is not of the least error",
            "each_is_the_best_for_its_noise",
        ),
        (
            "max(l1_of(sizes), _TINY)) ** (1 / 3)",
            "max(l1_of(sizes), _TINY)) ** (1 / 2)",
            "Laplace noise is not of the least error",
            "fourier_coefficients_have_the_known_error",
        ),
        (
            "return (cost / lengths_of(sizes) ** 2 / max(l1_of",
            "return (cost / lengths_of(sizes) / max(l1_of",
            "rows of many attributes are heard too loudly",
            "fourier_coefficients_have_the_known_error",
        ),
        (
            "return math.sqrt(math.prod(sizes)) / lengths_of(sizes) if cost > 0",
            "return 1 / lengths_of(sizes) if cost > 0",
            "cosines are taken for as long as they are wide",
            "even_noise_moves_every_coefficient_alike",
        ),
    ),
)
