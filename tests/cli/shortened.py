"""`tacit train` on digits in few rounds, where little has to be learnt."""

from dataclasses import replace

import pytest

from tacit.cli import settings


def shorten(patched: pytest.MonkeyPatch, most: int) -> None:
    """No setting has more rounds; models are means of the latter half of them."""
    for name in ("tuned_digits", "shared_digits"):

        def few(*given, own=getattr(settings, name)):
            rows = [(row, min(row.rounds, most)) for row in own(*given)]
            return tuple(replace(row, rounds=n, average_from=n // 2) for row, n in rows)

        patched.setattr(settings, name, few)
