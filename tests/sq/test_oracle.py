"""Who answers queries when; a learner's answers are charged like any others."""

import jax.numpy as jnp
import numpy as np
import pytest

import tacit
from sq.queried import REPLACE, TRUSTS, bits_of, named
from tacit.question.participation import Everyone, Once
from tacit.sq.conjunctions import KeptLiterals
from tacit.sq.oracle import OfVectors, QueryLearning, participation

CENTRAL = tacit.Central(1.0, 1e-6)


@pytest.mark.parametrize(
    ("trust", "who"),
    [
        (tacit.NonPrivate(), Everyone()),
        (CENTRAL, Everyone()),
        (tacit.Central(1.0, 1e-6, REPLACE), Everyone()),
        (tacit.Local(1.0), Once()),
        (tacit.Shuffled(1.0, 1e-6), Once()),
        (tacit.Federated(4.0, tacit.Central(1.0, 1e-6, REPLACE)), Once()),
        (tacit.Federated(4.0, CENTRAL), Everyone()),
    ],
)
def test_whoever_randomises_answers_once(trust, who):
    """Where the public's promise is proved for that; a curator asks everybody every time."""
    assert who == participation(trust)


@pytest.mark.parametrize("trust", TRUSTS, ids=named)
def test_a_plan_is_known_before_anybody_is_asked(trust):
    """Every trust model has one for categories, the federated for vectors."""
    asked = QueryLearning(KeptLiterals(4, 0.1), trust, 1_000)
    vectors = isinstance(trust, tacit.Federated)

    assert asked.plan.sums.rounds == 4
    assert isinstance(asked.run, OfVectors) == vectors
    assert ("Ball" if vectors else "OneHot") == type(asked.plan.sums.contribution).__name__


def test_a_category_as_a_vector_has_a_one_in_its_place():
    """And is told to the learner as it is."""
    learner = KeptLiterals(2, 0.1)
    vectors, person = OfVectors(learner), (jnp.array([0.0, 1.0]), jnp.float32(1))

    np.testing.assert_array_equal([0, 0, 1], vectors.ask(vectors.init(), person))
    told = vectors.tell(vectors.init(), jnp.array([0.5, 0.25, 0.125]))
    assert 0.25 == told.has[0] and 0.125 == told.lacks[0] and 2 == vectors.rounds


def test_answers_are_charged_and_kept_with_words(tmp_path):
    """As any release; what is over the limit is not asked."""
    book = tacit.Ledger(tmp_path / "people.db")
    asked = QueryLearning(KeptLiterals(3, 0.1), CENTRAL, 200)
    book.limit_for("people", asked.plan)
    data = bits_of(200, 3), np.ones(200, np.float32)
    asked.of(data, book, "people", seed=1)

    assert book.history("people")[0].asked.startswith("statistical queries of KeptLiterals, of ")
    with pytest.raises(tacit.ledger.OverBudget):
        asked.of(data, book, "people", seed=2)


def test_what_is_no_learner_is_refused():
    """In one sentence, before there is a plan."""
    with pytest.raises(ValueError, match="has a shape, rounds, init, ask and tell"):
        QueryLearning(tacit.statistics.Average(), CENTRAL, 100)
