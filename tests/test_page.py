"""A plan as a page: every promise and number of it, at most 80 columns wide."""

import math
from typing import Any

import pytest

import tacit
from tacit.accounting.relation import Relation
from tacit.page import figures, folded
from tacit.question import Prefix
from tacit.question.sums import Question

RIGHT = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), rounds=1, people=10_000)
VOTES = tacit.Mean(tacit.OneHot(9), tacit.Everyone(), rounds=3, people=10_000)


def words(trust, question: Question = RIGHT) -> str:
    """The page with one space between words."""
    page = str(trust.plan(question))
    assert max(map(len, page.splitlines())) <= 80
    return " ".join(page.split())


def test_a_page_says_question_budget_noise_error_and_promise():
    """The numbers of the plan itself, bounds rounded up."""
    plan: Any = tacit.Central(1.0, 0.0).plan(RIGHT)
    page = words(tacit.Central(1.0, 0.0))

    assert "asked the mean of a number in [0, 1], of 10,000 people" in page
    assert "trust Central, epsilon 1, delta 0, relation add/remove" in page
    assert f"standard deviation {plan.server.facts.noise:.6g} on each number of a sum" in page
    assert f"root mean squared {plan.error**0.5:.4g} (squared {plan.error:.4g})" in page
    assert "4 bytes a person" in page
    assert "kept from one neighbours ε δ found by public person add/remove 1 " in page


def test_the_error_of_a_workload_is_of_all_its_answers_together():
    """Said so, beside each one's; noise is that of the noisiest."""
    workload, trust = Prefix(16), tacit.Central(1.0, 1e-6)
    sums = tacit.Mean(tacit.OneHot(16), tacit.Everyone(), rounds=1, people=10_000)
    question = tacit.question.Linear(sums, workload)
    plan, page = trust.plan(question), words(trust, question)
    error = plan.error or 0.0

    assert f"deviation {plan.server.facts.noise:.6g} on the noisiest answer's sum" in page
    assert f"(squared {error:.4g}) of all 16 answers together, at worst" in page
    assert f"at worst; {(error / 16) ** 0.5:.4g} of each on average; at most 1.000" in page
    assert "of all 16 answers together" in words(tacit.Local(1.0), question)


def test_every_observer_has_a_line():
    """In a column each, beneath the headings."""
    asked = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Once(), rounds=1, people=10_000)
    page = str(tacit.Shuffled(1.0, 1e-6).plan(asked))
    rows = [line for line in page.splitlines() if "replace-one" in line]

    assert ["public", "server", "shuffler"] == sorted(row.split()[0] for row in rows)
    assert 1 == len({row.index("replace-one") for row in rows})


@pytest.mark.parametrize("radius, said", [(float("inf"), ""), (0.5, ", radius 0.5")])
def test_a_limit_that_is_none_is_left_out(radius, said):
    """Nobody asks what a radius of infinity is of."""
    votes = tacit.Mean(tacit.Ball(5, 1.0), tacit.Everyone(), rounds=1, people=10_000)
    page = words(tacit.Federated(2.0, tacit.Central(1.0, 1e-6), radius), votes)

    assert f"relation add/remove){said} noise standard deviation" in page


def test_a_name_that_does_not_fit_is_folded():
    """The longest accountant beside three observers; its words stand beneath one another."""
    asked = tacit.Mean(tacit.Ball(650, 1.0), tacit.Once(), rounds=20, people=1437)
    page = str(tacit.Shuffled(2.0, 1e-5).plan(asked))
    first, second = page.splitlines()[-5:-3]

    assert all(len(line) <= 80 for line in page.splitlines())
    assert first.endswith(" privacy loss") and second.split() == ["distribution"]
    assert second.index("distribution") == first.index("privacy loss")


def test_noise_on_reports_is_told_as_such():
    """The error of one report at its worst; none is added to the sum."""
    plan = tacit.Local(1.0).plan(RIGHT)

    assert (
        f"noise standard deviation {plan.device.facts.worst_error**0.5:.6g} on a report"
        in words(tacit.Local(1.0))
    )


def test_errors_at_a_typical_norm_are_told_as_such():
    """Beside the worst ones, of a report and of an answer; the norm stands in the question."""
    asked = tacit.Mean(tacit.Ball(20, 2.0, typical=0.5), tacit.Everyone(), 1, 100)
    plan, page = tacit.Local(6.0).plan(asked), words(tacit.Local(6.0), asked)
    report: Any = plan.device.facts

    assert "the mean of 20 numbers of L2 norm at most 2, typically 0.5, of 100 people" in page
    assert (
        f"standard deviation {report.worst_error**0.5:.6g} on a report, at worst "
        f"({report.typical_error**0.5:.6g} at typical norms)" in page
    )
    assert f"(squared {plan.error:.4g}) of an answer, at worst, and" in page
    assert f"(squared {plan.typical_error:.4g}) at typical norms" in page
    assert "typical norms" not in words(tacit.Central(1.0, 1e-6), asked)


@pytest.mark.parametrize(
    "trust, question, sentences",
    [
        (
            tacit.Central(1.0, 1e-6, Relation.REPLACE_ONE),
            tacit.Select(VOTES),
            (
                "noise on no sum: the exponential mechanism draws the answer",
                "it depends on the data",
            ),
        ),
        (
            tacit.NonPrivate(),
            RIGHT,
            ("noise none error none", "promised nothing: what is released may tell everything"),
        ),
    ],
)
def test_what_cannot_be_told_says_so(trust, question, sentences):
    """No zero stands for a number that does not exist, and no promise for none."""
    page = words(trust, question)

    assert all(sentence in page for sentence in sentences)
    assert "standard deviation" not in page


def test_a_page_may_have_other_lines():
    """In the place of those of the same label, or before what is sent; all else as it is."""
    page = tacit.Central(1.0, 0.0).plan(RIGHT).page
    own = page.instead(error="a tenth " * 20, way="by counting")
    labels = [line.split()[0] for line in own.split("\n") if not line.startswith(" ")]

    assert ["asked", "trust", "noise", "error", "way", "upload", "promised"] == labels
    assert "root mean squared" not in own and max(map(len, own.split("\n"))) <= 80
    assert page.instead() == str(page)
    free = tacit.NonPrivate().plan(RIGHT).page
    assert free.instead().endswith("promised  nothing: what is released may tell everything")


def test_sentences_are_folded_between_words():
    """Each on lines of its own; a word that is longer than a page stays whole."""
    long = "x" * 90
    said = folded("zero-concentrated " * 9, f"two\nlines {long}").splitlines()

    assert [len(line) <= 80 for line in said] == [True] * 5 + [False]
    assert said[3:] == ["two", "lines", long] and set(said[0].split()) == {"zero-concentrated"}


@pytest.mark.parametrize(
    "number, said",
    [
        (0.1 + 0.2, "0.3"),
        (-87834.42, "-87,834.4"),
        (1234567.8, "1,234,568"),
        (9.0e14, "900,000,000,000,000"),
        (-1e300, "-1e+300"),
        (math.inf, "inf"),
    ],
)
def test_a_number_is_said_in_full_where_that_is_short(number, said):
    """Of three hundred digits nobody reads more than the first and how many they are."""
    assert figures(number) == said
