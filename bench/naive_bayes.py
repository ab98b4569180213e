"""Claim: on Adult, naive Bayes at an epsilon of 1 is within half a point of scikit-learn's.

    python bench/naive_bayes.py

`CategoricalNB` of all twelve columns of `tacit.cli.cases.ADULTS` and `GaussianNB` of the five
numbers among them, without a delta and with one of 1e-6, for one person added or removed, beside
scikit-learn's of the same columns, which has a category more for values that are in no list. Bins,
categories and bounds are declared. Right is of the published test part, in the mean of ten seeds,
which change the noise and nothing else. Local reports, and a tenth of epsilon, have no claim: they
are printed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.naive_bayes import CategoricalNB as ExactCategoricalNB
from sklearn.naive_bayes import GaussianNB as ExactGaussianNB

import tacit
from claims import Claim, at_least, settle, skipped
from tacit.data import adult
from tacit.estimators import CategoricalNB, GaussianNB
from tacit.estimators.public_codes import coded_rows
from trees import FILES, PEOPLE, SEEDS, declared, rows_of

# Public: what such numbers may be.
BOUNDS = {
    "age": (0, 100),
    "education-num": (1, 16),
    "hours-per-week": (0, 100),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 5_000),
}
CLAIMED = (tacit.Central(1.0, 0.0), tacit.Central(1.0, 1e-6))
OTHERS = (tacit.Central(0.1, 0.0), tacit.Shuffled(1.0, 1e-6), tacit.Local(1.0), tacit.Local(4.0))


def compared(
    kind: Any, told: Mapping[str, Any], theirs: float, parts: tuple[Any, ...]
) -> Iterator[Claim]:
    train, labels, test, answers = parts
    print(f"{kind.__name__}: scikit-learn's is right about {theirs:.4f} of others")
    for trust in (*CLAIMED, *OTHERS):
        right, noise = [], 0.0
        for seed in range(SEEDS if trust in CLAIMED else 3):
            found = kind(trust, **told, seed=seed).fit(train, labels)
            right.append(found.score(test, answers))
            noise = found.noise_
        said = f"  {trust}: {np.mean(right):.4f}, from {min(right):.4f} to {max(right):.4f}"
        print(f"{said}; noise {noise:.1f} people", flush=True)
        if trust in CLAIMED:
            ahead = 100 * float(np.mean(right) - theirs)
            yield at_least(f"points ahead, {kind.__name__}, delta {trust.delta:g}", ahead, -0.5)


def categories(read: adult.Adult) -> Iterator[Claim]:
    told, train, test = declared(), rows_of(read.train), rows_of(read.test)
    ours = CategoricalNB(tacit.NonPrivate(), **told).fit(train, read.train.rich)
    many = ours.n_categories_ + 1
    codes = [_beyond(coded_rows(ours._codes, rows.to_numpy(float)), many) for rows in (train, test)]
    peer = ExactCategoricalNB(min_categories=many).fit(codes[0], read.train.rich)
    theirs = _right(peer, codes[1], read.test.rich)
    parts = train, read.train.rich, test, read.test.rich
    yield from compared(CategoricalNB, told, theirs, parts)


def numbers(read: adult.Adult) -> Iterator[Claim]:
    train, test = (
        pd.DataFrame({name: part.columns[name] for name in BOUNDS})
        for part in (read.train, read.test)
    )
    lower, upper = zip(*BOUNDS.values(), strict=True)
    told = {"bounds": (list(lower), list(upper)), "classes": [False, True], "people": PEOPLE}
    peer = ExactGaussianNB().fit(train, read.train.rich)
    parts = train, read.train.rich, test, read.test.rich
    yield from compared(GaussianNB, told, _right(peer, test, read.test.rich), parts)


def _beyond(codes: np.ndarray, many: np.ndarray) -> np.ndarray:
    """What is in no list, in a category after all others."""
    return np.where(codes < 0, many - 1, codes).astype(int)


def _right(peer: ClassifierMixin, rows: Any, answers: np.ndarray) -> float:
    return float(peer.score(rows, answers))


def main() -> Iterator[Claim]:
    if not FILES.is_dir():
        yield skipped(f"no {FILES}")
        return
    read = adult.load(FILES)
    yield from categories(read)
    yield from numbers(read)


if __name__ == "__main__":
    settle(main())
