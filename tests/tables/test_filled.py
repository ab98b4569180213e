"""Arrays of people with their records: the same however rows lie, and filled batch by batch."""

import tracemalloc
from dataclasses import replace

import ibis
import jax
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import table, visits
from tacit import tables
from tacit.estimators import KMeans, LinearRegression, LogisticRegression
from tacit.ledger.over_budget import OverBudget
from tacit.simulation import Simulated
from tacit.tables import filled
from tacit.tables.filled import RecordArrays

DAYS, SEX = tables.number("days", 0, 30), tables.category("sex", ["f", "m"])
WARD = tables.category("ward", ["A", "B", "C", None])


def _same(one, other) -> bool:
    return all(jax.tree.leaves(jax.tree.map(np.array_equal, one, other)))


@pytest.mark.parametrize("at_most", [1, 3])
def test_arrays_follow_from_rows_and_not_from_how_they_lie(tmp_path, monkeypatch, at_most):
    """Nor from the size of a batch."""
    frame = visits(400, 60, seed=3)
    lying, found = [frame, frame.sample(frac=1.0, random_state=1)], []
    for each, batch in zip(lying, (2**16, 7), strict=True):
        monkeypatch.setattr(filled, "BATCH", batch)
        found.append(table(each, tmp_path).arrays([DAYS, WARD], SEX, at_most=at_most).data)

    assert _same(*found)


def test_a_persons_records_are_theirs_alone(tmp_path):
    """Whoever leaves takes their own records along, and nobody else's move, but up."""
    frame = visits(150, 12, seed=5)
    (x, y), present = table(frame, tmp_path).arrays([DAYS, WARD], SEX, at_most=2).data
    whole = np.concatenate([x, y[..., None], present[..., None]], axis=2)
    for who in frame.patient.dropna().unique():
        (x, y), present = (
            table(frame[frame.patient != who], tmp_path).arrays([DAYS, WARD], SEX, at_most=2).data
        )
        rest = np.concatenate([x, y[..., None], present[..., None]], axis=2)
        assert any(np.array_equal(rest, np.delete(whole, i, 0)) for i in range(len(whole)))


def test_records_are_rows_that_lack_nothing(tmp_path):
    """Of each person at most so many; with one a person there is no axis for them."""
    frame = pd.DataFrame(
        {
            "patient": ["a", "a", "a", "b", "b", None, "c"],
            "days": [1.0, 2.0, np.nan, 40.0, 3.0, 3.0, np.nan],
            "sex": ["f", "m", "f", "x", "m", "m", "f"],
        }
    )
    own = table(frame, tmp_path)
    (x, y), present = own.arrays([DAYS], SEX, at_most=3).data
    held = {
        tuple(sorted(zip(x[i, p, 0].tolist(), y[i, p].tolist(), strict=True)))
        for i, p in enumerate(present)
    }

    assert {((1.0, 0), (2.0, 1)), ((3.0, 1),)} == held
    assert not x[~present].any() and "person" == own.arrays([DAYS], at_most=1).unit
    assert (2, 1) == own.arrays([DAYS], at_most=1).data.shape
    assert (2,) == own.arrays([DAYS], SEX, at_most=1).data[1].shape


def test_memory_is_the_arrays_and_a_batch(tmp_path, monkeypatch):
    """Never a second copy of all that was read."""
    monkeypatch.setattr(filled, "BATCH", 2**15)
    rows = 200_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{i}": rng.random(rows) for i in range(4)})
    frame["patient"] = np.arange(rows) // 2
    frame.to_parquet(tmp_path / "visits.parquet")
    own, features = (
        table(tmp_path / "visits.parquet", tmp_path),
        [tables.number(f"x{i}", 0, 1) for i in range(4)],
    )
    del frame
    tracemalloc.start()
    data = own.arrays(features, at_most=4).data
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    held, batch = sum(each.nbytes for each in jax.tree.leaves(data)), filled.BATCH * 6 * 8

    assert peak < held + 3 * batch < 2 * held


def test_a_fit_and_a_count_share_one_account(tmp_path):
    """The table's: what is left for one is what the other did not use."""
    own = table(visits(300, 200, seed=7), tmp_path)
    own.budget(epsilon=1.0, delta=1e-9)
    X, y = own.arrays([DAYS, WARD], SEX, at_most=1).data
    terms = {"people": 200, "classes": [0, 1], "ledger": own.ledger, "population": own.name}
    bounds = np.zeros(5), np.array([30, 1, 1, 1, 1])
    LogisticRegression(tacit.Central(0.5, 0.0), bounds=bounds, **terms).fit(X, y)
    ask = own.ask(n=tables.count(), rows_per_person=1)
    with pytest.raises(OverBudget):
        ask.run(tacit.Central(0.6, 0.0))
    ask.run(tacit.Central(0.4, 0.0))

    (account,) = own.ledger.spent(own.name)
    assert 0.89 < account.epsilon <= 0.9


def test_arrays_are_of_the_tables_unit(tmp_path):
    """Households of a table are households in memory."""
    frame = visits(30, 5, seed=1)
    houses = tacit.Table(frame, "patient", "patients", tmp_path / "people.db", unit="household")

    assert "household" == houses.arrays([DAYS], at_most=1).unit


@pytest.mark.parametrize("relation", [tacit.Relation.REPLACE_ONE, tacit.Relation.ZERO_OUT])
def test_how_many_have_a_record_is_no_public_number(tmp_path, relation):
    """It follows from what people hold: plans that take it for public are refused in the same
    words whatever it is, also of a part of the arrays."""
    own = table(visits(60, 20, seed=2), tmp_path).arrays([DAYS], at_most=1)
    learner, said = tacit.statistics.Average(), set()
    for given in (own, replace(own, data=own.data[:-1])):
        for people in (own.people, 20):
            asked = tacit.Mean(tacit.Interval(0.0, 30.0), tacit.Once(), people, people)
            plan = tacit.Central(1.0, 1e-6, relation).plan(asked)
            with pytest.raises(ValueError, match="under add/remove") as refused:
                given.grant(plan, learner, tmp_path / "people.db")
            said.add(str(refused.value))

    assert 1 == len(said) and not any(map(str.isdigit, *said))


def test_a_table_that_changes_while_it_is_read_is_refused():
    """More or fewer people than were counted."""
    places = {"place": np.array([0, 0]), "feature_0": np.array([1, 2])}
    for people in (1, 3):
        with pytest.raises(tables.EngineError, match="changed"):
            RecordArrays((DAYS,), None, 1)._filled(people, iter([places]))


def test_an_engine_that_stops_half_way_quotes_nobody(tmp_path):
    """Its own words are left out."""
    path = tmp_path / "visits.csv"
    path.write_text("patient,days\np1,3\n" + "p2,4\n" * 30_000 + "p3,a secret\n")
    own = ibis.duckdb.connect().read_csv(path)
    with pytest.raises(tables.EngineError) as stopped:
        table(own, tmp_path).arrays([DAYS], at_most=2)
    assert "secret" not in str(stopped.value) and stopped.value.__cause__ is None


@pytest.mark.parametrize(
    "asked",
    [
        lambda x: x.arrays([], at_most=1),
        lambda x: x.arrays("days", at_most=1),
        lambda x: x.arrays(["days"], at_most=1),
        lambda x: x.arrays([DAYS], "sex", at_most=1),
        lambda x: x.arrays([tables.count()], at_most=1),
        lambda x: x.arrays([DAYS], at_most=0),
        lambda x: x.arrays([DAYS], at_most=1.5),
        lambda x: x.arrays([tables.number("sex", 0, 1)], at_most=1),
        lambda x: x.arrays([tables.category("days", ["A", "B"])], at_most=1),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, asked):
    """In one sentence, before anything is read."""
    with pytest.raises(ValueError) as refused:
        asked(table(visits(9, 3, seed=8), tmp_path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "trust, takes_part",
    [
        (tacit.Local(1.0), tacit.Once()),
        (tacit.Shuffled(1.0, 1e-6), tacit.Once()),
        (tacit.Federated(4.0, tacit.Central(1.0, 1e-6)), tacit.Everyone()),
    ],
)
def test_people_of_a_table_are_no_devices(tmp_path, trust, takes_part):
    """A grant is refused with the reason, and nothing is charged; a simulation says what it is."""
    own = table(visits(60, 20, seed=2), tmp_path)
    people = own.arrays([DAYS], at_most=1)
    one = replace(people, data=people.data[:, 0])
    asked = tacit.Mean(tacit.Interval(0.0, 30.0), takes_part, 1, one.people)
    plan, learner = trust.plan(asked), tacit.statistics.Average()
    with pytest.raises(ValueError, match=r"known to take part, and .*Simulated tries them"):
        one.grant(plan, learner, own.ledger)
    tried = Simulated(one, played=5).run(plan, learner, seed=0)

    assert [] == own.ledger.history("patients")
    assert "simulation" in str(tried) and "simulation" in str(tried.receipt())
    assert not tried.receipt()["private"]


@pytest.mark.parametrize(
    "fitting",
    [
        lambda X, y: LogisticRegression(tacit.Central(1.0, 0), bounds=(0, 30)).fit(X, y),
        lambda X, y: LinearRegression(tacit.Central(1.0, 0), bounds=(0, 30)).fit(X, y),
        lambda X, _: KMeans(tacit.Central(1.0, 0), n_clusters=2, bounds=(0, 30)).fit(X),
    ],
)
def test_estimators_take_rows_of_persons_alone(tmp_path, fitting):
    """Several records of one, flattened or not, and days of a person are refused by what they are;
    nothing is charged."""
    frame = visits(60, 20, seed=2)
    several = table(frame, tmp_path).arrays([DAYS], SEX, at_most=3).data
    X, y = several.records
    days = tacit.Table(frame, ("patient", "ward"), "patients", tmp_path / "people.db")
    by_day = days.arrays([DAYS], SEX, at_most=1).data
    for rows, labels in ((X, y), (X.reshape(-1, 1), y.reshape(-1)), (several, y)):
        with pytest.raises(ValueError, match="has several records of one person"):
            fitting(rows, labels)
    with pytest.raises(ValueError, match=r"has a row for each patient-ward, and .* at_most=1"):
        fitting(*by_day)
    plain = table(frame, tmp_path).arrays([DAYS], SEX, at_most=1).data
    assert {np.ndarray} == {type(leaf) for leaf in plain}
