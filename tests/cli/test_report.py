"""The report: one page that needs nothing outside itself and says what was promised."""

import math
import re
from html.parser import HTMLParser

import pytest

from tacit.accounting.relation import Relation
from tacit.cli import report
from tacit.cli.session import Result
from tacit.ledger.ledger import Spent

NAMES = ("none", "central", "shuffled", "local", "federated")
EMPTY = {"meta", "link", "br", "img", "input", "hr"}


def promise(observer="public", epsilon=1.25, delta=1e-5):
    return {
        "observer": observer,
        "unit": "person",
        "relation": "replace-one",
        "event": {},
        "epsilon": epsilon,
        "delta": delta,
        "accountant": "exact Gaussian",
    }


def result(name, table="tuned", accuracy=0.875, private=True, promises=None) -> Result:
    promises = [promise()] if promises is None else promises
    made = {"guarantees": [] if name == "none" else promises, "private": private}
    return Result(table, name, accuracy, [(5, 0.5), (10, accuracy)], 3.25, made)


def spent(observer="public", limit=10.0) -> Spent:
    return Spent(observer, "person", Relation.REPLACE_ONE, 1.25, 1e-5, limit, 1.0)


def page(tmp_path, results=None, task="digits", accounts=None) -> str:
    results = results or [result(name) for name in NAMES]
    report.write(tmp_path / "report.html", task, results, accounts or [spent()])
    return (tmp_path / "report.html").read_text()


class Balance(HTMLParser):
    """Checks that every tag that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag == self.open.pop()


def test_the_page_needs_nothing_outside_itself(tmp_path):
    """No script, no picture, style or font from elsewhere; every tag is closed."""
    text = page(tmp_path)
    parser = Balance()
    parser.feed(text)

    assert [] == parser.open
    assert not {"script", "img", "link", "iframe", "object"} & set(parser.seen)
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)|@import|url\((?!["']?#)""", text)


def test_every_setting_stands_in_its_table(tmp_path):
    """Name, promise, accuracy and time; no privacy promises nothing."""
    rows = [result(name, accuracy=0.5 + i / 10) for i, name in enumerate(NAMES)]
    shared = [result(name, "shared") for name in NAMES]
    text = page(tmp_path, rows + shared)
    tuned = text[text.index("Settings tuned") : text.index("One shared setting")]

    for i, name in enumerate(NAMES):
        row = tuned[tuned.index(f"<td>{name}</td>") :].split("</tr>")[0]
        assert f"{50 + 10 * i:.1f}%" in row and "3.2" in row
        assert ("kept from the public" in row) == (name != "none")
    for name in NAMES:
        assert 2 == text.count(f"<td>{name}</td>")


def test_every_promise_of_a_setting_is_named(tmp_path):
    """Observer, epsilon, delta, unit, relation and accountant, one line each."""
    promises = [promise(), promise("server", 64.0, 0.0)]
    text = " ".join(page(tmp_path, [result("federated", promises=promises)]).split())

    assert "kept from the public: ε = 1.25, δ = 1e-05, one person, replace-one (exact" in text
    assert "kept from the server: ε = 64, δ = 0, one person, replace-one (exact" in text


@pytest.mark.parametrize("epsilon", [1.00049, 1.99994, 0.123449, 7.99999, 64.004, 123.44])
def test_a_printed_epsilon_is_never_below_the_promise(tmp_path, epsilon):
    """Rounded for reading, and rounded up: every epsilon printed is an upper bound."""
    text = page(tmp_path, [result("central", promises=[promise(epsilon=epsilon)])])
    printed = float(re.search(r"ε = ([0-9.e+-]+)", text)[1])

    assert epsilon <= printed <= epsilon * 1.001


@pytest.mark.parametrize("private", [True, False])
def test_a_seeded_run_is_said_not_to_be_private(tmp_path, private):
    """One seeded release is enough for the warning; without one there is none."""
    text = page(tmp_path, [result("central"), result("local", private=private)])

    assert (not private) == ('class="warn"' in text)


def test_names_are_escaped(tmp_path):
    """What comes from outside is text, not markup, in the page and in its pictures."""
    text = page(tmp_path, task="<b>x & y</b>", accounts=[spent("<i>a & b</i>")])

    assert "<b>x" not in text and "<i>a" not in text
    assert "&lt;b&gt;x &amp; y&lt;/b&gt;" in text and "&lt;i&gt;a &amp; b&lt;/i&gt;" in text


def test_a_sweep_adds_its_picture(tmp_path):
    """Accuracy against epsilon is drawn where other budgets were tried, and only there."""
    rows = [result(name) for name in NAMES]
    swept = [result("central", "sweep", promises=[promise(epsilon=e)]) for e in (0.5, 4.0)]
    without, with_ = page(tmp_path, rows), page(tmp_path, rows + swept)

    assert "Accuracy against ε" not in without and 2 == without.count("<svg")
    assert "Accuracy against ε" in with_ and 3 == with_.count("<svg")


def test_a_sum_without_a_limit_is_not_drawn(tmp_path):
    """It is nobody's budget; a limit beside it is drawn."""
    without = page(tmp_path, accounts=[spent(limit=math.inf)])
    with_ = page(tmp_path, accounts=[spent("shuffler", math.inf), spent()])

    assert "The budget spent" not in without and 1 == without.count("<svg")
    assert "public" in with_[with_.index("The budget spent") :]
    assert "shuffler" not in with_[with_.index("The budget spent") :]


def test_a_run_with_a_lost_curve_still_has_its_report(tmp_path):
    """A release that was finished before a kill has no curve; the table has its accuracy."""
    lost = result("central")
    lost.curve = []
    text = page(tmp_path, [lost, result("local")])

    assert "87.5%" in text and "local (10 rounds)" in text


def test_the_same_results_make_the_same_page(tmp_path):
    """No time, no random identifier: the bytes can be compared."""
    assert page(tmp_path) == page(tmp_path)
