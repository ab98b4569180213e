"""Slips in what estimators say before a fit, and in what they make of noisy directions."""

from mutants.mutant import Mutant, of

PRINTED = "estimators/test_fit_plan.py::test_what_is_printed_is_what_is_charged"
UNREAD = "estimators/test_fit_plan.py::test_nothing_is_read_or_spent_by_a_plan"

MUTANTS: tuple[Mutant, ...] = (
    *of(
        "estimators/listed_labels.py",
        "estimators/test_declared.py",
        (
            'if ours == theirs or "numbers" not in (ours, theirs):',
            "if ours == theirs:",
            "two texts are said to be no text",
            "text_for_numbers_is_said_by_the_types_alone",
        ),
    ),
    *of(
        "estimators/kmeans.py",
        "estimators/test_kmeans.py",
        (
            "if not whole <= people:",
            "if False:",
            "more centres than people are made of noise",
            "more_clusters_than_people_are_refused",
        ),
    ),
    *of(
        "estimators/reworded.py",
        "estimators/test_reworded.py",
        (
            "return None if said.startswith(_KEPT) else _OBJECTS",
            "return None",
            "a cell says what it is",
            "odd_cells_are_refused_in_one_sentence",
        ),
        (
            '    "Complex data not supported": COMPLEX,\n',
            "",
            "a whole table is printed for one complex number",
            "complex_targets_are_refused",
        ),
    ),
    *of(
        "estimators/reading.py",
        "estimators/test_reworded.py",
        (
            "    if np.ma.is_masked(X):\n",
            "    if False:\n",
            "what lies under a mask is somebody's number",
            "a_masked_number_is_missing",
        ),
        (
            "np.ma.is_masked(y) or _lacks(labels)",
            "_lacks(labels)",
            "what lies under a mask is somebody's label",
            "a_masked_number_is_missing",
        ),
    ),
    *of(
        "estimators/asking.py",
        "estimators/test_fit_plan.py",
        (
            "None if asking.ledger is None else asking.population",
            "asking.population",
            "a fit is said to be charged where there is no ledger",
            "without_a_ledger_nobody_is_charged",
        ),
    ),
    *of(
        "estimators/pca.py",
        "estimators/test_pca.py",
        (
            "asked = centred(terms.trust, people, box, self.n_components)",
            "asked = centred(terms.trust, 2 * people, box, self.n_components)",
            "a fit asks for another plan than was printed",
            f"{PRINTED}[PCA-NonPrivate1]",
        ),
        (
            "        trust = asked_under(self, OF_SQUARES)\n",
            "        trust = Terms.of(self, OF_SQUARES).trust\n",
            "a ledger is opened, or made, by who looks before spending",
            UNREAD,
        ),
    ),
    *of(
        "estimators/truncated_svd.py",
        "estimators/test_truncated_svd.py",
        (
            "asked = plain(terms.trust, people, rows.shape[1], radius, self.n_components)",
            "asked = plain(terms.trust, len(rows), rows.shape[1], 2 * radius, self.n_components)",
            "rows may be twice as long as was declared",
            f"{PRINTED}[TruncatedSVD-Central2]",
        ),
    ),
    *of(
        "estimators/kmeans.py",
        "estimators/test_kmeans.py",
        (
            "way = self._ways(terms.trust, people, box, names).best",
            "way = self._ways(terms.trust, people, box, names).rounds",
            "clusters are found in another way than was printed",
            f"{PRINTED}[KMeans-NonPrivate]",
        ),
    ),
    *of(
        "estimators/gaussian_mixture.py",
        "estimators/test_gaussian_mixture.py",
        (
            "asked = self._asked(terms.trust, people, box)",
            "asked = self._asked(terms.trust, 2 * people, box)",
            "a fit asks for another plan than was printed",
            f"{PRINTED}[GaussianMixture-NonPrivate]",
        ),
        (
            "box.half_diagonal * means + box.middle",
            "box.half_diagonal * means",
            "components are told where the middle of the bounds would be zero",
            "components_are_those_of_the_datas_own_units",
        ),
    ),
    *of(
        "estimators/gradients.py",
        "estimators/test_gradients.py",
        (
            " or isinstance(trust, Aggregated):",
            ":",
            "a drawn cohort hides nobody from a server that sees who takes part",
            "who_takes_part_follows_from_the_trust",
        ),
    ),
    *of(
        "estimators/regression.py",
        "estimators/test_linear.py",
        (
            '    box_before(asking.target_bounds, 1, "target_bounds")\n',
            "",
            "a plan is printed that no fit could charge for",
            "what_a_fit_refuses_has_no_plan",
        ),
        (
            "asked_regression(PublicNumbers(terms.trust, X.shape[1], people)",
            "asked_regression(PublicNumbers(terms.trust, X.shape[1], len(X) + 1)",
            "a fit is charged for another plan than was printed",
            "what_is_printed_is_what_is_charged",
        ),
    ),
    *of(
        "estimators/words_of_lines.py",
        "estimators/test_words_of_lines.py",
        (
            "    if plan.error is None:\n        return CUT_OFF\n    if plan.error == 0:",
            "    if not plan.error:",
            "reports that are cut are said to have no noise",
            "a_page_says_which_way_and_what_is_known_of_it",
        ),
    ),
    *of(
        "estimators/fit_plan.py",
        "estimators/test_fit_plan.py",
        (
            "    if not (people is None or declared is None or",
            "    if declared is None and not (people is None or",
            "a plan is printed for others than are declared",
            "people_may_be_told_to_the_plan",
        ),
        (
            "self.plan.page.instead(**own,",
            'self.plan.page.instead(error="none",',
            "no page says how wrong a fit would be",
            "rounds_and_their_shares_are_told",
            "estimators/test_words.py::test_what_is_not_foreseen_is_said_so",
        ),
    ),
    *of(
        "estimators/words.py",
        "estimators/test_words.py",
        (
            "foreseen = unit * math.sqrt(best.error)",
            "foreseen = math.sqrt(best.error)",
            "centres are said to be nearer than they are in the data's units",
            f"{PRINTED}[KMeans-NonPrivate]",
        ),
    ),
    *of(
        "estimators/directions.py",
        "estimators/test_directions.py",
        (
            "own = above(values, noise)",
            "own = values",
            "a direction is said to explain what noise makes",
            "a_direction_explains_what_is_not_noise",
        ),
        (
            "float(own.sum()), least)",
            "float(own.sum()))",
            "directions explain nearly all of a trace that noise has taken away",
            "shares_are_of_the_trace_and_of_no_less_than_noise_makes",
        ),
        (
            "min(enough, int(np.sum(explained > 0)))",
            "min(enough, len(explained))",
            "directions of noise are kept for a share that nobody explains",
            "a_share_keeps_the_fewest_directions_that_explain_it",
        ),
        (
            "else MatrixNoise(rmse, edge_of(plan.server))",
            "else MatrixNoise(rmse, 1.0)",
            "half of the noise's edge is taken for it",
            "noise_alone_is_hardly_above_what_is_said_of_it",
        ),
    ),
    *of(
        "estimators/kept_columns.py",
        "estimators/test_kept_columns.py",
        (
            "TRIED = 14",
            "TRIED = 4",
            "three times as many columns are kept as are needed",
            "only_directions_that_are_asked_for_count",
        ),
        (
            "own)])[-many:]",
            "own)])",
            "directions count that nobody asked for",
            "only_directions_that_are_asked_for_count",
        ),
        (
            " + PART * noise_of(every)",
            "",
            "columns are left out for what noise makes among several choices",
            "directions_across_all_columns_keep_them",
        ),
        (
            "np.argsort(-np.diag(moments), kind=",
            "np.argsort(np.diag(moments), kind=",
            "the loudest columns are left out, and not the quietest",
            "directions_of_few_columns_are_nearer",
            "columns_are_kept_in_their_order",
        ),
        (
            "above(values, noise_of(own)).sum()",
            "values.sum()",
            "parts of a matrix are compared with their noise, of which the whole has most",
            "directions_of_few_columns_are_nearer",
        ),
    ),
    *of(
        "server/symmetric.py",
        "server/test_symmetric.py",
        (
            "return WISHART_EDGE if wisharts else EDGE",
            "return EDGE",
            "what Wisharts make alone is held to be people's",
            "the_largest_eigenvalue_of_noise_is_as_told[0.0-2.3548]",
        ),
    ),
    *of(
        "estimators/centred_directions.py",
        "estimators/test_centred_directions.py",
        (
            "lost_in_rounds(self.rounds, part * (1 - _CONSTANT_LEVEL))",
            "lost_in_rounds(self.rounds, part)",
            "rows are thought as long as if there were no constant",
            "estimators/test_in_rounds.py::test_no_more_is_lost_in_rounds_than_is_foreseen[PCA-own1]",
        ),
        (
            "share = max(first[0], share / self.rounds.people)",
            "pass",
            "fewer people than declared have smaller variances",
            "estimators/test_in_rounds.py::test_directions_of_rounds_are_the_covariances[trust1-0.001]",
        ),
        (
            "    made /= _REACH\n",
            "",
            "rows with their constant are shortened, and the mean with them",
            "rows_with_their_constant_are_no_longer_than_one",
        ),
        (
            "return self._own(_CONSTANT_LEVEL) * self.rounds.largest_noise",
            "return self.longest * self.rounds.largest_noise",
            "noise of rounds is foreseen as if there were no constant",
            "noise_is_known_before_nearly_as_after[96-CentredRounds-trust0]",
        ),
    ),
    *of(
        "estimators/untouched.py",
        "estimators/test_untouched.py",
        (
            "            vars(self).update(before)\n            raise",
            "            raise",
            "what an earlier fit learnt is lost by one that is refused",
            "a_refused_fit_leaves_the_model_that_was_there",
        ),
    ),
)
