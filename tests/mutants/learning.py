"""Learners: what a person's term is, and what a mean of such terms stands for."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "learning/routed_terms.py",
        "learning/test_routed_terms.py",
        (
            "            return jnp.sum(jnp.abs(self.own), axis=1, keepdims=True)\n",
            "            return lengths(self.own)\n",
            "terms of an L1 ball are measured by their L2 norm",
            "terms_in_places_are_as_long_as_their_tables",
        ),
        (
            "        return lengths(self.own)\n\n    def weighted_sum",
            "        return lengths(self.own[:, 1:])\n\n    def weighted_sum",
            "a person's count is left out of their norm",
            "terms_in_places_are_as_long_as_their_tables",
        ),
    ),
    *of(
        "learning/lloyd.py",
        "learning/test_lloyd.py",
        (
            "RoutedTerms(own / self.longest, places, type(self.part))",
            "RoutedTerms(own, places, type(self.part))",
            "a count and a difference side by side are longer than the ball",
            "a_person_is_in_one_place_and_in_the_unit_ball",
        ),
        (
            "shares > HEARD * noise / COUNTED",
            "shares != 0",
            "a cluster that is empty is divided by the noise of its count",
            "a_cluster_that_noise_would_explain_stays",
        ),
        (
            "return plan.server.deviations",
            "return (plan.server.deviations[-1],) * (self.moves + 1)",
            "the first round's noise is taken for the others'",
            "the_first_round_has_a_small_share_of_a_curators_promise",
        ),
    ),
    *of(
        "statistics/box_cells.py",
        "statistics/test_box_cells.py",
        (
            "np.clip(place, 0, many - 1)",
            "np.clip(place, 0, many)",
            "who is at the upper bound is in another row's cell",
            "a_cell_is_that_of_its_middle",
        ),
        (
            "COUNTED_FROM * self.noise, np.sort",
            "1e-9, np.sort",
            "cells of noise alone are held to have people",
            "cells_that_noise_would_explain_are_held_to_be_empty",
        ),
    ),
    *of(
        "estimators/kmeans.py",
        "estimators/test_kmeans.py",
        (
            "        self.plan_, self.receipt_ = release.plan, release.receipt()\n",
            "        self.plan_, self.receipt_ = release.plan, release.receipt()\n"
            "        self.labels_ = self.predict(X)\n",
            "a fitted model says of everybody in which cluster they are",
            "nothing_about_single_people_is_kept",
        ),
        (
            'refuse_secret_devices(terms.trust, "clustering")',
            "pass",
            "devices report where their number is a secret",
            "what_clusters_need_must_be_declared",
        ),
    ),
    *of(
        "statistics/narrowing.py",
        "statistics/test_narrowing.py",
        (
            "known = far * math.hypot(1 / math.sqrt(self.people), noise * bound)",
            "known = far / math.sqrt(self.people)",
            "the noise of a wide round is forgotten",
            "balls_narrow_to_what_noise_and_people_leave",
        ),
        (
            "jnp.where(last, undone, moved)",
            "undone",
            "clipping is undone in every round",
            "wide_rounds_move_the_centre_and_the_last_undoes_its_clipping",
        ),
        (
            "(cast(Array, person) - state.centre) / self.bounds[state.rounds]",
            "cast(Array, person) / self.bounds[state.rounds]",
            "people are looked for about zero for ever",
            "a_round_asks_for_the_place_about_the_centre_in_its_ball",
        ),
    ),
    *of(
        "statistics/gaussian_mean.py",
        "statistics/test_gaussian_mean.py",
        (
            "noise = tuple(whole * share**-power for share in shares)",
            "noise = tuple(whole for share in shares)",
            "every round is thought to have all of the promise",
            "the_mean_is_found_with_the_predicted_error",
        ),
        (
            "(rows / self.spread)",
            "(rows)",
            "numbers are not in units of their spread",
            "the_spread_is_a_unit",
        ),
    ),
    *of(
        "statistics/response.py",
        "statistics/test_response.py",
        (
            "lengths = np.sqrt((along + mean) ** 2 + rest)",
            "lengths = np.abs(along + mean) + 0 * rest",
            "vectors are clipped one number at a time",
            "in_many_dimensions_it_is_what_draws_give",
        ),
        (
            "(1 - 1 / self.dim) * self.bound * beyond",
            "(self.bound * beyond)",
            "the slope of a direction counts its own axis",
            "the_slope_is_that_of_the_table_at_zero",
        ),
    ),
    *of(
        "data/cifar10.py",
        "data/test_cifar10.py",
        (
            "planes.transpose(0, 2, 3, 1)",
            "planes.transpose(0, 3, 2, 1)",
            "photographs lie on their side",
            "pixels_are_where_and_what_they_were",
        ),
        (
            'return _dataset("cifar-10 for tuning", *parts)',
            'return _dataset("cifar-10", *parts)',
            "training images pass for test images",
            "without_it_a_fifth_stands_in_its_place_and_the_name_says_so",
        ),
        (
            "(kept, held))",
            "(held, held))",
            "what is tuned on is trained on",
            "without_it_a_fifth_stands_in_its_place_and_the_name_says_so",
        ),
    ),
    *of(
        "data/words.py",
        "data/test_words.py",
        (
            "for first in range(0, len(text) - 1, length)",
            "for first in range(0, len(text), length)",
            "a word that none follows is a window",
            "a_role_with_two_words_has_one_window_and_one_with_one_word_none",
        ),
        (
            "key=lambda word: (-counts[word], word)",
            "key=lambda word: (counts[word], word)",
            "the rarest words have numbers",
            "a_vocabulary_has_the_commonest_public_words",
        ),
    ),
    *of(
        "data/speeches.py",
        "data/test_speeches.py",
        (
            "places[play, speaker] for play",
            "places[roles[0]] for play",
            "all speeches are of one role",
            "a_role_is_a_speaker_of_a_play",
        ),
        (
            "    if lines[-1]:\n",
            "    if False:\n",
            "a line that was cut short is read as whole",
            "what_is_no_table_of_speeches_is_refused",
        ),
    ),
    *of(
        "data/packed.py",
        "data/test_packed.py",
        (
            "taken(stream, promised + 1)",
            "taken(stream, promised)",
            "a longer file passes, and no checksum is compared",
            "the_promise_is_kept_to_the_byte",
        ),
        (
            "stream.read(min(_PIECE, most - len(data)))",
            "stream.read()",
            "a small file fills the memory",
            "what_was_not_promised_is_not_unpacked",
        ),
    ),
    *of(
        "features/principal_whitening.py",
        "features/test_principal_whitening.py",
        (
            "variances + ridge * total",
            "variances + ridge",
            "the ridge is of another scale than the rows",
            "it_is_its_definition",
        ),
        (
            "jnp.argsort(-variances)",
            "jnp.argsort(variances)",
            "the least directions are kept",
            "it_is_its_definition",
        ),
    ),
    *of(
        "estimators/directions.py",
        "estimators/test_directions.py",
        (
            "values[values > noise]",
            "values",
            "what noise alone makes is held to be people's",
            "a_share_keeps_the_fewest_directions_that_hold_it",
        ),
        (
            "return 2 * float(",
            "return float(",
            "half of the noise's edge is taken for it",
            "noise_alone_is_hardly_above_what_is_said_of_it",
        ),
    ),
    *of(
        "features/colour_features.py",
        "features/test_colour_features.py",
        (
            "half / jnp.linalg.norm(half, axis=1, keepdims=True)",
            "half",
            "rows are longer than their declared norm",
            "every_row_has_the_length",
        ),
        (
            "(self._of_one_side(images) + self._of_one_side(images[:, :, ::-1])) / 2",
            "self._of_one_side(images)",
            "left and right are told apart",
            "a_mirror_image_has_the_same_row",
        ),
    ),
    *of(
        "features/dead_leaves.py",
        "features/test_dead_leaves.py",
        (
            "* _TINTS @ OPPONENT[1:]",
            "* _TINTS @ OPPONENT[:2]",
            "leaves are tinted in brightness and not in colour",
            "coloured_leaves_are_the_grey_ones_in_colour",
            "colours_differ_along_opponent_axes",
        ),
    ),
    *of(
        "features/patches.py",
        "features/test_patches.py",
        (
            "jnp.concatenate([like, -like], axis=-1)",
            "jnp.concatenate([like, like], axis=-1)",
            "dark on bright is not told from nothing",
            "responses_are_their_definition",
        ),
        (
            "chosen / np.std(windows @ chosen.T)",
            "chosen",
            "the threshold is of another scale than the responses",
            "patches_are_as_loud_as_each_other_and_blind_to_brightness",
        ),
    ),
    *of(
        "experiments/records.py",
        "experiments/test_records.py",
        (
            "looked_at[shown], self.test_labels[shown])",
            "looked_at[shown], self.test_labels)",
            "labels to look at are other inputs'",
            "inputs_to_look_at_stay_with_their_labels",
        ),
        (
            "(inputs[rows], self.labels[rows]), present",
            "(inputs[rows], self.labels[rows]), present | True",
            "whoever holds few records holds the first of the file besides",
            "who_owns_records_holds_them",
        ),
    ),
    *of(
        "experiments/study.py",
        "experiments/test_study.py",
        (
            "_led(self.optimizer, slopes))",
            "_led(optax.sgd(1.0), slopes))",
            "kept results of another optimiser are taken for its own",
            "ways_are_told_apart_by_what_their_server_does",
        ),
    ),
    *of(
        "features/chunks.py",
        "features/test_chunks.py",
        (
            "        heard()\n",
            "",
            "a signal is not heard before all is made",
            "whoever_waits_is_asked_before_each_few",
        ),
    ),
    *of(
        "experiments/played.py",
        "experiments/test_played.py",
        (
            "None if done == self.scale.rounds else LOOKED_AT",
            "LOOKED_AT",
            "the end is of a part of what there is to look at",
            "the_last_look_is_at_all_there_is",
        ),
    ),
    *of(
        "experiments/nextword.py",
        "experiments/test_nextword.py",
        (
            "np.where(after == UNKNOWN, np.int32(NOTHING), after)",
            "after",
            "guessing that a word is unknown counts as right",
            "a_word_outside_the_vocabulary_is_nothing_to_guess",
        ),
        (
            "owners=owners[learned]",
            "owners=owners[: learned.sum()]",
            "people hold what others say",
            "people_hold_what_they_say",
        ),
    ),
    *of(
        "models/next_word.py",
        "models/test_next_word.py",
        (
            "held + held @ self.turn",
            "held @ self.turn",
            "what was learned before is forgotten",
            "what_is_adapted_begins_as_the_network",
        ),
    ),
    *of(
        "data/addresses.py",
        "data/test_addresses.py",
        (
            "left -= len(text)",
            "left -= 0",
            "many texts are more than the bound",
            "all_texts_together_are_bounded",
        ),
    ),
    *of(
        "experiments/cifar.py",
        "experiments/test_cifar.py",
        (
            "CROP, MODEL_KEY = 24, 7",
            "CROP, MODEL_KEY = 28, 7",
            "crops are not those of the source",
            "crops_are_the_middle_of_each_image_and_standard",
        ),
    ),
    *of(
        "experiments/finetune.py",
        "experiments/test_finetune.py",
        (
            "public = [(images[labels < PUBLIC], labels[labels < PUBLIC]) for",
            "public = [(images[labels < 6], labels[labels < 6]) for",
            "pretraining sees a class that people hold",
            "classes_are_of_everybody_or_of_people",
        ),
        (
            "new = OpenLayers(network.narrow, ",
            "new = OpenLayers(jax.tree.map(jnp.zeros_like, network.narrow), ",
            "what is open begins at nothing",
            "open_layers_on_closed_ones_are_the_network",
        ),
    ),
    *of(
        "features/patch_directions.py",
        "features/test_patch_directions.py",
        (
            "(patches(images) + patches(images[:, :, ::-1])) / 2",
            "(patches(images) + patches(images[:, ::-1, :])) / 2",
            "pictures are turned upside down, not mirrored",
            "a_mirror_image_has_the_same_row",
        ),
    ),
    *of(
        "experiments/pretraining.py",
        "experiments/test_pretraining.py",
        (
            "yield from draw.permutation(many)[: many // batch * batch].reshape(-1, batch)",
            "yield from draw.integers(0, many, (many // batch, batch))",
            "a pass meets records twice and leaves others out",
            "a_pass_meets_a_record_at_most_once_and_all_but_a_rest",
        ),
        (
            "optax.adam(optax.cosine_decay_schedule(rate, epochs * (many // batch)))",
            "optax.adam(rate)",
            "the rate does not fall",
            "the_last_step_is_the_shortest",
        ),
    ),
    *of(
        "features/crops.py",
        "features/test_crops.py",
        (
            "jnp.array([down + 1, across + 1])",
            "jnp.array([down, across])",
            "the last place is never looked at",
            "random_crops_are_uniform_over_places_and_mirrors",
        ),
    ),
    *of(
        "models/colour_network.py",
        "models/test_colour_network.py",
        (
            "<= _REACH",
            "< _REACH",
            "another network than the published one",
            "normalisation_reaches_four_channels_to_either_side",
        ),
    ),
    *of(
        "experiments/stream.py",
        "experiments/test_stream.py",
        (
            "self.person(state.done))",
            "self.person(0 * state.done))",
            "one person is asked in every round",
            "steps_are_those_of_descent",
        ),
        (
            "average = state.average + (weights - state.average) / done",
            "average = state.average + (state.weights - state.average) / done",
            "the average is of the weights before each step",
            "steps_are_those_of_descent",
        ),
    ),
    *of(
        "experiments/logistic_law.py",
        "experiments/test_logistic_law.py",
        (
            "(dim - 2)))",
            "(dim - 1)))",
            "people's directions have another law",
            "gaps_of_zero_weights_in_500_dimensions",
        ),
        (
            "losses = np.logaddexp(0.0, scores) - expit(self.signal * a) * scores",
            "losses = np.logaddexp(0.0, scores) - expit(a) * scores",
            "labels follow a truth of norm one",
            "the_gap_is_the_mean_difference_of_losses",
        ),
    ),
    *of(
        "experiments/kept.py",
        "experiments/test_kept.py",
        (
            "parts = {**self._there(), name: jsonable(asdict(part))}",
            "parts = {**self.parts, name: jsonable(asdict(part))}",
            "two runs of one file lose each other's parts",
            "two_runs_of_one_setting_keep_what_the_other_has",
        ),
    ),
    *of(
        "federated/weights.py",
        "federated/test_weights.py",
        (
            "jnp.clip(weight, 0.0, 1.0)",
            "weight",
            "whoever says so counts many times",
            "weights_are_brought_between_nothing_and_one",
        ),
        (
            "Ball(self.dim, self.bound / self.mean)",
            "Ball(self.dim, self.bound)",
            "heavy people are cut a second time, and the mean is no weighted one",
            "the_question_is_of_a_ball_that_every_term_is_in",
            "a_run_moves_by_the_weighted_mean_of_clipped_updates",
        ),
        (
            "(short,) = Ball(self.dim, self.bound).project(update)",
            "(short,) = update",
            "a light person's long update is not shortened",
            "a_light_persons_long_update_is_shortened_before_it_is_weighed",
        ),
    ),
    *of(
        "federated/personalised.py",
        "federated/test_personalised.py",
        (
            "way = self._update(jax.grad(loss), arrays, learnt)",
            "way = self._update(jax.grad(loss), arrays, person)",
            "people are judged on what their devices learnt from",
            "each_person_is_judged_on_records_that_their_steps_did_not_see",
        ),
        (
            "worst = np.where(np.isnan(after), np.inf, after)",
            "worst = after[~np.isnan(after)]",
            "those for whom a model diverged are left out of the tail",
            "a_model_that_diverged_for_somebody_is_the_worst_there_is",
        ),
    ),
    *of(
        "federated/updates.py",
        "federated/test_updates.py",
        (
            "return step(here, whole * size, left) if left else here",
            "return here",
            "what is left over of a pass is never learnt from",
            "epochs_are_passes_over_batches_by_hand",
        ),
    ),
    *of(
        "learning/quantile_bound.py",
        "learning/test_quantile_bound.py",
        (
            "shares = (1 - self.share, self.share)",
            "shares = (self.share, 1 - self.share)",
            "the bounds show what was meant for the vectors",
            "the_bounds_of_all_rounds_show_no_more_than_their_share",
        ),
        (
            "jnp.where(norms <= bound, 0.5, -0.5)",
            "jnp.where(norms <= bound, 1.0, 0.0)",
            "bits are outside the shape that noise is for",
            "terms_are_in_their_shape_whatever_the_vector_and_the_bound",
        ),
        (
            "vector / jnp.maximum(norm, bound)",
            "vector / bound",
            "nobody is clipped, and the rest is cut where sums are formed",
            "terms_are_in_their_shape_whatever_the_vector_and_the_bound",
        ),
        (
            "return bound * answer[:-1], self",
            "return answer[:-1], self",
            "steps shrink as the bound does",
            "answers_are_told_in_the_units_of_vectors",
        ),
    ),
    *of(
        "learning/paid_measure.py",
        "learning/test_paid_measure.py",
        (
            "[plan.charges()] * self._left",
            "[plan.charges()]",
            "looks that do not fit are found out half-way",
            "more_looks_than_fit_are_refused_before_the_first",
        ),
    ),
    *of(
        "learning/evaluation.py",
        "learning/test_evaluation.py",
        (
            "or (math.isnan(kept) and not math.isnan(found))",
            "or math.isnan(found)",
            "a run that diverges is the best there is",
            "patience_ends_when_the_best_is_old",
        ),
    ),
    *of(
        "learning/progress.py",
        "learning/test_rates.py",
        (
            "length(rate, state.rounds)",
            "length(rate, state.rounds + 1)",
            "a schedule is a round ahead",
            "steps_are_multiplied_by_the_rate_of_the_rounds_done_before",
        ),
    ),
)
