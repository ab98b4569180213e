"""A promise beside the plan that it was recorded with: in what they do not say the same.

A plan records its trust model and every promise it makes, so a promise stands in a receipt twice.
Each must be one of its plan's, word for word and in its order, and the public's no weaker than the
trust model's. A plan that records neither is compared with its noise alone.

Where noise is added to the sums of one shape, the event of the public's promise follows from what
the plan says of the server and of who takes part, and is made again from them:

| the server's noise, beside the distance it is scaled to | one release |
| --- | --- |
| Gaussian of deviation sigma, at an L2 distance of at most d | Gaussian, multiplier sigma / d |
| Euclidean norm of epsilon, in so many dimensions | the release of that law |
| Laplace, staircase, cube norm or Wisharts of epsilon | a K-norm release of epsilon |

| who takes part | all rounds |
| --- | --- |
| everyone, or who is available | as many releases |
| each with a secret chance, or a secret subset of so many | as many, each sampled so |
| each in one, or so many, secret rounds | so many releases |

Of other servers (choices, streams, rows, several noises) nothing is made again, and of none that
the distance is the shape's own.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from tacit.accounting.guarantee import Guarantee
from tacit.accounting.reserve import NEGLIGIBLE
from tacit.argument import is_number

# What an epsilon or an event that is made again may differ by: its last digits, in other versions.
_RELATIVE = 1e-9


def unlike_the_plan(
    claim: Guarantee, written: Mapping[str, Any], receipt: Mapping[str, Any]
) -> str:
    """In what the claim differs from the plan beside it, as far as that records promises."""
    plan, made = receipt["plan"], receipt["guarantees"]
    planned, trust = plan.get("guarantees", made), plan.get("trust", {})
    whole = trust.get("central", trust) if isinstance(trust, Mapping) else None
    if not (isinstance(planned, list) and isinstance(whole, Mapping)):
        return "the plan beside it is none"
    promises = [_text(one) for one in planned]
    if _text(written) not in promises:
        return "the plan beside it does not make this promise"
    if [_text(one) for one in made] != promises:
        return "the promises are not those of the plan beside them, each once and in order"
    if claim.observer != "public":
        return ""
    return _weaker(claim, whole) or _unlike_the_noise(written["event"], plan)


def _weaker(claim: Guarantee, trust: Mapping[str, Any]) -> str:
    """In what a promise to the public is not the trust's, as far as the trust says."""
    if trust.get("relation", claim.relation.value) != claim.relation.value:
        return f"the trust is under {trust['relation']}, the promise under {claim.relation.value}"
    epsilon, delta = trust.get("epsilon", math.inf), trust.get("delta", claim.delta)
    if not (is_number(epsilon) and claim.epsilon <= epsilon * (1 + _RELATIVE)):
        return f"the trust's epsilon is {epsilon}, the promise's {claim.epsilon}"
    # A pure promise states what its samplers take, if that is negligible.
    reserved = min(claim.delta_reserved, NEGLIGIBLE)
    if not (is_number(delta) and claim.delta <= max(delta, reserved)):
        return f"the trust's delta is {delta}, the promise's {claim.delta}"
    return ""


def _unlike_the_noise(event: Any, plan: Mapping[str, Any]) -> str:
    """In what the event is not what the plan's own noise, rounds and sampling make it."""
    match plan:
        case {
            "server": {"type": "NoisyMean" | "SymmetricMean", "mechanism": noise},
            "question": question,
        }:
            made = _all_rounds(_release(noise), question)
            if not _alike(made, event):
                return (
                    "the event is not that of the noise, rounds and sampling of the plan beside it"
                )
    return ""


def _release(noise: Any) -> Mapping[str, Any] | None:
    """The event of one round."""
    match noise:
        case {"type": "Gaussian", "sigma": sigma, "sensitivity": moved} if _above_zero(
            sigma, moved
        ):
            return {"event": "gaussian", "noise_multiplier": sigma / moved}
        case {"type": "EuclideanNorm", "epsilon": epsilon, "dimension": dimension}:
            return {"event": "euclidean-norm", "epsilon": epsilon, "dimension": dimension}
        case {
            "type": "Laplace" | "Staircase" | "CubeNorm" | "WishartDifference",
            "epsilon": epsilon,
        }:
            return {"event": "k-norm", "epsilon": epsilon}
    return None


def _all_rounds(release: Any, question: Any) -> Mapping[str, Any] | None:
    """The event of all rounds, by who takes part."""
    match question:
        case {"participation": {"type": "Everyone" | "Available"}, "rounds": rounds}:
            return {"event": "repeated", "of": release, "count": rounds}
        case {"participation": {"type": "Poisson", "rate": rate}, "rounds": rounds}:
            sampled = {"event": "poisson", "rate": rate, "of": release}
            return {"event": "repeated", "of": sampled, "count": rounds}
        case {"participation": {"type": "Fixed", "size": size}, "rounds": rounds, "people": people}:
            sampled = {"event": "without-replacement", "people": people, "sample": size}
            return {"event": "repeated", "of": {**sampled, "of": release}, "count": rounds}
        case {"participation": {"type": "AtMost", "limit": count}}:
            return {"event": "repeated", "of": release, "count": count}
        case {"participation": {"type": "Cyclic", "passes": count}}:
            return {"event": "repeated", "of": release, "count": count}
    return None


def _alike(made: Any, event: Any) -> bool:
    """The same names and numbers, as far as floats are kept by a division."""
    if isinstance(made, Mapping):
        same = isinstance(event, Mapping) and set(made) == set(event)
        return same and all(_alike(made[name], event[name]) for name in made)
    if is_number(made) and is_number(event):
        return math.isclose(made, event, rel_tol=_RELATIVE)
    return made is not None and type(made) is type(event) and made == event


def _above_zero(*numbers: Any) -> bool:
    return all(is_number(number) and number > 0 for number in numbers)


def _text(promise: Any) -> str:
    """A promise, as a receipt or as a plan holds it, to the letter: true is not 1."""
    bare = {"type": "Guarantee", **promise} if isinstance(promise, Mapping) else promise
    return json.dumps(bare, sort_keys=True)
