from . import calibration, events, theorems
from .accountant import Certified, Tradeoff, cross_check, delta, epsilon, profile, tradeoff
from .event_json import from_json, to_json
from .guarantee import Guarantee
from .loss.gaussian import gaussian_delta, gaussian_epsilon, gaussian_noise_multiplier
from .relation import Relation

__all__ = [
    "Certified",
    "Guarantee",
    "Relation",
    "Tradeoff",
    "calibration",
    "cross_check",
    "delta",
    "epsilon",
    "events",
    "from_json",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_noise_multiplier",
    "profile",
    "theorems",
    "to_json",
    "tradeoff",
]
