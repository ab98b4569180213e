"""What comes back: added up once each, if it is a report of the round; counted otherwise."""

import numpy as np

from tacit.live.order import Reply
from tacit.live.replies import AnswerCounts, Replies, ReportSum

NUMBER = bytes(range(32))
LIKE = np.zeros(3, np.float32)


def add(total, reports, places, present):
    """Sums of reports below ten, and of their places."""
    taken = present & (np.abs(reports).max(axis=1) < 10)
    return total + (reports * taken[:, None]).sum(axis=0), taken


def summed(answers, asked=("a", "b", "c"), chunk=2):
    counts, places = AnswerCounts(NUMBER, len(asked)), {name: k for k, name in enumerate(asked)}
    found = ReportSum(counts, places, LIKE, chunk, add, np.zeros(3))
    found.of(iter(answers))
    return found.total, counts.heard(4, counted=True)


def report(value, number=NUMBER, like=LIKE):
    return Reply(number, (np.full_like(like, value),)).packed()


def test_reports_are_added_up_in_chunks():
    """Whatever the chunk, and whoever comes first."""
    answers = [(name, report(2.0**k)) for k, name in enumerate("abc")]
    for chunk in (1, 2, 3):
        for order in (answers, answers[::-1]):
            total, heard = summed(order, chunk=chunk)
            assert (total == 7).all()
            assert Replies(4, 3, 3, {}, 0, 0) == heard
            assert "round 4: 3 of 3 devices reported" == str(heard)


def test_everything_else_is_counted_and_left_out():
    """Each kind by itself; the sum is that of the one who reported."""
    refused = Reply(NUMBER, refused="over the cap").packed()
    answers = [
        ("a", report(1.0)),
        ("a", report(5.0)),
        ("stranger", report(5.0)),
        ("b", report(5.0, bytes(32))),
        ("c", b"junk"),
        ("d", refused),
        ("e", report(5.0, like=np.zeros(4, np.float32))),
        ("f", report(5, like=np.zeros(3, np.int32))),
        ("g", report(11.0)),
        ("h", Reply(NUMBER, ()).packed()),
    ]
    total, heard = summed(answers, "abcdefghi")

    assert (total == 1).all()
    assert Replies(4, 9, 1, {"over the cap": 1}, 5, 3) == heard and 2 == heard.silent
    assert (
        "round 4: 1 of 9 devices reported, 2 silent, 5 malformed, 3 strange, "
        "1 refused (over the cap)" == str(heard)
    )


def test_a_late_answer_of_an_earlier_round_shuts_nobody_out():
    """Its device's own answer counts when it comes."""
    answers = [(name, report(5.0, bytes(32))) for name in "abc"]
    total, heard = summed([*answers, *((name, report(1.0)) for name in "abc")])

    assert (total == 3).all() and Replies(4, 3, 3, {}, 0, 3) == heard


def test_what_a_device_says_is_one_printable_line():
    """Whatever it sends: nothing of it steers a terminal, and nothing is long."""
    words = Reply(NUMBER, refused="\x1b[2J\n" + "no" * 500).packed()
    _, heard = summed([("a", words)])
    (said,) = heard.refused

    assert said.startswith("?[2J?nono") and 200 == len(said)


def test_nobody_is_heard_where_nobody_answers():
    """The empty sum."""
    total, heard = summed([])

    assert (total == 0).all() and 3 == heard.silent


def test_too_few_are_told():
    """In the line that is printed."""
    assert str(Replies(1, 9, 1, {}, 0, 0, counted=False)).endswith("too few, so that none counts")
