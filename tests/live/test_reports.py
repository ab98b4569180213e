"""Reports on a network: added up exactly, in whatever order they come."""

import jax
import numpy as np
import pytest

import tacit
from live.listening import Heard
from live.phones import DIM, FUNCTION, MANY, NAME, ledger, phones
from tacit import live
from tacit.live import reports
from tacit.live.message import Message
from tacit.live.reports import Reports
from tacit.population.loop import Parts


@pytest.mark.parametrize("backwards", [False, True])
def test_sums_are_those_of_the_reports_bit_for_bit(tmp_path, monkeypatch, backwards):
    """In memory, of all at once; live, one by one, in whatever order they came.

    Numbers of a cube are brought into it by a comparison, which rounds nothing.
    """
    sums = tacit.Mean(tacit.Cube(DIM, -1.0, 1.0), tacit.Everyone(), 1, MANY)
    plan, totals = tacit.Local(9.0).plan(sums), []
    link = Heard(live.Nearby(phones(tmp_path, cap=live.Cap(10.0, 7.0))), backwards)
    total = Reports.total
    monkeypatch.setattr(Reports, "total", lambda *a: totals.append(total(*a)) or totals[-1])
    monkeypatch.setattr(reports, "_MOST_AT_ONCE", 1)
    live.Federation(link, NAME, [FUNCTION]).grant(plan, FUNCTION.learner, ledger(tmp_path)).run()
    sent = np.stack([Message.read(each).arrays[0] for each in link.crossed[-MANY:]])
    parts = Parts.of(plan)
    empty = parts.collected.empty(parts.server.grid)
    whole = parts.collected.add(empty, parts.collected.project(sent), np.ones(MANY, bool))

    for one, other in zip(jax.tree.leaves(whole), jax.tree.leaves(totals[0]), strict=True):
        assert (np.asarray(one) == np.asarray(other)).all()


def test_a_failure_ends_the_links_round(tmp_path, monkeypatch):
    """Where the answers are read, though who keeps the error keeps all that was at work."""
    link = Ending(live.Nearby(phones(tmp_path)))
    monkeypatch.setattr(reports.ReportSum, "of", lambda _, came: next(came) and 1 / 0)
    plan = tacit.Local(9.0).plan(tacit.Mean(tacit.Cube(DIM, -1.0, 1.0), tacit.Everyone(), 1, MANY))
    grant = live.Federation(link, NAME, [FUNCTION]).grant(plan, FUNCTION.learner, ledger(tmp_path))
    with pytest.raises(ZeroDivisionError) as kept:
        grant.run()
    assert kept.tb and link.ended


class Ending:
    """A link that notes whether a round was over."""

    def __init__(self, link):
        self.link, self.devices, self.ended = link, link.devices, False

    def asked(self, orders, state, seconds):
        try:
            yield from self.link.asked(orders, state, seconds)
        finally:
            self.ended = True
