"""The settings of the tables: complete, alike where they claim to be, and swept in budget alone."""

from dataclasses import fields, replace

import pytest

from tacit.accounting.relation import Relation
from tacit.cli.servers import SERVERS
from tacit.cli.settings import (
    Budgets,
    TrustSetting,
    shared_digits,
    shared_mnist,
    simulated,
    stepped,
    sweep,
    tuned_digits,
    tuned_mnist,
)
from tacit.cli.steps import ServerRule, ServerSteps, Shrinking
from tacit.device.choose import Split
from tacit.federated.updates import GradientSteps
from tacit.learning.rates import Cosine
from tacit.question.dropouts import DropOuts
from tacit.question.participation import Poisson
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate
from tacit.trust.shuffled import Shuffled

BUDGET = Budgets(epsilon=2.0, delta=1e-5, local_epsilon=8.0, direction=50.0, magnitude=6.0)
UPDATE = GradientSteps(1, 0.1)
PEOPLE = 400
TABLES = {
    "tuned digits": tuned_digits(BUDGET, UPDATE),
    "shared digits": shared_digits(BUDGET, UPDATE),
    "tuned mnist": tuned_mnist(BUDGET, UPDATE, 6, PEOPLE),
    "shared mnist": shared_mnist(BUDGET, UPDATE, 6),
}


class Tiny:
    """All that a setting needs to know of a learner."""

    dim = 4


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_table_has_each_trust_model_once(table):
    """In one order, under the names a user types."""
    kinds = [NonPrivate, Central, Shuffled, Local, Federated]

    assert ["none", "central", "shuffled", "local", "federated"] == [row.name for row in table]
    assert kinds == [type(row.trust) for row in table]


@pytest.mark.parametrize("name", ["shared digits", "shared mnist"])
def test_shared_settings_differ_in_trust_alone(name):
    """Everything else is equal, so what remains is the price of the trust model."""
    first, *others = TABLES[name]
    same = [field.name for field in fields(TrustSetting) if field.name not in ("name", "trust")]

    for other in others:
        assert [getattr(first, f) for f in same] == [getattr(other, f) for f in same]


@pytest.mark.parametrize("name", ["shared digits", "shared mnist"])
def test_shared_settings_are_compared_under_one_relation(name):
    """Replacing a person, the only relation that every model has."""
    plans = [row.plan(Tiny, PEOPLE) for row in TABLES[name]]
    relations = {promise.relation for plan in plans for promise in plan.guarantees}

    assert {Relation.REPLACE_ONE} == relations


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_row_keeps_the_users_budget(table):
    """Each plan can be made, and promises what was asked for and no more."""
    none, central, shuffled, local, federated = (row.plan(Tiny, PEOPLE) for row in table)

    assert () == none.guarantees
    for plan in (central, shuffled, federated):
        public = plan.guarantees[0]
        assert ("public", 1e-5) == (public.observer, public.delta)
        assert 2.0 * 0.998 <= public.epsilon <= 2.0
    assert all(promise.epsilon <= 8.0 for promise in local.guarantees)
    assert pytest.approx(56.0) == federated.device.facts.epsilon


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_row_averages_some_of_its_rounds(table):
    """The average starts within the run, and every row has the update it was given."""
    for row in table:
        assert 0 <= row.average_from < row.rounds
        assert UPDATE is row.update


@pytest.mark.parametrize("people", [3, 40, 539, 60_000])
def test_about_twenty_people_take_part_in_a_round(people):
    """Or half of them, where there are fewer than forty."""
    central = tuned_mnist(BUDGET, UPDATE, 6, people)[1]

    assert isinstance(central.participation, Poisson)
    assert pytest.approx(min(20, people / 2)) == central.participation.expected(people, 6)


def test_a_sweep_changes_the_epsilons_and_nothing_else():
    """Every private row at every factor; delta, relation and question stay."""
    tuned = TABLES["tuned digits"]
    swept = sweep(tuned, (0.5, 4.0))
    private = tuned[1:]

    assert [row.name for row in private for _ in range(2)] == [row.name for row in swept]
    for row, half, fourfold in zip(private, swept[::2], swept[1::2], strict=True):
        assert row == replace(half, trust=row.trust) == replace(fourfold, trust=row.trust)
    central, shuffled, local, federated = (row.trust for row in swept[1::2])
    assert replace(private[0].trust, epsilon=8.0) == central
    assert Shuffled(8.0, 1e-5) == shuffled
    assert Local(32.0) == local
    assert Federated(Split(200.0, 24.0), central) == federated


def test_no_privacy_has_no_budget_to_sweep():
    """It is left out, not repeated."""
    assert () == sweep(TABLES["tuned digits"][:1], (0.5, 2.0))


def test_drop_outs_are_of_the_cohorts_that_were_declared():
    """The same people are asked, fewer report, and the promises are those without; the mean's
    error grows as the divisor falls."""
    some, all = (simulated(BUDGET, UPDATE, 6, 10**5, 500, missing) for missing in (0.2, 0.0))

    for row, other in zip(some, all, strict=True):
        assert row == replace(other, participation=DropOuts(Poisson(500 / 10**5), 0.2))
        plan, whole = row.plan(Tiny, 10**5), other.plan(Tiny, 10**5)
        assert (plan.sums.cohort, whole.sums.cohort) == (pytest.approx(400), pytest.approx(500))
        assert [g.epsilon for g in plan.guarantees] == [g.epsilon for g in whole.guarantees]
    assert some[1].plan(Tiny, 10**5).error > all[1].plan(Tiny, 10**5).error


def test_another_server_changes_a_settings_steps_and_no_more():
    """The rate is the setting's own, over its own rounds, unless one is given."""
    rows = TABLES["tuned digits"]
    for given, first in ((None, rows[0].rate), (0.5, 0.5)):
        server = ServerSteps(ServerRule.momentum, given, Shrinking.cosine)
        (row, *_), plain = stepped(rows, server), rows[0]

        assert replace(row, server=plain.server) == plain and plain.length == plain.rate
        assert row.server.optimizer is SERVERS[ServerRule.momentum]
        assert row.length == Cosine(first, plain.rounds)


def test_a_setting_asks_for_vectors_of_the_models_size():
    """Clipped at the setting's radius, of the people there are."""
    row = TABLES["tuned digits"][2]
    question = row.plan(Tiny, PEOPLE).question

    assert (4, row.radius) == (question.contribution.dim, question.contribution.radius)
    assert (row.rounds, PEOPLE) == (question.rounds, question.people)
    assert row.participation == question.participation
