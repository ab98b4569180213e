"""What the command line prints is read whole, on a narrow terminal, too."""

import io

import pytest
from rich.console import Console

from tacit.cli import tables, voice
from tacit.cli.session import Result

WIDEST = {
    "observer": "shuffler",
    "unit": "person",
    "relation": "replace-one",
    "epsilon": 12345.6789,
    "delta": 1.234e-10,
}


@pytest.fixture
def printed(monkeypatch) -> io.StringIO:
    """A terminal of 80 columns."""
    shown = io.StringIO()
    monkeypatch.setattr(voice, "OUT", Console(file=shown, width=80))
    return shown


def test_results_are_whole_at_80_columns(printed):
    """Every word and number of the widest row there is."""
    receipt = {"guarantees": [WIDEST]}
    tables.results("title", [Result("tuned", "federated", 0.961, [], 1234.5, receipt)])

    assert "…" not in printed.getvalue()
    for shown in (
        "federated",
        "shuffler",
        "replace-one",
        "12346",
        "1.234e-10",
        "96.1%",
        "1234.5",
    ):
        assert shown in printed.getvalue()
