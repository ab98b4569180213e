"""How the values of a scan's equation are divided, whatever version of JAX traced it.

First come those that all steps share, then those that each step hands to the next, then those of
which each step has a row. Versions keep the two numbers under other names, or not at all; but what
has rows has an axis more outside of the step than within.
"""

from collections.abc import Sequence
from typing import Any

from jax.extend.core import JaxprEqn


def divided(equation: JaxprEqn) -> tuple[int, int]:
    """How many values all steps share, and how many each hands on."""
    step = equation.params["jaxpr"]
    without_rows = _as_deep(equation.invars, step.in_avals)
    handed_on = _as_deep(equation.outvars, step.out_avals)
    return without_rows - handed_on, handed_on


def _as_deep(outside: Sequence[Any], inside: Sequence[Any]) -> int:
    return sum(own.aval.ndim == each.ndim for own, each in zip(outside, inside, strict=True))
