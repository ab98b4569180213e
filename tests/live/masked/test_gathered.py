"""Runs whose sums are made under masks."""

from live.masked.group import phones, plan
from live.phones import FUNCTION, MANY, NAME, ledger
from tacit import live


def run(tmp_path, own=None, link=None, **more):
    heard = []
    reached = link or live.Nearby(phones(tmp_path))
    population = live.Federation(reached, NAME, [FUNCTION], heard=heard.append)
    release = population.grant(own or plan(), FUNCTION.learner, ledger(tmp_path), **more).run()
    return heard, release


def test_everybody_reports(tmp_path):
    heard, release = run(tmp_path)
    print(heard, release.state)
    assert [MANY] * 2 == [each.reported for each in heard]
