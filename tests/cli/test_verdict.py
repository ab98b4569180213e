"""What `tacit verify` says: each promise beside its numbers, and every refusal in a sentence."""

import io
import json

import pytest
from rich.console import Console
from rich.text import Text

import tacit
from tacit.cli import verdict, voice
from tacit.ledger import receipt


def report(tmp_path, private: bool = True, claimed: float | None = None) -> receipt.Report:
    """Of one release, whose promise was altered if another epsilon is claimed."""
    mean = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Once(), 1, 100)
    plan = tacit.Local(1.0).plan(mean)
    one = tacit.Release("g", plan, None, private=private).receipt()
    if claimed is not None:
        one["guarantees"][0]["epsilon"] = claimed
    receipt.write(tmp_path / "receipt.json", [one])
    return receipt.verify(tmp_path / "receipt.json")


def test_a_promise_stands_beside_both_numbers(tmp_path, capsys):
    """As it was found, and as JSON; what no receipt shows is said with it."""
    found = report(tmp_path)
    verdict.shown(found)
    said = " ".join(capsys.readouterr().out.split())
    verdict.as_json(found)
    whole = json.loads(capsys.readouterr().out)

    assert "0 yes server person replace-one 0 1 1 1" in said and "every promise holds" in said
    assert verdict.UNSHOWN in said and whole["holds"] and whole["refusals"] == []
    one, other = whole["promises"]
    assert (one["observer"], other["observer"]) == ("server", "public")
    assert (one["epsilon"], one["delta"]) == (1.0, 0.0) and not one["wrong"]
    assert one["accountant"] != one["second_accountant"] and one["bound"] >= one["again"] == 1.0


@pytest.mark.parametrize(
    "own, refusal",
    [
        ({"private": False}, "receipt 0 is of a seeded run: nothing in it is private"),
        ({"claimed": 0.5}, "receipt 0 was altered: its digest does not fit"),
        ({"claimed": 0.5}, "receipt 0, kept from server: "),
    ],
)
def test_what_is_wrong_is_a_sentence_in_both_forms(own, refusal, tmp_path, capsys):
    """And the verdict is the same."""
    found = report(tmp_path, **own)
    verdict.shown(found)
    said = " ".join(capsys.readouterr().out.split())
    verdict.as_json(found)
    whole = json.loads(capsys.readouterr().out)

    assert refusal in said and "REFUSED" in said and "every promise holds" not in said
    assert not whole["holds"] and any(each.startswith(refusal) for each in whole["refusals"])


@pytest.mark.parametrize("terminal", [True, False])
def test_sentences_are_broken_between_words_on_a_terminal(tmp_path, monkeypatch, terminal):
    """Refusals and what no receipt shows; in a file each is a line."""
    heard = io.StringIO()
    monkeypatch.setattr(voice, "OUT", Console(file=heard, width=80, force_terminal=terminal))
    verdict.shown(report(tmp_path, claimed=0.5))
    lines = [Text.from_ansi(line).plain for line in heard.getvalue().splitlines()]
    sentences = [*verdict._refusals(report(tmp_path, claimed=0.5)), verdict.UNSHOWN]

    assert all(each in " ".join(" ".join(lines).split()) for each in sentences)
    assert all(len(line) <= 80 for line in lines) == terminal
    assert all(each in lines for each in sentences) != terminal
