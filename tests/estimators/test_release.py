"""Every fit is charged, refused ones are not, and copies share one ledger."""

import copy
import pickle
import subprocess
import sys
import weakref
from pathlib import Path

import jax
import numpy as np
import pytest
import sklearn.cluster
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import tacit
from estimators.people_like_these import BOUNDS, CURATOR, REPLACE, ledger, names, numbers, rows
from tacit.estimators import (
    PCA,
    SVC,
    KMeans,
    Lasso,
    LogisticRegression,
    NeuralClassifier,
    Ridge,
    SGDClassifier,
    TruncatedSVD,
    directions,
    release,
)
from tacit.ledger import receipt
from tacit.noise import keys
from tacit.population import Arrays, Grant

X, REPLACED = rows(300), tacit.Central(4.0, 0.0, REPLACE)
Y, LABELS = numbers(X), names(X)
DECLARED = {"bounds": BOUNDS, "target_bounds": (-16.0, 16.0), "seed": 0}
NAMED = {"bounds": BOUNDS, "classes": ["no", "yes"], "seed": 0}


def test_a_fit_has_a_plan_and_a_receipt_that_verifies(tmp_path):
    """Charged with exactly what the plan promises; a seed is told."""
    book = ledger(tmp_path)
    model = Ridge(CURATOR, ledger=book, **DECLARED).fit(X, Y)
    receipt.write(tmp_path / "receipt.json", [model.receipt_])
    spent = {(s.observer, s.relation): s.epsilon for s in book.spent("people")}

    assert receipt.verify(tmp_path / "receipt.json").sound
    assert not model.receipt_["private"]
    assert model.plan_.guarantees[0].epsilon == pytest.approx(4.0, rel=1e-3)
    assert spent["public", REPLACE] == model.plan_.guarantees[0].epsilon
    assert Ridge(CURATOR, **{**DECLARED, "seed": None}).fit(X, Y).receipt_["private"]


@pytest.mark.parametrize(
    "note, kept",
    [(None, "Ridge of 3 columns"), ("wages by age, for the report", None), ("", None)],
)
def test_the_ledger_keeps_a_note(note, kept, tmp_path):
    """What was given; or the estimator and how many columns it had."""
    book = ledger(tmp_path)
    Ridge(CURATOR, ledger=book, note=note, **DECLARED).fit(X, Y)

    (entry,) = book.history("people")
    assert entry.note == (note if kept is None else kept)


def test_columns_are_those_of_the_table_and_not_what_is_made_of_them(tmp_path):
    """One is one; random features are none."""
    book = ledger(tmp_path)
    SVC(CURATOR, ledger=book, pairs=4, **NAMED).fit(X[:, :1], LABELS)

    assert book.history("people")[0].note == "SVC of 1 column"


def test_two_tables_have_two_names(tmp_path):
    """Each is charged to an account of its own, and under one name to one."""
    book = ledger(tmp_path)
    book.limit("others", "public", REPLACE, 4.0, 1e-2)
    for name in ("people", "others"):
        Ridge(CURATOR, ledger=book, population=name, **DECLARED).fit(X, Y)

    assert [len(book.history(name)) for name in ("people", "others")] == [1, 1]


def test_cross_validation_charges_every_fold(tmp_path):
    """Two folds, two charges on the same account; a third does not fit, and is not charged."""
    book = ledger(tmp_path, epsilon=8.1)
    model = Ridge(CURATOR, ledger=book, **DECLARED)
    scores = cross_val_score(model, X, Y, cv=2)

    assert len(book.history("people")) == 2 and np.isfinite(scores).all()
    with pytest.raises(tacit.ledger.OverBudget):
        model.fit(X[:150], Y[:150])
    assert len(book.history("people")) == 2


def test_scikit_learns_own_says_what_a_fit_asks_and_what_is_left(tmp_path):
    """It goes on until the budget is out; the sentence of the fold that failed has both numbers."""
    model = Ridge(CURATOR, ledger=ledger(tmp_path, epsilon=10.0), **DECLARED)
    said = "has epsilon = 2, delta = .* left of epsilon = 10, .* and the grant asks for epsilon = 4"
    with pytest.raises(tacit.ledger.OverBudget, match=said):
        cross_val_score(model, X, Y, cv=3, error_score="raise")


class Died(BaseException):
    """An interrupt."""


@pytest.mark.parametrize("ending", [Died, KeyboardInterrupt, MemoryError])
def test_an_interrupted_fit_is_closed_and_stays_charged(tmp_path, monkeypatch, ending):
    """Nobody knows the grant's name, so nobody could go on with it: its key is erased."""
    book = ledger(tmp_path)

    def dying(*args, **options):
        raise ending

    monkeypatch.setattr(Grant, "run", dying)
    with pytest.raises(ending):
        Ridge(CURATOR, ledger=book, **DECLARED).fit(X, Y)

    (entry,) = book.history("people")
    assert entry.closed
    assert 3.9 < max(account.epsilon for account in book.spent("people")) <= 4.0


def test_a_named_fit_goes_on_where_it_was_cut_off(tmp_path, monkeypatch):
    """Of the same people, with the same settings; a copy has the name too. Charged once."""
    book, derive_each, calls = ledger(tmp_path), keys.derive_each, []
    model = SGDClassifier(CURATOR, ledger=book.once("wages"), **{**NAMED, "seed": None})

    def interrupted(*args):
        calls.append(None)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return derive_each(*args)

    monkeypatch.setattr(keys, "derive_each", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.fit(X, LABELS)
    assert "ledger.once('wages')" in " ".join(caught.value.__notes__)
    for changed in ({"bounds": (-9.0, 9.0)}, {"rounds": 3}):
        with pytest.raises(tacit.ledger.LedgerError, match="opened with"):
            clone(model).set_params(**changed).fit(X, LABELS)
    clone(model).fit(X, LABELS)

    (entry,) = book.history("people")
    assert entry.closed and entry.grant_id == "wages"


@pytest.mark.parametrize(
    "model, made",
    [
        (KMeans(REPLACED, n_clusters=2, bounds=BOUNDS), (sklearn.cluster.KMeans, "fit")),
        (PCA(REPLACED, bounds=BOUNDS), (directions, "largest")),
        (TruncatedSVD(REPLACED, radius=1.0), (directions, "largest")),
    ],
    ids=["KMeans", "PCA", "TruncatedSVD"],
)
def test_a_fit_that_is_cut_off_while_it_makes_something_of_its_release_goes_on(
    tmp_path, monkeypatch, model, made
):
    """With the same noise, charged once, if it has a name; without one it is closed."""
    book = ledger(tmp_path, epsilon=9.0)
    two, learnt = X[:, :2], {"ledger": book.once("places"), "seed": None}

    def dying(*given, **named):
        raise KeyboardInterrupt

    for named in (learnt, {"ledger": book}):
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(*made, dying)
            clone(model).set_params(**named).fit(two)
    clone(model).set_params(**learnt).fit(two)
    with pytest.raises(tacit.ledger.Finished):
        clone(model).set_params(**learnt).fit(two)

    named, other = book.history("people")
    assert named.grant_id == "places" and named.closed and other.closed


def test_a_fit_that_is_charged_to_nobody_says_nothing(monkeypatch):
    """Its own ledger is gone with it."""
    monkeypatch.setattr(Grant, "run", lambda grant: (_ for _ in ()).throw(Died))
    with pytest.raises(Died) as caught:
        Ridge(CURATOR, **DECLARED).fit(X, Y)

    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize(
    "model, labels",
    [
        (LogisticRegression(CURATOR, penalty=0.01, **NAMED), LABELS),
        (SGDClassifier(CURATOR, **NAMED), LABELS),
        (SVC(CURATOR, pairs=4, penalty=0.01, **NAMED), LABELS),
        (NeuralClassifier(CURATOR, hidden=2, **NAMED), LABELS),
        (Ridge(CURATOR, penalty=0.01, **DECLARED), Y),
        (Lasso(CURATOR, **DECLARED), Y),
    ],
    ids=lambda given: type(given).__name__,
)
def test_rows_that_a_fit_made_are_gone_before_the_first_round(model, labels, monkeypatch):
    """The population has its own: a second copy would be held for as long as a fit takes."""
    made, left = [], []

    def seen(data, name):
        made.extend(weakref.ref(leaf) for leaf in jax.tree.leaves(data) if leaf.ndim == 2)
        return Arrays(data, name)

    def dying(*args, **options):
        left.extend(array() is None for array in made)
        raise Died

    monkeypatch.setattr(release, "Arrays", seen)
    monkeypatch.setattr(Grant, "run", dying)
    with pytest.raises(Died):
        model.fit(X, labels)

    assert left == [True]


INTERRUPTED = """
import os, signal, sys
import tacit
from estimators import people_like_these as these
from tacit.estimators import SGDClassifier
from tacit.noise import keys

# A job in the background starts with this signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# In the middle of a fit, as the keys of its second block of rounds are made.
derive_each, calls = keys.derive_each, []
def interrupted(*args):
    calls.append(None)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGINT)
    return derive_each(*args)
keys.derive_each = interrupted
X = these.rows(300)
labels = {"bounds": these.BOUNDS, "classes": ["no", "yes"]}
SGDClassifier(these.CURATOR, ledger=tacit.Ledger(sys.argv[1]), **labels).fit(X, these.names(X))
"""


def test_a_process_that_is_interrupted_leaves_no_key(tmp_path):
    """A real SIGINT in the middle of a fit: charged, and closed before the process ends."""
    book = ledger(tmp_path)
    child = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path / "ledger.db")],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )

    assert "KeyboardInterrupt" in child.stderr
    assert "of 'people' for the public; its noise is forgotten" in child.stderr
    (entry,) = book.history("people")
    assert entry.closed


def test_a_copy_of_an_estimator_has_the_same_accounts(tmp_path):
    """A ledger's copy is the same ledger, opened again; also in another process."""
    book = ledger(tmp_path)
    for again in (copy.deepcopy(book), pickle.loads(pickle.dumps(book))):
        again.limit("others", "public", REPLACE, 1.0, 0.0)

    assert book.populations() == ["others", "people"]


def test_what_promises_nothing_is_refused_by_a_limited_ledger(tmp_path):
    """Without a ledger it is nobody's business; with limits it would release everything."""
    open_fit = LogisticRegression(tacit.NonPrivate()).fit(X, LABELS)
    assert open_fit.plan_.guarantees == () and not open_fit.receipt_["private"]
    for model, y in ((LogisticRegression, LABELS), (Ridge, Y)):
        with pytest.raises(tacit.ledger.OverBudget, match="promises nothing"):
            model(tacit.NonPrivate(), ledger=ledger(tmp_path)).fit(X, y)


def spoilt(value: float) -> np.ndarray:
    other = X.copy()
    other[7, 1] = value
    return other


REFUSED = {
    "no trust": (Ridge(), X, Y, r"trust must be declared, e\.g\. tacit\.Central\(1\.0, 1e-6\)"),
    "another trust": (Ridge("me"), X, Y, "trust must be one of Central, Local"),
    "not that trust": (Lasso(tacit.Local(1.0)), X, Y, "must be one of Central, NonPrivate, got L"),
    "no bounds": (Ridge(CURATOR, target_bounds=(0, 1)), X, Y, "bounds must be declared"),
    "no target bounds": (Ridge(CURATOR, bounds=BOUNDS), X, Y, "target_bounds must be declared"),
    "no classes": (SGDClassifier(CURATOR, bounds=BOUNDS), X, LABELS, "classes must be declared"),
    "a new label": (
        LogisticRegression(CURATOR, bounds=BOUNDS, classes=["no", "maybe"]),
        X,
        LABELS,
        "a label was never declared",
    ),
    "one class": (
        NeuralClassifier(CURATOR, bounds=BOUNDS, classes=["no"]),
        X,
        LABELS,
        "at least two classes",
    ),
    "NaN": (Ridge(CURATOR, **DECLARED), spoilt(np.nan), Y, "X must hold finite numbers, got NaN"),
    "infinity": (Ridge(CURATOR, **DECLARED), spoilt(np.inf), Y, "NaN or infinity"),
    "NaN target": (Ridge(CURATOR, **DECLARED), X, np.full(300, np.nan), "contains NaN"),
    "no people": (
        Ridge(tacit.Central(1.0, 1e-6, tacit.Relation.REPLACE_ONE), **DECLARED),
        X[:0],
        Y[:0],
        "0 sample",
    ),
    "no features": (Ridge(CURATOR, **DECLARED), X[:, :0], Y, "0 feature"),
    "people unknown": (Ridge(tacit.Central(1.0, 1e-6), **DECLARED), X, Y, "declare about how many"),
    "people not so many": (
        Ridge(CURATOR, people=299, **DECLARED),
        X,
        Y,
        "this plan is for 299 people, 'people' has 300",
    ),
    "no penalty": (LogisticRegression(CURATOR, penalty=0.0, **NAMED), X, LABELS, "positive"),
    "no rate": (SGDClassifier(CURATOR, rate=0.0, **NAMED), X, LABELS, "rate must be positive"),
    "no batch": (
        SGDClassifier(CURATOR, batch=0, **NAMED),
        X,
        LABELS,
        "batch must be a whole number of at least 1",
    ),
    "two lines of note": (
        Ridge(CURATOR, note="a\nb", **DECLARED),
        X,
        Y,
        "note must be text of one",
    ),
    "less than none": (Ridge(CURATOR, penalty=-1.0, **DECLARED), X, Y, "penalty must be at least"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_costs_nothing(case, tmp_path):
    """One sentence, and the ledger as it was."""
    model, features, target, message = REFUSED[case]
    book = ledger(tmp_path)
    with pytest.raises(ValueError, match=message):
        model.set_params(ledger=book).fit(features, target)

    assert book.history("people") == []
    assert all(account.epsilon == 0 for account in book.spent("people"))


def test_a_refused_fit_leaves_the_model_as_it_was():
    """All of it: no labels of one fit with the weights of another."""
    model = LogisticRegression(tacit.NonPrivate(), classes=["no", "yes"]).fit(X, LABELS)
    before = model.predict(X)
    with pytest.raises(ValueError, match="never declared"):
        model.set_params(classes=["maybe", "yes"]).fit(X, LABELS)

    np.testing.assert_array_equal(before, model.predict(X))


def test_under_add_remove_the_number_of_rows_changes_no_plan():
    """A person more or fewer, the same plan: it follows from what is declared alone."""
    trust, few = tacit.Central(4.0, 1e-6), X[:290]
    plans = [
        Ridge(trust, people=300, **DECLARED).fit(data, numbers(data)).plan_ for data in (X, few)
    ]

    assert plans[0] == plans[1]


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_ledger_may_be_its_path(kind, tmp_path):
    """Fits are charged there, each of them, and copies too."""
    book = ledger(tmp_path)
    model = Ridge(CURATOR, ledger=kind(tmp_path / "ledger.db"), **DECLARED)
    for each in (model, clone(model)):
        each.fit(X, Y)

    assert 2 == len(book.history("people"))
    with pytest.raises(ValueError, match="ledger must be a Ledger, or the path of one, got 3"):
        model.set_params(ledger=3).fit(X, Y)
