"""The next word of plays: who holds what, what can be guessed, and where learning begins."""

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

import quick_keys
from signals import asks, unheard
from tacit.data.dataset import DataError
from tacit.data.words import NOTHING, UNKNOWN
from tacit.experiments import nextword
from tacit.learning import progress
from tacit.models.next_word import NextWord

SPEECH = "we the people of the union are one , and we are free ."
ROLES = 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Addresses with a dozen words, and roles of a play of whom each says a number of their own."""
    made = tmp_path_factory.mktemp("texts")
    for name in ("state-of-the-union", "shakespeare-roles"):
        (made / name).mkdir()
    with zipfile.ZipFile(made / "state-of-the-union" / "state_union.zip", "w") as archive:
        archive.writestr("1945.txt", SPEECH * 9)
    rows = [f"play\tR{role}\tthe people {'are free ' * role}thou" for role in range(ROLES)]
    table = "\n".join(["play\tspeaker\ttext", *rows, ""])
    (made / "shakespeare-roles" / "speeches.tsv").write_text(table)
    return made


@pytest.fixture
def tiny(monkeypatch) -> None:
    """A network of few numbers, taught for a moment."""
    for name, number in {"WIDTH": 4, "WORDS": 12, "EPOCHS": 30, "BATCH": 2, "RATE": 0.03}.items():
        monkeypatch.setattr(nextword, name, number)


def test_nobody_who_is_learned_from_is_looked_at(folder):
    """A fifth of the roles is, with all they say."""
    records = nextword.read(folder)

    assert len(np.unique(records.owners)) == ROLES - ROLES // 5 == records.people(8)
    assert len(records.inputs) == len(records.labels) == len(records.owners)
    assert len(records.inputs) + len(records.test_inputs) == sum(
        -(-(2 + 2 * role) // 20) for role in range(ROLES)
    )


def test_people_hold_what_they_say(folder):
    """The role of number n says `are free` n times, and no other does."""
    records = nextword.read(folder)
    said = [np.sum(records.labels[records.owners == role] != NOTHING) for role in range(ROLES)]
    names = sorted(f"R{role}" for role in range(ROLES))
    expected = [1 + 2 * int(name[1:]) for name in names]

    assert all(many in (0, own) for many, own in zip(said, expected, strict=True))
    assert sum(many > 0 for many in said) == ROLES - ROLES // 5


def test_a_word_outside_the_vocabulary_is_nothing_to_guess(folder):
    """It may be read, but no label says so: the last word of every role is one."""
    records = nextword.read(folder)

    for labels in (records.labels, records.test_labels, records.public[1]):
        assert (labels != UNKNOWN).all() and (labels == NOTHING).any()
    assert all(labels[labels != NOTHING].size for labels in records.labels)


def test_what_is_public_is_of_the_addresses(folder, tiny):
    """And the roles' own words are not in the vocabulary: no number stands for thou."""
    records = nextword.read(folder)
    now, _ = records.public

    assert records.inputs.max() <= now.max() <= nextword.WORDS


def test_addresses_are_learned_before_anybody_is_asked(folder, tiny):
    """And nothing else is: the words after words of the addresses come out."""
    now, after = nextword.read(folder).public
    asked: list[None] = []
    network = nextword.pretrained((now, after), lambda: asked.append(None))
    there = after != NOTHING
    guesses = np.argmax(network(now), axis=-1)

    assert np.mean(guesses[there] == after[there]) > 0.8
    assert len(asked) == nextword.EPOCHS * (len(now) // nextword.BATCH)


def test_what_is_made_once_of_words_is_what_the_network_reads(folder, tiny):
    """In pieces and whole: ours begins with the published one's guesses."""
    records = nextword.read(folder)
    network = NextWord(nextword.WORDS + 1, 4, quick_keys.key(0))
    ours = nextword.adapted(network)
    made = ours.prepared(records.inputs, unheard)

    assert made.shape == (*records.inputs.shape, 4)
    np.testing.assert_allclose(ours.model(made), network(records.inputs), atol=1e-5)


def test_a_signal_is_heard_while_words_are_read(monkeypatch):
    """Before every few windows."""
    monkeypatch.setattr(nextword, "CHUNK", 2)
    ours = nextword.adapted(NextWord(9, 4, quick_keys.key(0)))

    assert asks(lambda heard: ours.prepared(np.zeros((5, 3), np.int32), heard)) == 3


def test_reports_have_as_many_numbers_as_models():
    """All of the network, or what its last layer reads and its biases."""
    network = NextWord(nextword.WORDS + 1, nextword.WIDTH, quick_keys.key(0))
    published, ours = (way.start(network).model for way in nextword.STUDY.ways)

    assert progress.size(published) == 291_153
    assert progress.size(ours) == 64 * 64 + 2001


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("state-of-the-union/state_union.zip", "state-of-the-union must hold a file"),
        ("shakespeare-roles/speeches.tsv", "shakespeare-roles must hold a file"),
    ],
)
def test_a_corpus_that_is_not_there_is_refused(folder, tmp_path, gone, said):
    """By the name of its folder."""
    for path in folder.rglob("*.*"):
        if str(path.relative_to(folder)) != gone and path.is_file():
            (tmp_path / path.relative_to(folder)).parent.mkdir()
            (tmp_path / path.relative_to(folder)).write_bytes(path.read_bytes())
    with pytest.raises(DataError, match=said):
        nextword.read(tmp_path)


def test_too_few_roles_are_refused(folder, tmp_path):
    """There would be nobody to look at."""
    shutil.copytree(folder, tmp_path / "few")
    table = tmp_path / "few" / "shakespeare-roles" / "speeches.tsv"
    table.write_text("\n".join([*table.read_text().split("\n")[:5], ""]))
    with pytest.raises(DataError, match="must hold at least 5 roles, got 4"):
        nextword.read(tmp_path / "few")
