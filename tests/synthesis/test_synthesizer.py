"""Rows like people's, from one charged release, by each method."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.queries import Binned, Domain, ForLaplace
from tacit.synthesis import (
    FromPairs,
    FromRounds,
    FromSmall,
    FromTree,
    Synthesizer,
    from_pairs,
    mixture,
)
from tacit.synthesis.pairs import pairs_of

TRUST = tacit.Central(1.0, 1e-6)
DOMAIN = {
    "sex": ["F", "M", None],
    "age": Binned((0, 18, 40, 65, 120), whole=True),
    "hurt": [True, False],
}


def people(many: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.gamma(9.0, 4.3, many).clip(0, 119).astype(int)
    hurt = rng.random(many) < age / 120
    sex = rng.choice(np.array(["F", "M", None], object), many, p=[0.5, 0.4, 0.1])
    return pd.DataFrame({"sex": sex, "age": age, "hurt": hurt, "name": "secret"})


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return tacit.Ledger(tmp_path_factory.mktemp("ledger") / "people.db")


@pytest.fixture(scope="module")
def made(book):
    asked = Synthesizer(DOMAIN, TRUST, people=20_000)
    book.limit_for("people", asked.plan)
    return asked.fit(people(20_000), ledger=book, name="people", seed=1)


def test_rows_are_of_the_declared_columns(made):
    """In their own kinds: categories, missing ones, whole numbers within the bounds."""
    rows = made.sample(5_000, seed=1)

    assert ["sex", "age", "hurt"] == list(rows.columns) and 5_000 == len(rows)
    assert {"F", "M"} == set(rows.sex.dropna()) and rows.sex.isna().any()
    assert {True, False} == set(rows.hurt)
    assert rows.age.between(0, 119).all() and pd.api.types.is_integer_dtype(rows.age)


def test_rows_are_like_peoples(made):
    """The old are hurt more often, by about as much: within four of the noise's deviations."""
    rows, true = made.sample(20_000, seed=1), people(20_000)
    for low, high in ((18, 40), (40, 65), (65, 120)):
        own, theirs = (each[each.age.between(low, high - 1)].hurt.mean() for each in (rows, true))
        assert own == pytest.approx(theirs, abs=0.05)
    assert (rows.sex == "F").mean() == pytest.approx(0.5, abs=0.02)


def test_a_ledger_keeps_that_rows_were_asked_for(tmp_path):
    """Of so many columns; a note is what whoever asks writes."""
    domain, free = {"a": ["x", "y"], "b": [True, False]}, tacit.NonPrivate()
    few = Synthesizer(domain, free, people=4, method=FromRounds(1))
    table = pd.DataFrame({"a": ["x", "y"] * 2, "b": [True, False] * 2})
    few.fit(table, ledger=tmp_path / "l.db", name="p")

    (entry,) = tacit.Ledger(tmp_path / "l.db").history("p")
    assert (entry.asked, entry.note) == ("synthetic rows of 2 columns, of 4 people", "")


def test_rows_cost_nothing_more(made, book):
    """Any number of them, again and again; a second fit does."""
    assert made.sample(10, seed=2).equals(made.sample(10, seed=2))
    with pytest.raises(tacit.ledger.OverBudget):
        Synthesizer(DOMAIN, TRUST, people=20_000).fit(people(100), ledger=book, name="people")


def test_a_domain_does_where_a_mapping_does():
    """Made of the same mapping it is the same question."""
    asked = Synthesizer(Domain(DOMAIN), TRUST, people=20_000)

    assert asked == Synthesizer(DOMAIN, TRUST, people=20_000) and asked.domain == Domain(DOMAIN)


def test_the_plan_is_one_release_of_all_pairs(made):
    """Kept from the public, within the budget; pairs, columns and the number of records."""
    asked = Synthesizer(DOMAIN, TRUST, people=20_000)
    (promise,) = asked.plan.guarantees

    assert promise.epsilon <= 1.0 and promise.delta <= 1e-6
    assert isinstance(asked.asked, from_pairs.PairRelease)
    tables = asked.asked.tables
    assert 3 == len(tables.sets) and 7 == len(tables.closure)
    assert "seeded, so not private" in repr(made)


@pytest.mark.parametrize("delta", [1e-6, 0.0])
def test_the_noise_that_is_taken_out_is_that_of_the_plan(delta, book, monkeypatch):
    """With less of it, noise would be taken for what ties columns; with more, the reverse."""
    asked, seen = Synthesizer(DOMAIN, tacit.Central(1.0, delta), people=500), []

    def watched(tables, blocks, deviation, shares):
        seen.append(deviation)
        return pairs_of(tables, blocks, deviation, shares)

    monkeypatch.setattr(from_pairs, "pairs_of", watched)
    book.limit_for(f"watched {delta}", asked.plan)
    asked.fit(people(500), ledger=book, name=f"watched {delta}", seed=2)

    assert seen == [asked.plan.server.facts.noise]


def test_without_privacy_pairs_are_met(book):
    """What is left is the mixture's own: a hundredth in total variation."""
    made = Synthesizer(DOMAIN, tacit.NonPrivate(), 5_000).fit(people(5_000), ledger=book, name="no")
    report = made.report()

    assert (report.by_noise == 0).all() and (report.from_released < 0.015).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"domain": {"sex": ["F", "M"]}}, "at least two columns"),
        ({"domain": {"a": [1], "b": "xyz"}}, "column 'b' must be declared as"),
        ({"trust": tacit.Local(1.0)}, "is asked of a curator"),
        ({"trust": "me"}, "trust"),
        ({"method": "pairs"}, r"a method is FromPairs\(\), FromTree\(\), FromRounds\(rounds\)"),
        ({"method": FromPairs}, "a method is"),
        ({"method": FromRounds(0)}, "rounds must be a whole number from 1 to 1,000"),
        ({"method": FromRounds(5, -1)}, "repeats must be a whole number from 0 to 100"),
        ({"method": FromRounds(5, ways=4)}, "ways must be a whole number from 1 to the 3 columns"),
        ({"method": FromSmall(0)}, "rows must be a whole number from 1 to 64"),
        ({"method": FromSmall(40)}, "databases of 40 rows of 24 combinations"),
        ({"method": FromRounds(), "trust": tacit.Local(1.0)}, "is asked of a curator"),
        ({"people": 0}, "at least one person"),
        ({"people": 1e308}, r"people must be fewer than 2\^48"),
    ],
    ids=str,
)
def test_bad_input_is_refused_when_it_is_made(given, message):
    """In one sentence."""
    with pytest.raises(ValueError, match=message):
        Synthesizer(**{"domain": DOMAIN, "trust": TRUST, "people": 100, **given})


@pytest.mark.parametrize("rows", [0, -1, 2.5, True, "many"])
def test_rows_are_a_whole_number(rows, made):
    """From one on."""
    with pytest.raises(ValueError, match="rows must be a whole number from 1"):
        made.sample(rows)


def test_an_attribute_of_one_value_and_nobody_at_all(book):
    """One value is all there is to make; of nobody, rows are of noise."""
    domain = {"one": ["x"], "two": [1, 2]}
    asked = Synthesizer(domain, TRUST, people=100)
    book.limit_for("few", asked.plan)
    rows = asked.fit({"one": [], "two": []}, ledger=book, name="few").sample(50)

    assert set(rows.one) == {"x"} and set(rows.two) <= {1, 2}


NUMBERS = itertools.count()
METHODS = [FromPairs(), FromTree(), FromRounds(4), FromSmall(3)]
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda each: type(each).__name__)


def fitted_by(method, domain, table, book, trust=TRUST):
    """Charged to people of their own."""
    asked, name = Synthesizer(domain, trust, 50, method), f"people {next(NUMBERS)}"
    if not isinstance(trust, tacit.NonPrivate):
        book.limit_for(name, asked.plan)
    return asked.fit(table, ledger=book, name=name, seed=0)


@each_method
def test_undeclared_values_are_in_no_row(method, book):
    """Whatever people have: rows are of declared values alone, and nobody is told who had others.
    Where all have others, or none at all, rows are of noise."""
    odd = {"a": ["x", "y", None, "z", 1.5], "b": [1, 2, 3, None, True]}
    for table in (odd, {"a": [None] * 5, "b": [np.nan] * 5}, {"a": ["x"], "b": [1]}):
        rows = fitted_by(method, {"a": ["x", "y"], "b": [1, 2]}, pd.DataFrame(table), book)
        rows = rows.sample(40, seed=0)
        assert set(rows.a) <= {"x", "y"} and set(rows.b) <= {1, 2}


@each_method
def test_missing_values_are_made_where_they_are_declared(method, book):
    """Of a column that is missing throughout, mostly, and of one of one value nothing else."""
    table = pd.DataFrame({"a": [None] * 4_000, "b": ["only"] * 4_000})
    made = fitted_by(method, {"a": ["x", None], "b": ["only"]}, table, book, tacit.NonPrivate())
    rows = made.sample(200, seed=0)

    assert set(rows.b) == {"only"} and rows.a.isna().mean() > 0.9


def test_a_hundred_columns_are_no_more_than_their_pairs(book, monkeypatch):
    """4,950 pairs are planned, released and met: what is held is a number for each contrast."""
    monkeypatch.setattr(from_pairs, "fitted", partial(mixture.fitted, components=40, steps=5))
    columns = [f"c{i}" for i in range(100)]
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (500, 100)), columns=columns)
    made = fitted_by(FromPairs(), {name: [0, 1, 2] for name in columns}, table, book)

    assert made.release.state.answer[0].size == 1 + 100 * 2 + 4_950 * 4
    assert (500, 100) == made.sample(500, seed=0).shape


def test_too_many_values_are_refused_when_they_are_declared():
    """Ten thousand of one column: coarser ones are asked for, in one sentence."""
    with pytest.raises(ValueError, match="'a' must be declared as 1 to 1,024 values, got 10,000"):
        Synthesizer({"a": list(range(10_000)), "b": [0, 1]}, TRUST, 100)


@pytest.mark.parametrize(
    ("method", "domain"),
    [
        (FromPairs(), DOMAIN),
        (FromTree(), DOMAIN),
        (FromRounds(12), DOMAIN),
        (FromSmall(8), {"sex": ["F", "M"], "hurt": [True, False]}),
    ],
    ids=lambda each: type(each).__name__,
)
def test_without_a_delta_a_promise_is_pure(method, domain, book):
    """Its delta is what samplers are off, at most; rows are like people's even so."""
    asked = Synthesizer(domain, tacit.Central(4.0, 0.0), 20_000, method)
    (promise,) = asked.plan.guarantees
    name = type(method).__name__
    book.limit_for(name, asked.plan)
    rows = asked.fit(people(20_000), ledger=book, name=name, seed=3).sample(20_000, seed=3)
    true = people(20_000)
    known = true[true.sex.isin(["F", "M"])] if isinstance(method, FromSmall) else true

    assert promise.epsilon <= 4.0 and promise.delta <= 1e-15
    assert rows.hurt.mean() == pytest.approx(known.hurt.mean(), abs=0.08)
    assert (rows.sex == "F").mean() == pytest.approx((known.sex == "F").mean(), abs=0.08)


def test_laplace_noise_gets_the_weights_that_are_best_for_it():
    """Without a delta the tables' errors are below those of the weights for Gaussian noise."""
    pure = tacit.Central(1.0, 0.0)
    domain = tacit.queries.Domain.of(DOMAIN)
    gaussian = FromPairs().asked(domain, TRUST, 1_000).tables
    laplace = from_pairs.weighed(domain.sizes, gaussian.sets, ForLaplace())
    errors = [
        sum(own.rmse(*pair) ** 2 for pair in itertools.combinations(DOMAIN, 2))
        for own in (tacit.queries.Marginals(domain, t, pure, 1_000) for t in (laplace, gaussian))
    ]

    assert errors[0] < errors[1]


def test_a_named_fit_that_was_cut_off_while_rows_were_learnt_goes_on(tmp_path, monkeypatch):
    """The answers are the same, and charged once; without a name they are gone."""
    asked, book = Synthesizer(DOMAIN, TRUST, people=2_000), tacit.Ledger(tmp_path / "people.db")
    book.limit_for("people", asked.plan)
    learnt, denoised = [], from_pairs.denoised

    def cut_off(contrasts, *known):
        learnt.append(contrasts)
        if len(learnt) == 1:
            raise KeyboardInterrupt
        return denoised(contrasts, *known)

    monkeypatch.setattr(from_pairs, "denoised", cut_off)
    with pytest.raises(KeyboardInterrupt) as caught:
        asked.fit(people(2_000), ledger=book.once("rows"), name="people")
    made = asked.fit(people(2_000), ledger=book.once("rows"), name="people")

    assert "ledger.once('rows'), goes on" in " ".join(caught.value.__notes__)
    assert all(map(np.array_equal, *(each.values() for each in learnt)))
    assert len(made.sample(10)) == 10
    (entry,) = book.history("people")
    assert entry.closed
