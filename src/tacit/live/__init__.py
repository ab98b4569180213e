"""The same plan on a real network of devices: who asks, who answers, and what crosses between them.

    digits = live.Function("digits", 1, learner, person)
    population = live.Federation(link, "phones", functions=[digits])
    release = population.grant(plan, learner, ledger).run()

A `Federation` is a population, as `Arrays` is: a plan and a learner that train in memory train here
without a changed line. A round sends each device an order, and adds up the reports that come
back on the plan's public grid. A device is a `Client`: it keeps a cap and a ledger of its own, runs
functions from a list of its own, and randomises before anything leaves it.
"""

from tacit import first_use

__getattr__, __dir__, __all__ = first_use.names(__name__, __file__)
