"""Claim: on Adult, boosted trees without a promise are little more right than private weights.

    python bench/boosting.py

The same 89 declared bits of the columns of `bench/trees.py` for all. Boosted trees are
scikit-learn's, of 31 ends each, a hundred of them; weights are `LogisticRegression`'s and votes
`SmoothBoosting`'s at an epsilon of 1 and a delta of 1e-6, in the mean of three seeds. Right is of
the published test part. What boosted trees gain without any noise is the most that there is to win.
"""

import tempfile
from collections.abc import Iterator

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.data import adult
from tacit.estimators import LogisticRegression
from tacit.estimators.chosen_rules import bits_of
from tacit.estimators.declared import box_of
from tacit.estimators.public_tests import Declared
from tacit.sq import SmoothBoosting
from tacit.sq.oracle import QueryLearning
from trees import FILES, PEOPLE, declared, rows_of

TRUST, SEEDS, ROUNDS, SLOPE = tacit.Central(1.0, 1e-6), 3, 100, 0.1


def voted(bits: np.ndarray, labels: np.ndarray, others: np.ndarray, seed: int) -> np.ndarray:
    """What a private vote says of others."""
    learner = SmoothBoosting(bits.shape[1], ROUNDS, SLOPE)
    asked = QueryLearning(learner, TRUST, len(bits))
    with tempfile.TemporaryDirectory() as folder:
        book = tacit.Ledger(f"{folder}/people.db")
        book.limit_for("people", asked.plan)
        state = asked.of((bits, labels.astype(np.float32)), book, "people", seed=seed).state
    votes = learner.vote(state)
    return (2 * others - 1) @ votes[:-1] + votes[-1] > 0


def weighed(bits: np.ndarray, labels: np.ndarray, others: np.ndarray, seed: int) -> np.ndarray:
    """What private weights say of others."""
    told = {"bounds": (0, 1), "classes": [False, True], "people": PEOPLE, "seed": seed}
    return LogisticRegression(TRUST, **told).fit(bits, labels).predict(others)


def main() -> Iterator[Claim]:
    read, told = adult.load(FILES), declared()
    train, test = (rows_of(part) for part in (read.train, read.test))
    box = box_of(told["bounds"], train.to_numpy(), TRUST)
    given = Declared(8, told["thresholds"], told["categorical_features"])
    tests = given.tests(box, list(train.columns))
    bits, others = (bits_of(tests, rows.to_numpy()) for rows in (train, test))
    labels, right = read.train.rich, read.test.rich
    boosted = HistGradientBoostingClassifier(random_state=0).fit(bits, labels).score(others, right)
    print(f"{len(tests)} bits: boosted trees without a promise {boosted:.4f}")
    found = {
        name: [float(np.mean(made(bits, labels, others, s) == right)) for s in range(SEEDS)]
        for name, made in (("private weights", weighed), ("private votes", voted))
    }
    for name, each in found.items():
        print(f"{name}: {np.mean(each):.4f}, from {min(each):.4f} to {max(each):.4f}")
    ahead = [100 * (boosted - each) for each in found["private weights"]]
    yield at_most("points that boosted trees are ahead of private weights", ahead, 1.2)
    yield at_least(
        "private weights", found["private weights"], float(np.mean(found["private votes"]))
    )


if __name__ == "__main__":
    settle(main())
