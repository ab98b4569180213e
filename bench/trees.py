"""Claim: on Adult, private trees are as right about others as scikit-learn's of the same depth.

    python bench/trees.py [PICTURE]

`DecisionTreeClassifier` at a pure epsilon of 1, for one person added or removed, beside the tree of
scikit-learn, of the very same bits, which knows no privacy and grows node by node. Tests are
declared: edges and categories of `tacit.cli.cases.ADULTS`, which nobody was asked for. Right is of
the published test part; ten seeds change what is drawn and nothing else. A fit's time is of plan,
charge and choice, and beside it scikit-learn's.

`RuleListClassifier` of one, two and three rules is printed beside them.

With a name, the tree of depth 2 of seed 0 is drawn there.
"""

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier as Grown
from threadpoolctl import threadpool_limits

import tacit
from claims import Claim, at_least, at_most, settle, skipped
from tacit.cli.cases import ADULTS
from tacit.data import adult
from tacit.estimators import DecisionTreeClassifier, RuleListClassifier
from tacit.features.encoding import Bins, Categories

FILES = Path(__file__).resolve().parents[1] / "../shared/data/adult"
# Published with the data.
PEOPLE, SEEDS, TRUST = 32_561, 10, tacit.Central(1.0, 0.0)
SLOWEST = {1: 1.0, 2: 1.0, 3: 10.0}


def rows_of(part: adult.AdultPart) -> pd.DataFrame:
    """Categories as their places in the published lists, -1 where they are in none."""
    return pd.DataFrame(
        {name: _coded(rule, part.columns[name]) for name, rule in ADULTS.columns.items()}
    )


def _coded(rule: Any, values: np.ndarray) -> np.ndarray:
    if isinstance(rule, Categories):
        return np.asarray(pd.Categorical(values.tolist(), categories=list(rule.values)).codes)
    return values


def declared() -> Mapping[str, Any]:
    """Everything that a fit is told."""
    rules = ADULTS.columns
    kinds = {name: rule.values for name, rule in rules.items() if isinstance(rule, Categories)}
    return {
        "bounds": ([0] * len(rules), [_upper(rule) for rule in rules.values()]),
        "classes": [False, True],
        "people": PEOPLE,
        "thresholds": {name: rule.edges for name, rule in rules.items() if isinstance(rule, Bins)},
        "categorical_features": kinds,
    }


def _upper(rule: Any) -> float:
    return rule.edges[-1] if isinstance(rule, Bins) else rule.dim - 1


def compared(depth: int, told: Mapping[str, Any], read: adult.Adult) -> Iterator[Claim]:
    train, test = rows_of(read.train), rows_of(read.test)
    right, spent = [], []
    found = DecisionTreeClassifier()
    for seed in range(SEEDS):
        start = time.perf_counter()
        found = DecisionTreeClassifier(TRUST, **told, max_depth=depth, seed=seed)
        found.fit(train, read.train.rich)
        spent.append(time.perf_counter() - start)
        right.append(found.score(test, read.test.rich))
    ours, others = (bits_of(found, rows) for rows in (train, test))
    start = time.perf_counter()
    peer = Grown(max_depth=depth, random_state=0).fit(ours, read.train.rich)
    theirs, took = peer.score(others, read.test.rich), time.perf_counter() - start
    print(f"depth {depth}, {len(found.tests_)} tests: right about {np.mean(right):.4f} of others, ")
    print(f"  from {min(right):.4f} to {max(right):.4f}; scikit-learn's {theirs:.4f}")
    print(
        f"  foreseen to lose at most {found.foreseen_shortfall_:.4f}; {took:.2f} s by scikit-learn"
    )
    yield at_least(f"points ahead at depth {depth}", 100 * float(np.mean(right) - theirs), -1.0)
    yield at_most(f"seconds of a fit, depth {depth}", spent[1:], SLOWEST[depth])


def listed(length: int, told: Mapping[str, Any], read: adult.Adult) -> None:
    train, test = rows_of(read.train), rows_of(read.test)
    rules = RuleListClassifier(TRUST, **told, length=length, seed=0)
    start = time.perf_counter()
    rules.fit(train, read.train.rich)
    right, took = rules.score(test, read.test.rich), time.perf_counter() - start
    print(f"{length} rules: right about {right:.4f} of others, {took:.2f} s")


def bits_of(found: DecisionTreeClassifier, rows: pd.DataFrame) -> np.ndarray:
    """The bits that a tree was chosen by."""
    return np.column_stack([test.bits(rows.to_numpy(np.float64)) for test in found.tests_])


def main() -> Iterator[Claim]:
    if not FILES.is_dir():
        yield skipped(f"no {FILES}")
        return
    read, told = adult.load(FILES), declared()
    with threadpool_limits(1):
        for depth in (1, 2, 3):
            yield from compared(depth, told, read)
            listed(depth, told, read)
    if sys.argv[1:]:
        tree = DecisionTreeClassifier(TRUST, **told, seed=0)
        tree.fit(rows_of(read.train), read.train.rich).export_picture(Path(sys.argv[1]))


if __name__ == "__main__":
    settle(main())
