"""Slips that rounds with shares of one promise would not survive: the same promise, and less noise.

Each is what a plausible line would do: shares that were forgotten, a factor, a ball that is not the
one that noise is scaled to. The numbers of a plan change, and nothing else, so that all run by the
program that the plan itself is run by.
"""

from dataclasses import replace
from typing import Any

import equinox as eqx

from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.laplace import Laplace
from tacit.plan import Plan, Sum


def none(plan: Plan) -> Plan:
    """As it is."""
    return plan


def quieter(plan: Plan) -> Plan:
    """Two-thirds of the noise."""
    return _noised(plan, [2 / 3] * plan.sums.rounds)


def uncomposed(plan: Plan) -> Plan:
    """Every round is noised as if there were no other."""
    question: Any = plan.question
    server: Any = plan.server
    pure = isinstance(server.rounds[0].mechanism, Laplace)
    return _noised(plan, [share if pure else share**0.5 for share in question.shares])


def unclipped(plan: Plan, times: float = 3.0) -> Plan:
    """Terms may be so many times as long as noise is scaled to."""
    own: Any = plan.sums.contribution
    wide = eqx.tree_at(lambda ball: ball.radius, own, times * own.radius)
    question: Any = plan.question
    asked = replace(question, sums=replace(question.sums, contribution=wide))
    return replace(plan, question=asked, collect=Sum(wide))


def _noised(plan: Plan, times: list[float]) -> Plan:
    server: Any = plan.server
    each = [
        _scaled(own.mechanism, factor) for own, factor in zip(server.rounds, times, strict=True)
    ]
    at = lambda whole: [own.mechanism for own in whole.rounds]  # noqa: E731
    return replace(plan, server=eqx.tree_at(at, server, each))


def _scaled(noise: Gaussian | Laplace, times: float) -> Gaussian | Laplace:
    if isinstance(noise, Gaussian):
        return Gaussian(noise.sigma * times, noise.sensitivity, noise.step)
    return Laplace.calibrate(noise.epsilon / times, noise.sensitivity, noise.step)
