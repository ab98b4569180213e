"""The next word of people's texts, from a model that has learned another language before.

A model is pretrained on public speech, the addresses of American presidents, and refitted on what
the roles of Shakespeare's plays say: a role is a person. Ten gradient steps on a device, and a
server's noise for a population of 10^7 of whom 20,000 come in a round.

| way | what is refitted | numbers in a report |
| --- | --- | --- |
| published | all: an embedding, an LSTM and a linear layer | 291,153 |
| ours | what the last layer reads, by a matrix, and its biases (`Adapted`) | 6,097 |

A report of d numbers at e_1 has an error of about d/(2 e_1), whatever it is about: what the public
corpus taught is not asked for again.

The vocabulary is public: the 2,000 commonest words of the addresses, punctuation included. They are
three quarters of what roles say. A word outside it can be read, but is never to be guessed, and is
not counted: accuracy is a share of the next words that are in the vocabulary. A fifth of the roles,
drawn once, is who models are looked at with. The source had 25,003 words and 256 numbers for each,
was pretrained on Wikipedia and refitted on comments; its budgets are lost. Rates were chosen on
fifty of the roles who are learned from, without them. Where several speak one speech they are a
role of their own, as in the table, though each of them may be on the other side: eleven of 307 are
such.

References:
    Bhowmick, Duchi, Freudiger, Kapoor and Rogers 2018, "Protection against reconstruction and its
    applications in private federated learning", section 5.3, figure 5 (b).
"""

import math
from collections.abc import Iterable
from pathlib import Path

import equinox as eqx
import jax
import numpy as np
import optax
from jaxtyping import Float, Int, Int32

from tacit.data import addresses, speeches
from tacit.data.dataset import DataError, two_parts
from tacit.data.words import NOTHING, UNKNOWN, Vocabulary, windows
from tacit.experiments.pretraining import pretrained as learned_before
from tacit.experiments.records import Records, Start, unprepared
from tacit.experiments.study import Recipe, Scale, Study
from tacit.features.chunks import Heard, in_chunks
from tacit.federated.classifying import places_loss
from tacit.models.next_word import Adapted, NextWord

Windows = Int32[np.ndarray, "windows length"]
Owners = Int[np.ndarray, " windows"]

# Of the vocabulary, numbers of a word's, and words of a window: a choice, less than the source's.
WORDS, WIDTH, LENGTH = 2000, 64, 20
# Seeds, of the model's start and of which roles are looked at: any would do.
MODEL_KEY, SPLIT = 7, 5
# One in so many roles is to look at.
LOOKED_AT = 5
EPOCHS, BATCH, RATE = 2, 32, 5e-3
# Windows that are read side by side.
CHUNK = 1000


def read(folder: Path) -> Records:
    """What roles say in one of its folders, and the addresses in the other.

    Raises:
      DataError: a file is absent or not what it must be, or there are fewer than 5 roles.
    """
    public = addresses.load(folder / "state-of-the-union" / "state_union.zip")
    spoken = speeches.load(folder / "shakespeare-roles" / "speeches.tsv")
    vocabulary = Vocabulary.of_public(public, WORDS)
    if len(spoken.roles) < LOOKED_AT:
        raise DataError(f"{folder} must hold at least {LOOKED_AT} roles, got {len(spoken.roles)}")
    now, after, owners = _owned(vocabulary, spoken)
    kept, _ = two_parts(len(spoken.roles), len(spoken.roles) // LOOKED_AT, SPLIT)
    learned = np.isin(owners, kept)
    return Records(
        "speeches by role",
        *(now[learned], after[learned]),
        *(now[~learned], after[~learned]),
        owners=owners[learned],
        public=_windows(vocabulary, public),
    )


def pretrained(public: tuple[Windows, Windows], heard: Heard) -> NextWord:
    """What the addresses teach."""
    now, after = public
    records = (now, after), np.ones(len(now), bool)
    model = NextWord(WORDS + 1, WIDTH, jax.random.key(MODEL_KEY))
    return learned_before(model, places_loss, records, EPOCHS, BATCH, RATE, heard=heard)


def adapted(network: NextWord) -> Start:
    """The last layer closed, and what it reads made once for all."""
    held_after = eqx.filter_jit(network.read)

    def prepared(words: Windows, heard: Heard) -> Float[np.ndarray, "windows length width"]:
        return in_chunks(held_after, words, CHUNK, heard)

    return Start(Adapted(network.output), prepared)


def _owned(vocabulary: Vocabulary, spoken: speeches.Speeches) -> tuple[Windows, Windows, Owners]:
    found = [_windows(vocabulary, [text]) for text in spoken.texts]
    owners = np.repeat(spoken.owners, [len(now) for now, _ in found])
    now, after = (np.concatenate(part) for part in zip(*found, strict=True))
    return now, after, owners


def _windows(vocabulary: Vocabulary, texts: Iterable[str]) -> tuple[Windows, Windows]:
    """Of texts; a word that has no number is nothing to guess."""
    now, after = windows([vocabulary.encoded(text) for text in texts], LENGTH)
    return now, np.where(after == UNKNOWN, np.int32(NOTHING), after)


STUDY = Study(
    name="nextword",
    title="the next word of plays",
    section="section 5.3 of Bhowmick et al. 2018",
    read=read,
    pretrained=pretrained,
    before=(f"key {MODEL_KEY}, width {WIDTH}, {EPOCHS} passes of {BATCH} at {RATE}",),
    loss=places_loss,
    noun=f"windows of {LENGTH} words",
    steps=10,
    directions=(2.0, 10.0, 100.0, 500.0, math.inf),
    ways=(
        Recipe(
            name="published",
            start=lambda network: Start(network, unprepared),
            optimizer=optax.sgd(1.0),
            local=0.1,
            free=0.2,
            wander=3.0,
        ),
        Recipe(
            name="ours",
            start=adapted,
            optimizer=optax.sgd(1.0),
            local=0.1,
            free=0.3,
            wander=2.0,
        ),
    ),
    small=Scale(records=8, played=6, rounds=50),
    full=Scale(records=100, played=200, trials=20),
)
