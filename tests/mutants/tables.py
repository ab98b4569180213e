"""Tables: what an engine keeps of one person, and how far its sums move."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "contribution/tally.py",
        "contribution/test_tally.py",
        (
            "return math.sqrt(full * self.most**2 + rest**2)",
            "return math.sqrt(self._moved(relation))",
            "a cell counts as ones",
            "the_sensitivities_are_the_brute_force_ones",
        ),
        (
            "min(relation.people_moved * self.total, self.cells * self.most)",
            "min(self.total, self.cells * self.most)",
            "one replaced moves as one that joins",
            "the_sensitivities_are_the_brute_force_ones",
        ),
    ),
    *of(
        "tables/caps.py",
        "tables/test_statement.py",
        (
            "return Tally(cells, self.each * weight, self.rows * (given or weight))",
            "return Tally(cells, self.each * weight, self.each * (given or weight))",
            "rows of one group are all that is charged",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "self.rows * (given or weight))",
            "self.rows * weight)",
            "a row that gives to several cells is charged for one",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "Tally(cells, 1, min(self.groups, self.rows))",
            "Tally(cells, 1, 1)",
            "a person in several groups is charged for one",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/covariance_of_two.py",
        "tables/test_covariance_of_two.py",
        (
            "return caps.counts(self._pair.many * groups, self._pair.given)",
            "return caps.counts(self._pair.many * groups, self._pair.given // self._pair.many)",
            "a row's product is charged for one of its cells",
            "what_a_row_gives_adds_up_to_what_is_charged",
        ),
    ),
    *of(
        "tables/sql_top.py",
        "tables/test_sql_top.py",
        (
            "counts = [each for each in numbers if isinstance(each.node.this, exp.Star)]",
            "counts = numbers",
            "the largest of a count of known numbers is answered as of all rows",
            "any_other_order_or_limit_is_refused",
        ),
    ),
    *of(
        "tables/ranked.py",
        "tables/test_statement.py",
        (
            'return counts & (read["rank"] < self.caps.rows) if self._few_rows else counts',
            "return counts",
            "the cap on all rows is dropped",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "return counts & (read.turn < self.caps.groups) if self._few_groups else counts",
            "return counts",
            "the cap on groups is dropped",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "groups = self.caps.groups if self._few_groups else self.keys.possible",
            "groups = self.caps.groups",
            "a cap on groups that rows imply is not kept",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            '"order_by": ["digest", *self.columns]}',
            '"order_by": None}',
            "which rows count follows from where they lie",
            "the_order_of_rows_changes_nothing",
        ),
        (
            "many = each.filter(each.rows > self._free)",
            "many = each.filter(each.rows > self._free + 1)",
            "people with one row too many are not capped",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "return min(caps.rows, caps.each, caps.groups if self._few_groups else caps.rows)",
            "return caps.rows",
            "people within the cap on all rows are held to no other",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/ranked.py",
        "tables/test_ranked.py",
        (
            'order_by=["drawn", "group"]',
            'order_by=["drawn"]',
            "groups of one digest count as one",
            "caps_hold_where_all_digests_are_one",
        ),
        (
            '"order_by": ["digest", *self.columns]',
            '"order_by": ["digest"]',
            "which rows of one digest count follows from where they lie",
            "caps_hold_where_all_digests_are_one",
        ),
    ),
    *of(
        "tables/statement.py",
        "tables/test_statement.py",
        (
            "return read, read.kept, None",
            "return read, True, None",
            "nobody is capped where ranks are for nothing else",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "below.append(_places(read.filter(kept), i, cell.place))",
            "below.append(_places(read, i, cell.place))",
            "rows beyond the caps are in cells",
            "sums_move_by_what_is_charged_at_most",
        ),
        (
            "given = ibis().ifelse(kept, cell, 0)",
            "given = cell",
            "rows beyond the caps are summed",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/ranked.py",
        "tables/test_filled.py",
        (
            '("person", "group", *self.needed)',
            '("person", "group")',
            "a row that lacks a column is somebody's record",
            "records_are_rows_that_lack_nothing",
        ),
    ),
    *of(
        "tables/filled.py",
        "tables/test_filled.py",
        (
            "if self.at_most == 1 and unit == PERSON:",
            "if self.at_most == 1:",
            "days of a person are plain rows, as of persons",
            "estimators_take_rows_of_persons_alone",
        ),
        (
            'drawn.order_by("turn", "person", "place")',
            'drawn.order_by("place", "turn", "person")',
            "a record is put among another person's",
            "a_persons_records_are_theirs_alone",
        ),
        (
            "kept = _in_order(read.filter(ranked.kept(read)), ranked.salt",
            "kept = _in_order(read.filter(read.place >= 0), ranked.salt",
            "all records of a person are read",
            "a_persons_records_are_theirs_alone",
        ),
        (
            "if met != people:",
            "if met > people:",
            "people who left while a table was read are zeros",
            "a_table_that_changes_while_it_is_read_is_refused",
        ),
    ),
    *of(
        "tables/table.py",
        "tables/test_filled.py",
        (
            "own = self.name, self.whose.unit",
            "own = (self.name,)",
            "households are persons to a learner",
            "arrays_are_of_the_tables_unit",
        ),
        (
            "*own, everybody=False)",
            "*own)",
            "how many have a whole record is taken for public",
            "how_many_have_a_record_is_no_public_number",
        ),
    ),
    *of(
        "tables/whose.py",
        "tables/test_whose.py",
        (
            'whole = texts[0].length().cast("string") + ":" + texts[0]',
            "whole = texts[0]",
            "two units share a text",
            "no_two_units_share_a_text",
        ),
        (
            "_told_by(value(rows, each))",
            "_told_by(rows[each] if isinstance(each, str) else each.resolve(rows))",
            "one person's number stops the engine",
            "no_number_that_tells_units_overflows",
        ),
        (
            'whole + text.length().cast("string") + ":" + text',
            "whole",
            "a column has no part in whose a row is",
            "units_are_told_apart_by_all_their_columns",
        ),
    ),
    *of(
        "tables/ask.py",
        "tables/test_whose.py",
        (
            "return trust.plan(self._question).per(self.table.whose.unit)",
            "return trust.plan(self._question)",
            "households spend what persons agreed to",
            "an_account_is_of_one_unit",
        ),
        (
            "if public and units_in(table.joined, table.whose) != table.people:",
            "if public and not table.people:",
            "a public number of people may be another than there are",
            "a_public_number_of_people_has_to_be_the_tables",
        ),
    ),
    *of(
        "population/arrays.py",
        "population/test_arrays.py",
        (
            "others = {each.unit for each in plan.guarantees} - {self.unit}",
            "others = ()",
            "households spend what persons agreed to, in memory",
            "rows_that_are_no_persons_are_promised_what_they_are",
        ),
    ),
    *of(
        "tables/ask.py",
        "tables/test_ask.py",
        (
            "Counter([*self.keys.names, *made])",
            "Counter(self.aggregates)",
            "a number that is paid for overwrites another",
            "a_number_that_would_overwrite_another_is_refused",
        ),
    ),
    *of(
        "tables/bins.py",
        "tables/test_bins.py",
        (
            'return repr(float(edge)).removesuffix(".0")',
            'return f"{edge:g}"',
            "bins that are paid for are merged by their names",
            "no_two_bins_have_one_name",
        ),
    ),
    *of(
        "tables/keys.py",
        "tables/test_bins.py",
        (
            "if many > 1:",
            "if many > len(labels):",
            "cells that are paid for are merged by their names",
            "kinds_that_would_have_one_name_are_refused",
        ),
    ),
    *of(
        "tables/cumulative.py",
        "tables/test_cumulative.py",
        (
            "(own <= exactly(place), i)",
            "(own <= place, i)",
            "a row at its own place is missed",
            "a_row_at_a_place_is_up_to_it_whatever_its_digits",
        ),
    ),
    *of(
        "server/reach.py",
        "server/test_reach.py",
        (
            "own = tuple(largest[largest > 0].tolist())",
            "own = tuple((2 / 3 * largest[largest > 0]).tolist())",
            "intervals are two thirds as wide as noise makes them",
            "of_several_sums_none_is_moved_farther_than_the_largest_weights_let_it",
        ),
        (
            "return gaussian_reach(noise, chance - server.facts.tv_distance, length, size)",
            "return gaussian_reach(noise, 2 * chance, length, size)",
            "each end of an interval has the whole chance",
            "of_several_sums_each_has_its_own_reach_where_noise_is_gaussian",
        ),
    ),
    *of(
        "tables/asked.py",
        "tables/test_asked.py",
        (
            "own.sum(axis=1), own.max(axis=0))",
            "own.sum(axis=1), own.min(axis=0))",
            "the least of like weights is taken for the largest",
            "like_sums_share_the_reach_of_the_farthest",
        ),
    ),
    *of(
        "tables/products.py",
        "tables/test_products.py",
        (
            "return noise_reach(noisy.noise, part * noisy.chance, weights)",
            "return noise_reach(noisy.noise, part * noisy.chance, weights) * 2 / 3",
            "intervals are two thirds as wide as noise makes them",
            "the_reach_is_the_exact_quantile_of_the_noise",
        ),
        (
            "noise_reach(noisy.noise, part * noisy.chance, weights)",
            "noise_reach(noisy.noise, noisy.chance, weights)",
            "each part of an interval has the whole chance",
            "the_reach_is_the_exact_quantile_of_the_noise",
        ),
        (
            "return self.reach(1 - _FOR_MEANS, list(map(self._sizes, weights)))",
            "return self.reach(1 - _FOR_MEANS, list(map(self._sizes, weights))) / 3",
            "variances are off by more than is said",
            "tables/test_spread.py::test_intervals_hold_as_often_as_they_say",
        ),
    ),
    *of(
        "tables/spread.py",
        "tables/test_statement.py",
        (
            "return caps.counts(3 * groups, self.levels**2)",
            "return caps.counts(3 * groups, self.levels)",
            "a square is charged as a number",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/covariances.py",
        "tables/test_statement.py",
        (
            "max(given), sum(given))",
            "max(given), max(given))",
            "of all pairs of columns one is charged",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/laid.py",
        "tables/test_statement.py",
        (
            "return caps.counts(self.nodes * groups, given=self.tree.levels)",
            "return caps.counts(self.nodes * groups)",
            "of all levels of a tree one is charged",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/between.py",
        "tables/test_statement.py",
        (
            "held = ibis().greatest(ibis().least(known, upper), lower)",
            "held = ibis().least(known, upper)",
            "numbers below the bounds are summed as they are",
            "sums_move_by_what_is_charged_at_most",
        ),
    ),
    *of(
        "tables/wide.py",
        "tables/test_wide.py",
        (
            "return exactly(now.value).op() if fraction and math.isfinite(now.value) else now",
            "return now",
            "engines read a fraction each in their own way",
            "numbers_that_are_written_out_are_read_to_the_last_digit",
        ),
    ),
    *of(
        "tables/rowwise.py",
        "tables/test_rowwise.py",
        (
            "if name not in _ALLOWED:",
            "if not name:",
            "an expression may look at other rows",
            "expressions_of_other_rows_are_refused",
        ),
        (
            'if name == "InValues" and not all(',
            'if name == "InValues" and not any(',
            "text is among numbers",
            "expressions_of_other_rows_are_refused",
        ),
        (
            "return to.is_float64() if",
            "return to.is_floating() if",
            "a cast to less than double precision may stop an engine",
            "expressions_of_other_rows_are_refused",
        ),
        (
            "zero = float(written.value) == 0",
            "zero = written is not op",
            "a divisor that is no 99 may be zero",
            "expressions_of_other_rows_are_refused",
        ),
        (
            "    except Exception as error:",
            "    except AttributeError as error:",
            "what Ibis says of a frame's rows is repeated",
            "what_does_not_go_together_is_refused_and_quotes_nobody",
        ),
    ),
    *of(
        "tables/sql.py",
        "tables/test_sql.py",
        (
            "table = table.where(SqlExpression(where.this, name))",
            "table.where(SqlExpression(where.this, name))",
            "a WHERE is dropped",
            "a_statement_is_the_question_of_python",
        ),
        (
            '_refuse_others("keys", "in GROUP BY as a column", keys, columns, needed=[])',
            '_refuse_others("keys", "in GROUP BY as a column", keys, keys, needed=[])',
            "keys are declared of what is not grouped",
            "what_stands_beside_a_statement_fits_it",
        ),
    ),
    *of(
        "tables/sql_numbers.py",
        "tables/test_sql.py",
        (
            "            return people()",
            "            return count()",
            "people are counted as rows, and charged as rows",
            "a_statement_is_the_question_of_python",
        ),
        (
            "if not (len(found) == len(whose.columns) and set(found) == set(whose.columns)):",
            "if not found:",
            "other columns are counted as people",
            "every_other_construct_is_refused_by_its_name",
        ),
    ),
    *of(
        "cli/asking.py",
        "cli/test_asking.py",
        (
            "table = table.where(expression(each))",
            "table.where(expression(each))",
            "conditions are not those of the rows asked about",
            "what_is_asked_is_of_the_rows_that_count",
        ),
    ),
    *of(
        "cli/opening.py",
        "cli/test_ask.py",
        (
            "if limit is None:",
            "if limit is not None:",
            "an account that nobody opened is opened without a limit",
            "without_a_limit_the_command_that_sets_it_is_named",
        ),
    ),
    *of(
        "tables/sql_names.py",
        "tables/test_sql.py",
        (
            "if value and part not in parts and part not in _SPARE:",
            'if value and part not in parts and part in _PARTS and part != "having":',
            "parts that nobody reads are passed over",
            "every_other_construct_is_refused_by_its_name",
        ),
    ),
    *of(
        "tables/sql_rows.py",
        "tables/test_sql_rows.py",
        (
            'return ~truth if node.args.get("negate") else truth',
            "return truth",
            "NOT LIKE keeps what is like it",
            "a_condition_keeps_the_rows_that_an_engine_keeps",
        ),
    ),
    *of(
        "tables/engine.py",
        "guarantees/test_table_life.py",
        (
            'return frame.__copy__() if hasattr(frame, "__copy__") else frame',
            "return frame",
            "a frame is read as it is written to, in part",
            "a_frame_written_to_after_it_was_given_is_answered_as_it_was",
        ),
    ),
    *of(
        "tables/engine.py",
        "tables/test_engine.py",
        (
            "because they may tell of somebody's row\"\n        ) from None",
            'because they may tell of" + str(error)\n        ) from error',
            "what the engine says is repeated",
            "an_engine_that_stops_charges_nothing_and_quotes_nobody",
        ),
    ),
    *of(
        "population/totals.py",
        "population/test_totals.py",
        (
            "whole = np.clip(sums, -most, most)",
            "whole = sums",
            "a sum beyond its grid wraps around",
            "sums_beyond_the_grid_are_held_at_its_end",
        ),
        (
            "steps = whole // int(step) if step >= 1 else whole * int(1 / step)",
            "steps = whole",
            "steps are taken for ones",
            "sums_come_out_as_they_went_in",
        ),
    ),
)
