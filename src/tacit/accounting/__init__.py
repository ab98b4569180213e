"""What releases promise, alone and together: for any mechanism the field uses.

    from tacit.accounting import Relation, epsilon, events
    training = events.repeated(events.poisson(0.01, events.gaussian(1.0)), 1_000)
    epsilon(training, 1e-6, Relation.ADD_REMOVE).epsilon

An event says what was released, a `Relation` which data sets are neighbours. Every number is an
upper bound, rounding included; a pair of both without a proof is refused.

| question | names |
| --- | --- |
| what was released | `events`, a module: `events.gaussian`, `events.composed`, ... |
| what does it promise | `epsilon`, `delta`, `profile`; `tradeoff` |
| do two accountants agree | `cross_check` |
| how much noise, how many rounds | `calibration`, a module: `calibration.noise_multiplier`, ... |
| one Gaussian release | `gaussian_epsilon`, `gaussian_delta`, `gaussian_noise_multiplier` |
| what theorems of the field say | `theorems`, modules to compare with |
| a promise in a plan or a receipt | `Guarantee` |
| an event in a file | `to_json`, `from_json` |

Of the second and third row all answer with a `Certified`, but `tradeoff` with a `Tradeoff`.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
