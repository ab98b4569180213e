"""What an attack found, told beside what is foreseen and allowed."""

import pytest

import tacit
from tacit.attacks.breach import BreachRate
from tacit.attacks.named_rows import NamedRows
from tacit.attacks.outcome import Outcome
from tacit.attacks.searched_pictures import SearchedPictures
from tacit.attacks.secret_bits import SecretBits
from tacit.attacks.shadow_models import ShadowModels
from tacit.attacks.subset_sums import SubsetSums
from tacit.attacks.table_rows import TableRows
from tacit.attacks.tracing import Tracing
from tacit.estimators import LogisticRegression


def test_an_outcome_is_told_in_one_line():
    """All three shares, and of what they are."""
    found = Outcome("all bits", BreachRate(3, 4), 0.76, 0.5)

    assert str(found) == (
        "75.0% [19.4%, 99.4%] of all bits, 76.0% expected; the promise allows 50.0%"
    )


def test_others_are_told_of_where_there_are_some():
    """And what is foreseen, where it is."""
    found = Outcome("members", BreachRate(3, 4), None, 0.5, 0.01)

    assert str(found) == (
        "75.0% [19.4%, 99.4%] of members, beside 1.0% of others; the promise allows 50.0%"
    )


@pytest.mark.parametrize(
    "attack",
    [
        SecretBits(8),
        SubsetSums(8, 16),
        Tracing(8, 8),
        TableRows(8),
        NamedRows(8),
        SearchedPictures(),
        ShadowModels(LogisticRegression(bounds=(-1, 1), classes=[0, 1]), 20, 2),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("promise", [None, 1.0, tacit.Central])
def test_what_is_no_trust_model_is_refused(attack, promise):
    """By each attack, in the sentence that names them."""
    with pytest.raises(ValueError, match=r"trust must be Central\(epsilon, delta\)"):
        attack.run(promise, seed=0)
