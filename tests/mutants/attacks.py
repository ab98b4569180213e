"""Attacks: weaker than they are taken for, or counted as failures that they are not."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "accounting/theorems/mean_breach.py",
        "accounting/theorems/test_mean_breach.py",
        (
            "+ radius / sigma)",
            "+ radius / (2 * sigma))",
            "half of the distance from the centre",
            "two_points_attain_it",
        ),
        (
            "log_ndtr(ndtri_exp(log_prior) + radius / sigma)",
            "ndtri_exp(log_prior) * 0 + log_prior + radius / sigma",
            "a likelihood ratio that Gaussian noise does not have",
            "two_points_attain_it",
        ),
    ),
    *of(
        "attacks/breach.py",
        "attacks/test_breach.py",
        (
            "np.count_nonzero(losses <= tolerance)",
            "np.count_nonzero(losses < tolerance)",
            "a breach at the tolerance is none",
            "a_breach_is_within_the_tolerance",
        ),
        (
            "np.where(np.isnan(cosines), np.inf,",
            "np.where(np.isnan(cosines), 0.0,",
            "a guess that is no picture is the picture",
            "what_is_no_picture_is_near_to_none",
        ),
        (
            "lower_limit(self.breaches, self.people, (1 - self.confidence) / 2)",
            "lower_limit(self.breaches + 1, self.people + 1, (1 - self.confidence) / 2)",
            "the lower limit is above the truth too often",
            "limits_are_clopper_and_pearson_s",
        ),
    ),
    *of(
        "attacks/matched_filter.py",
        "attacks/test_matched_filter.py",
        (
            "unit = jnp.argmax(jnp.abs(sent.bias))",
            "unit = jnp.argmin(jnp.abs(sent.bias))",
            "a unit without a gradient is asked for the input",
            "a_unit_without_a_gradient_is_not_asked",
        ),
        (
            "label = jnp.argmax(jnp.linalg.norm(inputs, axis=0))",
            "label = jnp.argmin(jnp.linalg.norm(inputs, axis=0))",
            "the label that explains least is taken",
            "the_filter_finds_the_picture_and_its_label_in_a_plain_update",
        ),
        (
            "return 1 / classes - jnp.eye(classes)",
            "return jnp.eye(classes) - 1 / classes",
            "pictures are read as their negatives",
            "the_gradients_are_those_of_the_model_at_zero",
        ),
        (
            "math.sqrt((1 - cosine**2) * inputs / dim)",
            "math.sqrt(1 - cosine**2)",
            "the filter keeps all of the noise",
            "the_filter_comes_as_near_as_expected[500.0]",
        ),
    ),
    *of(
        "attacks/dictionary.py",
        "attacks/test_dictionary.py",
        (
            "return sent @ vector / jnp.linalg.norm(vector)",
            "return sent @ vector",
            "the longest update is the likeliest",
            "long_updates_are_no_likelier_than_short_ones",
        ),
        (
            "jnp.where(jnp.isnan(found), -jnp.inf, found)",
            "found",
            "a candidate without an update is everybody's",
            "a_picture_without_an_update_is_nobody_s",
        ),
    ),
    *of(
        "attacks/inversion.py",
        "attacks/test_inversion.py",
        (
            "self.smoothness * _variation(picture) - _cosine(update(picture, label), unit)",
            "self.smoothness * _variation(picture) + _cosine(update(picture, label), unit)",
            "the search goes away from the picture",
            "a_plain_update_gives_the_picture_away",
        ),
        (
            "return jnp.argmin(bias)",
            "return jnp.argmax(bias)",
            "the likeliest wrong label is read",
            "a_plain_label_is_read_from_the_last_bias",
        ),
        (
            "best = jnp.argmax(jnp.where(",
            "best = jnp.argmin(jnp.where(",
            "the worst of all tries is kept",
            "the_label_that_explains_most_is_kept",
        ),
    ),
    *of(
        "attacks/one_bit.py",
        "attacks/test_one_bit.py",
        (
            "return 1 - rarer + rarer * min([1.0, *apart])",
            "return 1 - rarer + min([1.0, *apart])",
            "more is said to be allowed of a rare value",
            "of_a_rare_value_a_promise_allows_what_the_best_guess_finds",
        ),
    ),
    *of(
        "attacks/decoders.py",
        "attacks/test_decoders.py",
        (
            "math.sqrt(max(subsets - people, 0)) / (4 * noise)",
            "math.sqrt(max(subsets - people, 0)) / (5 * noise)",
            "fewer are foreseen than are found",
            "least_squares_find_what_is_foreseen[0.5-4]",
        ),
        (
            "left[np.argmin(errors)]",
            "left[np.argmax(errors)]",
            "the worst of all bits are kept",
            "an_exhaustive_search_finds_the_least_of_all_errors",
        ),
    ),
    *of(
        "attacks/tracing.py",
        "attacks/test_tracing.py",
        (
            "law.squares * (1 / self.members + 1 / law.people)",
            "law.squares * (1 / self.members)",
            "a law that few show is taken for known",
            "a_law_that_few_show_finds_fewer",
        ),
    ),
    *of(
        "attacks/told_members.py",
        "attacks/test_told_members.py",
        (
            "float(upper_limit(rank - 1, many, LIMIT))",
            "rank / (many + 1)",
            "what is allowed is read at the share of others itself",
            "who_is_like_others_is_rarely_proved_to_be_told_apart",
        ),
        (
            "np.partition(others, many - rank)[many - rank]",
            "np.partition(others, many - rank - 1)[many - rank - 1]",
            "one more of the others is above the threshold than is said",
            "the_threshold_is_one_of_the_others",
        ),
    ),
    *of(
        "attacks/table_rows.py",
        "attacks/test_table_rows.py",
        (
            "table[tuple(each.T)] > 0 for each in people",
            "table[tuple(each.T)] >= 0 for each in people",
            "every record there can be is named",
            "exact_tables_of_three_columns_name_every_record",
        ),
    ),
    *of(
        "attacks/shadow_models.py",
        "attacks/test_shadow_models.py",
        (
            "return laws[0] - laws[1]",
            "return laws[1] - laws[0]",
            "who was in the data is told to be out",
            "who_is_likelier_inside_is_who_looks_as_if_they_were",
        ),
        (
            "told_members(scores[inside[0]], scores[~inside[0]], self.false_alarms)",
            "told_members(scores[inside[0]], scores[inside[0]], self.false_alarms)",
            "members set their own threshold",
            "a_fit_without_a_promise_gives_its_people_away",
        ),
    ),
    *of(
        "attacks/device_reports.py",
        "attacks/test_device_reports.py",
        (
            "return 1.0 if math.isinf(epsilon) else",
            "return 1.0 if epsilon > 1 else",
            "all is allowed from epsilon 1 on",
            "under_a_promise_all_of_it_is_spent_on_one_direction[8.0]",
        ),
    ),
    *of(
        "attacks/named_rows.py",
        "attacks/test_named_rows.py",
        (
            "max(2, int(known.labels.max()) + 1)",
            "int(known.labels.max()) + 1",
            "of one class nothing is learnt",
            "people_of_one_class_are_named",
        ),
        (
            "once = np.unique(joined, axis=0)",
            "once = joined",
            "people who are alike are told apart",
            "people_who_are_alike_count_as_one",
        ),
        (
            "allowed(device, -math.log(many))",
            "allowed(device, -math.log(SENDERS))",
            "a guess is among those who send",
            "reports_name_no_more_than_is_allowed[6.0]",
        ),
    ),
    *of(
        "attacks/searched_pictures.py",
        "attacks/test_searched_pictures.py",
        (
            "+ SIDE**2 * math.log(2)",
            "- SIDE**2 * math.log(2)",
            "who knows that pixels are positive knows less",
            "the_prior_is_of_pictures_that_have_no_pixel_below_zero",
        ),
        (
            "alike = labels[ahead] == labels[:, None]",
            "alike = labels[ahead] != labels[:, None]",
            "others are of other digits",
            "others_are_people_with_the_same_digit",
        ),
    ),
)
