"""Claim: what synthetic rows were tuned on one table for holds on five others, without retuning.

Rows of three quarters of each table, by all pairs (`FromPairs`) and along a tree of pairs
(`FromTree`), at delta 1e-9 and epsilon 0.1, 1 and 10, once each: the mean total variation of all
pairs of columns, that of 60 sets of three, and the accuracy of gradient-boosted trees that were
taught by synthetic rows, on the last quarter of people, as a share of that taught by people's own.

Adult, as private-pgm's authors discretised it, is what the constants were tuned on. Bank (2012) and
Nursery were looked at when the method was made; the second table of Bank's clients (2014), houses
and network connections were not. Numbers of more than 32 values are in as many bins of about as
many people, read off the whole table, as are categories: the same is given to everybody.

MST and AIM of private-pgm run beside, on Adult, where an environment has its package `mbi` and its
repository's `mechanisms` are at hand; each in a process of its own. MST runs as its script does by
itself. AIM's takes hours: its class runs with 28 rounds and a model of 1 MB, of 224 and 80 that
are its defaults. (Both run with the repository at 4d2b3c5 and its own `mbi` 1.0.0, on JAX 0.7.0 and
pandas 2.2; not on JAX 0.10 or pandas 3.)

Run: python bench/synthesis_tables.py [folder of data] [python with mbi] [folder of mechanisms]
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import final

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

import tacit
from claims import Claim, at_least, at_most, settle
from tacit.synthesis import FromPairs, FromTree, Synthesizer

DATA = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
RIVALS = [Path(each).absolute() for each in sys.argv[2:4]]
EPSILONS, DELTA, BINS, THREES, MOST = (0.1, 1.0, 10.0), 1e-9, 32, 60, 100_000
Sets = list[tuple[str, ...]]
# Of AIM what is said above, with the arguments that MST's script takes.
AIM = """
import itertools, sys
import aim, mbi
said = dict(zip(sys.argv[1::2], sys.argv[2::2]))
data = mbi.Dataset.load(said["--dataset"], said["--domain"])
sizes = {pair: data.domain.size(pair) for pair in itertools.combinations(data.domain, 2)}
asked = [(pair, 1.0) for pair, size in sizes.items() if size <= 10_000]
terms = float(said["--epsilon"]), float(said["--delta"])
made = aim.AIM(*terms, rounds=28, max_model_size=1)
made.run(data, asked)[1].df.to_csv(said["--save"], index=False)
"""
SCRIPTS = {"MST": ["mst.py"], "AIM, limited": ["-c", AIM]}
BESIDE = "Adult"
VERSIONS = """
from importlib.metadata import version
print(*(f"{name} {version(name)}" for name in ("mbi", "jax", "numpy")), sep=", ")
"""


@final
@dataclass(frozen=True, eq=False)
class Coded:
    """A table in whole numbers from 0.

    Args:
      train, test: rows.
      sizes: of columns.
      target: what is predicted.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    sizes: dict[str, int]
    target: str

    @classmethod
    def of(cls, frame: pd.DataFrame, target: str) -> "Coded":
        codes = pd.DataFrame({f"{name}": coded(pd.Series(frame[name])) for name in frame})
        rows = codes.sample(frac=1.0, random_state=0).iloc[:MOST]
        cut = 3 * len(rows) // 4
        sizes = {str(name): int(np.asarray(codes[name]).max()) + 1 for name in codes}
        return cls(rows.iloc[:cut], rows.iloc[cut:], sizes, target)


def coded(column: pd.Series) -> np.ndarray:
    """Categories in order, missing ones last; numbers of many values in bins of as many people."""
    if column.nunique() > BINS and pd.api.types.is_numeric_dtype(column):
        ends = np.unique(np.quantile(column.dropna(), np.linspace(0, 1, BINS + 1)))
        column = pd.Series(np.searchsorted(ends[1:-1], column, "right")).where(column.notna())
    codes, values = pd.factorize(column, sort=True)
    return np.where(codes < 0, len(values), codes)


def read(path: str, **terms) -> pd.DataFrame:
    return pd.read_csv(DATA / path, **terms)


def adult() -> Coded:
    frame = read("adult-mbi/adult.csv.gz")
    found = Coded.of(frame, "income>50K")
    domain = json.loads((DATA / "adult-mbi/adult-domain.json").read_text())
    return Coded(found.train, found.test, domain, found.target)


def houses() -> Coded:
    frame = read("california-housing/housing.csv.gz")
    value = frame.median_house_value
    return Coded.of(frame.assign(median_house_value=value > value.median()), "median_house_value")


def connections() -> Coded:
    frame = read("kddcup99/kddcup.data_10_percent.gz", header=None)
    frame[41] = frame[41] == "normal."
    return Coded.of(frame, "41")


# With what pairs may be off by at epsilon 1, and what a classifier's accuracy is at least.
TABLES: dict[str, tuple[Callable[[], Coded], float, float]] = {
    "Adult": (adult, 0.043, 0.95),
    "Bank": (lambda: Coded.of(read("bank-marketing/bank-full.csv.gz", sep=";"), "y"), 0.03, 0.95),
    "Nursery": (lambda: Coded.of(read("nursery/nursery.data.gz", header=None), "8"), 0.0128, 0.85),
    "Clients": (
        lambda: Coded.of(read("bank-marketing/bank-additional-full.csv.gz", sep=";"), "y"),
        0.042,
        0.95,
    ),
    "Houses": (houses, 0.19, 0.9),
    "Connections": (connections, 0.008, 0.95),
}


def apart(one: pd.DataFrame, other: pd.DataFrame, sets: Sets, sizes: dict[str, int]) -> float:
    """The mean total variation of the tables of these sets of columns."""

    def table(rows: pd.DataFrame, own: tuple[str, ...]) -> np.ndarray:
        shape = tuple(sizes[name] for name in own)
        flat = np.ravel_multi_index(tuple(rows[name].to_numpy() for name in own), shape)
        return np.bincount(flat, minlength=int(np.prod(shape))) / len(rows)

    return float(np.mean([np.abs(table(one, own) - table(other, own)).sum() / 2 for own in sets]))


def accuracy(rows: pd.DataFrame, given: Coded) -> float:
    """On the people left out, of trees taught by these rows."""
    features = [name for name in given.sizes if name != given.target]
    made = HistGradientBoostingClassifier(max_iter=40, random_state=0)
    taught, asked = rows[given.target].to_numpy(), given.test[given.target].to_numpy()
    if (taught == taught[0]).all():
        return float((asked == taught[0]).mean())
    made.fit(rows[features], taught)
    return float(made.score(given.test[features], asked))


def ours(method: FromPairs | FromTree, given: Coded, epsilon: float) -> tuple[pd.DataFrame, float]:
    """Rows, and the processor's seconds."""
    domain = {name: list(range(size)) for name, size in given.sizes.items()}
    start = time.process_time()
    asked = Synthesizer(domain, tacit.Central(epsilon, DELTA), len(given.train), method)
    with tempfile.TemporaryDirectory() as folder:
        book = tacit.Ledger(f"{folder}/people.db")
        book.limit_for("people", asked.plan)
        made = asked.fit(given.train, ledger=book, name="people", seed=0)
        rows = made.sample(len(given.train), seed=0)
    return rows, time.process_time() - start


def theirs(script: list[str], given: Coded, epsilon: float) -> tuple[pd.DataFrame, float] | str:
    """The same of private-pgm; where that does not end well, the last line that it says."""
    python, folder = RIVALS
    with tempfile.TemporaryDirectory() as own:
        given.train.to_csv(f"{own}/people.csv", index=False)
        Path(f"{own}/domain.json").write_text(json.dumps(given.sizes))
        files = ["--dataset", f"{own}/people.csv", "--domain", f"{own}/domain.json"]
        terms = ["--epsilon", f"{epsilon}", "--delta", f"{DELTA}", "--save", f"{own}/rows.csv"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = heard(python, [*script, *files, *terms], folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return last_line(done) if done.returncode else (pd.read_csv(f"{own}/rows.csv"), taken)


def heard(python: Path, words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """What private-pgm's environment says; where there is none, why."""
    own = {**os.environ, "PYTHONPATH": ""}
    try:
        return subprocess.run([python, *words], env=own, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        return subprocess.CompletedProcess(words, 1, "", f"{error}")


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Of its errors; private-pgm prints much else."""
    return ["it said nothing", *filter(None, done.stderr.splitlines())][-1]


def compared(name: str, given: Coded, epsilon: float) -> dict[str, tuple[float, float]]:
    """Pairs' total variation and accuracy by each way to make rows, printed with the rest."""
    sizes, found = given.sizes, {}
    pairs = list(combinations(sizes, 2))
    every = list(combinations(sizes, 3))
    some = np.random.default_rng(0).permutation(len(every))[:THREES]
    threes, best = [every[i] for i in some], accuracy(given.train, given)
    ways: dict[str, Callable[[], tuple[pd.DataFrame, float] | str]] = {
        f"{method}": partial(ours, method, given, epsilon) for method in (FromPairs(), FromTree())
    }
    if RIVALS and name == BESIDE:
        ways |= {own: partial(theirs, script, given, epsilon) for own, script in SCRIPTS.items()}
    for way, make in ways.items():
        made = make()
        if isinstance(made, str):
            print(f"{name}, epsilon {epsilon:g}, {way}: left out, {made}")
            continue
        rows, taken = made
        off, off3 = (apart(given.train, rows, sets, sizes) for sets in (pairs, threes))
        right = accuracy(rows, given) / best
        print(
            f"{name}, epsilon {epsilon:g}, {way}: pairs {off:.4f}, threes {off3:.4f}, "
            f"accuracy {right:.3f} of {best:.3f}, {taken:.1f} s of the processor",
            flush=True,
        )
        found[way] = off, right
    return found


def rivals() -> str:
    """Which versions of what runs beside, or why nothing does."""
    if not RIVALS:
        return "MST and AIM are left out: no python with private-pgm was named"
    done = heard(RIVALS[0], ["-c", VERSIONS], RIVALS[1])
    return done.stdout.strip() or f"MST and AIM: {last_line(done)}"


def main() -> Iterator[Claim]:
    print(rivals())
    for name, (make, most, least) in TABLES.items():
        given = make()
        print(f"{name}: {len(given.train):,} people, {len(given.sizes)} columns")
        for epsilon in EPSILONS:
            off, right = compared(name, given, epsilon)[f"{FromPairs()}"]
            if epsilon == 1.0:
                yield at_most(f"{name}'s pairs in total variation", off, most)
                yield at_least("  accuracy over that by people's own rows", right, least)


if __name__ == "__main__":
    settle(main())
