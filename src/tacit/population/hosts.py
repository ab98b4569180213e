"""Several processes that play one run: what each does, and what one of them decides for all.

JAX sees the devices of all processes that `jax.distributed` has joined, and every process calls the
same programs in the same order, which spread over all devices. A program is a function of its
arguments, so what has to be seen to is that these are the same everywhere. Whatever is decided
outside of programs, by a file, a clock, chance or whoever watches, is decided by the *first*
process and told to the others; and where one process fails, all do, and nobody waits for it.

| what | who |
| --- | --- |
| the ledger, checkpoints, watches | the first process alone |
| a grant's name, the root key, a state to go on from, how many rounds are next | the first |
| the plan, the learner, the data | each its own; if they differ, refused before the charge |
| one is refused or stopped | the others raise a `HostError`, and the grant can be gone on with |
| one is gone, or fails within a program | `OutOfStep`: a process that raises it has to end |

**What is told is secret.** The root key reaches the other processes' memory and nothing else: it is
not written there, and gone when they end. It goes the way that the un-noised parts of every round's
sums go, through JAX, which does not encrypt them. So the machines of one run and the wires between
them are one curator, against whom nothing is promised.
"""

import hashlib
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import jax
import numpy as np
from jax.experimental import multihost_utils
from jaxtyping import PyTree, UInt8

Made = TypeVar("Made")
Message = UInt8[np.ndarray, " bytes"]

# What one process tells all: whether it failed, how long its words are, and these.
MOST = 4093
FORM = f">BH{MOST}s"
DONE, FAILED = 0, 1


class HostError(Exception):
    """Another process of the same run was refused or stopped, or differs."""


class OutOfStep(HostError):
    """Processes wait for one another in different places, or one is gone: this one has to end."""


def several() -> bool:
    """Whether other processes play along."""
    return jax.process_count() > 1


def first() -> bool:
    """Whether this is the process that decides."""
    return jax.process_index() == 0


def decided(own: Callable[[], bytes]) -> bytes:
    """What the first process's `own` comes to, in every process; no other calls it.

    Raises:
      HostError: if it failed there.
    """
    return _agreed(own if first() else bytes, said=lambda words: words)[1]


def together(own: Callable[[], Made]) -> Made:
    """What `own` comes to in this process, once it has come to something in every one.

    Raises:
      HostError: if it failed in another.
    """
    return _agreed(own, said=lambda made: b"")[0]


def alone(own: Callable[[], object]) -> None:
    """Does `own` in the first process, and in no other.

    Raises:
      HostError: as `decided`.
    """
    together(own if first() else bytes)


def number(own: Callable[[], int]) -> int:
    """As `decided`, of a whole number from 0 on."""
    return int.from_bytes(decided(lambda: own().to_bytes(8, "big")), "big")


def shared(tree: PyTree) -> PyTree:
    """The first process's arrays, bit for bit, in every process that has some like them."""
    if not several():
        return tree
    leaves, structure = jax.tree.flatten(tree)
    own = [np.asarray(leaf) for leaf in leaves]
    words = np.frombuffer(b"".join(leaf.tobytes() for leaf in own), np.uint8)
    told = multihost_utils.broadcast_one_to_all(words).tobytes()
    ends = np.cumsum([leaf.nbytes for leaf in own])
    found = [
        np.frombuffer(told[end - leaf.nbytes : end], leaf.dtype).reshape(leaf.shape)
        for leaf, end in zip(own, ends, strict=True)
    ]
    return jax.tree.unflatten(structure, found)


def refuse_unlike(bound: Mapping[str, str]) -> None:
    """Raises a HostError, in every process, that names the first of these that differ.

    Args:
      bound: what must be the same in all processes, by name, causes first.
    """
    if not several():
        return
    own = [hashlib.sha256(text.encode()).digest() for text in bound.values()]
    every = _told(DONE, _fitting(b"".join(own)))
    first = _first_of(every)
    for place, name in enumerate(bound):
        digest = slice(place * len(own[0]), (place + 1) * len(own[0]))
        for process, (_, told) in enumerate(every):
            if told[digest] != first[digest]:
                raise HostError(
                    f"process {process} differs from process 0 in its {name}, and nothing was "
                    "charged"
                )


@contextmanager
def in_step() -> Iterator[None]:
    """Within, programs are called that every process calls.

    Raises:
      OutOfStep: if this one failed to, and the others wait for it.
    """
    try:
        yield
    except Exception as error:
        if several():
            raise OutOfStep(f"a round failed in process {jax.process_index()}: {error}") from error
        raise


def _agreed(own: Callable[[], Made], said: Callable[[Made], bytes]) -> tuple[Made, bytes]:
    """What this process's `own` comes to, and what the first says of its own; if none failed."""
    if not several():
        made = own()
        return made, said(made)
    try:
        made = own()
        words = _fitting(said(made))
    except BaseException as error:
        _told(FAILED, " ".join(str(error).split()).encode())
        raise
    return made, _first_of(_told(DONE, words))


def _fitting(words: bytes) -> bytes:
    if not len(words) <= MOST:
        raise ValueError(f"processes tell one another at most {MOST} bytes, got {len(words)}")
    return words


def _first_of(every: list[tuple[int, bytes]]) -> bytes:
    """The first process's words, if none failed."""
    for process, (status, words) in enumerate(every):
        if status == FAILED:
            said = words.decode(errors="ignore")
            raise HostError(f"process {process} of {len(every)} ended this run: {said}")
    return every[0][1]


def _told(status: int, words: bytes) -> list[tuple[int, bytes]]:
    """The status and the words of every process."""
    message = struct.pack(FORM, status, min(len(words), MOST), words)
    every = [struct.unpack(FORM, each) for each in _gathered(np.frombuffer(message, np.uint8))]
    return [(status, words[:length]) for status, length, words in every]


def _gathered(message: Message) -> list[bytes]:
    """Every process's message."""
    if jax.device_count() != jax.process_count() * jax.local_device_count():
        raise OutOfStep("every process of one run needs equally many devices")
    try:
        return [each.tobytes() for each in multihost_utils.process_allgather(message)]
    except Exception as error:
        raise OutOfStep("another process of this run is gone, and this one ends") from error
