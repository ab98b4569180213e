"""Devices on a network: what they agree to, what they spend, and what a server counts."""

from mutants.mutant import of

MUTANTS = (
    *of(
        "live/agreement.py",
        "live/test_agreement.py",
        (
            '    if mine.digest != order.function["digest"]:',
            "    if False:",
            "a name is enough to be a device's function",
            "an_order_for_something_else_is_refused",
        ),
        (
            "        if ways.shape.shape != function.term:",
            "        if False:",
            "a device makes randomisers of any dimension",
            "an_order_for_something_else_is_refused",
        ),
        (
            "    if digest(device) != order.randomiser:",
            "    if False:",
            "a device sends another report than the server sums",
            "an_order_for_something_else_is_refused",
        ),
        (
            "        if hashed(state) != order.state:",
            "        if False:",
            "a state that was changed on the way is gone on from",
            "an_order_for_something_else_is_refused",
        ),
        (
            "        return self.ways.cost(self.device)\n",
            "        return self.ways.cost(self.device)._replace(epsilon=1.0)\n",
            "a device believes an order about its epsilon",
            "a_louder_budget_is_seen_as_what_it_is",
        ),
        (
            "    if not 0 < ways.cost(device).epsilon < math.inf:",
            "    if False:",
            "a run whose epsilon is charged as nothing is joined",
            "an_epsilon_that_counts_for_nothing_is_refused",
        ),
    ),
    *of(
        "live/client.py",
        "live/test_client.py",
        (
            "        asked = hashed(order.packed())",
            "        asked = order.sender",
            "a round is answered once for every state and place",
            "a_round_is_not_answered_twice_with_something_else",
        ),
        (
            "jnp.uint32([order.place]), keys.jax_key(key)",
            "jnp.uint32([order.place]), keys.jax_key(order.number)",
            "reports are drawn from a key that the server knows",
            "another_round_has_another_answer",
        ),
        (
            "            refused = one_line(str(error))",
            "            refused = str(error)",
            "a server writes lines of its own into a device's log",
            "a_server_writes_no_lines_of_its_own",
        ),
        (
            "one_line(repr(error))",
            "error",
            "a server's words reach a device's log by an error",
            "an_error_that_nobody_foresaw_is_logged_in_a_line",
        ),
    ),
    *of(
        "live/own_ledger.py",
        "live/test_own_ledger.py",
        (
            "        within = epsilon <= Fraction(self.cap.epsilon)",
            "        within = float(epsilon) <= self.cap.epsilon * (1 + 1e-9)",
            "a cap is passed by what rounding hides",
            "sums_are_exact",
        ),
        (
            "        now = max(self._clock(), last or 0.0)",
            "        now = self._clock()",
            "a clock that is set back gives a cap back",
            "a_clock_that_is_set_back_gives_nothing_back",
        ),
        (
            "        if not now < _END_OF_TIME:",
            "        if False:",
            "at the end of all time every charge is free",
            "a_clock_that_tells_no_time_is_refused",
        ),
        (
            "        if known.asked != asked:",
            "        if False:",
            "a kept key draws another report",
            "a_round_that_died_is_drawn_from_the_same_key",
        ),
        (
            "values(key=None, report=report)",
            "values(report=report)",
            "a report's key stays on the disk",
            "a_report_that_was_kept_is_sent_again",
        ),
        (
            "            drawn = mine & _column.key.is_not(None)",
            "            drawn = mine",
            "two processes send two reports of one key",
            "of_two_who_draw_one_report_the_first_is_heard",
        ),
        (
            "        connection.execute(mine.values(seconds=now))",
            "        pass",
            "what is sent again counts for nothing when it is sent",
            "what_is_sent_late_counts_when_it_is_sent",
        ),
        (
            "        if over or (known",
            "        if (known",
            "a report of an old stretch is sent beside a new one's",
            "what_is_sent_late_counts_when_it_is_sent",
        ),
        (
            "delta + Fraction(reserve_for(self.cap.epsilon, float(distance)))",
            "delta + distance",
            "a sampler's distance is taken for a delta",
            "a_sampler_off_by_hardly_anything_is_refused_at_a_large_epsilon",
        ),
    ),
    *of(
        "live/own_ledger.py",
        "live/test_own_ledger.py",
        (
            "        if kept.report is None:",
            "        if False:",
            "who is too late to keep a report goes on with none",
            "live/test_kept_reports.py::test_who_is_too_late_to_keep_a_report_sends_none",
        ),
    ),
    *of(
        "live/message.py",
        "live/test_message.py",
        (
            "length <= min(_LONGEST_TEXT, len(packed) - start):",
            "length <= len(packed) - start:",
            "a text of any length is read",
            "other_bytes_are_refused_in_a_sentence",
        ),
        (
            "    if len(whole) != len(entries):",
            "    if False:",
            "of an entry that stands twice another reader may take the other",
            "other_bytes_are_refused_in_a_sentence",
        ),
    ),
    *of(
        "live/reporting.py",
        "live/test_reporting.py",
        (
            "type(way) is int and (upload",
            "isinstance(way, int) and (upload",
            "true is the number of a way",
            "a_text_that_says_something_else_is_refused",
        ),
    ),
    *of(
        "live/masked/member.py",
        "live/masked/test_member.py",
        (
            "isinstance(name, str) and name.isprintable() for name",
            "True for name",
            "a name in a roster writes lines of its own",
            "others_are_no_members",
        ),
    ),
    *of(
        "live/opened.py",
        "live/test_opened.py",
        (
            "get_table_names() or mark is None or mark.exists()):",
            "get_table_names() or True):",
            "a ledger that was emptied is a new one, with its cap whole again",
            "a_ledger_that_was_emptied_is_refused",
        ),
        (
            "        mark.unlink(missing_ok=True)",
            "        pass",
            "a ledger that was emptied is taken for one that was never filled",
            "who_died_while_it_was_made_is_gone_on_from",
        ),
    ),
    *of(
        "live/kept_reports.py",
        "live/test_kept_reports.py",
        (
            "        if place and room < 0:",
            "        if room < 0:",
            "the last report is dropped though its run may ask for it",
            "old_reports_are_dropped_and_not_drawn_again",
        ),
        (
            "((mine, MOST_KEPT), (there, MOST_KEPT_OF_ALL))",
            "((mine, MOST_KEPT),)",
            "a server with many names fills a device's disk with reports",
            "senders_have_one_disk_together",
        ),
        (
            "    _drop(connection, there & (_column.seconds <= since))\n",
            "",
            "reports that are sent no more stay on the disk",
            "reports_whose_stretch_is_over_leave_the_disk",
        ),
        (
            "connection.execute(sql.update(REPORTS).values(run=_column.number))",
            "pass",
            "reports of before there were runs are one run",
            "a_ledger_of_before_there_were_runs_is_gone_on_with",
        ),
    ),
    *of(
        "live/replies.py",
        "live/test_replies.py",
        (
            "            left.discard(name)",
            "            pass",
            "a device that answers twice counts twice",
            "everything_else_is_counted_and_left_out",
        ),
        (
            "        return (answer.number, said) == (self.number, stage)",
            "        return True",
            "a report of an earlier round is added up again",
            "everything_else_is_counted_and_left_out",
        ),
    ),
    *of(
        "live/sides.py",
        "live/test_sides.py",
        (
            "    taken = present & reported.holds(opened)",
            "    taken = present",
            "a report outside its set is cut, and counts",
            "a_report_outside_its_set_is_left_out",
        ),
        (
            "    return device.sample(key, terms)",
            "    return terms",
            "a device sends what it was asked for as it is",
            "guarantees/test_audited_devices.py::test_reports_off_the_wire_keep_their_promise",
        ),
    ),
    *of(
        "live/reports.py",
        "live/test_federation.py",
        (
            "        return sum_.total if counted else self.empty",
            "        return sum_.total",
            "fewer than the least cohort are summed",
            "fewer_than_the_least_cohort_are_nobody",
        ),
    ),
    *of(
        "live/rounds.py",
        "live/test_federation.py",
        (
            "    repeatable = False",
            "    repeatable = True",
            "the same noise is put on two sums of other devices",
            "a_run_that_died_is_not_gone_on_with",
        ),
    ),
    *of(
        "live/federation.py",
        "live/test_federation.py",
        (
            "    if isinstance(whom_asks(plan.sums.participation), Poisson | Fixed):",
            "    if isinstance(plan.sums.participation, Fixed):",
            "amplification is claimed where who takes part is seen",
            "what_does_not_fit_is_refused_before_anybody_is_asked",
        ),
    ),
    *of(
        "live/own_ledger.py",
        "live/test_own_ledger.py",
        (
            "        if not len(before) < cost.times:",
            "        if False:",
            "a run has rounds without end for one charge",
            "a_run_has_no_more_rounds_than_its_plan",
        ),
        (
            "        if not rounds_since(connection, self._since(now)) < MOST_ROUNDS:",
            "        if False:",
            "a server of tiny budgets fills a device's disk with lines",
            "live/test_kept_reports.py::test_a_stretch_has_so_many_rounds",
        ),
        (
            "            run: (epsilon, distance, delta)\n",
            "            run: (epsilon, distance, 0.0)\n",
            "the deltas of runs are forgotten",
            "deltas_of_runs_have_a_cap",
        ),
    ),
    *of(
        "live/masked/shamir.py",
        "live/masked/test_shamir.py",
        (
            "own = [secrets.randbelow(PRIME) for _ in range(threshold - 1)]",
            "own = [secrets.randbelow(2) for _ in range(threshold - 1)]",
            "a share is the secret, or one more",
            "one_share_of_two_is_uniform",
        ),
        (
            "if not len(shares) >= threshold >= 1:",
            "if not threshold >= 1:",
            "too few shares are put together",
            "fewer_are_refused_and_fit_any_secret",
        ),
    ),
    *of(
        "live/masked/sharing.py",
        "live/masked/test_sharing.py",
        (
            "return max(least_cohort(self.question), (asked + self.colluding) // 2 + 1)",
            "return max(least_cohort(self.question), asked // 2 + 1)",
            "colluding devices sign two lists of survivors",
            "two_lists_of_survivors_would_have_an_honest_signer_in_common",
        ),
        (
            "return max(least_cohort(self.question), (asked + self.colluding) // 2 + 1)",
            "return (asked + self.colluding) // 2 + 1",
            "fewer than the least cohort are added up",
            "the_least_cohort_is_a_threshold_too",
        ),
    ),
    *of(
        "live/masked/pairs.py",
        "live/masked/test_pairs.py",
        (
            'return HKDF(SHA256(), 32, number, f"tacit {purpose}".encode()).derive(secret)',
            'return HKDF(SHA256(), 32, b"", f"tacit {purpose}".encode()).derive(secret)',
            "two have one mask in all rounds",
            "both_ends_make_the_same_and_nobody_else_does",
        ),
        (
            'return own.shared(other.public, number, f"mask {said}")',
            'return own.shared(other.public, number, "mask")',
            "who copies a peer's key takes that peer's mask off",
            "live/masked/test_session.py::test_a_copied_key_takes_no_mask_off",
        ),
        (
            'f"{each.place} {each.public.hex()}" for each in ends',
            "each.public.hex() for each in ends",
            "a member that copies a key has the seed of whose it is",
            "no_two_pairs_have_one_seed_whatever_keys_they_show",
        ),
    ),
    *of(
        "live/masked/session.py",
        "live/masked/test_session.py",
        (
            "        refuse_unsigned(peers, self.member, self.terms.number, self.terms.order)",
            "        pass",
            "peers are believed that a server made up",
            "peers_are_members_or_nobody",
        ),
        (
            "if peers.get(self.terms.place) != Peer(self.member.name, self.advert):",
            "if self.terms.place not in peers:",
            "another has this device's place",
            "a_device_is_among_its_peers_as_it_is",
        ),
        (
            "        if before != digest:",
            "        if False:",
            "a second list of survivors is answered as the first",
            "one_list_of_survivors_is_signed",
        ),
        (
            "and self.member.signed_by(peers[place].name, said, signature)",
            "and signature",
            "masks come off without signatures",
            "nothing_is_revealed_without_enough_signatures_of_that_list",
        ),
        (
            "gone = sorted(set(held) - set(left))",
            "gone = sorted(held)",
            "both secrets of one device are given",
            "keys_of_who_is_gone_are_given_and_seeds_of_who_is_left",
        ),
        (
            "if not (self.terms.place in left and set(left) <= set(self._known.held)):",
            "if self.terms.place not in left:",
            "who shared with nobody survives",
            "survivors_are_enough_and_have_shared",
        ),
        (
            "report = self.terms.report() + layout.mask(self._seed)",
            "report = self.terms.report()",
            "a device has no mask of its own",
            "masks_of_two_cancel_and_ones_own_is_opened_by_its_seed",
        ),
    ),
    *of(
        "live/masked/joining.py",
        "live/masked/test_joining.py",
        (
            "if ways.question.people != len(member.roster):",
            "if False:",
            "people are counted on who are on no roster",
            "people_that_a_device_does_not_know_are_refused",
        ),
        (
            "if not ways.colluding >= member.feared:",
            "if False:",
            "a server says how many are colluding",
            "a_device_joins_what_it_agrees_to",
        ),
        (
            "return hashed(replace(order, place=0).packed())",
            "return hashed(order.randomiser.encode())",
            "devices are asked other functions and states, and sign alike",
            "devices_that_were_told_other_states_do_not_share",
            "what_all_are_asked_is_signed_whole",
        ),
        (
            "        while len(self._sessions) > MOST_JOINED:",
            "        while False:",
            "the secrets of all rounds stay in memory",
            "the_last_rounds_are_kept",
        ),
    ),
    *of(
        "live/masked/summed.py",
        "live/masked/test_summed.py",
        (
            "            if hashlib.sha256(seed).digest() != adverts[place].commitment:",
            "            if False:",
            "a sum with a wrong mask is released",
            "a_wrong_share_ends_the_round",
        ),
        (
            "if not len(found) >= self.threshold:",
            "if not found:",
            "a round of too few goes on",
            "a_round_of_too_few_has_no_sum",
        ),
    ),
    *of(
        "live/masked/joining.py",
        "live/masked/test_joining.py",
        (
            """        if number not in self._sessions:
            raise MessageError("this round was""",
            """        if False:
            raise MessageError("this round was""",
            "a device that was begun anew says it is in its round",
            "a_device_that_was_begun_anew_is_out_of_its_round",
        ),
    ),
    *of(
        "live/own_ledger.py",
        "live/test_own_ledger.py",
        (
            "        if set(map(tuple, before)) - {own}:",
            "        if False:",
            "a cheap run erases a dear one of its name",
            "a_run_has_one_price",
        ),
        (
            'return hashlib.sha256(b"tacit report" + number).digest() if cost.run is None',
            "return number if cost.run is None",
            "a run is charged in the name of a report",
            "no_run_has_the_name_of_a_report",
        ),
        (
            "            if known is None or known <= self._since(now):",
            "            if known is None:",
            "rounds of old stretches are gone on with",
            "what_is_gone_on_with_counts_from_then_on",
        ),
        (
            "            connection.execute(later.values(seconds=now))",
            "            del later",
            "what is gone on with counts from its beginning",
            "what_is_gone_on_with_counts_from_then_on",
        ),
    ),
    *of(
        "live/masked/sharing.py",
        "live/masked/test_sharing.py",
        (
            'run = hashlib.sha256(b"tacit run" + said.encode()).digest()',
            "run = self.run",
            "a server names what is charged",
            "a_charge_is_of_everything_that_is_promised",
        ),
    ),
    *of(
        "live/client.py",
        "live/masked/test_joining.py",
        (
            "            self.ledger.renew(asked.number)",
            "            pass",
            "stages are held back until the stretch is over",
            "a_round_that_was_begun_too_long_ago_is_not_gone_on_with",
        ),
    ),
    *of(
        "live/masked/session.py",
        "live/masked/test_session.py",
        (
            "        with self._alone:",
            "        if True:",
            "two at once sign two lists of survivors",
            "two_at_once_sign_one_list",
        ),
    ),
    *of(
        "live/client.py",
        "live/masked/test_joining.py",
        (
            "        if begun == mine:",
            "        if True:",
            "of two who begin one round the slower goes on",
            "of_two_who_begin_one_round_at_once_the_first_goes_on",
        ),
    ),
    *of(
        "live/masked/stages.py",
        "live/masked/test_stages.py",
        (
            "        refuse_no_points(read.sealing, read.masking)",
            "        refuse_no_points(read.sealing)",
            "one member's masking key ends everybody's round",
            "an_advert_with_a_key_of_low_order_is_none",
        ),
    ),
    *of(
        "live/sides.py",
        "live/masked/test_gathered.py",
        (
            "    return device.shared(key, total, there)",
            "    return total",
            "devices add no noise to sums under masks",
            "noise_is_that_of_the_shares",
        ),
    ),
    *of(
        "live/masked/packed.py",
        "live/masked/test_packed.py",
        (
            "return mask if own < other else -mask",
            "return mask",
            "the masks of two do not cancel",
            "the_masks_of_two_cancel",
        ),
    ),
    *of(
        "live/masked/gathered.py",
        "live/masked/test_gathered.py",
        (
            "        if not ways.threshold <= ways.smallest:",
            "        if False:",
            "rounds are charged that can have no sum",
            "cohorts_too_small_for_their_threshold_are_refused_before_anybody_is_asked",
        ),
    ),
    *of(
        "live/flower/keys.py",
        "live/flower/test_keys.py",
        (
            "    if _reached(host)[0] not in known:",
            "    if False:",
            "a server shows a certificate that no device believes",
            "certificates_of_another_host_are_refused",
        ),
        (
            "    _write(path, secret, mode=0o600)",
            "    _write(path, secret)",
            "whoever is on the machine signs as the device",
            "a_key_is_made_once",
        ),
    ),
    *of(
        "live/client.py",
        "live/masked/test_joining.py",
        (
            """        member = refuse_no_member(self.member, ways, agreed.order.place)
        ready = self._charged(agreed)
""",
            """        ready = self._charged(agreed)
        member = refuse_no_member(self.member, ways, agreed.order.place)
""",
            "what a device refuses is charged to it",
            "a_place_beyond_those_who_are_asked_costs_nothing",
        ),
    ),
    *of(
        "live/masked/session.py",
        "live/masked/test_session.py",
        (
            "        if not set(stage.parts) <= set(known.seeds):",
            "        if False:",
            "strangers' shares are taken for peers'",
            "only_peers_shares_count",
        ),
        (
            "        if len(peers) > self.terms.asked:",
            "        if False:",
            "a round has more people than its noise is for",
            "too_few_or_too_many_peers_are_refused",
        ),
        (
            "            if turn > len(self._answers):",
            "            if False:",
            "a stage is answered out of its turn",
            "stages_come_in_turn_and_once",
        ),
        (
            "        self._refuse_few(len(valid))",
            "        pass",
            "one signature is enough to take masks off",
            "nothing_is_revealed_without_enough_signatures_of_that_list",
        ),
        (
            'purpose = f"shares {sender} {to}"',
            'purpose = "shares"',
            "one key seals two messages, under one nonce",
            "shares_that_were_sealed_for_another_are_no_shares[by itself]",
        ),
        (
            "if place in left and self.member.signed_by(",
            "if self.member.signed_by(",
            "who is gone signs who is left",
            "nothing_is_revealed_without_enough_signatures_of_that_list",
        ),
        (
            "held=held, seeds={}), (layout",
            "held=held), (layout",
            "masks are remembered that were used",
            "masks_of_two_are_forgotten_as_they_are_used",
        ),
    ),
    *of(
        "live/masked/summed.py",
        "live/masked/test_summed.py",
        (
            "            if key.public != adverts[place].masking:",
            "            if False:",
            "a sum with another's mask is released",
            "a_wrong_share_of_a_key_ends_the_round",
        ),
    ),
)
