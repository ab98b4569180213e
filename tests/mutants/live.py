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
            "        return facts.epsilon, facts.tv_distance",
            "        return min(facts.epsilon, 1.0), facts.tv_distance",
            "a device believes an order about its epsilon",
            "a_louder_budget_is_seen_as_what_it_is",
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
            "keys.jax_key(key)\n",
            "keys.jax_key(order.number)\n",
            "reports are drawn from a key that the server knows",
            "another_round_has_another_answer",
        ),
    ),
    *of(
        "live/own_ledger.py",
        "live/test_own_ledger.py",
        (
            "        within = spent + Fraction(epsilon) <= Fraction(self.cap.epsilon)",
            "        within = float(spent) + epsilon <= self.cap.epsilon * (1 + 1e-9)",
            "a cap is passed by what rounding hides",
            "sums_are_exact",
        ),
        (
            "        return max(self._clock(), last or 0.0)",
            "        return self._clock()",
            "a clock that is set back gives a cap back",
            "a_clock_that_is_set_back_gives_nothing_back",
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
            "        delta = reserve_for(self.cap.epsilon, float(apart + Fraction(distance)))",
            "        delta = float(apart + Fraction(distance))",
            "a sampler's distance is taken for a delta",
            "a_sampler_off_by_hardly_anything_is_refused_at_a_large_epsilon",
        ),
        (
            "        if place and room < 0:",
            "        if room < 0:",
            "the last report is dropped though its run may ask for it",
            "old_reports_are_dropped_and_not_drawn_again",
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
            "(answer is not None and answer.number != self.number)",
            "False",
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
    ),
    *of(
        "live/rounds.py",
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
)
