"""Small made-up populations, and a ledger for them."""

from pathlib import Path

import numpy as np

import tacit

BOUNDS = (-5.0, 11.0)
REPLACE = tacit.Relation.REPLACE_ONE
CURATOR = tacit.Central(4.0, 1e-6, REPLACE)


def rows(people: int = 1500, features: int = 3, seed: int = 0) -> np.ndarray:
    """Normal features, nearly all of them within the bounds."""
    return np.random.default_rng(seed).normal(3, 2, (people, features))


def numbers(X: np.ndarray, seed: int = 1) -> np.ndarray:
    """A linear function of the features, and noise, within -16 and 16."""
    noise = np.random.default_rng(seed).normal(0, 0.5, len(X))
    return np.clip((X - 3) @ np.resize([2.0, -1.0, 0.5], X.shape[1]) + noise, -16, 16)


def names(X: np.ndarray) -> np.ndarray:
    """Two classes."""
    return np.where(numbers(X) > 0, "yes", "no")


def grades(X: np.ndarray) -> np.ndarray:
    """Three classes."""
    return np.digitize(X[:, 0] - X[:, 1], [-1.0, 1.0])


def ledger(folder: Path, epsilon: float = 100.0) -> tacit.Ledger:
    """With a limit for everybody who may ask of the population "people"."""
    book = tacit.Ledger(folder / "ledger.db")
    for relation in tacit.Relation:
        for observer in ("public", "server", "shuffler"):
            book.limit("people", observer, relation, epsilon, 1e-2)
    return book
