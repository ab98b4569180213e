"""What a server may do with answers: the optimisers that `--server` names."""

import optax

from tacit.cli.steps import ServerRule

# Of each step along a mean of answers, what the newest one is.
NEWEST = 0.1
# Beside the size that these divide by: it must not be nothing where an answer is.
LEAST = 1e-3

# One object each: programs are told apart by them, and these are compiled once for all settings.
SERVERS = {
    ServerRule.descent: optax.sgd(1.0),
    ServerRule.momentum: optax.sgd(NEWEST, momentum=1 - NEWEST),
    ServerRule.adagrad: optax.adagrad(1.0, eps=LEAST),
    ServerRule.adam: optax.adam(1.0, eps=LEAST),
    ServerRule.yogi: optax.yogi(1.0, eps=LEAST),
}
DESCENT = SERVERS[ServerRule.descent]


def server(rule: ServerRule) -> optax.GradientTransformation:
    """The one of this name."""
    return SERVERS[rule]
