"""Statistical queries: what is asked, how wrong answers may be, and how many people they take."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "sq/oracle.py",
        "sq/test_oracle.py",
        (
            "return Once() if reported and relation_of(trust) in AtMost.relations else Everyone()",
            "return Once() if reported else Everyone()",
            "people who may be any are put in a secret order",
            "whoever_randomises_answers_once",
        ),
        (
            "return jax.nn.one_hot(own, self._counted.categories)",
            "return jax.nn.one_hot(own - 1, self._counted.categories)",
            "a category has its one in its neighbour's place",
            "a_category_as_a_vector_has_a_one_in_its_place",
        ),
    ),
    *of(
        "sq/conjunctions.py",
        "sq/test_conjunctions.py",
        (
            "np.stack([ones - apart, ones + apart], axis=1) / 2",
            "np.stack([ones - apart, ones + apart], axis=1)",
            "a literal is contradicted twice by each person",
            "answers_within_the_tolerance_make_a_rule_within_the_error",
            "the_very_rule_is_found_under_every_trust",
        ),
        (
            "own = jax.lax.dynamic_index_in_dim(bits, state.rounds, keepdims=False)",
            "own = bits[0]",
            "every round asks about the first bit",
            "a_round_asks_about_one_bit",
        ),
        (
            "contradicted <= float(self.threshold)",
            "contradicted <= 2 * float(self.threshold)",
            "what twice as many contradict is kept",
            "a_literal_is_kept_that_few_labels_of_one_contradict",
        ),
    ),
    *of(
        "sq/category_tables.py",
        "sq/test_category_tables.py",
        (
            "sum(self.categories), len(self.categories), 1)",
            "sum(self.categories), 1, 1)",
            "one of a person's cells is counted for all",
            "tables_are_near_under_every_trust",
        ),
        (
            "known = (code >= 0) & (code < many) & (own >= 0) & (own < classes)",
            "known = code == code",
            "who has no cell is put into one",
            "without_a_promise_they_are_exact",
        ),
    ),
    *of(
        "sq/moment_tables.py",
        "sq/test_moment_tables.py",
        (
            "2 * p * (1 - p), p**2])",
            "p * (1 - p), p**2])",
            "a person's shares do not add up to one",
            "shares_add_up_to_one_and_are_no_longer",
        ),
        (
            "return cls(features, classes, L1Ball(cells, float(features)))",
            "return cls(features, classes, L1Ball(cells, 1.0))",
            "people of several features are cut to one",
            "nobody_is_cut",
        ),
        (
            "return cls(features, classes, Ball(cells, float(features) ** 0.5))",
            "return cls(features, classes, Ball(cells, float(features)))",
            "noise is scaled to lengths that nobody has",
            "the_tightest_of_both_shapes_is_the_promises_own",
        ),
    ),
    *of(
        "sq/parity_adversary.py",
        "sq/test_parity_adversary.py",
        (
            "self._alive &= np.abs(own) <= self.tolerance",
            "self._alive &= np.abs(own) <= 2 * self.tolerance",
            "parities are left that an answer is against",
            "no_more_parities_are_lost_than_the_theorem_says",
        ),
        (
            "return 2**self.dim - self.asked / self.tolerance**2",
            "return 2**self.dim - self.asked / self.tolerance",
            "fewer parities are said to be lost than may be",
            "no_more_parities_are_lost_than_the_theorem_says",
        ),
    ),
    *of(
        "sq/parity_in_turn.py",
        "sq/test_parity_in_turn.py",
        (
            "** (2**dim - 1)",
            "** 1",
            "one other parity may win, and not any",
            "the_chance_to_fail_is_that_of_random_bits",
        ),
        (
            "math.tanh(epsilon / 2)",
            "math.tanh(epsilon)",
            "reports tell more than they do",
            "the_chance_to_fail_is_that_of_random_bits",
        ),
    ),
    *of(
        "sq/local_transcripts.py",
        "sq/test_local_transcripts.py",
        (
            "if not epsilon_of(law) < math.inf:",
            "if said == () and not epsilon_of(law) < math.inf:",
            "a later state without a bound is let through",
            "a_state_without_a_bound_is_refused",
        ),
        (
            "return tuple(max(map(epsilon_of, laws)) for laws in self._laws)",
            "return tuple(min(map(epsilon_of, laws)) for laws in self._laws)",
            "a round has the epsilon of its quietest law",
            "a_transcript_has_the_sum_of_its_rounds",
        ),
        (
            "past = past * (view.query(report) + 1) / 2",
            "past = past * 1",
            "what was said is forgotten",
            "queries_make_the_populations_transcripts",
        ),
    ),
    *of(
        "sq/grown_tree.py",
        "sq/test_grown_tree.py",
        (
            "2 * tables.prod(-1) / jnp.maximum(tables.sum(-1), 1e-12)",
            "2 * tables.prod(-1)",
            "an impurity is not in people",
            "it_is_the_tree_that_scikit_learn_grows",
        ),
        (
            "held = answer.reshape(self._open, self.dim, 4).sum(-1).mean(-1) >= self.least",
            "held = answer.reshape(self._open, self.dim, 4).sum(-1).mean(-1) >= 0",
            "a node of few people is tested by its noise",
            "a_node_of_few_people_keeps_the_label_it_had",
        ),
        (
            "return Counts(self._open * self.dim * 4, self.dim, 1)",
            "return Counts(self._open * self.dim * 4, 1, 1)",
            "one of a person's cells is counted for all",
            "a_tree_is_grown_under_every_trust",
        ),
    ),
    *of(
        "sq/smooth_boosting.py",
        "sq/test_smooth_boosting.py",
        (
            "jnp.maximum(jnp.dot(state.votes, own), 0.0)",
            "jnp.dot(state.votes, own)",
            "who is wrong weighs more than one, and is cut",
            "a_margin_lowers_a_weight_and_a_mistake_does_not_raise_it",
        ),
        (
            "return Cube(self.dim + 2, -1.0, 1.0)",
            "return Cube(self.dim + 2, 0.0, 1.0)",
            "bits that speak against a label are not heard",
            "a_vote_is_found_under_every_trust",
        ),
        (
            "better = (left < state.left) & jnp.any(state.votes != 0)",
            "better = left < state.left",
            "the first vote, of nothing, is kept",
            "the_vote_of_the_least_weight_is_kept",
        ),
    ),
    *of(
        "sq/halfspace.py",
        "sq/test_halfspace.py",
        (
            "wrong = jnp.dot(state.weights, signed) <= 0",
            "wrong = jnp.dot(state.weights, signed) < 0",
            "the first plane, of nothing, is wrong about nobody",
            "a_plane_is_found_under_every_trust",
        ),
        (
            "row = row / jnp.maximum(1.0, jnp.linalg.norm(row))",
            "row = row * 1.0",
            "a longer row moves the plane by more than one",
            "whoever_the_plane_is_right_about_says_nothing",
        ),
        (
            "better = (wrong < state.wrong) & jnp.any(state.weights != 0)",
            "better = wrong > -1",
            "the last plane is kept, and not the best",
            "the_best_plane_is_kept",
        ),
        (
            "return Ball(self.dim + 1, math.sqrt(2))",
            "return Ball(self.dim + 1, 1.0)",
            "who is wrong says less than they are asked",
            "a_term_is_not_cut",
        ),
    ),
    *of(
        "sq/low_degree.py",
        "sq/test_low_degree.py",
        (
            "return (1.0 - 2.0 * (label >= 1)) * (1.0 - 2.0 * (odd % 2))",
            "return (1.0 - 2.0 * (label >= 1)) * (1.0 - (odd % 2))",
            "a parity is asked for as a number and not as a sign",
            "a_person_answers_with_signs",
        ),
        (
            "for k in range(self.degree + 1))",
            "for k in range(self.degree, -1, -1))",
            "parities of many bits come first",
            "parities_are_all_of_few_bits",
        ),
    ),
    *of(
        "sq/query_people.py",
        "sq/test_query_people.py",
        (
            "each, cohort = failure / plan.sums.rounds, plan.sums.cohort",
            "each, cohort = failure, plan.sums.cohort",
            "the chance is of one query and not of all",
            "a_curators_pure_answers_are_laplaces_and_hoeffdings",
        ),
        (
            "spread, far = facts.worst_error + 1,",
            "spread, far = facts.worst_error,",
            "people who are drawn count as given",
            "reports_take_what_bernsteins_inequality_says",
        ),
        (
            "facts.report_set.bound + 1",
            "1.0",
            "reports are thought no larger than numbers",
            "reports_take_what_bernsteins_inequality_says",
        ),
        (
            "math.sqrt(2 * math.log(4 / each) / cohort)",
            "math.sqrt(math.log(4 / each) / cohort)",
            "numbers are thought to be in a unit",
            "noise_and_sampling_have_half_of_the_chance_each",
        ),
        (
            "reach(plan, each / 2) / cohort",
            "reach(plan, each) / cohort",
            "the chance is spent twice",
            "noise_and_sampling_have_half_of_the_chance_each",
        ),
    ),
    *of(
        "sq/simulated_reports.py",
        "sq/test_simulated_reports.py",
        (
            "return 2 * self.law[:, report] / self.law[:, report].max() - 1",
            "return 2 * self.law[:, report] - 1",
            "a query is not of its report's own size",
            "a_report_takes_m_queries_and_has_the_peoples_law",
        ),
        (
            "return 2 * failure / (people * self.mean_queries)",
            "return 2 * failure / self.mean_queries",
            "the chance is of one report and not of all",
            "a_tolerance_makes_all_reports_right_but_for_a_chance",
        ),
        (
            "math.ceil(self.mean_queries * math.log(people / failure) / left)",
            "math.ceil(self.mean_queries * math.log(people / failure))",
            "wrong answers are thought to refuse no report",
            "tries_are_enough_for_all_reports",
        ),
    ),
    *of(
        "server/moved.py",
        "server/test_moved.py",
        (
            "side = jnp.clip(self.worse(answers), -1.0, 1.0)",
            "side = self.worse(answers)",
            "answers are farther off than the tolerance",
            "a_mean_is_moved_by_the_tolerance_at_most",
        ),
    ),
    *of(
        "device/report_law.py",
        "device/test_report_law.py",
        (
            "hashes = oracle.prime * (oracle.prime - 1)",
            "hashes = oracle.prime - 1",
            "most hashes are forgotten",
            "reports_follow_the_law",
        ),
        (
            "chance = np.where(own, float(support.own), float(support.other))[:, None, :]",
            "chance = np.where(own, float(support.own), 1 - float(support.own))[:, None, :]",
            "every bit of a report is as true as the person's own",
            "a_law_is_private_and_has_the_blanket_its_file_states",
        ),
        (
            "(1 - own) / (len(reports) - near)",
            "(1 - own) / len(reports)",
            "a law does not add up to one",
            "a_law_is_private_and_has_the_blanket_its_file_states",
        ),
    ),
)
