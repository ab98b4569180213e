"""Many runs of one grant at once: all that lies between a root key and the state that is released.

A grant is opened as anybody opens one, and its plan, its cohorts and its rounds are the
library's. What is different is only that the grant is run many times, each time from a root key of
its own: whom each round asks and the rounds' keys are derived from it as a run derives them, and
all rounds of all runs are one compiled program. The ledger and the checkpoints are left out; that
such a run ends where the grant itself ends is held by `tests/guarantees/test_audited_runs.py`.

Most of what is drawn is who takes part, from two keys a round and a few words of each. ChaCha20
costs the host milliseconds a key, so the first words of all keys are computed side by side.
"""

import tempfile
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, final
from unittest import mock

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PRNGKeyArray, PyTree

from tacit.accounting.relation import Relation
from tacit.estimators.release import Terms
from tacit.ledger.ledger import Ledger
from tacit.noise import chacha, keys
from tacit.plan import Plan
from tacit.population.arrays import Arrays
from tacit.population.cohorts import Cohorts
from tacit.population.learner import Learner
from tacit.population.loop import Cohort, Keys, Parts, play_round
from tacit.population.program import Program
from tacit.population.release import Release
from tacit.population.run import keys_of
from tacit.population.staged import Staged
from tacit.question.participation import Participation

# Runs of one call of the compiled program.
AT_ONCE = 1_000
# Calls whose draws are remembered, for a bug is looked for in the same runs as the claim: those of
# 100,000 runs on two inputs, drawn in two ways.
REMEMBERED = 400
# Of each stream, blocks of eight 64-bit words that are computed beforehand.
BLOCKS = 4


# Of each run.
Roots = tuple[bytes, ...]
# What a grant is asked for.
Asked = tuple[Plan, Learner, PyTree]


class Seen(Protocol):
    """What an observer sees of a round."""

    def __call__(self, state: PyTree, data: PyTree, cohort: Cohort, keys: Keys) -> PyTree: ...


@final
class Nothing(eqx.Module):
    """For those who see the last state only."""

    def __call__(self, state: PyTree, data: PyTree, cohort: Cohort, keys: Keys) -> None:
        del state, data, cohort, keys


def limited(folder: Path, plan: Plan) -> Ledger:
    """A ledger that has room for this plan, once."""
    ledger = Ledger(folder / "ledger.db")
    ledger.limit_for("people", plan)
    return ledger


@final
@dataclass(frozen=True, eq=False)
class Opened:
    """What a grant plays, and the learner it was opened with, which it does not keep."""

    staged: Staged
    learner: Learner


@final
class _Unlowered:
    """Of a program that nobody runs: what it would return, if somebody asks."""

    digest = ""

    def __init__(self, call: Callable, *like: PyTree):
        self._call, self._like = call, like

    @property
    def returns(self) -> PyTree:
        return jax.eval_shape(self._call, *self._like)


class _Enough(Exception):
    """A fit has asked."""


def asked_by(fit: Callable[[], Any]) -> Asked:
    """What an estimator's fit asks its people for, taken where it asks them; it gets no answer."""
    asked: list[Asked] = []

    def kept(terms: Terms, plan: Plan, learner: Learner, data: Callable[[], PyTree]) -> Release:
        del terms
        asked.append((plan, learner, data()))
        raise _Enough

    with mock.patch.object(Terms, "released", kept), suppress(_Enough):
        fit()
    return asked[0]


def granted(plan: Plan, learner: Learner, data: PyTree) -> Opened:
    """A grant whose rounds are played here: its own key, ledger and programs are thrown away, and
    so these are not lowered."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(Program, "of", _Unlowered):
        book = limited(Path(folder), plan)
        grant = Arrays(data, "people").grant(plan, learner, book, seed=0)
        return Opened(grant.staged, learner)


def roots_of(key: PRNGKeyArray, runs: int) -> Roots:
    """So many root keys."""
    own = np.asarray(jax.random.key_data(key)).tobytes()
    return tuple(keys.derive_each(own, "run", range(runs)))


def states(opened: Opened, roots: Roots) -> PyTree:
    """The state that each run ends with."""
    return played(opened, roots, Nothing())[0]


def played(opened: Opened, roots: Roots, seen: Seen) -> tuple[PyTree, PyTree]:
    """The state that each run ends with, and what was seen of each of its rounds."""
    blocks = [roots[first : first + AT_ONCE] for first in range(0, len(roots), AT_ONCE)]
    ends = [jax.tree.map(np.asarray, _block(opened, block, seen)) for block in blocks]
    return jax.tree.map(lambda *parts: np.concatenate(parts), *ends)


def _block(opened: Opened, roots: Roots, seen: Seen) -> tuple[PyTree, PyTree]:
    staged = opened.staged
    asked = (
        _cohorts(_Drawing.of(staged.cohorts), roots),
        _keys(chacha.IMPL, roots, staged.plan.sums.rounds),
    )
    return _played(
        opened.learner, Parts.of(staged.plan), seen, staged.rounds.start, staged.data, asked
    )


@eqx.filter_jit
def _played(learner: Learner, parts: Parts, seen: Seen, start, data, asked):
    def step(before, now):
        state, carry, _ = play_round(learner, parts, *before, data, *now)
        return (state, carry), seen(before[0], data, *now)

    def run(own):
        (state, _), views = jax.lax.scan(step, start, own)
        return state, views

    return jax.vmap(run)(asked)


@lru_cache(REMEMBERED)
def _keys(generator: Hashable, roots: Roots, rounds: int) -> Keys:
    """Each run's keys, by round; `generator`, of which they are, is there to be remembered by."""

    del generator
    return keys_of(roots, range(rounds), len(roots), rounds)


@final
@dataclass(frozen=True)
class _Drawing:
    """How cohorts are drawn, and all that it depends on."""

    cohorts: Cohorts = field(compare=False)
    who: Participation
    rounds: int
    people: int
    chunk: int
    summed: bool
    relations: tuple[Relation, ...]

    @classmethod
    def of(cls, cohorts: Cohorts) -> "_Drawing":
        relations = tuple(promise.relation for promise in cohorts.plan.guarantees)
        sums, own = cohorts.plan.sums, (cohorts.people, cohorts.chunk, cohorts.summed)
        return cls(cohorts, sums.participation, sums.rounds, *own, relations)


@lru_cache(REMEMBERED)
def _cohorts(drawing: _Drawing, roots: Roots) -> Cohort:
    """Each run's cohorts, by round, in the first chunk, which holds so few people."""
    cohorts, rounds = drawing.cohorts, drawing.rounds
    if cohorts.room > cohorts.chunk:
        raise ValueError(f"at most {cohorts.chunk} people may be asked, got {cohorts.room}")
    places = np.zeros((len(roots), rounds, cohorts.chunks, cohorts.chunk), np.int32)
    sizes = np.zeros((len(roots), rounds), np.int32)
    with _streams_at_once(roots, rounds):
        for run, root in enumerate(roots):
            for t, rows in enumerate(cohorts.rows(root, 0)):
                places[run, t, 0, : rows.size], sizes[run, t] = rows, rows.size
    present = np.arange(cohorts.chunks * cohorts.chunk) < sizes[..., None]
    used = (sizes > 0).astype(np.int32)
    return Cohort(*map(jnp.asarray, (places, present.reshape(places.shape), used)))


@contextmanager
def _streams_at_once(roots: Roots, rounds: int) -> Iterator[None]:
    """Within, the streams that decide who takes part have their first words ready."""
    purposes = [(who, t) for who in ("participation", "order") for t in range(rounds)]
    own = [keys.derive(root, *purpose) for root in roots for purpose in purposes]
    words = np.stack(_first_blocks(np.frombuffer(b"".join(own), "<u4").reshape(-1, 8)), axis=-1)
    known = dict(zip(own, words.reshape(len(own), -1).view("<u8"), strict=True))
    whole = keys.keystream

    def remembered(key: bytes) -> Iterator[list[int]]:
        first = known[key].tolist()
        yield first
        rest = whole(key)
        yield next(rest)[len(first) :]
        yield from rest

    with mock.patch.object(keys, "keystream", remembered):
        yield


@jax.jit
def _first_blocks(own: Any) -> tuple[jax.Array, ...]:
    """The first blocks of each key's host stream: sixteen arrays of their words."""
    counter = jnp.arange(BLOCKS, dtype=jnp.uint32)[None]
    zero = jnp.zeros_like(counter)
    return chacha.block(own[:, None], (counter, zero, zero, jnp.full_like(zero, chacha.HOST)))
