"""A grant that nobody can go on with holds no key."""

import pytest

import small
import tacit
from tacit.ledger.unnamed import closed_if_cut_off


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
