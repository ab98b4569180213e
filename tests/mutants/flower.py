"""What Flower carries: who is asked and heard, and what is believed of its messages.

Their tests need Flower, which has an environment of its own: there, `python -m mutants --only
flower` plants them all.
"""

from mutants.mutant import of

MUTANTS = (
    *of(
        "live/flower/link.py",
        "live/flower/test_link.py",
        (
            "            self.run.forget(asking.asks)",
            "            pass",
            "answers of rounds that are over are kept",
            "nothing_is_kept_of_a_round_that_is_over",
        ),
        (
            "        if set(orders) - set(self.devices):",
            "        if False:",
            "whoever has got on to the network is asked",
            "only_who_was_asked_is_heard",
        ),
        (
            "            elif self.waiting.pop(name, None) is not None:",
            '            elif self.waiting.pop(name, b"") is not None:',
            "a device that answers twice is heard twice",
            "a_device_is_heard_once",
        ),
        (
            "if self.sent.get(name) != here[name]]",
            "if name not in self.sent]",
            "a device that died with its order is not asked again",
            "who_comes_later_is_asked_then",
        ),
        (
            "        silent = self._silent() if time.monotonic() >= self.again else set()",
            "        silent = set()",
            "a device whose order was lost on its way is not heard in its round",
            "who_is_silent_is_asked_once_more_at_half_the_seconds",
        ),
        (
            "        self.again = math.inf",
            "        pass",
            "who is silent is asked again and again",
            "who_is_silent_is_asked_once_more_at_half_the_seconds",
        ),
        (
            "            yield from asking.last_look()\n",
            "",
            "what came in the last pause of a round is not heard",
            "there_is_a_last_look_when_the_seconds_are_over",
        ),
        (
            "        self.next_look = math.inf\n",
            "",
            "a device is charged for an order that comes when its round is over",
            "there_is_a_last_look_when_the_seconds_are_over",
        ),
        (
            "            asked = due[first : first + _AT_ONCE]",
            "            asked = due[first:]",
            "all orders are announced before any is sent",
            "orders_are_announced_to_few_at_a_time",
        ),
        (
            "    if not is_later(status):",
            "    if False:",
            "a run that the server does not know is waited for",
            "a_superlink_that_does_not_know_the_run_is_an_error",
        ),
        (
            "    if not is_later(status):",
            "    if status < 500:",
            "a proxy that says later ends a round",
            "a_superlink_that_is_away_is_waited_for",
        ),
        (
            "        with self.run.alone():",
            "        if True:",
            "two rounds over one run take each other's answers",
            "two_rounds_at_once_are_refused",
        ),
    ),
    *of(
        "live/flower/run.py",
        "live/flower/test_link.py",
        (
            "            self._asking.release()",
            "            pass",
            "no round is begun after one that broke off",
            "a_round_that_is_over_makes_room",
        ),
    ),
    *of(
        "live/flower/run.py",
        "live/flower/test_run.py",
        (
            "            if message not in asked:",
            "            if False:",
            "an answer to another message is taken for one to this",
            "answers_to_what_was_not_asked_are_left",
        ),
        (
            "            if not self._mail.fetched(self.run, half.tree, half.parts):",
            "            self._mail.fetched(self.run, half.tree, half.parts)\n            if False:",
            "half an answer is a device's answer",
            "nobody_waits_for_half_an_answer",
        ),
        (
            "        self.coming[message] = half = self.coming.pop(message)",
            "        half = self.coming[message]",
            "one answer that cannot be fetched keeps all others from being heard",
            "a_part_that_cannot_be_fetched_starves_nobody",
        ),
        (
            "self._mail.fetched(self.run, half.tree, half.parts):",
            "self._mail.fetched(self.run, half.tree, half.parts):\n"
            "                half.parts.clear()",
            "half an answer is fetched again at every look",
            "each_part_is_fetched_once",
        ),
        (
            "            self._mail.received(self.run, self.unconfirmed[0])",
            "            pass",
            "reports stay on the server when they are counted",
            "answers_come_once_and_are_confirmed",
        ),
        (
            "                yield message, answer",
            "                self._confirm()\n                yield message, answer",
            "an answer is lost with the word that it is here",
            "an_answer_whose_confirmation_was_not_heard_counts",
        ),
        (
            '            if head.HasField("error"):',
            "            if False:",
            "a device that went away is waited for",
            "what_is_lost_and_what_is_no_answer",
        ),
    ),
    *of(
        "live/flower/parcel.py",
        "live/flower/test_parcel.py",
        (
            "to.created_at, to.ttl, to.message_id",
            "__import__('time').time(), to.ttl, to.message_id",
            "what a device whose clock is ahead answers is never heard",
            "an_answer_lives_as_long_as_its_order",
        ),
        (
            "if any(spoken.get_object_id(held) != name for name, held in parts.items()):",
            "if False:",
            "a state of another digest is taken for the one that was named",
            "a_part_is_what_its_name_says",
        ),
        (
            "head.SerializeToString(deterministic=True)",
            'b""',
            "an order that is sent once more is none to the server, which has one of its name",
            "two_messages_that_hold_the_same_have_two_names",
        ),
        (
            "    if _part(body, *below) != part:",
            "    if False:",
            "what somebody else wrote is taken for an order of ours",
            "other_messages_are_told",
        ),
        (
            "    if len(below) != many - 1:",
            "    if False:",
            "an order is taken for an answer",
            "an_order_is_no_answer",
        ),
        (
            "    if len(found) > _MOST_PARTS:",
            "    if False:",
            "a message of any number of parts is fetched",
            "a_message_of_many_parts_is_refused",
        ),
        (
            "        if not found.object_found:",
            "        if False:",
            "a part that never was is waited for",
            "parts_on_their_way",
        ),
    ),
    *of(
        "live/flower/device.py",
        "live/flower/test_device.py",
        (
            "            client.SendNodeHeartbeat(beat)",
            "            pass",
            "a device that is slow to answer is taken for gone",
            "a_device_says_that_it_is_there_and_that_it_leaves",
        ),
        (
            "            client.DeactivateNode(spoken.DeactivateNodeRequest(node_id=number))",
            "            pass",
            "who has left is asked",
            "a_device_says_that_it_is_there_and_that_it_leaves",
        ),
        (
            "_BEAT, _PATIENCE = 10, 4.0, 30.0",
            "_BEAT, _PATIENCE = 10, 5.0, 30.0",
            "a device at its work greets the server anew whenever it says that it is there",
            "a_device_at_its_work_keeps_its_connection",
        ),
        (
            "            except NotOurs as error:",
            "            except LookupError as error:",
            "one message that is no order ends a device",
            "other_messages_are_dropped",
        ),
        (
            "                rest(ending, _AGAIN)",
            "                pass",
            "a server that knows nothing of a device is asked without a pause, and for ever",
            "a_device_that_joins_again_and_again_hears_its_end",
        ),
        (
            "            except RunOver:",
            "            except LookupError:",
            "a run that is over ends a device",
            "an_answer_to_a_run_that_is_over_is_dropped",
        ),
    ),
    *of(
        "live/flower/device.py",
        "live/flower/test_device.py",
        (
            "(self.key, public), Genuine()]",
            "(self.key, public)]",
            "a report is lost in an empty page of a proxy's",
            "an_empty_page_takes_no_report",
        ),
    ),
    *of(
        "live/flower/server.py",
        "live/flower/test_server.py",
        (
            "[version, *more, Genuine()]",
            "[version, *more]",
            "an empty page of a proxy's ends a round in an error",
            "an_empty_page_is_no_answer_to_a_round",
        ),
    ),
    *of(
        "live/flower/device.py",
        "live/flower/test_tls.py",
        (
            "                root_certificates=trusted,",
            "                root_certificates=None,",
            "a server is believed on other authorities' word than the one that was given",
            "the_right_server_is_spoken_to",
        ),
    ),
    *of(
        "live/flower/inbox.py",
        "live/flower/test_device.py",
        (
            "            Mail(self.client, self.node, said).put(run",
            "            self._mail.put(run",
            "a server holds a report up until the cap has room again",
            "an_answer_that_nobody_takes_in_time_is_dropped[PushObject]",
        ),
        (
            "self._said(due.heeded(call), asked)",
            "self._said(call, asked)",
            "a server plays dead until the cap has room again",
            "an_answer_that_nobody_takes_in_time_is_dropped[PushMessages]",
        ),
        (
            "        if not told.objects_to_push:",
            "        if False:",
            "a device is charged for what is never heard, and nobody is told",
            "an_answer_that_the_server_does_not_take_is_told",
        ),
        (
            "        while not self.ending.is_set():",
            "        while True:",
            "a device that is to end takes orders as long as there are any",
            "no_order_is_asked_for_after_the_end",
        ),
        (
            "        self._mail.received(run, message.tree.object_id)",
            "        pass",
            "an order stays on the server when a device has it",
            "orders_are_answered_in_turn",
        ),
    ),
    *of(
        "live/flower/inbox.py",
        "live/flower/test_inbox.py",
        (
            "            again = list(self.halves)",
            "            again = ()",
            "an order that was announced before it was sent is never answered",
            "an_order_is_answered_once_all_of_it_is_there",
        ),
        (
            "        if not time.monotonic() < message.until:",
            "        if False:",
            "an order that never comes is waited for as long as the device lives",
            "half_an_order_is_given_up_when_its_time_is_over",
        ),
        (
            "        if len(self.halves) > _MOST_COMING:",
            "        if False:",
            "a server fills a device's memory with orders that never come",
            "few_orders_are_waited_for",
        ),
        (
            "            rest(self.ending, max(pause, min(_OF_AN_ANSWER * took, _LONGEST)))",
            "            rest(self.ending, pause)",
            "a server is asked as often when it can hardly answer",
            "who_is_told_of_nothing_asks_less_and_less",
        ),
    ),
    *of(
        "live/flower/calls.py",
        "live/flower/test_calls.py",
        (
            "return time.monotonic(), time.time()",
            "return time.monotonic(), time.monotonic()",
            "a machine that slept sends what counts no more",
            "nothing_is_sent_after_its_time[time]",
        ),
        (
            "    except ValueError as error:\n        # Any",
            "    except LookupError as error:\n        # Any",
            "bytes that are no message end a device",
            "a_page_of_a_proxys_own_is_no_answer[no message]",
        ),
        (
            "httpx.TooManyRedirects, httpx.InvalidURL)",
            "httpx.TooManyRedirects)",
            "a page that sends a device nowhere ends it",
            "a_page_of_a_proxys_own_is_no_answer[blank]",
        ),
        (
            "(httpx.DecodingError, httpx.TooManyRedirects,",
            "(",
            "a page that a proxy shows ends a device",
            "a_page_of_a_proxys_own_is_no_answer",
        ),
        (
            "        if response.is_success and kind",
            "        if response.content and response.is_success and kind",
            "an empty page has taken a report",
            "a_page_of_a_proxys_own_is_no_answer[empty]",
        ),
        (
            "        if response.is_success and kind",
            "        if kind",
            "a server that refuses a device is taken for a page, and tried for ever",
            "what_a_server_refuses_is_no_page",
        ),
        (
            "status >= 500 or status in _LATER",
            "status >= 500",
            "a device that asks too often once never asks again",
            "who_is_away_is_asked_again",
        ),
        (
            "isinstance(error.__cause__, DecodeError)",
            "True",
            "an error of one's own is tried again for ever, and nobody hears of it",
            "an_error_of_our_own_is_not_tried_again",
        ),
        (
            '    if "certificate" not in said:',
            "    if True:",
            "a server without the authority's word is tried for ever",
            "what_is_refused",
        ),
        (
            "    if joining and status == 401:",
            "    if False:",
            "a device whose clock is wrong joins for ever",
            "what_is_refused",
        ),
        (
            "    if status == 403 and not joining:",
            "    if False:",
            "an answer to a run that is over ends the device",
            "what_is_refused",
        ),
        (
            "patience > 0, now - refused < patience)",
            "patience > 0, True)",
            "a device that nobody has registered is never told",
            "what_is_refused",
        ),
    ),
    *of(
        "live/flower/server.py",
        "live/flower/test_server.py",
        (
            "            os.fchmod(file.fileno(), 0o600)",
            "            os.fchmod(file.fileno(), 0o644)",
            "whoever is on the machine takes runs",
            "the_secret_is_for_its_owners_eyes",
        ),
        (
            "    if len(secret) != _SECRET_BYTES:",
            "    if False:",
            "whoever signs with no secret takes runs",
            "what_is_no_secret_is_refused",
        ),
    ),
)
