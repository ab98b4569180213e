"""What is dp_accounting's: events, and its Renyi accountant.

Whoever needs one of them takes it from here, because here dp_accounting is imported without the
large parts of SciPy that its first lines name; it gets them when it calls them.
"""

from tacit.late import imported_late

with imported_late("dp_accounting"):
    from dp_accounting import NeighboringRelation
    from dp_accounting.dp_event import (
        ComposedDpEvent,
        DiscreteLaplaceDpEvent,
        DpEvent,
        GaussianDpEvent,
        LaplaceDpEvent,
        PoissonSampledDpEvent,
        RandomizedResponseDpEvent,
        SampledWithoutReplacementDpEvent,
        SampledWithReplacementDpEvent,
        SelfComposedDpEvent,
        TruncatedSubsampledGaussianDpEvent,
        ZCDpEvent,
    )
    from dp_accounting.rdp import RdpAccountant
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

__all__ = [
    "ComposedDpEvent",
    "DiscreteLaplaceDpEvent",
    "DpEvent",
    "GaussianDpEvent",
    "LaplaceDpEvent",
    "NeighboringRelation",
    "PoissonSampledDpEvent",
    "RandomizedResponseDpEvent",
    "RdpAccountant",
    "SampledWithReplacementDpEvent",
    "SampledWithoutReplacementDpEvent",
    "SelfComposedDpEvent",
    "TruncatedSubsampledGaussianDpEvent",
    "ZCDpEvent",
    "compute_epsilon",
]
