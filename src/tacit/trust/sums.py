"""Questions about sums, where the means are private or meant to be seen: post-processing.

Only a curator needs a part of its own for each question. Everybody else answers the mean, and what
is asked of it is computed from that: the largest entry, whether it is above a threshold.
"""

import numpy as np

from tacit.device.noise_sharing import NoiseSharing
from tacit.device.workload import MOST_CELLS, OnWorkload
from tacit.plan import Device, Identity, Server
from tacit.question.keyed import Keyed
from tacit.question.linear import Linear
from tacit.question.objectives import MaxError
from tacit.question.rows import OfRows
from tacit.question.running import Running
from tacit.question.sums import Above, Mean, Question, Select, no_question
from tacit.question.uneven import Uneven
from tacit.server.already_private import Largest, Queried, Reached
from tacit.server.keyed import EveryKey, KeyedMean


def answered(question: Question, means: Server, device: Device) -> Server:
    """The server of a question about these means, of reports of such devices."""
    match question:
        case Select():
            return Largest(means)
        case Above(threshold=threshold, positives=positives):
            return Reached(means, threshold, positives)
        case Linear(workload=workload):
            own = device.decoder if isinstance(device, OnWorkload) else workload.basis()
            return Queried(means, workload, own.astype(np.float32), _known(device))
        case Keyed(most=most, at_least=at_least):
            return KeyedMean(EveryKey(at_least), means, most)
        case Mean() | Running() | Uneven():
            return means
        case _:
            raise no_question(question)


def _known(device: Device) -> str | None:
    """What a plan says where no table of reports is made for the queries."""
    if isinstance(device, OnWorkload | Identity | NoiseSharing):
        return None
    return (
        "not stated: people report their cell as for a histogram, and answers are sums of its "
        f"counts, with their errors; up to {MOST_CELLS - 1:,} cells have reports made for the "
        "queries"
    )


def mean_squared_error(question: Question, device: Device, server: Server) -> float | None:
    """The error of one answer when every report is collected whole: devices, server, projection.

    None for a question whose answer is not a mean.
    """
    own = isinstance(question, Linear) and isinstance(device, OnWorkload)
    if not (own or question.of_means):
        return None
    cohort = question.sums.cohort
    return device.facts.answer_error(cohort, server.facts, cohort)


def refuse_curated(question: Question) -> None:
    """Raises a ValueError for a question that only a curator answers, or nobody does."""
    if isinstance(question, OfRows):
        raise ValueError(
            "OfRows needs all rows in one place: only Central can answer it, or NonPrivate"
        )
    if isinstance(question, Keyed):
        raise ValueError(
            "Keyed needs whoever sees which keys there are: only Central can answer it, or "
            "NonPrivate; keys that are declared are a Mean, which every trust model answers"
        )
    if not isinstance(question, Mean | Select | Above | Running | Uneven | Linear):
        raise no_question(question)


def refuse_worst(question: Question) -> None:
    """Raises a ValueError for the least worst error: devices' reports are not made for it."""
    if isinstance(question, Linear) and isinstance(question.objective, MaxError):
        raise ValueError(
            "the least worst error is that of a curator's noise: ask it under Central, or "
            "MeanError under Local or Shuffled"
        )


def refuse_uneven(question: Question) -> None:
    """Raises a ValueError for rounds of uneven shares: whoever randomises does it alike in all."""
    if isinstance(question, Uneven):
        raise ValueError(
            "devices report alike in every round, so its shares are even: ask Mean, or Uneven "
            "under Central or Federated"
        )
