"""What is said on a terminal, and in a file."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console
from rich.text import Text

from tacit.cli import voice

SENTENCE = "--people must be a whole number above zero, got -3, and nothing was spent or written"
SAYING = [(voice.note, "tacit: "), (voice.refuse, "tacit: "), (voice.result, "")]


def _said(monkeypatch: pytest.MonkeyPatch, say: Callable[[str], None], terminal: bool) -> list[str]:
    heard = io.StringIO()
    console = Console(file=heard, width=40, force_terminal=terminal)
    for name in ("ERR", "OUT"):
        monkeypatch.setattr(voice, name, console)
    say(SENTENCE)
    return [Text.from_ansi(line).plain for line in heard.getvalue().splitlines()]


@pytest.mark.parametrize("say, first", SAYING)
def test_a_terminal_breaks_between_words(monkeypatch, say, first):
    """No word of a sentence is cut at the edge of a terminal."""
    lines = _said(monkeypatch, say, terminal=True)
    assert len(lines) > 1
    words = [word for line in lines for word in line.split()]
    assert words == f"{first}{SENTENCE}".split()


@pytest.mark.parametrize("say, first", SAYING)
def test_a_file_has_a_line_a_sentence(monkeypatch, say, first):
    """What is kept in a log is found by its words."""
    assert _said(monkeypatch, say, terminal=False) == [f"{first}{SENTENCE}"]
