"""A call that is cut off: a grant that nobody can go on with holds no key, a named one goes on."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from unittest import mock

import numpy as np
import pytest

import small
import tacit
from tacit.ledger.unnamed import closed_at_the_end, closed_if_cut_off
from tacit.population.run import Run


class Died(BaseException):
    """No error: an interrupt, or the end of the process."""


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, ValueError])
def test_what_is_cut_off_is_closed_and_stays_charged(tmp_path, ending):
    """Opened or not, run or not: no open grant is left of all of them."""
    book = small.ledger(tmp_path)
    with pytest.raises(ending) as ended, closed_if_cut_off(book, 3) as (first, second, _):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id=first)
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id=second).run()
        raise ending

    (said,) = ended.value.__notes__
    assert "this was charged before it stopped, and stays charged" in said
    assert 2 == len(book.history("thirty"))
    assert all(entry.closed for entry in book.history("thirty"))
    assert 1.9 < book.spent("thirty")[0].epsilon <= 2.0


def test_what_was_not_charged_is_not_said_to_be(tmp_path):
    """Stopped before any grant was opened."""
    with pytest.raises(ValueError) as ended, closed_if_cut_off(small.ledger(tmp_path)):
        raise ValueError
    assert not hasattr(ended.value, "__notes__")


def test_what_finishes_is_left_alone(tmp_path):
    """Names are new and all different; a grant that was not run stays open."""
    book = small.ledger(tmp_path)
    with closed_if_cut_off(book, 2) as names:
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id=names[0])

    assert 2 == len(set(names))
    assert [None] == [entry.closed for entry in book.history("thirty")]


class CutOff:
    """Plays runs to their end and cuts the first ones off there, before they are closed."""

    def __init__(
        self, monkeypatch, times: int = 1, ending: type[BaseException] = KeyboardInterrupt
    ):
        self.states, played = [], Run.played

        def cut_off(run, watching):
            found = played(run, watching)
            self.states.append(found[0])
            if len(self.states) <= times:
                raise ending
            return found

        monkeypatch.setattr(Run, "played", cut_off)


VALUES = np.random.default_rng(0).uniform(0, 1, 30)


def mean(ledger, values=VALUES, bounds=(0, 1), people=30):
    trust = tacit.Central(1.0, 0.0)
    terms = {"trust": trust, "ledger": ledger, "name": "thirty", "people": people}
    return tacit.statistics.mean(values, bounds=bounds, **terms)


def notes(caught) -> str:
    return " ".join(getattr(caught.value, "__notes__", []))


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, MemoryError])
def test_a_call_without_a_name_says_what_it_cost_and_is_charged_anew(tmp_path, monkeypatch, ending):
    """No key is left to go on with; the note has the way that leaves one."""
    book = small.ledger(tmp_path)
    CutOff(monkeypatch, 1, ending)
    with pytest.raises(ending) as caught:
        mean(book)

    assert "stays charged: epsilon 1, delta 5e-25 of 'thirty' for the public;" in notes(caught)
    assert "asking again is charged anew" in notes(caught)
    assert "ledger=ledger.once('its name')" in notes(caught)
    assert book.history("thirty")[0].closed
    mean(book)
    assert 2.0 == pytest.approx(book.spent("thirty")[0].epsilon, rel=1e-6)


def test_what_is_stopped_before_its_charge_says_so(tmp_path, monkeypatch):
    """A refusal says what it says, and nothing more."""
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError) as caught, closed_if_cut_off(book):
        raise ValueError
    assert notes(caught) == ""
    with pytest.raises(KeyboardInterrupt) as caught, closed_if_cut_off(book):
        raise KeyboardInterrupt
    assert notes(caught) == "nothing was charged"


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, MemoryError])
def test_a_named_call_goes_on_with_the_same_noise(tmp_path, monkeypatch, ending):
    """Charged once, however often it is cut off, in whatever process; then it is finished."""
    book = small.ledger(tmp_path)
    cut = CutOff(monkeypatch, 2, ending)
    for ledger in (book.once("m"), pickle.loads(pickle.dumps(book.once("m")))):
        with pytest.raises(ending) as caught:
            mean(ledger)
        assert "with ledger.once('m'), goes on with the same noise" in notes(caught)
        assert [None] == [entry.closed for entry in book.history("thirty")]
    answer = mean(book.once("m"))

    assert len(cut.states) == 3
    assert len({np.asarray(state.answer).tobytes() for state in cut.states}) == 1
    assert answer.release.grant == "m"
    (entry,) = book.history("thirty")
    assert entry.closed and 1.0 == pytest.approx(book.spent("thirty")[0].epsilon, rel=1e-6)
    with pytest.raises(tacit.ledger.Finished, match="nothing was charged") as caught:
        mean(book.once("m"))
    assert notes(caught) == ""


@pytest.mark.parametrize(
    "other, what",
    [
        ({"values": 1 - VALUES}, "other data"),
        ({"bounds": (0, 2)}, "other data"),
        ({"people": 31}, "another plan"),
    ],
)
def test_nothing_else_goes_on_under_a_name(tmp_path, monkeypatch, other, what):
    """The same noise on two sums would tell their difference; what was begun is still there."""
    book = small.ledger(tmp_path)
    cut = CutOff(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        mean(book.once("m"))
    with pytest.raises(tacit.ledger.LedgerError, match=what) as caught:
        mean(book.once("m"), **other)

    assert notes(caught) == ""
    assert len(cut.states) == 1
    mean(book.once("m"))
    assert 1.0 == pytest.approx(book.spent("thirty")[0].epsilon, rel=1e-6)


def test_two_at_once_under_one_name_release_one_answer(tmp_path, monkeypatch):
    """Both have the key, the data and the noise; it is charged once, and closed once."""
    book = small.ledger(tmp_path)
    meet, played = Barrier(2), Run.played

    def together(run, watching):
        meet.wait(60)
        return played(run, watching)

    monkeypatch.setattr(Run, "played", together)
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(mean, [book.once("m"), book.once("m")])

    assert one.estimate == other.estimate
    assert 1.0 == pytest.approx(book.spent("thirty")[0].epsilon, rel=1e-6)
    assert [True] == [entry.closed is not None for entry in book.history("thirty")]


def test_one_name_is_of_one_grant(tmp_path):
    """Not of several of one call, nor beside another name."""
    book = small.ledger(tmp_path).once("m")
    several = pytest.raises(ValueError, match=r"names one grant, and this call makes 2")
    with several, closed_if_cut_off(book, 2):
        raise AssertionError
    asked = small.plan(), tacit.statistics.Average()
    with pytest.raises(ValueError, match=r"ledger.once\('m'\) is for that grant alone"):
        small.people().grant(*asked, book, grant_id="n")
    with pytest.raises(ValueError, match="grant_id"):
        book.once("")

    assert small.people().grant(*asked, book).name == "m"


def test_what_is_given_up_holds_no_key(tmp_path, monkeypatch):
    """By the call that the note names."""
    book = small.ledger(tmp_path)
    CutOff(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        mean(book.once("m"))
    assert book.left_of("m")[2]
    book.close("m")

    assert not book.left_of("m")[2]
    with pytest.raises(tacit.ledger.Finished):
        mean(book.once("m"))


def test_a_grant_stays_open_while_something_is_made_of_it(tmp_path):
    """Closed at the end; without a name, and cut off, it is closed all the same."""
    book = small.ledger(tmp_path)
    with closed_at_the_end(book) as held:
        mean(held)
        assert book.history("thirty")[0].closed is None
    assert book.history("thirty")[0].closed
    for ledger, is_open in ((book, False), (book.once("m"), True)):
        with pytest.raises(KeyboardInterrupt) as caught, closed_at_the_end(ledger) as held:
            mean(held)
            raise KeyboardInterrupt
        assert is_open == (book.history("thirty")[-1].closed is None)
        assert is_open == ("goes on with the same noise" in notes(caught))
        assert 1 == notes(caught).count("stays charged")
    with closed_at_the_end(book.once("m")) as held:
        mean(held)
    assert 3.0 == pytest.approx(book.spent("thirty")[0].epsilon, rel=1e-6)


def own_grant(book, folder=None, **named):
    """As a loop of one's own has it: of a question, with a checkpoint in the folder."""
    saved = None if folder is None else tacit.population.Checkpoint(folder / "state.npz")
    asked = small.plan(), tacit.statistics.Average(), book
    return small.people().grant(*asked, checkpoint=saved, **named)


def test_a_run_that_saved_nothing_goes_on_at_its_first_round(tmp_path):
    """Where it is to save, but was cut off before it had."""
    grant = own_grant(small.ledger(tmp_path), tmp_path)
    with (
        mock.patch.object(Run, "played", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt) as caught,
    ):
        grant.run()
    assert "it goes on at its first round, with the same noise" in caught.value.__notes__[0]


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("named", [{"grant_id": "g"}, {}])
@pytest.mark.parametrize("saved", [False, True])
def test_a_run_of_ones_own_says_how_to_go_on(tmp_path, ending, named, saved):
    """By the grant's name, given or not, with the same noise, and nothing more is charged."""
    book, folder, states = small.ledger(tmp_path), tmp_path if saved else None, []

    def watch(rounds, state):
        states.append(state.answer)
        if rounds == 2 and len(states) == 2:
            raise ending

    grant = own_grant(book, folder, **named)
    with pytest.raises(ending) as caught:
        grant.run(watch=watch)
    spent = book.spent("thirty")

    (said,) = caught.value.__notes__
    assert "stays charged: epsilon 1, delta 1e-05 of 'thirty' for the public; asked for" in said
    assert f"asked for again with grant_id={grant.name!r}, it goes on " in said
    assert ("after the last round that is in " in said) == saved == ("state.npz" in said)
    assert ("goes on at its first round" in said) != saved
    own_grant(book, folder, grant_id=grant.name).run(watch=watch)
    assert len(states) == (4 if saved else 6) and spent == book.spent("thirty")
    assert saved or states[:2] == states[2:4]
    assert [True] == [entry.closed is not None for entry in book.history("thirty")]


def test_a_run_that_cannot_be_gone_on_with_says_so(tmp_path, monkeypatch):
    """Its key is gone, and so is the ledger where that is what fails: then what failed is said."""
    book = small.ledger(tmp_path)
    CutOff(monkeypatch, 2)
    grant = own_grant(book, grant_id="g")
    book.erase("g")
    with pytest.raises(KeyboardInterrupt) as caught:
        grant.run()
    assert "stays charged" in notes(caught)
    assert notes(caught).endswith(
        "grant 'g' has no key any more, so that it cannot be gone on with"
    )
    grant = own_grant(book, grant_id="h")
    monkeypatch.setattr(tacit.Ledger, "left_of", refused)
    with pytest.raises(KeyboardInterrupt) as caught:
        grant.run()
    assert notes(caught) == ""


def refused(*asked):
    raise tacit.ledger.LedgerError("no such file")


def test_a_call_that_closes_its_grant_says_nothing_else_of_it(tmp_path, monkeypatch):
    """Its note alone is true: a name that is thrown away cannot be gone on with."""
    book = small.ledger(tmp_path)
    CutOff(monkeypatch, 2)
    for ledger in (book, book.once("m")):
        with pytest.raises(KeyboardInterrupt) as caught:
            mean(ledger)
        assert len(caught.value.__notes__) == 1 and "grant_id" not in notes(caught)
    with pytest.raises(KeyboardInterrupt) as caught, closed_if_cut_off(book):
        raise KeyboardInterrupt
    grant = own_grant(book, grant_id="g")
    CutOff(monkeypatch)
    with pytest.raises(KeyboardInterrupt) as caught:
        grant.run()
    assert "grant_id='g'" in notes(caught)


def full(self, grant_id, released=None):
    raise tacit.ledger.LedgerError("disk full")


def test_a_named_call_whose_grant_cannot_be_closed_says_how_to_go_on(tmp_path, monkeypatch):
    """It was charged and holds its key; the first time, and where it had been cut off before."""
    book = small.ledger(tmp_path)
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(tacit.Ledger, "close", full)
            with pytest.raises(tacit.ledger.LedgerError, match="disk full") as caught:
                mean(book.once("m"))
        assert 1 == len(caught.value.__notes__) and "stays charged: epsilon 1," in notes(caught)
        assert "with ledger.once('m'), goes on with the same noise" in notes(caught)
        assert book.left_of("m")[2]
    mean(book.once("m"))

    assert 1.0 == pytest.approx(book.spent("thirty")[0].epsilon, rel=1e-6)


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, ValueError])
def test_what_ended_a_call_is_raised_where_a_grant_cannot_be_closed(tmp_path, monkeypatch, ending):
    """A note has its name and why; the others are closed all the same."""
    book, close = small.ledger(tmp_path), tacit.Ledger.close

    def first_fails(self, grant_id, released=None):
        (full if grant_id == names[0] else close)(self, grant_id, released)

    monkeypatch.setattr(tacit.Ledger, "close", first_fails)
    with pytest.raises(ending) as caught, closed_if_cut_off(book, 3) as names:
        for name in names[:2]:
            own_grant(book, grant_id=name)
        raise ending

    charged, failed = caught.value.__notes__
    assert 2 == charged.count("epsilon 1,") and "; asking again is charged anew" in charged
    assert failed.startswith(f"grant {names[0]!r} could not be closed: disk full; if it was")
    assert f"ledger.close({names[0]!r}) erases that" in failed
    assert [True, False] == [book.left_of(name)[2] for name in names[:2]]


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, ValueError])
def test_what_ended_a_call_is_raised_where_the_ledger_cannot_be_read(tmp_path, monkeypatch, ending):
    """And nobody is told that nothing was charged."""
    book = small.ledger(tmp_path)
    monkeypatch.setattr(tacit.Ledger, "left_of", refused)
    for ledger, said in (
        (book, "could not be closed: no such file; if it was charged"),
        (book.once("m"), "what grant 'm' was charged could not be read: no such file"),
    ):
        with pytest.raises(ending) as caught, closed_if_cut_off(ledger):
            raise ending
        assert 1 == len(caught.value.__notes__) and said in notes(caught)
