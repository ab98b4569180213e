"""Is it as private as it says? A lower bound on epsilon, of what somebody's own function answers.

    def mean(data, seed):
        return np.clip(data, 0, 1).mean() + np.random.default_rng(seed).laplace(scale=0.01)

    print(tacit.audit.by_runs(mean, tacit.audit.neighbours(100), tacit.audit.EpsilonDelta(1.0)))

| what it costs to run it once | what to call |
| --- | --- |
| little | `by_runs`: many runs on two neighbouring data sets |
| much | `in_one_run`: many canaries, each in the data or not by a coin, in a single run |
| a fit of an estimator | either, of `fitting(estimator)` |

**What an audit says.** "Breaks the promise" is proved: a function that keeps it is convicted with
probability 1 - confidence at most, whatever it does, over its own randomness. "Consistent with the
promise" proves nothing: there may be better data, or a better test. Both are of the two data sets
(or the canaries) that were chosen; the promise is of all.

A function is called as `function(data, seed)`, with a new whole number below 2^63 each time, from
which it makes all of its noise.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
