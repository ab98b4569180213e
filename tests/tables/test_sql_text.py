"""Text that is no one SELECT is refused, in words of our own."""

import pytest

from tacit.tables.sql_text import expression, is_computed, statement


@pytest.mark.parametrize(
    "text, says",
    [
        ("WITH w AS (SELECT 1) SELECT COUNT(*) FROM w", "one SELECT, got WITH"),
        ("DROP TABLE v", "one SELECT, got DROP"),
        ("EXPLAIN SELECT COUNT(*) FROM v", "one SELECT, got EXPLAIN"),
        ("SELECT COUNT(*) FROM v; DROP TABLE v", "one statement, got several"),
        ("SELECT COUNT(*) FROM v; SELECT COUNT(*) FROM v", "one statement, got several"),
        ("", "1 to 10,000 characters, got 0"),
        ("-- nothing", "one SELECT, got no word"),
        ("SELECT COUNT(* FROM v", "cannot be read"),
        ("SELECT COUNT(*) FROM v WHERE 'open", "cannot be read"),
        ("SELECT COUNT(*) FROM v UNION SELECT COUNT(*) FROM v", "without UNION"),
        ("SELECT COUNT(*) FROM v; EXPLAIN SELECT 1", "one statement, got several"),
        (3, "characters, got 3"),
    ],
)
def test_what_is_no_select_is_refused(text, says, caplog):
    """In one sentence, and nothing is logged beside it."""
    with pytest.raises(ValueError, match=says) as refusal:
        statement(text)
    assert "\n" not in str(refusal.value) and "<class" not in str(refusal.value)
    assert [] == caplog.records


def test_an_expression_is_one_and_nothing_besides():
    """Remarks are nothing; clauses are refused."""
    assert "days / 7 > 1" == repr(expression("days / 7 -- weeks\n > 1"))
    for text, says in (("1, 2", "one expression"), ("1 FROM v", "without FROM"), ("", "one exp")):
        with pytest.raises(ValueError, match=says):
            expression(text)


@pytest.mark.parametrize(
    "text, holds", [("days / 7", True), ("lower(a)", True), ("days", False), ("a b", False)]
)
def test_what_is_computed_is_an_expression_and_no_column(text, holds):
    """A column's name, and words that are no SQL, are not."""
    assert holds == is_computed(text)
