"""A line of the audit's table: what it says of a row, and whether that row stands."""

import math
from dataclasses import replace
from functools import partial

import jax
import numpy as np
import pytest

from audits import lines
from audits.row import Row

EPSILON, DRAWS = 1.0, 20_000


def said(yes: float, key, draws: int) -> np.ndarray:
    """Ones with this chance."""
    return np.asarray(jax.random.bernoulli(key, yes, (draws,)), np.int32)


def coin(epsilon: float) -> tuple:
    """A randomised response of this epsilon, on either answer."""
    truth = 1 / (1 + math.exp(-epsilon))
    return partial(said, truth), partial(said, 1 - truth)


SOUND = Row("local", "Coin", EPSILON, *coin(EPSILON), {"twice": coin(2 * EPSILON)}, draws=DRAWS)


@pytest.fixture
def line(monkeypatch):
    """The line of one row, which stands alone in the catalogue."""

    def of(row: Row, most: float = math.inf) -> tuple[str, bool]:
        monkeypatch.setattr(lines, "rows", lambda: [row])
        return lines.line(most, 0)

    return of


def test_a_row_that_stands_says_its_claim_and_what_was_shown(line):
    """The claim is nearly reached and not refuted; the bug shows more than the claim."""
    text, sound = line(SOUND)
    cell, mechanism, draws, claim, shown, bug, caught = text.split()

    assert sound and [cell, mechanism, int(draws)] == ["local", "Coin", DRAWS]
    assert 0.5 < float(shown) <= float(claim) == EPSILON < float(caught) <= 2 * EPSILON
    assert bug == "twice" and text.index(shown) < len(lines.HEAD) - len("  planted bugs: shown")


@pytest.mark.parametrize(
    "row, says",
    [
        (replace(SOUND, one=coin(2.0)[0], other=coin(2.0)[1]), " REFUTED  twice "),
        (replace(SOUND, planted={"none": coin(EPSILON)}), " NOT CAUGHT"),
        (replace(SOUND, planted={}), "  NONE PLANTED"),
    ],
    ids=["the claim is false", "the bug is none", "without a bug"],
)
def test_a_row_that_does_not_stand_says_why(row, says, line):
    """In the column of what failed; a row that stands says none of it."""
    text, sound = line(row)

    assert not sound and says in text
    assert not any(word in line(SOUND)[0] for word in ("REFUTED", "NOT CAUGHT", "NONE PLANTED"))


@pytest.mark.parametrize("most, draws", [(math.inf, DRAWS), (1e6, DRAWS), (999.0, 999)])
def test_no_more_is_drawn_than_asked_for_or_than_the_row_affords(most, draws, line):
    """The line says how many that were."""
    assert int(line(SOUND, most)[0].split()[2]) == draws


def test_a_line_is_a_function_of_its_number(monkeypatch):
    """Two rows have draws of their own, and a process that makes one again makes the same."""
    monkeypatch.setattr(lines, "rows", lambda: [SOUND, SOUND])

    assert lines.line(DRAWS, 0) == lines.line(DRAWS, 0) != lines.line(DRAWS, 1)
