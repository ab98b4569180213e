"""Keys that nobody declared: the choice of keys, what it is charged for, and what is released."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "mechanisms/selection/truncated_geometric.py",
        "mechanisms/selection/test_truncated_geometric.py",
        (
            "ONE + (-less * left >> BITS), ONE - 1",
            "ONE, ONE - 1",
            "keys are kept too surely, so that one that is dropped tells",
            "every_demand_between_neighbours_holds_exactly",
        ),
        (
            "(more * kept >> BITS) + spent",
            "(more * kept >> BITS) + 2 * spent",
            "a key of one person is kept twice as often",
            "every_demand_between_neighbours_holds_exactly",
        ),
        (
            "places = np.clip(people - (self.at_least - 1), 0, len(high) - 1)",
            "places = np.clip(people - (self.at_least - 2), 0, len(high) - 1)",
            "the threshold is one person too low",
            "keys_are_kept_as_often_as_they_should_be",
        ),
    ),
    *of(
        "mechanisms/selection/gaussian_threshold.py",
        "mechanisms/selection/test_gaussian_threshold.py",
        (
            "(noisy >= self.threshold * steps) & (own > 0)",
            "(noisy >= (self.threshold - 1) * steps) & (own > 0)",
            "the threshold is one person too low",
            "keys_are_kept_as_often_as_they_should_be",
        ),
        (
            "return self.chance(self.at_least) * _ROUNDING",
            "return self.chance(self.at_least - 1) * _ROUNDING",
            "a key of one person alone is thought never to be kept",
            "no_neighbours_tell_more_than_a_gaussian_release_and_what_is_reserved",
        ),
        (
            'refuse_no_share("alone", alone)',
            "_ = alone",
            "a key of one person is often kept where its chance was no number",
            "a_chance_that_is_no_number_is_refused",
        ),
        (
            "jax.random.fold_in(key, chunk)",
            "jax.random.fold_in(key, 0)",
            "keys in other chunks get the same noise",
            "more_keys_than_are_drawn_for_at_once_have_noise_of_their_own",
        ),
        (
            "min(1.0, 2.0 ** (math.floor(math.log2(sigma)) - _FINE))",
            "2.0 ** (math.floor(math.log2(sigma)) - _FINE)",
            "one person moves what loud noise is added to by more than one",
            "every_number_of_people_counts",
        ),
        (
            "(noisy >= self.threshold * steps) & (own > 0)",
            "noisy >= self.threshold * steps",
            "keys of fewer people than there have to be are kept",
            "keys_are_kept_as_often_as_they_should_be",
        ),
    ),
    *of(
        "server/keyed.py",
        "server/test_keyed.py",
        (
            "own = calibration.even_share(DELTA_SHARE * delta, many)",
            "own = DELTA_SHARE * delta",
            "each key of a person gets the delta of all of them",
            "the_promise_is_divided_as_stated",
        ),
        (
            "many = relation.people_moved * question.keys",
            "many = question.keys",
            "one who is replaced changes the keys of two",
            "the_event_is_the_choice_and_the_noise",
        ),
        (
            "return server, event, sums.chance(server) + choice.chance",
            "return server, event, sums.chance(server)",
            "keys that one person has alone are not paid for",
            "the_event_is_the_choice_and_the_noise",
        ),
        (
            "return events.composed([chosen, events.gaussian(multiplier)])",
            "return events.gaussian(multiplier)",
            "the choice of keys is not charged",
            "the_event_is_the_choice_and_the_noise",
        ),
    ),
    *of(
        "population/keyed.py",
        "population/test_keyed.py",
        (
            "few = kept[first : first + many]",
            "few = np.arange(len(data.ends))[first : first + many]",
            "sums of keys that were not kept are released under other names",
            "sums_of_kept_keys_come_out_as_they_went_in",
        ),
        (
            "chosen.kept(for_choice, data.people))[: chosen.most]",
            "chosen.kept(for_choice, data.people))",
            "more keys are released than the noise is scaled for",
            "of_more_keys_than_there_is_room_for_the_first_are_released",
        ),
        (
            "sums = self._noisy(data, kept, for_noise)",
            "sums = self._noisy(data, kept, jax.random.key(0))",
            "noise follows from no secret key",
            "a_root_key_repeats_the_keys_and_the_noise",
        ),
        (
            "jax.random.fold_in(key, place)",
            "jax.random.fold_in(key, 0)",
            "sums of other keys get the same noise",
            "sums_of_many_keys_get_noise_of_their_own",
        ),
    ),
    *of(
        "tables/ranked.py",
        "tables/test_open_keys.py",
        (
            "return self.caps.groups < min(self.keys.possible, self.caps.rows)",
            "return False",
            "a person is in more keys than the choice is charged for",
            "one_person_changes_few_keys_and_sums_by_what_is_charged[{'groups_per_person': 2, 'rows_per_group': 2}]",
        ),
    ),
    *of(
        "tables/open_keys.py",
        "tables/test_open_keys.py",
        (
            "return _ANY_NUMBER",
            "return self.most",
            "how many keys there are is taken for public",
            "one_person_in_more_keys_than_are_released_is_held_to_the_caps",
        ),
        (
            "return bytewise(own).cast",
            "return own.cast",
            "two keys share one text",
            "every_key_that_turns_up_is_one_whatever_it_is_called",
        ),
    ),
    *of(
        "tables/ask.py",
        "tables/test_open_keys.py",
        (
            "many = min(self.caps.groups, self.caps.rows)",
            "many = 1",
            "one key of a person is charged, and several are chosen from",
            "one_person_changes_few_keys_and_sums_by_what_is_charged[{'groups_per_person': 2, 'rows_per_group': 2}]",
        ),
    ),
    *of(
        "tables/statement.py",
        "tables/test_found.py",
        (
            "grouped.mutate(**whole).filter(lambda group: group.people >= people)",
            "grouped.filter(lambda group: group.people >= people)",
            "the same noise serves when rows of rare keys have changed",
            "keys_of_few_people_stay_in_the_engine",
        ),
    ),
    *of(
        "tables/rowwise.py",
        "tables/test_keys.py",
        (
            'whole(wide(own).cast("float64")) if kind.is_integer()',
            "own if kind.is_integer()",
            "an engine stops at one person's key",
            "tables/test_rowwise.py::test_a_key_that_overflows_is_missing",
        ),
    ),
)
