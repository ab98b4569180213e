"""What is printed before a fit is what is charged by it, and nothing is read or spent for it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tacit
from tacit.estimators import PCA, GaussianMixture, KMeans, TruncatedSVD, in_rounds
from tacit.estimators.fit_plan import FitPlan, columns_told, told
from tacit.population.release import recorded

REPLACE = tacit.Relation.REPLACE_ONE
CENTRAL, PURE = tacit.Central(1.0, 1e-6), tacit.Central(1.0, 0.0)
LOCAL, SHUFFLED, FREE = tacit.Local(6.0), tacit.Shuffled(2.0, 1e-6), tacit.NonPrivate()
FEDERATED = tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE))
EVERY = [CENTRAL, PURE, tacit.Central(1.0, 0.0, REPLACE), LOCAL, SHUFFLED, FEDERATED, FREE]
PEOPLE, FEATURES = 400, 3
BOX: dict[str, Any] = {"bounds": ([-1.0, 0.0, -2.0], [1.0, 4.0, 2.0]), "seed": 0}
MODELS = [
    PCA(**BOX, n_components=2),
    PCA(**BOX, n_components=0.9),
    TruncatedSVD(radius=3.0, seed=0, n_components=2),
    KMeans(**BOX, n_clusters=3),
    GaussianMixture(**BOX, n_components=2),
]
ROWS = np.random.default_rng(0).uniform([-1, 0, -2], [1, 4, 2], (PEOPLE, FEATURES))


def asked(model, trust) -> Any:
    return type(model)(**(model.get_params() | {"trust": trust, "people": PEOPLE}))


def cases() -> list[tuple[Any, Any]]:
    """Every estimator under every trust model that it knows."""
    mixture = (CENTRAL, PURE, FEDERATED, FREE)
    return [
        (model, trust)
        for model in MODELS
        for trust in EVERY
        if not isinstance(model, GaussianMixture) or trust in mixture
    ]


def name(given) -> str:
    return type(given).__name__


def foreseen_after(fitted) -> float | None:
    """What a fit keeps of it."""
    if hasattr(fitted, "foreseen_rmse_"):
        return fitted.foreseen_rmse_
    return fitted.foreseen_loss_


@pytest.mark.parametrize("model, trust", cases(), ids=name)
def test_what_is_printed_is_what_is_charged(model, trust, tmp_path):
    """The same plan to the last number, the same error foreseen, and the charges of its promises;
    under every trust model."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    own = asked(model, trust)
    before = own.plan(FEATURES)
    book.limit_for("people", before.plan)
    fitted = own.set_params(ledger=book).fit(ROWS)

    assert before.plan == fitted.plan_ and recorded(before.plan, False) == recorded(
        fitted.plan_, False
    )
    assert before.foreseen == foreseen_after(fitted)
    promised = sorted(each.epsilon for each in before.plan.guarantees)
    assert sorted(account.epsilon for account in book.spent("people")) == pytest.approx(promised)


@pytest.mark.parametrize("model, trust", cases(), ids=name)
def test_a_plan_is_a_page_of_80_columns(model, trust):
    """With a line for each thing that is known, and one for what is not."""
    lines = str(asked(model, trust).plan(FEATURES)).split("\n")
    labels = [line.split()[0] for line in lines if not line.startswith(" ")]
    known = ["asked", "trust", "noise", "error", "unknown", "way", "charged", "upload", "promised"]

    assert max(map(len, lines)) <= 80
    assert labels == known


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_nothing_is_read_or_spent_by_a_plan(model, tmp_path):
    """No file is made for a ledger; an open one has no entry; the estimator is as it was."""
    path = tmp_path / "people.db"
    own = asked(model, CENTRAL).set_params(ledger=path)
    kept, params = dict(vars(own)), own.get_params()
    own.plan(FEATURES)
    assert not path.exists()

    book = tacit.Ledger(path)
    book.limit_for("people", own.plan(FEATURES).plan)
    again = own.set_params(ledger=book).plan(FEATURES)
    assert [] == book.history("people")
    assert all(account.epsilon == 0 for account in book.spent("people"))
    assert isinstance(again, FitPlan) and vars(own.set_params(ledger=path)) == kept
    assert own.get_params() == params


def test_people_may_be_told_to_the_plan():
    """As a fit counts them where it is public; another number than was declared is refused."""
    free = PCA(tacit.Central(1.0, 0.0, REPLACE), bounds=(-1.0, 1.0), n_components=1, seed=0)
    rows = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    assert free.plan(people=50, features=2).plan == free.fit(rows).plan_
    assert free.plan(2, 50) == free.set_params(people=50).plan(2, people=50)
    with pytest.raises(ValueError, match="people was declared as 50, got 40: leave it out"):
        free.plan(2, people=40)


@pytest.mark.parametrize(
    "names", [["a", "b"], ("a", "b"), pd.Index(["a", "b"]), np.array(["a", "b"])]
)
def test_columns_are_told_by_their_names(names):
    """In a list or a tuple, or as a DataFrame has them."""
    assert (2, 7) == told(names, 7, None, CENTRAL)
    assert (2, ["a", "b"]) == columns_told(names)


@pytest.mark.parametrize(
    "features, people, said",
    [
        (0, 5, "features must be a whole number of at least 1, got 0"),
        (2.5, 5, "features must be how many columns there are, or their names, got 2.5"),
        ("3", 5, "features must be how many columns there are, or their names, got '3'"),
        (ROWS, 5, "features must be a number, or different names, got ndarray"),
        (2, None, "how many people there are must be declared before there are rows"),
        (2, 0, "people must be a positive whole number, got 0"),
        (2, "many", "people must be a positive whole number, got 'many'"),
        (2, ROWS, "people must be a positive whole number, got ndarray"),
    ],
)
def test_what_is_no_number_is_refused(features, people, said):
    """Of columns, or of people; rows are no number, and nothing of them is said."""
    with pytest.raises(ValueError, match=said):
        told(features, people, None, CENTRAL)


REFUSED = [
    (PCA(bounds=(0, 1), people=5), "trust must be declared"),
    (PCA(CENTRAL, people=5), "bounds must be declared"),
    (PCA(FREE, people=5), "bounds must be declared"),
    (PCA(CENTRAL, bounds=(1, 0), people=5), "bounds must be"),
    (PCA(CENTRAL, bounds=(0, 1), people=5, n_components=4), "from 1 to the number of features, 3"),
    (TruncatedSVD(FREE, people=5), "radius must be declared"),
    (TruncatedSVD(CENTRAL, radius=-1.0, people=5), "radius must be declared"),
    (KMeans(CENTRAL, bounds=(0, 1), people=5, n_clusters=0), "n_clusters must be a positive"),
    (KMeans(CENTRAL, people=5), "bounds must be declared"),
    (GaussianMixture(LOCAL, bounds=(0, 1), people=5), "one of Central, Federated, NonPrivate, got"),
    (GaussianMixture(CENTRAL, bounds=(0, 1), people=5, covariance_type="round"), "covariance_type"),
    (
        KMeans(tacit.Federated(1.0, CENTRAL), bounds=(0, 1), people=5),
        "a federated clustering is of a public number",
    ),
    (
        PCA(
            tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE), radius=0.1),
            bounds=(0, 1),
            people=5,
            n_components=0.9,
        ),
        "the noise of these reports is not known",
    ),
    (
        KMeans(
            tacit.Federated(8.0, tacit.Central(1.0, 1e-6, REPLACE), radius=0.1),
            bounds=(0, 1),
            people=5,
            n_clusters=2,
        ),
        "the noise of these reports is not known",
    ),
]


@pytest.mark.parametrize("model, said", REFUSED)
def test_where_there_is_no_plan_a_plan_says_so_as_a_fit_does(model, said, tmp_path):
    """In the same words, and nothing is spent by either."""
    book = tacit.Ledger(tmp_path / "ledger.db")
    for relation in tacit.Relation:
        book.limit("people", "public", relation, 9.0, 1e-3)
    own = model.set_params(ledger=book)
    with pytest.raises(ValueError, match=said) as before:
        own.plan(3)
    if not isinstance(own.trust, tacit.NonPrivate):
        with pytest.raises(ValueError, match=said) as after:
            own.fit(np.zeros((5, 3)))
        assert str(before.value) == str(after.value)
    assert [] == book.history("people")


def test_rounds_and_their_shares_are_told(monkeypatch):
    """Of the very rounds that are charged."""
    features, people = 30, 2_000
    monkeypatch.setattr(in_rounds, "MOST_SUMMED", 24 * features)
    model = PCA(CENTRAL, bounds=(-1.0, 1.0), people=people, n_components=1, seed=0)
    before, fitted = model.plan(features), model.fit(np.zeros((people, features)))
    shares = ", ".join(f"{share:.3g}" for share in before.plan.question.shares)

    assert before.plan == fitted.plan_ and before.foreseen == fitted.foreseen_loss_
    assert f"means of shares {shares}" in " ".join(str(before).split())
    assert f"{before.plan.sums.rounds} rounds along" in before.way
    assert before.plan.sums.rounds == len(set(before.plan.question.shares)) > 1


def test_accounts_are_named():
    """Those of the population; where nothing is promised, nothing is charged."""
    named = {"population": "ward 3", "ledger": "ward.db"}
    model = KMeans(CENTRAL, **BOX, people=PEOPLE, n_clusters=2, **named)
    assert "to the accounts of 'ward 3'" in " ".join(str(model.plan(FEATURES)).split())
    free = str(model.set_params(trust=FREE).plan(FEATURES))
    assert "charged   nothing, as nothing is promised" in free


def test_a_file_is_read_by_nobody(monkeypatch):
    """Whatever opens a ledger or a table is not called."""
    from tacit.estimators import release

    def called(*given, **others):
        raise AssertionError("a plan must not ask")

    for own in ("opened", "Ledger", "Arrays"):
        monkeypatch.setattr(release, own, called)
    for model in MODELS:
        assert str(asked(model, CENTRAL).set_params(ledger=Path("none.db")).plan(FEATURES))


def test_without_a_ledger_nobody_is_charged():
    """As a fit charges nobody then, and the page does not say otherwise."""
    page = str(PCA(tacit.Central(1.0, 0.0), bounds=(0.0, 1.0), people=300).plan(features=3))

    assert "to nobody, without ledger=" in page and "once, by a fit" not in page
