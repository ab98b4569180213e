"""Closed forms for shuffled local reports: the bounds of the papers, each under its own premises.

n people each run an e0-private randomiser and their reports are put in uniform secret order. Every
function below bounds the epsilon at delta between neighbours that differ in one person's value.
They are there for comparison and for a first estimate: the exact pairs (`pairs.blanket`,
`pairs.clones`) are always at least as good. Shuffling is a post-processing of the reports, so every
answer is at most e0, and is e0 where the formula says nothing.

| function | randomisers | premises |
| --- | --- | --- |
| `erlingsson2019` | any, chosen adaptively | e0 <= 1/2, n >= 1000, delta <= 0.01 |
| `blanket_hoeffding` | the same for everyone | none |
| `blanket_bennett` | the same for everyone | none |
| `clones_closed_form` | any, chosen adaptively | e0 <= log(n / (16 log(4 / delta))) |

**The blanket bounds**, with E = e^e0 and g = e^epsilon.

1. With L = (R(x) - g R(x')) / w at a report from the blanket w,
   delta(epsilon) <= E[L_1 + .. + L_M]_+ / (gamma n), M ~ Bin(n, gamma).
2. For any randomiser gamma may be taken as its least value, 1/E: a part of the blanket is one. Then
   R(x) / w is from 1/E to E and

       E[L] = -a = 1 - g,    L <= b = E - g,    range of L <= r = (g + 1)(E - 1),
       E[L²] <= c = E (g² + 1) - 2 g / E³.

3. Hoeffding's inequality, integrated over the excess, gives
   E[L_1 + .. + L_m]_+ <= r² / (4a) e^(-m h), h = 2 a² / r².
4. Bennett's gives b / log(1 + u) e^(-m h) with u = a b / c and
   h = c / b² ((1 + u) log(1 + u) - u). In both the mean over M is then that of a binomial.

References:
    Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta (2019), "Amplification by
    shuffling: from local to central differential privacy via anonymity".
    Balle, Bell, Gascon, Nissim (2019), "The privacy blanket of the shuffle model".
    Feldman, McMillan, Talwar (2021), "Hiding among the clones", Theorem 3.1.
"""

import math
from collections.abc import Callable

from tacit.argument import got, is_number, refuse_not_positive

# Of e0, of an epsilon found by bisection: no digit that is shown.
_TOLERANCE = 1e-12
# Epsilons that are tried for one that meets a bound: one in every thousandth of e0.
_SCAN = 1000
Bound = Callable[[float, int, float], float]


def erlingsson2019(local_epsilon: float, people: int, delta: float) -> float:
    """The first closed form: 12 e0 √(log(1 / delta) / n).

    **Guarantee.** An upper bound, for any randomisers, different and chosen adaptively.

    Raises:
      ValueError: outside the theorem's premises, at most 1/2 for `local_epsilon`, at least 1000
        for `people` and at most 0.01 for `delta`.
    """
    _check(local_epsilon, people, delta)
    if not (local_epsilon <= 0.5 and people >= 1000 and delta <= 0.01):
        raise ValueError(
            "erlingsson2019 holds for local_epsilon <= 1/2, people >= 1000 and delta <= 0.01, "
            f"got {local_epsilon}, {people} and {delta}"
        )
    return min(local_epsilon, 12 * local_epsilon * math.sqrt(-math.log(delta) / people))


def blanket_hoeffding(local_epsilon: float, people: int, delta: float) -> float:
    """The generic blanket bound by Hoeffding's inequality.

    **Guarantee.** An upper bound if everyone runs the same randomiser; e0 where it says nothing.

    **Error.** The formula is solved from above, to 1e-12 of e0.
    """
    _check(local_epsilon, people, delta)
    return _solve(_hoeffding, local_epsilon, people, delta)


def blanket_bennett(local_epsilon: float, people: int, delta: float) -> float:
    """The generic blanket bound by Bennett's inequality.

    **Guarantee.** An upper bound if everyone runs the same randomiser; e0 where it says nothing.

    **Error.** The formula is solved from above, to 1e-12 of e0.
    """
    _check(local_epsilon, people, delta)
    return _solve(_bennett, local_epsilon, people, delta)


def clones_closed_form(local_epsilon: float, people: int, delta: float) -> float:
    """The closed form of the clone pair,

        log(1 + (E - 1) / (E + 1) (8 √(E log(4 / delta)) / √n + 8 E / n)).

    **Guarantee.** An upper bound, for any randomisers, different and chosen adaptively.

    Raises:
      ValueError: `local_epsilon` is more than log(n / (16 log(4 / delta))).
    """
    _check(local_epsilon, people, delta)
    log = math.log(4 / delta)
    most = math.log(people / (16 * log))
    if not local_epsilon <= most:
        raise ValueError(
            "clones_closed_form holds for local_epsilon <= log(people / (16 log(4 / delta))) = "
            f"{most}, got {local_epsilon}"
        )
    clones = people * math.exp(-local_epsilon)
    excess = math.tanh(local_epsilon / 2) * (8 * math.sqrt(log / clones) + 8 / clones)
    return min(local_epsilon, math.log1p(excess))


def _hoeffding(local_epsilon: float, people: int, epsilon: float) -> float:
    """The delta of step 3."""
    gamma, a = math.exp(-local_epsilon), math.expm1(epsilon)
    width = (a + 2) * math.expm1(local_epsilon)
    hidden = _hidden(people, gamma, 2 * (a / width) ** 2)
    return width * (width / (4 * a)) * hidden / (gamma * people)


def _bennett(local_epsilon: float, people: int, epsilon: float) -> float:
    """The delta of step 4."""
    gamma, a, g = math.exp(-local_epsilon), math.expm1(epsilon), math.exp(epsilon)
    most = g * math.expm1(local_epsilon - epsilon)
    second = a * a / gamma - 2 * g * math.expm1(-4 * local_epsilon) / gamma
    u = a / second * most
    log = math.log1p(u)
    # The difference loses its digits for a small u; Bernstein's is just below it.
    gain = (1 + u) * log - u if u > 1e-3 else u * u / (2 + u * 2 / 3)
    hidden = _hidden(people, gamma, second / most / most * gain) - (1 - gamma) ** people
    return most / log * hidden / (gamma * people)


def _hidden(people: int, gamma: float, rate: float) -> float:
    """The mean of e^(-M rate) for M ~ Bin(people, gamma)."""
    return math.exp(people * math.log1p(gamma * math.expm1(-rate)))


def _solve(bound: Bound, local_epsilon: float, people: int, delta: float) -> float:
    """An epsilon, solved from above, at which `bound` is met; local_epsilon if none is found.

    The true delta falls with epsilon, so any epsilon that meets the bound is a promise. The bound
    itself rises again near local_epsilon, hence the scan. With less than one report expected from
    the blanket there is nothing to find.
    """
    if people * math.exp(-local_epsilon) < 1:
        return local_epsilon
    epsilons = (local_epsilon * i / _SCAN for i in range(1, _SCAN))
    high = next((e for e in epsilons if bound(local_epsilon, people, e) <= delta), None)
    if high is None:
        return local_epsilon
    low = max(high - local_epsilon / _SCAN, 0.0)
    while high - low > _TOLERANCE * local_epsilon:
        middle = 0.5 * (low + high)
        met = bound(local_epsilon, people, middle) <= delta
        low, high = (low, middle) if met else (middle, high)
    return high


def _check(local_epsilon: float, people: int, delta: float) -> None:
    refuse_not_positive("local_epsilon", local_epsilon)
    if not (is_number(people) and people >= 1):
        raise ValueError(f"people must be at least 1, got {got(people)}")
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must be in (0, 1), got {got(delta)}")
