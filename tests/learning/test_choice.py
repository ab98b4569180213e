"""A choice costs what its dearest part does, finds the best setting, and is refused as a whole."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float

import tacit
from tacit.learning import choice
from tacit.ledger import receipt

EACH, PARTS, ROUNDS = 100, 4, 2
ADD, REPLACE = tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE
NAMES = ("first", "second", "third", "held out")
RATES = (-1.0, 0.0, 1.0)
OF = np.arange(PARTS * EACH) % PARTS


class Signed(eqx.Module):
    """Moves by `rate` times the mean label: people of label 1 agree with what is positive."""

    rate: Float[Array, ""] = eqx.field(converter=jnp.asarray)

    def init(self):
        return jnp.zeros(())

    def ask(self, state, person):
        return person

    def tell(self, state, answer):
        return state + self.rate * answer


def agrees(state, person):
    return state * person > 0


def people(share: float = 0.9) -> tacit.Arrays:
    """So many of each part have the label 1, the others -1."""
    labels = np.ones(OF.size, np.float32)
    for part in range(PARTS):
        own = np.flatnonzero(OF == part)
        labels[own[: round((1 - share) * own.size)]] = -1
    return tacit.Arrays(labels, "clinic")


def setting(rate, epsilon=1.0, relation=ADD, declared=EACH) -> choice.Setting:
    shape = tacit.Interval(-1.0, 1.0)
    question = tacit.Mean(shape, tacit.Everyone(), ROUNDS, declared)
    plan = tacit.Central(epsilon, 1e-6, relation).plan(question)
    return choice.Setting(plan, Signed(rate), agrees)


def selection(epsilon=1.0, relation=ADD, settings=3, declared=EACH) -> tacit.Plan:
    return tacit.Central(epsilon, 1e-6, relation).plan(choice.question(settings, declared))


def ledger(folder, limit=2.0, parts=NAMES, fixed_by=None) -> tacit.Ledger:
    book = tacit.Ledger(folder / "ledger.db")
    for relation in (ADD, REPLACE):
        book.limit("clinic", "public", relation, limit, 1e-4)
    book.divide("clinic", "a digest of the number", parts, fixed_by)
    return book


def test_the_account_shows_the_dearest_part_and_not_the_sum(tmp_path):
    """Three trainings and a selection, of different prices; every receipt can be recomputed."""
    book = ledger(tmp_path)
    prices = (0.5, 1.5, 0.7)
    settings = [setting(*each) for each in zip(RATES, prices, strict=True)]
    chosen = choice.choose(people(), OF, settings, selection(1.2), book, seed=1)
    account = next(own for own in book.spent("clinic") if own.relation is ADD)
    spent = [account.parts[name][0] for name in NAMES]
    path = tmp_path / "receipt.json"
    receipt.write(path, chosen.receipts())

    np.testing.assert_allclose(spent, [*prices, 1.2], rtol=1e-3)
    assert account.epsilon == max(spent) <= 1.5
    assert list(NAMES) == [entry.charges[0].part for entry in book.history("clinic")]
    assert 4 == len(chosen.receipts()) and receipt.verify(path).sound


@pytest.mark.parametrize("place", range(3))
def test_the_setting_that_is_clearly_best_is_chosen(place, tmp_path):
    """Wherever it stands; the odds of another are below 1e-9 by the mechanism's own bound."""
    rates = [0.0, 0.0, -1.0]
    rates[place] = 1.0
    plan = selection(1.0)
    chosen = choice.choose(
        people(), OF, [setting(rate) for rate in rates], plan, ledger(tmp_path), seed=place
    )

    assert plan.server.shortfall(1e-9) < 0.8
    assert place == chosen.number
    assert float(chosen.state) > 0 and chosen.state is chosen.trained[place].state


def test_only_the_last_part_chooses(tmp_path):
    """With nearly no noise: the majority of those held out, against everybody else."""
    labels = np.where(OF == 3, -1.0, 1.0).astype(np.float32)
    settings = [setting(rate, 50.0) for rate in RATES]
    chosen = choice.choose(
        tacit.Arrays(labels, "clinic"),
        OF,
        settings,
        selection(50.0),
        ledger(tmp_path, 50.0),
        seed=1,
    )

    assert 0 == chosen.number and float(chosen.state) < 0


def test_what_was_spent_before_counts(tmp_path):
    """There is room for every training, and not for the selection: nothing is charged."""
    book = ledger(tmp_path)
    earlier = setting(0.0, 1.5)
    labels = tacit.Arrays(people().data[OF == 3], "clinic")
    labels.grant(earlier.plan, earlier.learner, book, part="held out", seed=1)
    before = book.spent("clinic")
    settings = [setting(rate) for rate in RATES]

    with pytest.raises(tacit.ledger.OverBudget, match="part 'held out'"):
        choice.choose(people(), OF, settings, selection(0.6), book, seed=1)
    assert before == book.spent("clinic") and 1 == len(book.history("clinic"))
    choice.choose(people(), OF, settings, selection(0.4), tmp_path / "ledger.db", seed=1)
    assert 5 == len(book.history("clinic"))


def test_no_grant_of_an_interrupted_choice_stays_open(tmp_path, monkeypatch):
    """All trainings were charged, the first was running: nobody can go on with any of them."""
    book, settings = ledger(tmp_path), [setting(rate) for rate in RATES]

    def dying(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(tacit.population.Grant, "run", dying)
    with pytest.raises(KeyboardInterrupt):
        choice.choose(people(), OF, settings, selection(), book, seed=1)

    assert 3 == len(book.history("clinic"))
    assert all(entry.closed for entry in book.history("clinic"))


REFUSED = [
    (lambda: ([setting(r) for r in RATES], selection(2.5), OF), {}, "part 'held out'"),
    (lambda: ([setting(1.0), setting(0.0), setting(1.0, 3.0)], selection(), OF), {}, "'third'"),
    (lambda: ([setting(r) for r in RATES], selection(settings=2), OF), {}, "plan of this module's"),
    (lambda: ([setting(r) for r in RATES[:2]], selection(settings=2), OF), {}, "into 3 parts"),
    (lambda: ([setting(r) for r in RATES], selection(), OF + 1), {}, r"0, \.\.\., 3"),
    (lambda: ([setting(r) for r in RATES], selection(), OF[1:]), {}, "everybody must be in one"),
    (lambda: ([setting(r) for r in RATES], selection(), 0.5 * OF), {}, "everybody must be in one"),
    (
        lambda: ([setting(r) for r in RATES], selection(relation=REPLACE, declared=99), OF),
        {"fixed_by": "the number"},
        "number of people is public",
    ),
    (
        lambda: ([setting(r) for r in RATES], selection(relation=REPLACE), OF),
        {},
        "add/remove or zero-out only",
    ),
]


@pytest.mark.parametrize("asked, book, sentence", REFUSED)
def test_a_refusal_spends_nothing(asked, book, sentence, tmp_path):
    """Whichever part it is about, no part is charged and nothing is run."""
    book, (settings, plan, parts) = ledger(tmp_path, **book), asked()

    with pytest.raises(
        (tacit.ledger.OverBudget, tacit.ledger.LedgerError, ValueError), match=sentence
    ):
        choice.choose(people(), parts, settings, plan, book, seed=1)
    assert [] == book.history("clinic")
    assert {0.0} == {spent.epsilon for spent in book.spent("clinic")}


def test_a_person_s_part_depends_on_nobody_else():
    """It is the same in every run, other for another salt, and parts are of about equal size."""
    names = [f"person {i}" for i in range(PARTS * EACH)]
    own, other = (
        np.array([choice.part_of(name, PARTS, salt) for name in names])
        for salt in ("salt", "pepper")
    )
    sizes = np.bincount(own, minlength=PARTS)

    assert [1, 1, 2] == [choice.part_of(name, 4, "salt") for name in ("a", "b", "c")]
    # Five deviations of a binomial.
    assert np.all(np.abs(sizes - EACH) <= 5 * np.sqrt(EACH * (1 - 1 / PARTS)))
    assert 0.1 < np.mean(own == other) < 0.4


def test_a_choice_needs_two_settings_and_a_part():
    """Both refused by name."""
    with pytest.raises(ValueError, match="at least two settings, got 1"):
        choice.question(1, 10)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        choice.part_of("a", 0, "salt")
