"""Text as numbers of words, and the next word of each: rows of one length for models of language.

Words are what stands between blanks once marks are words of their own, in small letters. Which
words have a number is public: the commonest of a corpus that is public itself, never of the
people's texts, whose rare words are theirs alone. All others are one word, `UNKNOWN`.

A person's texts become windows: of each text, `length` words and the word after each of them, from
its beginning, without overlap. Texts are never joined, so no window holds two speakers' words, and
a text of a single word, which no word follows, has none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Int32

from tacit.argument import got, is_whole

UNKNOWN = 0
# A run of letters with what is inside it (o'er, to-day), a number, or one mark.
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+|[^\w\s]")
# What a place without a word has as its next: it counts for nothing.
NOTHING = -1


def words_of(text: str) -> list[str]:
    """The words of a text, marks among them."""
    return _WORD.findall(text.lower())


@final
@dataclass(frozen=True, repr=False)
class Vocabulary:
    """Words that have a number from 1 on; all others are `UNKNOWN`.

    Args:
      words: each once, by number.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(set(self.words)) != len(self.words):
            raise ValueError("a vocabulary must have every word once")

    @classmethod
    def of_public(cls, texts: Iterable[str], most: int) -> "Vocabulary":
        """The commonest words of *public* texts; of those as common, the first in the alphabet.

        Raises:
          ValueError: if `most` is below one.
        """
        if not (is_whole(most) and most >= 1):
            raise ValueError(f"a vocabulary needs at least 1 word, got {got(most)}")
        counts = Counter(word for text in texts for word in words_of(text))
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(tuple(ranked[:most]))

    @property
    def size(self) -> int:
        """Numbers there are, that of all other words included."""
        return len(self.words) + 1

    def encoded(self, text: str) -> list[int]:
        """The numbers of a text's words."""
        return [self._numbers.get(word, UNKNOWN) for word in words_of(text)]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=1)}

    def __repr__(self) -> str:
        return f"Vocabulary({len(self.words)} words)"


def windows(
    texts: Sequence[Sequence[int]], length: int
) -> tuple[Int32[np.ndarray, "windows length"], Int32[np.ndarray, "windows length"]]:
    """Words, and the word after each of them; `NOTHING` where there is no word.

    Raises:
      ValueError: if `length` is below one.
    """
    if not (is_whole(length) and length >= 1):
        raise ValueError(f"a window needs a length of at least 1, got {got(length)}")
    pieces = [
        (text[first : first + length], text[first + 1 : first + 1 + length])
        for text in texts
        for first in range(0, len(text) - 1, length)
    ]
    now = np.full((len(pieces), length), UNKNOWN, np.int32)
    after = np.full((len(pieces), length), NOTHING, np.int32)
    for row, (these, those) in enumerate(pieces):
        now[row, : len(those)] = these[: len(those)]
        after[row, : len(those)] = those
    return now, after
