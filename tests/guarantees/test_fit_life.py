"""Fits that are cut off between rounds: charged once, and no noise of theirs serves twice.

An estimator's own fit without a name (`Ledger.once`) cannot be gone on with: it stays charged, and
is closed. What it asks can be asked under one (`population.grant`): then whoever comes back with
the same gets the same noise for the same price, and whoever comes with something else gets nothing.
"""

from pathlib import Path
from typing import Any
from unittest import mock

import jax
import numpy as np
import pytest
from sklearn.base import clone

import tacit
from audits.runs import limited
from audits.whole_rounds import FITS, Fit
from tacit.population import run as run_module
from tacit.population.release import Release

# By what they ask, and of how many rounds.
NAMED = {
    "KMeans, the other end": 3,
    "mixture from cells, one alone": 3,
    "PCA in rounds, one turns it": 2,
}
KEPT = [fit for fit in FITS if fit.mechanism in NAMED]
each_fit = pytest.mark.parametrize("fit", KEPT, ids=[fit.mechanism for fit in KEPT])
SEED = 5


class Cut(Exception):
    """What ends a run."""


def cut_off(done: int, state) -> None:
    raise Cut


def flat(state) -> np.ndarray:
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(state)])


def fitted(fit: Fit, book: tacit.Ledger) -> Any:
    """The estimator's own fit, charged to this ledger."""
    with mock.patch.object(*fit.choice):
        own: Any = clone(fit.estimator)
        return own.set_params(ledger=book).fit(fit.one)


class Opened:
    """A fit's question under the name "g", in a folder."""

    def __init__(self, fit: Fit, folder: Path) -> None:
        self.plan, self.learner, self.rows = fit.asked()
        self.book = limited(folder, self.plan)
        self.saved = tacit.population.Checkpoint(folder / "state.npz")

    def grant(self, rows: np.ndarray | None = None, learner=None):
        people = tacit.Arrays(self.rows if rows is None else rows, "people")
        asked = self.plan, self.learner if learner is None else learner, self.book
        return people.grant(*asked, grant_id="g", checkpoint=self.saved, seed=SEED)

    def read(self) -> Release:
        asked = self.plan, self.learner, self.book, self.saved
        return Release.read("g", "people", *asked, seeded=True)

    @property
    def spent(self) -> list[float]:
        return [account.epsilon for account in self.book.spent("people")]


@each_fit
def test_who_comes_back_with_the_same_gets_the_same_noise_for_one_price(fit: Fit, tmp_path):
    """Cut off after the first round, gone on with, and asked once more when it is over."""
    asked = Opened(fit, tmp_path)
    with pytest.raises(Cut):
        asked.grant().run(watch=cut_off)
    charged, heard = asked.spent, []
    whole = asked.grant().run(watch=lambda done, state: heard.append((done, flat(state))))
    with pytest.raises(tacit.ledger.Finished):
        asked.grant()
    alone = tmp_path / "alone"
    alone.mkdir()
    uncut = Opened(fit, alone).grant().run()

    assert charged == asked.spent == pytest.approx([fit.asked()[0].guarantees[0].epsilon])
    assert list(range(2, NAMED[fit.mechanism] + 1)) == [done for done, _ in heard]
    np.testing.assert_array_equal(flat(whole.state), flat(uncut.state))
    np.testing.assert_array_equal(flat(whole.state), flat(asked.read().state))


@each_fit
def test_who_comes_back_with_something_else_gets_nothing(fit: Fit, tmp_path):
    """One person's row, or a learner with other numbers: refused by what differs, uncharged."""
    asked = Opened(fit, tmp_path)
    with pytest.raises(Cut):
        asked.grant().run(watch=cut_off)
    charged = asked.spent
    rows = asked.rows.copy()
    rows[0] = -rows[0]
    louder = jax.tree.map(lambda leaf: 2 * leaf, asked.learner)
    for named, other in (("other data", {"rows": rows}), ("other learner", {"learner": louder})):
        with pytest.raises(tacit.ledger.LedgerError, match=f"was opened with {named}"):
            asked.grant(**other)

    assert charged == asked.spent
    assert np.isfinite(flat(asked.grant().run().state)).all()


@each_fit
def test_an_estimators_fit_that_was_cut_off_stays_charged(fit: Fit, tmp_path, monkeypatch):
    """Once; its grant is closed, and where there is room for one fit there is none left."""
    plan = fit.asked()[0]
    book = limited(tmp_path, plan)
    whole = run_module.Course.after
    monkeypatch.setattr(run_module.Course, "after", lambda *given: cut_off(*given[1:3]))
    with pytest.raises(Cut):
        fitted(fit, book)
    monkeypatch.setattr(run_module.Course, "after", whole)
    charged = [account.epsilon for account in book.spent("people")]
    with pytest.raises(tacit.ledger.OverBudget):
        fitted(fit, book)

    assert charged == pytest.approx([plan.guarantees[0].epsilon])
    assert charged == [account.epsilon for account in book.spent("people")]
    (line,) = book.history("people")
    assert line.closed is not None
