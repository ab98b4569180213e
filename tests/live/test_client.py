"""A device: one report a round, private by itself, and nothing beside it."""

from dataclasses import replace

import numpy as np
import pytest

import tacit
from live.phones import CAP, FUNCTION, RUN, VECTORS, Away, mean, phone
from live.test_agreement import ORDER, STATE, reporting
from tacit import live
from tacit.ledger.accounts import LedgerError
from tacit.live import reporting as reporting_module
from tacit.live.agreement import Agreement
from tacit.live.cap import Cap
from tacit.live.masked.sharing import Sharing
from tacit.live.message import LONGEST_LINE, Message
from tacit.live.order import Reply, hashed
from tacit.live.own_ledger import Cost

AGAIN = replace(ORDER, number=bytes([1]) * 32)
BEGAN = 20_000 * 86_400.0


def asked(client, order=ORDER, state=STATE):
    return Reply.read(client.answer(order.packed(), state))


def test_a_report_is_one_of_the_plans(tmp_path):
    """An array of the plan's device, of its one norm."""
    (report,) = asked(phone(tmp_path)).report

    assert np.linalg.norm(report) <= 1e3 and VECTORS[0].shape == report.shape
    assert not np.allclose(report, VECTORS[0])


def test_the_same_order_has_the_same_answer(tmp_path):
    """To the byte, from another process's device too; it is charged once."""
    client, again = phone(tmp_path), phone(tmp_path)
    first = client.answer(ORDER.packed(), STATE)

    assert first == client.answer(ORDER.packed(), STATE) == again.answer(ORDER.packed(), STATE)
    assert 8.0 == client.ledger.spent()[0]


def test_another_round_has_another_answer(tmp_path):
    """Drawn from a key of its own; two devices with one vector differ too."""
    client = phone(tmp_path)
    first, second = asked(client).report[0], asked(client, AGAIN).report[0]
    (tmp_path / "other").mkdir()
    other = asked(phone(tmp_path / "other")).report[0]

    assert (first != second).any() and (first != other).any()
    assert 16.0 == client.ledger.spent()[0]


@pytest.mark.parametrize("change", [{"place": 1}, {"round": 2}, {"sender": "another"}], ids=str)
def test_a_round_is_not_answered_twice_with_something_else(tmp_path, change):
    """One report of it is out: a second would be another look at the person."""
    client = phone(tmp_path)
    asked(client)

    assert "something else" in str(asked(client, replace(ORDER, **change)).refused)
    assert 8.0 == client.ledger.spent()[0]


def test_a_device_that_died_before_it_answered_sends_the_same(tmp_path, monkeypatch):
    """The key was written before anything was computed, so the report is drawn again from it."""

    def dies(*given):
        raise KeyboardInterrupt

    client = phone(tmp_path)
    with monkeypatch.context() as cut:
        cut.setattr(live.OwnLedger, "keep", dies)
        with pytest.raises(KeyboardInterrupt):
            client.answer(ORDER.packed(), STATE)
    known = ORDER.number, hashed(ORDER.packed()), Cost(8.0, 0.0), "phones", "again"
    key = client.ledger.charge(*known).key
    assert key is not None
    drawn = client._drawn(key, Agreement.to(ORDER, STATE, [FUNCTION], CAP))

    assert drawn == phone(tmp_path).answer(ORDER.packed(), STATE)
    assert 8.0 == client.ledger.spent()[0]


def test_what_exceeds_the_cap_is_refused_before_it_is_computed(tmp_path, monkeypatch):
    """Nothing is drawn, and nothing spent."""
    monkeypatch.setattr(live.Client, "_drawn", None)
    client = phone(tmp_path, cap=Cap(7.9, 7.0))

    assert "this device's cap, epsilon 7.9 and delta 1e-09 in any 7 days" in str(
        asked(client).refused
    )
    assert 0.0 == client.ledger.spent()[0]


def _dozing(path, monkeypatch, days):
    """A device with room for one report a day, whose clock moves while it draws its first; and the
    clock, which began at `BEGAN`."""
    clock, naps, draws = [BEGAN], [days * 86_400], live.Client._drawn

    def drawn(*given):
        clock[0] += naps.pop() if naps else 0.0
        return draws(*given)

    monkeypatch.setattr(live.Client, "_drawn", drawn)
    return phone(path, cap=Cap(8.0, 1.0), clock=lambda: clock[0]), clock


def test_a_report_counts_when_it_is_handed_over(tmp_path, monkeypatch):
    """Its device slept for most of a day while it drew it: the next one has to wait for a day from
    then, not from the order."""
    client, clock = _dozing(tmp_path, monkeypatch, 0.75)
    assert asked(client).report
    clock[0] = BEGAN + 1.25 * 86_400
    assert "this device's cap" in str(asked(client, AGAIN).refused)
    clock[0] = BEGAN + 1.75 * 86_400

    assert asked(client, AGAIN).report


def test_a_report_that_was_drawn_for_too_long_is_not_handed_over(tmp_path, monkeypatch):
    """What it was charged counts no more, so another one has that room."""
    client, _ = _dozing(tmp_path, monkeypatch, 1.5)

    assert "this round was begun too long ago" == asked(client).refused
    assert asked(client, AGAIN).report


def test_a_server_that_hides_its_epsilon_meets_the_cap(tmp_path):
    """The device reads the epsilon off what it made itself."""
    loud = replace(ORDER, **reporting(budget=1500.0))

    assert "cap" in str(asked(phone(tmp_path), loud).refused)


@pytest.mark.parametrize("order", [b"", b"\x80\x04pickle", Message({"order": "x"}).packed()])
def test_bytes_that_are_no_order_are_refused(tmp_path, order):
    """In a sentence, as anything else is."""
    assert Reply.read(phone(tmp_path).answer(order, STATE)).refused


def test_whatever_goes_wrong_with_an_order_is_a_refusal(tmp_path, monkeypatch):
    """Of numbers that nobody foresaw, or of a function's own: a device is not ended by an order."""
    huge = replace(ORDER, reporting={**ORDER.reporting, "budget": 10**400})
    assert asked(phone(tmp_path), huge).refused

    def fails(*given):
        raise RuntimeError("secret")

    monkeypatch.setattr(live.Client, "_drawn", fails)
    assert "this device cannot answer this order" == asked(phone(tmp_path)).refused


def test_a_ledger_that_cannot_be_written_sends_nothing(tmp_path, monkeypatch):
    """A full disk: nothing was charged, so nothing leaves."""

    def full(*given):
        raise LedgerError("no space left on device")

    client = phone(tmp_path)
    monkeypatch.setattr(live.OwnLedger, "charge", full)

    assert "ledger cannot be written" in str(asked(client).refused)


def test_refusals_do_not_depend_on_the_data(tmp_path):
    """Two people's devices refuse the same orders with the same bytes."""
    (tmp_path / "other").mkdir()
    one, other = phone(tmp_path, 0, Cap(9.0, 7.0)), phone(tmp_path / "other", 1, Cap(9.0, 7.0))
    asked(one), asked(other)
    for order in (AGAIN, replace(AGAIN, state="ab"), replace(ORDER, place=3)):
        packed = order.packed()
        assert one.answer(packed, STATE) == other.answer(packed, STATE)


def test_data_that_no_function_takes_are_refused_when_a_device_is_made(tmp_path):
    """And two functions of one name and version."""
    book = live.OwnLedger(tmp_path / "own.db", CAP)
    with pytest.raises(ValueError, match="other shapes or types"):
        live.Client(np.zeros(3, np.float32), [FUNCTION], book)
    with pytest.raises(ValueError, match="version of its own"):
        other = live.Function("towards", 1, Away(), VECTORS[0])
        live.Client(VECTORS[0], [FUNCTION, other], book)


@pytest.mark.parametrize("functions", [[], None, "towards@1", [FUNCTION, "x"], FUNCTION], ids=str)
def test_a_device_that_could_answer_nothing_is_refused_when_it_is_made(tmp_path, functions):
    """For want of a function."""
    book = live.OwnLedger(tmp_path / "own.db", CAP)
    with pytest.raises(ValueError, match="functions must be a list of at least one Function, got"):
        live.Client(VECTORS[0], functions, book)


def test_a_device_without_a_ledger_of_its_own_is_refused_when_it_is_made():
    """A path is none yet: it would refuse every order."""
    with pytest.raises(ValueError, match=r"a device needs an OwnLedger\(path, cap\), got"):
        live.Client(VECTORS[0], [FUNCTION], "own.db")


def test_an_order_that_would_take_long_to_read_is_refused_at_once(tmp_path, monkeypatch):
    """Of a product whose shares it leaves out: nothing of it is made."""
    monkeypatch.setattr(reporting_module, "_device", None)
    ball = {"type": "Ball", "dim": 3, "radius": 1.0, "typical": 0.5}
    shape = {"type": "Product", "parts": [ball, ball], "shares": None}
    order = replace(ORDER, reporting={**ORDER.reporting, "shape": shape, "budget": 700.0})

    assert "has its shares" in str(asked(phone(tmp_path), order).refused)


def test_a_vector_that_is_not_finite_is_nobodys(tmp_path):
    """It counts as zero, as in memory; the report is as any other."""
    client = live.Client(
        np.full_like(VECTORS[0], np.nan), [FUNCTION], live.OwnLedger(tmp_path / "own.db", CAP)
    )

    assert np.isfinite(asked(client).report[0]).all()


FORGED = "evil'\nINFO:tacit.live:agreed to bank: epsilon 0.001\x1b[31m"


@pytest.mark.parametrize("name", [FORGED, "x" * 500_000], ids=["forged", "long"])
@pytest.mark.parametrize("masked", [False, True], ids=["alone", "masked"])
def test_a_server_writes_no_lines_of_its_own(tmp_path, caplog, name, masked):
    """Whatever it calls the fields of a shape or of who is asked: what is logged and sent back is
    one printable line, and no long one."""
    ways = ORDER.reporting
    if masked:
        asks = Sharing.of(tacit.Aggregated(4.0, 1e-5).plan(mean()), RUN).text
        who = {**asks["question"]["participation"], name: 1}
        ways = {**asks, "question": {**asks["question"], "participation": who}}
    else:
        ways = {**ways, "shape": {**ways["shape"], name: 1.0}}
    refused = asked(phone(tmp_path), replace(ORDER, reporting=ways)).refused

    assert refused and refused.isprintable() and len(refused) <= LONGEST_LINE
    assert [f"refused: {refused}"] == [each.getMessage() for each in caplog.records]


def test_an_error_that_nobody_foresaw_is_logged_in_a_line(tmp_path, caplog, monkeypatch):
    """And where it came from, which no server wrote."""

    def fails(*given):
        raise ValueError(FORGED)

    monkeypatch.setattr(live.Client, "_drawn", fails)
    asked(phone(tmp_path))
    (said,) = (each.getMessage() for each in caplog.records if "could not" in each.getMessage())

    assert "test_client.py" in said and "\nINFO" not in said and "\x1b" not in said
