"""A tree as a picture: every test and label of it, and nothing of the day it was drawn."""

import io

from tacit.estimators.tree_picture import draw
from tacit.pac.rules import BitTest

TREE = BitTest(1, BitTest(0, 1, 0), 1)


def drawn(tree) -> str:
    into = io.BytesIO()
    draw(tree, ["age >= 40", "kind is 2"], ["poor", "rich"], into)
    return into.getvalue().decode()


def test_a_picture_says_what_the_tree_does():
    """A box for each test and end, and which way is which."""
    said = drawn(TREE)

    assert 1 == said.count("age &gt;= 40") == said.count("kind is 2") == said.count("poor")
    assert 2 == said.count(">rich<") == said.count(">yes<") == said.count(">no<")


def test_a_label_alone_is_a_picture_too():
    """Without any tests."""
    assert "poor" in drawn(0) and "yes" not in drawn(0)


def test_one_tree_is_one_picture():
    """To the byte."""
    assert drawn(TREE) == drawn(TREE)
