"""The documents hold: their code runs, their commands exist, and every public name is in them.

A document is one session: its Python blocks run from top to bottom in one namespace and in an
empty folder, as a reader would run them, and a block called `output` is what the one before it
prints, to the letter. Commands shown are parsed by the command line itself, without being run.
"""

import contextlib
import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

import tacit
from tacit.cli import main
from tacit.noise import chacha

# As it is before a test is run.
LIBRARYS_OWN = chacha.IMPL
ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").glob("*.md"))]
# They print what a seed gives. The others print the same whatever is drawn, and are read faster
# with the tests' generator.
DRAWN = {"federated.md", "mechanisms.md", "smooth-sensitivity.md", "statistics.md"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the number of its first line."""

    language: str
    text: str
    line: int


def blocks(document: Path, *languages: str) -> list[Block]:
    """The fenced blocks of some languages, in order."""
    text = document.read_text()
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    every = [Block(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in found]
    return [block for block in every if block.language in languages]


def shown_commands(*documents: Path) -> list[str]:
    """What follows `$ tacit ` on the lines of console blocks."""
    text = "\n".join(block.text for path in documents for block in blocks(path, "console"))
    return re.findall(r"^\$ tacit (.+)$", text, re.MULTILINE)


def parse(command: str) -> None:
    """Lets the command line read a command's options and values; runs nothing."""
    name, *arguments = shlex.split(command)
    main.command(name).make_context(name, arguments)


def run(document: Path) -> None:
    """Runs every Python block of a document in one namespace, and compares what it prints."""
    session: dict[str, object] = {"__name__": document.stem}
    printed = io.StringIO()
    for block in blocks(document, "python", "output"):
        if block.language == "output":
            assert block.text == printed.getvalue(), f"{document.name}, line {block.line}"
            continue
        printed = io.StringIO()
        program = compile("\n" * (block.line - 1) + block.text, str(document), "exec")
        with contextlib.redirect_stdout(printed):
            exec(program, session)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_python_block_runs(document, tmp_path, monkeypatch):
    """From top to bottom, in an empty folder, without a warning, printing what is shown."""
    monkeypatch.chdir(tmp_path)
    if document.name in DRAWN:
        monkeypatch.setattr(chacha, "IMPL", LIBRARYS_OWN)
    run(document)


def test_a_broken_block_would_be_noticed(tmp_path):
    """The runner is not blind, and names the document's own line."""
    broken = tmp_path / "broken.md"
    broken.write_text("# Title\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")

    with pytest.raises(AssertionError) as failure:
        run(broken)
    assert 8 == failure.traceback[-1].lineno + 1


def test_a_stale_output_would_be_noticed(tmp_path):
    """What is shown is compared with what is printed."""
    stale = tmp_path / "stale.md"
    stale.write_text("```python\nprint(2)\n```\n\n```output\n3\n```\n")

    with pytest.raises(AssertionError, match=re.escape("stale.md, line 6")):
        run(stale)


@pytest.mark.parametrize("command", shown_commands(*DOCUMENTS))
def test_every_command_shown_exists(command):
    """The subcommand, its options and their values are those of the command line."""
    parse(command)


WRONG = [
    ("forget", "forget"),
    ("train --nosuch", "No such option"),
    ("train --people cats", "cats"),
    ("verify", "Missing parameter"),
]


@pytest.mark.parametrize("command, complaint", WRONG)
def test_a_wrong_command_would_be_noticed(command, complaint):
    """An unknown subcommand, option or value, and a missing argument, do not parse."""
    with pytest.raises(Exception, match=complaint):
        parse(command)


def test_every_subcommand_is_in_the_readme():
    """Each is shown at least once as a reader would type it."""
    assert set(main.COMMANDS) == {line.split()[0] for line in shown_commands(README)}


def test_public_names_are_sorted_resolve_and_are_documented():
    """Nothing is offered that is not there, and nothing that no document mentions."""
    written = "\n".join(document.read_text() for document in DOCUMENTS)
    names = tacit.__all__

    assert sorted(names) == names
    assert [] == [name for name in names if name not in dir(tacit)]
    assert [] == [name for name in names if not re.search(rf"(`|tacit\.){name}\b", written)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_and_file_named_exists(document):
    """Relative links, and test, bench and source files named in code quotes, are there."""
    text = document.read_text()
    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text)
    files = re.findall(r"`((?:tests|bench|src|docs|examples)/[\w./-]+)`", text)

    assert [] == [link for link in links if not (document.parent / link).exists()]
    assert [] == [name for name in files if not (ROOT / name).exists()]
