"""Claim: quantiles, directions and centres are nearer than those of packages that are proved for
the same, side by side on the same people: diffprivlib, OpenDP, and Google's clustering.

**Quantiles** are those of `quantiles.py`: of a thousand normal numbers, epsilon 1, pure, mean rank
error over quantiles and runs. Peers draw each quantile with its part of epsilon, OpenDP among 2,001
numbers of the bounds. **Directions** are two of five columns of Adult's people, rows of length one
at most, epsilon .1, pure: the share of all squares that lies along them. Peers draw one direction
after another, by rejection from a law that is not the one they are proved for, which takes 15 s of
ten columns and does not end of twenty; so there are five. **Centres** are of the near squares,
digits and balls of `kmeans.py`: the mean squared distance to the nearest. diffprivlib's have no
delta, Google's have one. Ours has what the peer beside it has.

Their versions of other libraries are not ours. `TACIT_PEERS` is the Python of an environment that
has `diffprivlib==0.6.6`, `scikit-learn<1.6`, `opendp==0.16.0`, `randomgen`, `absl-py` and
`dp-accounting==0.6.0`; `TACIT_CLUSTERING` is the folder `learning` of a checkout of
google/differential-privacy (b5b0286), of which there is no package. What is not there is skipped,
and said.

Run: python bench/statistics_peers.py
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_digits

import tacit
from claims import Claim, Skipped, at_least, at_most, settle
from kmeans import balls, far, near_squares
from pca import ENDS, FILES, kept
from quantiles import GRID, PEOPLE, evenly, normal, off
from tacit.data import adult
from tacit.estimators import KMeans
from tacit.mechanisms.rows.joint_quantiles import JointQuantiles

PEERS = os.environ.get("TACIT_PEERS", sys.executable)
CLUSTERING = os.environ.get("TACIT_CLUSTERING", "")
SEEDS, FEW, DRAWS = 10, 3, 40
MEANS = "print(json.dumps([float(np.mean(each)) for each in found]))"
READ = "import json, sys, warnings; warnings.simplefilter('ignore'); import numpy as np\n"
READ += "rows = np.load('rows.npy'); told = json.loads(sys.argv[1]); found = []\n"
BELOW = "(rows[run][:, None] < np.array(drawn)).sum(axis=0) - rows.shape[1] * shares"
QUANTILES = {
    "diffprivlib": f"""
from diffprivlib import tools
shares = np.array(told["shares"])
for run in range(len(rows)):
    drawn = tools.quantile(rows[run], list(shares), epsilon=1.0, bounds=(-100, 100))
    found.append(np.abs({BELOW}))
{MEANS}""",
    "OpenDP": f"""
import opendp.prelude as dp
dp.enable_features("contrib")
shares, steps = np.array(told["shares"]), np.linspace(-100, 100, 2001).tolist()
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
def one(share):
    made = lambda scale: dp.m.make_private_quantile(
        *space, dp.max_divergence(), candidates=steps, alpha=share, scale=scale)
    return dp.binary_search_chain(made, d_in=1, d_out=1 / len(shares), T=float)
each = [one(float(share)) for share in shares]
for run in range(len(rows)):
    drawn = [quantile(rows[run].tolist()) for quantile in each]
    found.append(np.abs({BELOW}))
{MEANS}""",
}
ALONG = "np.square(rows @ model.components_.T).sum() / np.square(rows).sum()"
DIRECTIONS = {
    "diffprivlib": f"""
from diffprivlib.models import PCA
for run in range(told["seeds"]):
    model = PCA(n_components=2, epsilon=0.1, centered=True, data_norm=1.0, bounds=(-1, 1))
    model.fit(rows)
    found.append({ALONG})
{MEANS}""",
    "OpenDP": f"""
import opendp.prelude as dp
from opendp.extras.sklearn.decomposition import PCA
dp.enable_features("contrib", "floating-point", "honest-but-curious")
for run in range(told["seeds"]):
    model = PCA(epsilon=0.1, row_norm=1.0, n_samples=len(rows), n_features=5, n_components=2)
    model.fit(rows)
    found.append({ALONG})
{MEANS}""",
}
NEAREST = "np.mean([np.square(row - centres).sum(1).min() for row in rows])"
CENTRES = {
    "diffprivlib": f"""
from diffprivlib.models import KMeans
low, high = told["bounds"]
for run in range(told["seeds"]):
    model = KMeans(told["clusters"], epsilon=told["epsilon"], bounds=(low, high)).fit(rows)
    centres = model.cluster_centers_
    found.append({NEAREST})
{MEANS}""",
    "Google's": f"""
sys.path.insert(0, told["folder"])
from clustering import clustering_algorithm as own, clustering_params as of
centre = np.mean(told["bounds"])
radius = float(np.ptp(told["bounds"]) / 2 * rows.shape[1] ** 0.5)
data = of.Data(rows - centre, min(radius, told["radius"]))
promise = of.DifferentialPrivacyParam(told["epsilon"], told["delta"])
for run in range(told["seeds"]):
    made = own.private_lsh_clustering(told["clusters"], data, promise)
    centres = made.centers + centre
    found.append({NEAREST})
{MEANS}""",
}


def peer(named: str, code: str, rows: np.ndarray, **told: object) -> list[float] | Skipped:
    """What it prints, a number a run; where it is not there, why."""
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "rows.npy", rows)
        done = subprocess.run(
            [PEERS, "-c", READ + code, json.dumps(told)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        lines = [each for each in done.stderr.splitlines() if "Error" in each]
        return Skipped(f"{named}: {''.join(lines[-1:]) or done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def shown(named: str, values: list[float]) -> float:
    """The mean of runs, printed with its standard error."""
    mean, error = float(np.mean(values)), np.std(values, ddof=1) / len(values) ** 0.5
    print(f"{named}: {mean:.4g} +- {error:.2g}", flush=True)
    return mean


def of_quantiles() -> Iterator[Claim]:
    """Mean rank errors, in people."""
    rows = np.stack([normal(run) for run in range(DRAWS)]).astype(float)
    for m in (7, 31):
        shares, case = evenly(m), f"{m} quantiles"
        own = off(JointQuantiles.counted(shares, 1.0, GRID), shares, normal, DRAWS)
        ours = shown(f"{case} of {PEOPLE:,} people, ours", list(own))
        for named, code in QUANTILES.items():
            found = peer(named, code, rows, shares=shares)
            yield _beside(case, named, ours, found)


def of_directions() -> Iterator[Claim]:
    """The share of squares that is kept."""
    people = adult.load(FILES).train
    columns = [people.columns[name] / end for name, end in list(ENDS.items())[:5]]
    rows = np.column_stack(columns).astype(float)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    trust = tacit.Central(0.1, 0.0)
    ours = shown("two directions, ours", [kept(rows, 2, trust, seed) for seed in range(SEEDS)])
    for named, code in DIRECTIONS.items():
        found = peer(named, code, rows, seeds=SEEDS)
        yield _beside("two directions", named, ours, found, more=True)


@dataclass(frozen=True)
class Task:
    """Clusters of one table: rows within bounds and a ball about their middle."""

    named: str
    rows: np.ndarray
    bounds: tuple[float, float]
    radius: float
    clusters: int
    seeds: int
    peers: tuple[tuple[str, float, float], ...]

    def claims(self) -> Iterator[Claim]:
        """Each peer beside ours, at the same promise."""
        for named, epsilon, delta in self.peers:
            case = f"{self.named}, epsilon {epsilon:g}, delta {delta:g}"
            ours = shown(f"{case}, ours", [self._far(epsilon, delta, s) for s in range(self.seeds)])
            told = {"epsilon": epsilon, "delta": delta, "folder": CLUSTERING, **self._own}
            found = peer(named, CENTRES[named], self.rows, **told)
            yield _beside(case, named, ours, found)

    @property
    def _own(self) -> dict[str, object]:
        return {
            "bounds": self.bounds,
            "radius": self.radius,
            "clusters": self.clusters,
            "seeds": self.seeds,
        }

    def _far(self, epsilon: float, delta: float, seed: int) -> float:
        own = {"bounds": self.bounds, "people": len(self.rows), "n_clusters": self.clusters}
        return far(
            self.rows, KMeans(tacit.Central(epsilon, delta), seed=seed, **own).fit(self.rows)
        )


def _beside(
    case: str, named: str, ours: float, found: list[float] | Skipped, more: bool = False
) -> Claim:
    """Ours over the mean of theirs, if there are any; the larger is the better where `more`."""
    if isinstance(found, Skipped):
        return found
    over, ratio = f"{case}, over {named}", ours / shown(f"{case}, {named}", found)
    return at_least(over, ratio, 1.0) if more else at_most(over, ratio, 1.0)


def main() -> Iterator[Claim]:
    """Prints a line for each, and yields the claims."""
    yield from of_quantiles()
    yield from of_directions()
    digits = np.asarray(load_digits(return_X_y=True)[0]) / 16
    theirs, google = "diffprivlib", "Google's"
    squares = (theirs, 0.1, 0.0), (theirs, 0.5, 0.0), (google, 0.1, 1e-5), (google, 0.5, 1e-5)
    yield from Task("near squares", near_squares(), (-1, 1), 2**0.5, 15, SEEDS, squares).claims()
    few = (theirs, 1.0, 0.0), (google, 1.0, 1e-5)
    yield from Task("digits", digits, (0, 1), 4.0, 10, SEEDS, few).claims()
    many = ((google, 1.0, 1e-6),)
    yield from Task("balls", balls(), (-1, 1), 1.0, 64, FEW, many).claims()


if __name__ == "__main__":
    settle(main())
