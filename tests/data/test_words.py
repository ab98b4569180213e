"""Text as numbers: words, public vocabularies, and windows that never join two texts."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.words import NOTHING, UNKNOWN, Vocabulary, windows, words_of


def test_marks_are_words_and_letters_are_small():
    """What is inside a word stays in it; numbers are words."""
    assert words_of("O'er the Measure: those -- to-day, 3 men_") == (
        ["o'er", "the", "measure", ":", "those", "-", "-", "to-day", ",", "3", "men"]
    )
    assert words_of("") == words_of(" \t ") == []


def test_a_vocabulary_has_the_commonest_public_words():
    """As common ones in the order of the alphabet; the rest are one word."""
    public = Vocabulary.of_public(["the cat and the dog", "the dog and a bird"], 3)

    assert public.words == ("the", "and", "dog") and public.size == 4
    assert public.encoded("The bird and THE dog") == [1, UNKNOWN, 2, 1, 3]
    assert repr(public) == "Vocabulary(3 words)"


@pytest.mark.parametrize("most", [0, -1])
def test_a_vocabulary_of_nothing_is_refused(most):
    """And one that has a word twice."""
    with pytest.raises(ValueError, match=f"at least 1 word, got {most}"):
        Vocabulary.of_public(["a"], most)
    with pytest.raises(ValueError, match="every word once"):
        Vocabulary(("a", "a"))


def test_every_word_stands_before_the_next():
    """Places without one have nothing after them."""
    now, after = windows([[5, 6, 7, 8, 9], [3, 4]], 3)

    np.testing.assert_array_equal(now, [[5, 6, 7], [8, 0, 0], [3, 0, 0]])
    np.testing.assert_array_equal(after, [[6, 7, 8], [9, NOTHING, NOTHING], [4, NOTHING, NOTHING]])


def test_a_role_with_two_words_has_one_window_and_one_with_one_word_none():
    """A word that none follows teaches nothing."""
    assert windows([[1, 2]], 10)[0].shape == (1, 10)
    assert windows([[1], []], 10)[0].shape == (0, 10)


@given(st.lists(st.lists(st.integers(1, 99), max_size=30), max_size=8), st.integers(1, 9))
def test_every_word_but_the_first_of_a_text_is_asked_for_once(texts, length):
    """In order, by the word before it in the same text."""
    now, after = windows(texts, length)
    there = after != NOTHING
    pairs = [pair for text in texts for pair in itertools.pairwise(text)]

    assert list(zip(now[there].tolist(), after[there].tolist(), strict=True)) == pairs


def test_a_window_of_no_word_is_refused():
    """By its length."""
    with pytest.raises(ValueError, match="at least 1, got 0"):
        windows([[1, 2]], 0)
