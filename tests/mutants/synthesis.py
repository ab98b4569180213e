"""Synthetic rows: which pairs are asked without a delta, and what a tree of them is."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "cli/declared_columns.py",
        "cli/test_declared_columns.py",
        (
            "all(high - low > 1 for low, high in pairwise(known))",
            "all(high - low > 100 for low, high in pairwise(known))",
            "edges of bins go for values, and nothing is said",
            "numbers_that_others_lie_between_are_told_of",
        ),
    ),
    *of(
        "synthesis/from_pairs.py",
        "synthesis/test_from_pairs.py",
        (
            "people) <= _MOST_NOISE",
            "people) <= 2 * _MOST_NOISE",
            "pairs are asked that noise drowns",
            "without_a_delta_no_pair_is_asked_that_noise_would_drown",
        ),
        (
            "deviation = math.sqrt(2) * moved / epsilon",
            "deviation = moved / epsilon",
            "noise is taken for less than it is",
            "noise_is_foreseen_as_it_is_planned",
        ),
        (
            "return _NORMAL * max(each) / people / 2",
            "return _NORMAL * min(each) / people / 2",
            "the pair that noise moves least stands for all",
            "noise_is_foreseen_as_it_is_planned",
        ),
        (
            "key=lambda pair: (cells[pair], pair)",
            "key=lambda pair: (-cells[pair], pair)",
            "the largest tables are asked first",
            "without_a_delta_no_pair_is_asked_that_noise_would_drown",
        ),
        (
            "spent[False] / spent[True] * _SHARE / (1 - _SHARE)",
            "2 * spent[False] / spent[True] * _SHARE / (1 - _SHARE)",
            "single columns have a third of the promise",
            "single_columns_have_half_without_a_delta",
        ),
        (
            "if factor < 1 else tables",
            "if factor > 1 else tables",
            "pairs take what they like of the promise",
            "single_columns_have_half_without_a_delta",
        ),
        (
            "pairs[pair] if pair in pairs else",
            "pairs[pair] if len(pair) == 1 else",
            "what was asked is taken for independent",
            "pairs_that_were_not_asked_are_of_independent_columns",
        ),
        (
            "_SHARE = 0.5",
            "_SHARE = 0.2",
            "single columns have most of the promise",
            "single_columns_have_half_without_a_delta",
        ),
        (
            "np.random.default_rng(0)",
            "np.random.default_rng()",
            "the same release has another law each time",
            "the_same_pairs_make_the_same_mixture",
        ),
    ),
    *of(
        "synthesis/mixture.py",
        "synthesis/test_mixture.py",
        (
            "return own * (slope - along)",
            "return own * slope",
            "a slope in shares is taken for one in free numbers",
            "slopes_are_those_of_the_loss",
        ),
        (
            "return rng.permutation(np.minimum(drawn, len(shares) - 1))",
            "return np.minimum(drawn, len(shares) - 1)",
            "first values of one column go with first ones of another",
            "columns_are_independent_within_a_component",
        ),
    ),
    *of(
        "synthesis/pair_tree.py",
        "synthesis/test_pair_tree.py",
        (
            "best = max(reached",
            "best = min(reached",
            "the tree has the least ties",
            "the_tree_has_the_most_ties",
        ),
        (
            "quota(given[value], int(those.sum()), rng)",
            "quota(self.shares[child], int(those.sum()), rng)",
            "columns are drawn without their parents",
            "rows_have_the_trees_pairs",
        ),
        (
            "other[: other.index(joint)][::-1]",
            "other[: other.index(joint)]",
            "a path comes down in the wrong order",
            "a_law_along_a_tree_comes_back",
        ),
        (
            "found = found * _over(first, found.sum(1))[:, None]",
            "found = found * 1.0",
            "one column of a table stays as noise left it",
            "tables_agree_in_the_columns_they_share",
        ),
        (
            "out=own.copy(), where=whole > 0)",
            "out=0 * own, where=whole > 0)",
            "a value that nobody has is followed by nothing",
            "a_value_that_nobody_has_is_followed_by_everybodys",
        ),
    ),
)
