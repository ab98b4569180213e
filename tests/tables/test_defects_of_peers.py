"""Privacy defects that other libraries' tables have had, each tried on these.

Sums are looked at as they come out of the engine, before noise, so that what is shown is exact.
"""

import ibis
import numpy as np
import pandas as pd
import pytest

import tacit
from tables.records import everything, some, table, visits
from tacit import tables
from tacit.accounting.relation import Relation
from tacit.tables.engine import rows_of, sums_of

CENTRAL = tacit.Central(1.0, 0.0)


def _sums(ask: tacit.tables.Ask, rows: pd.DataFrame | None = None) -> list[np.ndarray]:
    """Of every aggregate, of these rows or the table's own."""
    return sums_of(ask.statement, ask.table.rows if rows is None else rows_of(rows), ask._cells)[0]


def _of_days(folder, days, **asked) -> tacit.tables.Ask:
    """A row a person, who stayed so long."""
    frame = pd.DataFrame({"patient": np.arange(len(days)), "days": days})
    return table(frame, folder).ask(**asked, rows_per_person=1)


def test_bounds_are_what_was_declared_whatever_the_rows_are(tmp_path):
    """Bounds taken from data, or from what an engine knows of a column, tell of its extremes: the
    plan is one and the same for nobody, for everyday numbers and for huge ones."""
    asked = {"stay": tables.mean("days", 0, 30), "sum": tables.total("days", 0, 30)}
    made = [_of_days(tmp_path, np.array(own), **asked) for own in ([], [3.0, 4.0], [-1e300, 1e300])]
    pages = {str(ask.plan(CENTRAL)) for ask in made}

    assert 1 == len(pages)
    with pytest.raises(TypeError):
        tables.mean("days")  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize("lower, upper", [(0, 100), (-100, 0), (50, 100), (-1, 100)])
def test_an_end_of_the_bounds_that_is_zero_hides_as_much(tmp_path, lower, upper):
    """diffprivlib 105 took one end of (0, 100) for both, and added no noise: here whoever comes,
    at either end, moves the pair of sums by what noise is scaled to."""
    ask = _of_days(
        tmp_path, np.array([lower, upper, upper], float), s=tables.total("days", lower, upper)
    )
    charged = ask._shapes[0].l1_sensitivity(Relation.ADD_REMOVE)
    moved = [_sums(ask)[0] - _sums(ask, ask.table.rows.to_pandas().drop(i))[0] for i in (0, 1)]

    assert [charged, charged] == [np.abs(own).sum() for own in moved]
    assert ask.plan(CENTRAL).plan.server.facts.noise > charged


@pytest.mark.parametrize("made", [some("n", "stay", "first"), everything()], ids=["some", "all"])
def test_which_groups_are_answered_tells_nothing(tmp_path, made):
    """Keys read off a table, or results whose length depends on it, show who is there alone: the
    same rows come back, in the same order, whoever is in which group."""
    crowd = visits(40, 12, seed=3)
    alone = crowd.assign(ward="a ward that nobody declared")
    found = []
    for frame in (crowd, alone, crowd.iloc[:0]):
        own = table(frame.assign(long=True), tmp_path)
        ask = own.by(ward=["C", "A", "Z"]).ask(**made, rows_per_person=2)
        found.append(ask.run(tacit.NonPrivate()).frame)

    assert all(each.ward.tolist() == ["C", "A", "Z"] for each in found)
    assert 1 == len({tuple(each.columns) for each in found})
    assert not any(own.any() for own in _sums(ask, alone.assign(long=True)))


def test_what_is_cut_off_does_not_depend_on_the_order_of_rows_or_threads(tmp_path):
    """Reservoirs and `limit` keep what lies first: with other neighbours other rows of a person
    would count. Here all of a person's rows decide it, and nothing else."""
    frame = visits(3000, 40, seed=5).assign(long=True)
    ask = table(frame, tmp_path).by(ward=["A", "B"]).ask(**everything(), rows_per_person=3)
    expected = _sums(ask)
    for threads in (1, 4):
        engine = ibis.duckdb.connect(threads=threads)
        rows = engine.create_table("visits", frame.sample(frac=1.0, random_state=threads))
        assert all(map(np.array_equal, expected, sums_of(ask.statement, rows, ask._cells)[0]))
    more = pd.concat([visits(300, 7, seed=6).assign(long=True, patient="new"), frame])
    moved = [a - b for a, b in zip(_sums(ask, more), expected, strict=True)]
    for shape, own in zip(ask._shapes, moved, strict=True):
        assert np.abs(own).sum() <= shape.l1_sensitivity(Relation.ADD_REMOVE)


def test_sums_are_not_of_floats(tmp_path):
    """1e16 + 1 - 1e16 is 0 or 1 by the order of adding, so one row moves a float's sum by more than
    its bound: here every order gives the same, and who is small is seen beside who is large."""
    days = np.array([1e16, *[1.0] * 1000, -1e16, 0.1, 0.2, 0.3])
    ask = _of_days(tmp_path, days, s=tables.total("days", -1e16, 1e16))
    frame = ask.table.rows.to_pandas()
    for seed in range(3):
        assert np.array_equal(_sums(ask)[0], _sums(ask, frame.sample(frac=1, random_state=seed))[0])
    one = _sums(ask)[0] - _sums(ask, frame.drop(3))[0]
    assert ask._shapes[0].l1_sensitivity(Relation.ADD_REMOVE) == one.sum()
    fine = _of_days(tmp_path, days, s=tables.total("days", 0, 1))
    levels = fine.aggregates["s"].ends.levels
    assert 1001 * levels + sum(round(levels * x) for x in (0.1, 0.2, 0.3)) == _sums(fine)[0][0, 0]


def test_nothing_is_divided_by_a_true_count(tmp_path):
    """What is released is read without the table: the same release says the same of any other."""
    asks = [
        table(visits(rows, 9, seed=rows), tmp_path)
        .by(ward=["A", "B"])
        .ask(n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=2)
        for rows in (20, 90)
    ]
    asks[0].table.budget(epsilon=1, delta=1e-9)
    release = asks[0].grant(CENTRAL).run()

    assert asks[0].read(release).frame.equals(asks[1].read(release).frame)


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "uint64"])
def test_whole_numbers_do_not_overflow(tmp_path, kind):
    """OpenDP's 2837 turned large unsigned numbers into negative ones; sums of small types wrap: the
    largest of each type is itself, negated and multiplied too, and a thousand of them add up."""
    most = np.iinfo(kind).max
    wide = {"s": tables.total("days", 0, int(most)), "t": tables.total(ibis._.days * 3, 0, 1e30)}
    wide["u"] = tables.total(-ibis._.days, -1e30, 0)
    ask = _of_days(tmp_path, np.full(1000, most, kind), **wide)
    found = ask.run(tacit.NonPrivate()).frame.iloc[0]

    assert found.s == pytest.approx(1000 * float(most))
    assert abs(found.t - 3000 * float(most)) <= found.t_high - found.t
    assert abs(found.u + 1000 * float(most)) <= found.u_high - found.u


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, None])
def test_one_persons_nan_is_nobody_elses(tmp_path, bad):
    """A NaN makes a float's sum NaN, which everybody sees; OpenDP's 2935 made it a zero. Here it is
    missing, an infinity is a bound, and the rows of all others add up to what they did."""
    of_others = ("share", "sexes", "first", "both")
    asked = {k: v for k, v in everything().items() if k not in of_others}
    days = np.array([3.0, 7.0, np.nan if bad is None else bad])
    ask = _of_days(tmp_path, days, **asked)
    whole, rest = _sums(ask), _sums(ask, ask.table.rows.to_pandas().head(2))
    moved = {name: a - b for name, a, b in zip(asked, whole, rest, strict=True)}

    missing = bad is None or np.isnan(bad)
    counted = ("stay", "sum", "spread", "bins", "stays", "middle", "upto")
    assert 1 == moved["n"].item() == moved["who"].item()
    assert missing == (not any(moved[name].any() for name in counted))
    assert all(0 <= own.min() for own in moved.values())


def test_who_is_replaced_moves_two_persons_rows(tmp_path):
    """OpenDP's 2945 charged a group's largest size for one replaced, who moves as many rows out as
    in: with six rows at the one end, then at the other, all of the charge is reached."""
    frame = pd.DataFrame({"patient": ["a"] * 6, "days": [10.0] * 6})
    other = frame.assign(patient="b", days=-10.0)
    ask = table(frame, tmp_path).ask(s=tables.total("days", -10, 10), rows_per_person=6)
    moved = np.abs(_sums(ask)[0] - _sums(ask, other)[0]).sum()

    assert moved == ask._shapes[0].l1_sensitivity(Relation.REPLACE_ONE)
    assert moved == 2 * ask._shapes[0].l1_sensitivity(Relation.ADD_REMOVE)


def test_a_number_made_anew_is_held_to_its_bounds_anew(tmp_path):
    """OpenDP's 2949 kept a column's bounds where the column was redefined after: bounds are of what
    is summed, and a table that is itself a query is refused."""
    ask = _of_days(tmp_path, np.array([1.0, 2.0]), s=tables.total(ibis._.days * 1e6, 0, 30))
    assert [[2 * ask.aggregates["s"].ends.levels, 0]] == _sums(ask)[0].tolist()
    with pytest.raises(ValueError, match="not a query"):
        table(ask.table.rows.mutate(days=ask.table.rows.days * 1e6), tmp_path)


def test_people_are_counted_in_as_many_groups_as_one_is_charged_for(tmp_path):
    """Privacy on Beam's 84: distinct people of each key were counted without a cap on keys."""
    frame = pd.DataFrame({"patient": ["a"] * 9, "ward": list("ABC") * 3, "days": 1.0})
    for most in (1, 2):
        asked = {"groups_per_person": most, "rows_per_group": 2, "who": tables.people()}
        ask = table(frame, tmp_path).by(ward=list("ABC")).ask(**asked)
        assert most == _sums(ask)[0].sum() == ask._shapes[0].l1_sensitivity(Relation.ADD_REMOVE)


def test_caps_are_kept_and_not_only_stated(tmp_path):
    """dpsynth took people's word for how many rows each has: a thousand rows are three here."""
    frame = pd.DataFrame({"patient": ["a"] * 1000 + ["b"], "days": 30.0})
    ask = table(frame, tmp_path).ask(n=tables.count(), rows_per_person=3)

    assert 3 + 1 == _sums(ask)[0].item()


def test_more_groups_are_not_more_noise(tmp_path):
    """PipelineDP's 552 divided the budget among a vector's coordinates: a person in one group pays
    for one, however many there are."""
    frame = visits(30, 9, seed=1)
    noise = []
    for many in (2, 200):
        by = table(frame, tmp_path).by(ward=[f"ward {i}" for i in range(many)])
        ask = by.ask(n=tables.count(), groups_per_person=1, rows_per_group=2)
        noise.append(ask.plan(CENTRAL).plan.server.facts.noise)

    assert noise[0] == pytest.approx(noise[1])


def test_the_ledger_knows_every_release(tmp_path):
    """SmartNoise's 621 forgot queries in its odometer: each is an entry, and what is spent is what
    was promised, however many numbers were asked at once."""
    two = {"n": tables.count(), "stay": tables.mean("days", 0, 30)}
    own = table(visits(30, 9, seed=2), tmp_path)
    own.budget(epsilon=3, delta=1e-6)
    asks = [own.ask(**each, rows_per_person=2) for each in (two, {"n": tables.count()})]
    promised = [ask.run(CENTRAL).plan.guarantees[0].epsilon for ask in asks]
    (account,) = own.ledger.spent("patients")

    assert 2 == len(own.ledger.history("patients"))
    assert sum(promised) <= account.epsilon <= sum(promised) * (1 + 1e-6)


@pytest.mark.parametrize(
    "made", [some("stay", "spread", "stays"), everything()], ids=["some", "all"]
)
def test_a_persons_frame_is_left_as_it_was(tmp_path, made):
    """COINPRESS clipped its caller's array in place."""
    frame = visits(60, 9, seed=7).assign(long=True)
    kept = frame.copy(deep=True)
    own = table(frame, tmp_path).by(ward=["A"])
    own.ask(**made, rows_per_person=1).run(tacit.NonPrivate())

    pd.testing.assert_frame_equal(kept, frame)
