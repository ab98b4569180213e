"""From records to people: the leading axis of everything returned here is the unit of privacy.

A promise to a person covers all their records, so grouping comes before noise, and it must itself
be harmless: what the grouping does to one person may not depend on another's records. `one_each`
moves nothing. `batches` makes people up for simulation, so there is no one to harm. `by_owner`
bounds each owner to `at_most` records, chosen by the order in which a uniformly random
permutation of *all* records lists them. The orders that such a permutation induces on disjoint
sets of records are uniform and independent; hence adding, removing or changing one owner's
records leaves the joint distribution of all other owners' choices as it was, and alters exactly
that owner's row. (This is a fact about the random choice: it needs a generator whose seed was not
chosen by looking at the records.)
"""

import numpy as np
from jaxtyping import Bool, Int, Int32, Shaped

from tacit.argument import got, is_whole

# Rows are numbered in 32 bits.
_MOST_ROWS = 2**31 - 1


def one_each(
    images: Shaped[np.ndarray, "examples *image"], labels: Shaped[np.ndarray, " examples"]
) -> tuple[Shaped[np.ndarray, "people *image"], Shaped[np.ndarray, " people"]]:
    """Every example is a person of its own, in the order given; nothing is copied."""
    _check_same_length(images, labels)
    return images, labels


def batches(
    images: Shaped[np.ndarray, "examples *image"],
    labels: Shaped[np.ndarray, " examples"],
    size: int,
    rng: np.random.Generator,
) -> tuple[Shaped[np.ndarray, "people size *image"], Shaped[np.ndarray, "people size"]]:
    """People of `size` examples each, dealt from a random permutation.

    Where `size` does not divide the number of examples, the remainder of the permutation belongs
    to nobody and is left out.
    """
    _check_same_length(images, labels)
    if not (is_whole(size) and 1 <= size <= len(labels)):
        raise ValueError(f"size must be between 1 and the {len(labels)} examples, got {got(size)}")
    people = len(labels) // size
    rows = rng.permutation(len(labels))[: people * size].reshape(people, size)
    return images[rows], labels[rows]


def by_owner(
    owners: Int[np.ndarray, " examples"], at_most: int, rng: np.random.Generator
) -> tuple[Int32[np.ndarray, "people at_most"], Bool[np.ndarray, "people at_most"], np.ndarray]:
    """Rows of each owner's examples, a mask of those that are real, and the owners' sorted ids.

    An owner of more than `at_most` examples keeps a uniformly random `at_most` of them. One with
    fewer has all of them, first, and the places after them are row 0 under a false mask.

    Args:
      owners: whose each example is.
      at_most: how many examples one person may contribute; public, not read off `owners`.
    """
    if owners.ndim != 1 or not 1 <= owners.size <= _MOST_ROWS:
        raise ValueError(
            f"owners must be one axis of 1 to {_MOST_ROWS} examples, got shape {owners.shape}"
        )
    if not (is_whole(at_most) and at_most >= 1):
        raise ValueError(f"at_most must be at least 1, got {got(at_most)}")
    ids, person, counts = np.unique(owners, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(owners.size)
    grouped = shuffled[np.argsort(person[shuffled], kind="stable")]
    first = np.cumsum(counts) - counts
    place = np.arange(owners.size) - np.repeat(first, counts)
    kept = place < at_most
    rows = np.zeros((ids.size, at_most), np.int32)
    rows[person[grouped[kept]], place[kept]] = grouped[kept]
    return rows, np.arange(at_most) < counts[:, None], ids


def _check_same_length(images: np.ndarray, labels: np.ndarray) -> None:
    if len(images) != len(labels):
        raise ValueError(
            f"labels must be one for each of the {len(images)} images, got {len(labels)}"
        )
