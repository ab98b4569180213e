"""What clusters, a mixture of normal laws and principal directions become under a promise.

People of four towns are asked for both coordinates of their home, under a trusted curator. Nobody
lives anywhere: homes are made here, so they may be shown, and errors are known. The first row of
the picture is scikit-learn's, without privacy; each row below it is of one epsilon.

Run: python examples/clusters.py [--out clusters.png]
"""

import argparse
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn.cluster
import sklearn.decomposition
import sklearn.mixture
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

import tacit
from tacit import picture
from tacit.estimators import PCA, GaussianMixture, KMeans

PEOPLE, SHOWN, DELTA = 4_000, 300, 1e-6
TOWNS = np.array([[-0.6, -0.4], [0.5, -0.6], [-0.4, 0.5], [0.6, 0.3]])
WIDTHS = np.array([[0.05, 0.12], [0.12, 0.05], [0.1, 0.1], [0.06, 0.06]])
EPSILONS = (math.inf, 1.0, 0.25)

Points = Float[np.ndarray, "people 2"]


class Fits(NamedTuple):
    """Of the same people: what has `cluster_centers_`, what has `means_`, what `components_`."""

    clusters: Any
    mixture: Any
    directions: Any


class Row(NamedTuple):
    """How far the farthest town is from a centre and from a mean, and the angle of a direction."""

    epsilon: float
    centre: float
    mean: float
    angle: float


def homes() -> Points:
    """A quarter of the people in each town."""
    host = np.random.default_rng(0)
    town = np.arange(PEOPLE) % len(TOWNS)
    return np.clip(TOWNS[town] + WIDTHS[town] * host.normal(size=(PEOPLE, 2)), -1, 1)


def fitted(people: Points, epsilon: float) -> Fits:
    """All three, each with the whole epsilon."""
    many = len(TOWNS)
    if math.isinf(epsilon):
        made = Fits(
            sklearn.cluster.KMeans(many, random_state=0),
            sklearn.mixture.GaussianMixture(many, random_state=0),
            sklearn.decomposition.PCA(1),
        )
    else:
        common: dict[str, Any] = {"bounds": (-1, 1), "people": PEOPLE, "seed": 0}
        trust = tacit.Central(epsilon, DELTA)
        made = Fits(
            KMeans(trust, n_clusters=many, **common),
            GaussianMixture(trust, n_components=many, **common),
            PCA(trust, n_components=1, **common),
        )
    return Fits(*(each.fit(people) for each in made))


def row_of(fits: Fits, epsilon: float, exact: Fits) -> Row:
    """The errors of these, and the angle to the exact direction."""
    along = abs(float(fits.directions.components_[0] @ exact.directions.components_[0]))
    angle = math.degrees(math.acos(min(1.0, along)))
    return Row(epsilon, _off(fits.clusters.cluster_centers_), _off(fits.mixture.means_), angle)


def main(out: Path | None = None) -> list[Row]:
    """Fits, prints, and draws where it is asked to."""
    people = homes()
    every = {epsilon: fitted(people, epsilon) for epsilon in EPSILONS}
    rows = [row_of(fits, epsilon, every[math.inf]) for epsilon, fits in every.items()]
    print("epsilon   a centre is off by   a mean by   the direction by")
    for row in rows:
        named = "none" if math.isinf(row.epsilon) else f"{row.epsilon:g}"
        print(f"{named:>7} {row.centre:20.3f} {row.mean:11.3f} {row.angle:10.1f} degrees")
    if out is not None:
        draw(people, every, out)
        print(f"the picture is in {out}")
    return rows


def draw(people: Points, every: dict[float, Fits], out: Path) -> None:
    """A row for each promise: clusters, the mixture, the direction."""
    figure = Figure(figsize=(7.5, 2.4 * len(every)), layout="constrained")
    grid = figure.subplots(len(every), 3, sharex=True, sharey=True, squeeze=False)
    for (epsilon, fits), axes in zip(every.items(), grid, strict=True):
        private = not math.isinf(epsilon)
        colour = picture.COLOURS["central" if private else "none"]
        axes[0].set_ylabel(f"ε = {epsilon:g}" if private else "without a promise")
        for ax in axes:
            ax.scatter(*people[:SHOWN].T, s=2, color=picture.QUIET, alpha=0.5)
            ax.set(xlim=(-1, 1), ylim=(-1, 1), aspect="equal", xticks=[], yticks=[])
        axes[0].scatter(*fits.clusters.cluster_centers_.T, s=60, marker="x", color=colour)
        _ellipses(axes[1], fits.mixture, colour)
        _arrow(axes[2], fits.directions, colour)
    for ax, title in zip(grid[0], ("KMeans", "GaussianMixture", "PCA"), strict=True):
        ax.set_title(title)
    picture.save(figure, out)


def _ellipses(ax: Axes, mixture: Any, colour: str) -> None:
    """Each component as far as two deviations."""
    for mean, covariance in zip(mixture.means_, mixture.covariances_, strict=True):
        squares, axes = np.linalg.eigh(covariance)
        wide, high = 4 * np.sqrt(squares)
        turned = math.degrees(math.atan2(axes[1, 0], axes[0, 0]))
        ax.add_patch(Ellipse(mean, wide, high, angle=turned, fill=False, color=colour))


def _arrow(ax: Axes, directions: Any, colour: str) -> None:
    """From the mean, one deviation to either side."""
    mean, axis = directions.mean_, directions.components_[0]
    end = math.sqrt(float(directions.explained_variance_[0])) * axis * np.sign(axis[0])
    ax.plot(*np.stack([mean - end, mean + end]).T, color=colour, linewidth=2)


def _off(found: Float[np.ndarray, "clusters 2"]) -> float:
    apart = np.linalg.norm(TOWNS[:, None] - found, axis=2)
    return float(apart.min(axis=1).max())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    main(parser.parse_args().out)
