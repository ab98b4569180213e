"""`grant` is the only door: what it refuses costs nothing, what it grants is charged once."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import quick_keys
import small
import tacit
from tacit.ledger.ledger import LedgerError
from tacit.noise import chacha, keys
from tacit.population import program
from tacit.population.kind_of_run import KindOfRun
from tacit.question.words import in_words
from tacit.statistics import Answers


def test_a_release_is_charged_before_it_runs(tmp_path):
    """The charge stands as soon as the grant exists, whether or not it is ever run."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), tacit.statistics.Average(), book)

    assert pytest.approx(1.0, abs=1e-3) == small.spent(book)


def test_every_promise_of_a_plan_is_charged(tmp_path):
    """To its own observer, and with what its samplers reserve."""
    plan = small.plan(trust=tacit.Federated(2.0, tacit.Central(1.0, 1e-5)))
    book = small.ledger(tmp_path)
    small.people().grant(plan, tacit.statistics.Average(), book)
    (entry,) = book.history("thirty")

    assert ["public", "server"] == [charge.guarantee.observer for charge in entry.charges]
    assert plan.guarantees == tuple(charge.guarantee for charge in entry.charges)
    assert 0 < plan.guarantees[0].delta_reserved


def test_every_array_of_the_data_is_fingerprinted():
    """A label that is changed makes other data, as a feature does."""
    rows, labels = jnp.zeros((3, 2)), jnp.zeros(3)
    same = program.digest_of({"rows": rows, "labels": labels})

    assert same == program.digest_of({"rows": rows + 0, "labels": labels + 0})
    for at in range(3):
        assert same != program.digest_of({"rows": rows, "labels": labels.at[at].set(1.0)})
        assert same != program.digest_of({"rows": rows.at[at, 1].set(1.0), "labels": labels})


@pytest.mark.parametrize("kind", [jnp.bfloat16, jnp.float16, jnp.int32, bool])
def test_arrays_of_every_type_are_fingerprinted(kind):
    """Of NumPy's or not, with axes or without."""
    one, two = jnp.ones((), kind), jnp.ones((2, 3), kind)
    others = one == 0, two == 0, two.T
    assert len({program.digest_of(each) for each in (one, two, *others)}) == 5


def test_over_budget_is_refused_and_nothing_is_charged(tmp_path):
    """The second release would exceed the limit; the account stays where it was."""
    book = small.ledger(tmp_path, public=1.5)
    small.people().grant(small.plan(), tacit.statistics.Average(), book)
    before = small.spent(book)
    with pytest.raises(tacit.ledger.OverBudget):
        small.people().grant(small.plan(), tacit.statistics.Average(), book)

    assert before == small.spent(book)


def test_a_plan_for_another_number_of_people_is_refused_where_it_is_public(tmp_path):
    """Under replace-one, n is part of the promise."""
    question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Once(), 2, small.PEOPLE + 1)
    plan = tacit.Central(1.0, 1e-5, tacit.Relation.REPLACE_ONE).plan(question)
    with pytest.raises(ValueError, match="31 people"):
        small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path))


def test_rows_that_are_no_persons_are_promised_what_they_are(tmp_path):
    """A plan for persons is refused of households, and one for households is charged to theirs."""
    houses, learner = (
        tacit.Arrays(small.people().data, "thirty", "household"),
        tacit.statistics.Average(),
    )
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match=re.escape("plan.per('household')")):
        houses.grant(small.plan(), learner, book)
    with pytest.raises(ValueError, match="one household"):
        small.people().grant(small.plan().per("household"), learner, book)
    with pytest.raises(LedgerError, match="household"):
        houses.grant(small.plan().per("household"), learner, book)
    book.limit_for("thirty", small.plan().per("household"))
    houses.grant(small.plan().per("household"), learner, book)

    assert {"household"} == {each.unit for each in book.spent("thirty") if each.epsilon}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ((), "none"),
        ((np.zeros((3, 2)), np.zeros(4)), r"shapes \(3, 2\) and \(4,\)"),
        (np.float32(1.0), r"shape \(\)"),
    ],
    ids=["none", "ragged", "one number"],
)
def test_a_population_needs_agreeing_arrays(data, said):
    """No array, ragged ones and a single number are refused, and what they are is said."""
    all_of = f"at least one array, all with one row for each person, got {said}$"
    with pytest.raises(ValueError, match=all_of):
        tacit.Arrays(data, "nobody")


AVERAGE = tacit.statistics.Average((3,))


@pytest.mark.parametrize(
    "asked, learner",
    [
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 1, 500), AVERAGE),
        (tacit.Mean(tacit.Ball(3, 1.0), tacit.Poisson(0.1), 4, 500), AVERAGE),
        (
            tacit.OfRows(tacit.Interval(0.0, 1.0), 500, tacit.question.Quantile()),
            Answers(1, shape=(1,)),
        ),
    ],
    ids=["sum", "rounds", "rows"],
)
def test_nobody_is_answered_like_anybody(asked, learner, tmp_path):
    """Where the number of people is a secret no refusal tells that it is zero: it is noise."""
    plan, book = tacit.Central(1.0, 1e-6).plan(asked), tacit.Ledger(tmp_path / "l.db")
    book.limit_for("nobody", plan)
    shape = plan.sums.contribution.shape
    release = tacit.Arrays(np.zeros((0, *shape)), "nobody").grant(plan, learner, book).run()

    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(release.state))
    assert book.spent("nobody")[0].epsilon > 0


def test_a_ledger_keeps_the_question_and_a_note_beside_it(tmp_path):
    """In words, for people to read; without a note there is none."""
    book = small.ledger(tmp_path)
    for name, note in (("a", "wages, pilot"), ("b", None)):
        noted = {} if note is None else {"note": note}
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id=name, **noted)
    first, second = book.history("thirty")

    assert ("wages, pilot", "") == (first.note, second.note)
    assert in_words(small.plan().question) == first.asked == second.asked


@pytest.mark.parametrize("name", ["", 7, b"g"])
def test_a_name_that_is_none_is_refused_for_free(name, tmp_path):
    """It could not be asked for again."""
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="grant_id must be text of at least one character"):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id=name)

    assert 0 == small.spent(book)


def test_a_path_is_no_checkpoint(tmp_path):
    """It is refused in a sentence that says what is one, for free."""
    book, saved = small.ledger(tmp_path), str(tmp_path / "state.npz")
    with pytest.raises(ValueError, match=r"^checkpoint must be a Checkpoint\(path\), got "):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, checkpoint=saved)

    assert 0 == small.spent(book) and [] == book.history("thirty")


@pytest.mark.parametrize("where", ["no folder", "a folder", "another's", "no checkpoint"])
def test_a_checkpoint_that_cannot_be_used_is_refused_for_free(where, tmp_path):
    """Before the charge, not two seconds into the run."""
    path = tmp_path / "state.npz"
    book, saved = small.ledger(tmp_path), tacit.population.Checkpoint(path)
    if where == "no folder":
        saved = tacit.population.Checkpoint(tmp_path / "no" / "state.npz")
    elif where == "a folder":
        path.mkdir()
    elif where == "another's":
        saved.save("h", 1, tacit.statistics.Average().init(), small.plan().server.init(), b"seal")
    else:
        path.write_text("notes")
    named = "ask with grant_id='h' to go on with that one" if where == "another's" else None
    with pytest.raises(tacit.population.CheckpointError, match=named):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, checkpoint=saved)

    assert 0 == small.spent(book) and [] == book.history("thirty")
    assert [] == [each for each in tmp_path.iterdir() if each.suffix in (".try", ".part")]


def test_a_file_of_a_grants_name_that_is_not_its_own_is_refused_for_free(tmp_path):
    """A new grant has no file yet, even where the seed of its key is known; and what is gone on
    with has the seal of its own key."""
    book, asked = small.ledger(tmp_path), (small.plan(), tacit.statistics.Average())
    saved, own = (tacit.population.Checkpoint(tmp_path / f"{n}.npz") for n in ("saved", "own"))
    terms = {"grant_id": "g", "seed": 0}
    seal = KindOfRun.GRANT.seal(keys.from_seed(0))
    saved.save("g", 1, asked[1].init(), asked[0].server.init(), seal)
    with pytest.raises(tacit.population.CheckpointError, match="'g' that this ledger does not"):
        small.people().grant(*asked, book, **terms, checkpoint=saved)
    assert 0 == small.spent(book) and [] == book.history("thirty")

    small.people().grant(*asked, book, **terms)
    charged = small.spent(book)
    own.save("g", 1, asked[1].init(), asked[0].server.init(), b"another hand's seal")
    with pytest.raises(tacit.population.CheckpointError, match="not written by this grant"):
        small.people().grant(*asked, book, **terms, checkpoint=own)
    small.people().grant(*asked, book, **terms, checkpoint=saved)
    assert charged == small.spent(book)


def _unlimited(plan, folder) -> tacit.Ledger:
    book = tacit.Ledger(folder / "ledger.db")
    for promise in plan.guarantees:
        book.limit("thirty", promise.observer, promise.relation, 100.0, 0.1)
    return book


class InChunk(eqx.Module):
    """One number each: the place in the chunk, at the person's own coordinate."""

    people: jax.Array
    kinds = (tacit.Ball,)

    @property
    def norms(self):
        return jnp.arange(len(self.people), dtype=jnp.float32)[:, None]

    def weighted_sum(self, weights):
        return jnp.zeros(30).at[self.people].set(weights[:, 0] * jnp.arange(len(self.people)))


class Places(eqx.Module):
    """Asks for zero, and remembers nothing; its own sum is of each person's place in the chunk."""

    def init(self):
        return jnp.zeros(())

    def ask(self, state, person):
        return jnp.zeros(30)

    def terms(self, state, people):
        return InChunk(people)

    def tell(self, state, answer):
        return state


@pytest.mark.parametrize("who", [tacit.Everyone(), tacit.Poisson(0.5), tacit.Available(0.5)])
@pytest.mark.parametrize("relation", [tacit.Relation.ADD_REMOVE, tacit.Relation.ZERO_OUT])
def test_who_sums_themselves_come_in_a_secret_order_if_people_come_or_go(who, relation, tmp_path):
    """Then nobody's chunk depends on who else is there; the same people are drawn as without."""
    data = np.arange(30, dtype=np.int32)
    sums = tacit.Mean(tacit.Ball(30, 1e3), who, 6, 30)
    plan = tacit.Central(1.0, 1e-5, relation).plan(sums)
    grant = tacit.Arrays(data, "thirty").grant(plan, Places(), _unlimited(plan, tmp_path), seed=1)
    cohorts = grant.staged.cohorts
    root = grant.key.taken(grant.staged, grant.name, grant.private)
    whole = cohorts.seats(list(cohorts.rows(root, 0)))
    shown = [
        (np.asarray(rows).ravel(), np.asarray(present).ravel())
        for rows, present in zip(whole.rows[:6], whole.present[:6], strict=True)
    ]
    orders = [rows[present] for rows, present in shown]

    def stream(index):
        return keys.numpy_generator(keys.derive(root, "participation", index))

    drawn = sums.participation.cohorts(stream, 30, 6, 0)

    for order, rows in zip(orders, drawn, strict=True):
        assert sorted(order) == sorted(rows)
        mixed = not np.array_equal(order, rows)
        assert mixed == (relation is tacit.Relation.ADD_REMOVE)
    again = np.asarray(cohorts.seats(list(cohorts.rows(root, 3))).rows)[:3].reshape(3, -1)
    for late, (early, _) in zip(again, shown[3:], strict=True):
        np.testing.assert_array_equal(late, early)


def test_noisy_sums_are_of_any_number_of_people(tmp_path, monkeypatch):
    """Under add/remove the number declared is a divisor, and no more."""
    monkeypatch.setattr(chacha, "IMPL", quick_keys.IMPL)
    plan = tacit.Central(1.0, 1e-5).plan(
        tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 1, 3)
    )

    assert (
        small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path)).run().private
    )


def test_a_population_prints_no_data():
    """Only its name is public: not even how many people there are."""
    assert "Arrays(name='thirty')" == repr(small.people())


def test_records_are_gathered_by_person(tmp_path):
    """A person with several records is one row: their own records, and which are there."""
    rows, present = np.array([[2, 0], [1, 0]]), np.array([[True, True], [True, False]])
    people = tacit.Arrays.from_records(np.array([10.0, 20.0, 30.0]), rows, present, "two")
    own, there = people.data

    np.testing.assert_array_equal([[30.0, 10.0], [20.0, 10.0]], own)
    np.testing.assert_array_equal(present, there)


def test_a_seeded_grant_cannot_be_reopened_as_private(tmp_path):
    """Its key can be guessed for ever, whatever the second call says."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g", seed=7)
    with pytest.raises(tacit.ledger.LedgerError):
        small.people().grant(small.plan(), tacit.statistics.Average(), book, grant_id="g")


def test_no_privacy_is_refused_where_there_are_limits(tmp_path):
    """A release that promises nothing would make every limit of these people meaningless."""
    plan = small.plan(1, tacit.NonPrivate())
    with pytest.raises(tacit.ledger.OverBudget, match="promises nothing"):
        small.people().grant(plan, tacit.statistics.Average(), small.ledger(tmp_path))


def test_parts_of_a_population_are_charged_side_by_side(tmp_path):
    """Two grants on two parts cost as much as the dearer one; the whole costs both parts."""
    ledger = tacit.Ledger(tmp_path / "ledger.db")
    ledger.limit("clinic", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-5)
    ledger.divide("clinic", "town", ["north", "south"])
    people = tacit.Arrays(np.zeros(50, np.float32), "clinic")
    question = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 1, 50)
    plan = tacit.Central(0.6, 1e-6).plan(question)

    for part in ("north", "south"):
        people.grant(plan, tacit.statistics.Average(), ledger, part=part)
    (spent,) = ledger.spent("clinic")
    assert 0.59 < spent.epsilon <= 0.6
    with pytest.raises(tacit.ledger.OverBudget, match="part 'north'"):
        people.grant(plan, tacit.statistics.Average(), ledger)


@pytest.mark.parametrize("name", ["", None, 3, b"digits"])
def test_people_have_a_name(name):
    """It is text, and refused where it is given: accounts are found by it."""
    with pytest.raises(ValueError, match="name must be text of at least one character, got "):
        tacit.Arrays(np.ones(3), name)


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_ledger_may_be_its_path(kind, tmp_path):
    """To whoever is granted something, and to whoever reads what was released."""
    book, where = small.ledger(tmp_path), kind(tmp_path / "ledger.db")
    asked, saved = (
        (small.plan(), tacit.statistics.Average(), where),
        tacit.population.Checkpoint(tmp_path / "state.npz"),
    )
    release = small.people().grant(*asked, grant_id="g", checkpoint=saved).run()
    read = tacit.Release.read("g", "thirty", *asked, saved)

    assert ["g"] == [entry.grant_id for entry in book.history("thirty")]
    np.testing.assert_array_equal(release.state[0], read.state[0])


def test_what_is_no_ledger_is_refused():
    """The sentence says that it may be a path."""
    for ledger in (None, 3, tacit.Ledger):
        with pytest.raises(ValueError, match="ledger must be a Ledger, or the path of one, got"):
            small.people().grant(small.plan(), tacit.statistics.Average(), ledger)


@pytest.mark.parametrize("seed", ["a", 1.5, True, -1, 2**64])
def test_what_is_no_seed_is_refused_for_free(tmp_path, seed):
    """By its name, before a plan is set up or anything is charged."""
    book, asked = small.ledger(tmp_path), (small.plan(), tacit.statistics.Average())
    with pytest.raises(
        ValueError, match=r"seed must be a whole number from 0 and below 2\^64, got"
    ):
        small.people().grant(*asked, book, seed=seed)

    assert 0 == small.spent(book)


def test_a_seed_is_the_same_in_every_type(tmp_path):
    """NumPy's too, whose numbers are none of Python's."""
    answers = [
        small.people()
        .grant(small.plan(), tacit.statistics.Average(), small.ledger(tmp_path), seed=seed)
        .run()
        .answer
        for seed in (3, np.int64(3))
    ]

    assert answers[0] == answers[1]


REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL = tacit.Central(1.0, 1e-5)


@pytest.mark.parametrize(
    "trust",
    [
        tacit.Local(2.0),
        tacit.Central(1.0, 1e-5, REPLACE),
        tacit.Federated(2.0, tacit.Central(1.0, 1e-5, REPLACE)),
        tacit.Federated(2.0, CENTRAL),
    ],
)
def test_where_who_has_a_row_is_secret_only_those_who_come_and_go_are_asked(trust, tmp_path):
    """Every promise is under add/remove, or the plan is refused for free: one beside it is not
    enough. Of the same rows, where everybody has one, all of them are answered."""
    book, learner, rows = small.ledger(tmp_path), tacit.statistics.Average(), small.people().data
    some = tacit.Arrays(rows, "thirty", everybody=False)
    with pytest.raises(ValueError, match="not everybody of 'thirty' may have a row"):
        some.grant(small.plan(trust=trust), learner, book)
    assert 0 == small.spent(book)

    some.grant(small.plan(trust=CENTRAL), learner, book)
    tacit.Arrays(rows, "thirty").grant(small.plan(trust=trust), learner, book)


@pytest.mark.parametrize("everybody", ["no", "", 0, 1, None, np.ones(1, bool)], ids=repr)
def test_whether_everybody_has_a_row_is_yes_or_no(everybody):
    """A word that says no would be taken for yes, and plans be carried out that must not be."""
    with pytest.raises(ValueError, match="everybody must be True or False, got"):
        tacit.Arrays(np.ones(3), "three", everybody=everybody)
    assert not tacit.Arrays(np.ones(3), "three", everybody=np.False_).everybody
