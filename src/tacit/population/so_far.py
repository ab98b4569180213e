"""What was promised of the rounds that are done, if they had been all.

A plan's event is `times` equal releases, one for each round that a person may report in, spread
evenly over its rounds: in each of the rounds, or in one of every pass. After t of T rounds a person
has been in at most

    ceil(t times / T)

of these: of so many releases the accountant's epsilon is what they cost so far, at the promise's
own delta. Where an event is no such repetition (a stream that pays for its positives, say) what is
promised of all rounds is said from the first on, which is an upper bound as well.

That is for people to read. What is charged is the whole plan, before its first round.
"""

from tacit.accounting import accountant, events
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.upper import upper
from tacit.borrowed import DpEvent, SelfComposedDpEvent
from tacit.question.sums import Mean


def epsilon_so_far(promise: Guarantee, sums: Mean, done: int) -> float:
    """The epsilon, at most, of what this promise's observer has seen after so many rounds.

    Args:
      promise: of a plan.
      sums: what the plan asks.
      done: from 0 to all its rounds.
    """
    if done == 0:
        return 0.0
    release = _spread(promise.event, sums)
    if done == sums.rounds or release is None:
        return promise.epsilon
    seen = events.repeated(release, -(-done * sums.times // sums.rounds))
    found = accountant.epsilon(seen, promise.delta_of_event, promise.relation)
    return min(found.epsilon, promise.epsilon)


def told_so_far(promise: Guarantee, sums: Mean, done: int) -> str:
    """The same beside all of it, rounded up."""
    return f"ε {upper(epsilon_so_far(promise, sums, done))} of {upper(promise.epsilon)}"


def _spread(event: DpEvent, sums: Mean) -> DpEvent | None:
    """What is released in each round that a person may report in; None if it is not so."""
    if isinstance(event, SelfComposedDpEvent) and event.count == sums.times:
        return event.event
    return None
