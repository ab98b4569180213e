"""What goes into the changelog: a change a fragment, one sentence that begins with what was done.

`make changelog` puts them together at a release (`towncrier`), and needs their names to sort them.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRAGMENTS = sorted((ROOT / "changelog.d").glob("*.md"))
KINDS = ("added", "changed", "fixed")
# Past tenses that do not end in -ed.
IRREGULAR = {"Began", "Drew", "Gave", "Kept", "Let", "Made", "Put", "Said", "Split", "Took"}


def complaint(text: str) -> str | None:
    """What is wrong with a fragment, if anything is."""
    said = re.sub(r"`[^`]*`", "code", text.rstrip("\n"))
    first = said.split(" ")[0]
    if "\n" in said:
        return "is more than one line"
    if len(re.findall(r"[.!?](?=\s|$)", said)) != 1 or not said.endswith("."):
        return "is not one sentence"
    if not ((first.endswith("ed") and first[0].isupper()) or first in IRREGULAR):
        return f"begins with {first}, and not with a verb in the past tense"
    return None


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda path: path.stem)
def test_every_fragment_is_one_sentence_of_what_was_done(fragment):
    """Named by topic and kind."""
    topic, kind, _ = fragment.name.split(".")

    assert re.fullmatch(r"[a-z0-9-]+", topic) and kind in KINDS
    assert complaint(fragment.read_text()) is None


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("Added this. Added that.", "is not one sentence"),
        ("Added this", "is not one sentence"),
        ("Added this\nand that.", "is more than one line"),
        ("Adds this.", "begins with Adds"),
        ("`tacit` does this.", "begins with code"),
    ],
)
def test_a_wrong_fragment_would_be_noticed(text, wrong):
    """Two changes, no end, the present tense."""
    assert (complaint(text) or "").startswith(wrong)


def test_a_release_s_changelog_holds_every_fragment():
    """Under its kind, as towncrier would write it; nothing is written here."""
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "0"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    kinds = re.split(r"^### (\w+)$", run.stdout, flags=re.MULTILINE)
    sections = dict(zip(kinds[1::2], kinds[2::2], strict=True))

    assert [kind.capitalize() for kind in KINDS] == list(sections)
    for fragment in FRAGMENTS:
        kind = fragment.name.split(".")[1].capitalize()
        assert f"- {fragment.read_text().strip()}\n" in sections[kind], fragment.name
