"""One small example of every event there is, with a relation it is accounted under."""

from dp_accounting import DpEvent

from tacit.accounting import events as e
from tacit.accounting.relation import Relation

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT

EVERY: list[tuple[DpEvent, Relation]] = [
    (e.gaussian(5), ADD),
    (e.gaussian(5), REPLACE),
    (e.laplace(9), ADD),
    (e.discrete_laplace(0.1, 2), ADD),
    (e.discrete_gaussian(6, 1), ADD),
    (e.k_norm(0.2), ADD),
    (e.euclidean_norm(0.4, 7), ADD),
    (e.exponential_mechanism(0.3), ADD),
    (e.permute_and_flip(0.2), ADD),
    (e.sparse_vector(0.2), ADD),
    (e.epsilon_delta(0.2, 1e-9), ADD),
    (e.zcdp(0.01, 0.001), ADD),
    (e.local(0.2), REPLACE),
    (e.randomized_response(0.9, 5), REPLACE),
    (e.priv_unit(0.5, 0.55), REPLACE),
    (e.shuffled(1.0, 5000), REPLACE),
    (e.blanket(1.0, 0.6, 3000), REPLACE),
    (e.poisson(0.02, e.gaussian(1.2)), ADD),
    (e.poisson(0.02, e.gaussian(1.2)), ZERO),
    (e.poisson(0.1, e.laplace(1.5)), ADD),
    (e.poisson(0.1, e.discrete_gaussian(2, 1)), ADD),
    (e.poisson(0.1, e.epsilon_delta(0.5, 1e-9)), ADD),
    (e.truncated_poisson(1000, 0.02, 35, 1.2), ADD),
    (e.poisson_records(0.02, 3, e.gaussian(4)), ADD),
    (e.without_replacement(1000, 20, e.gaussian(1.5)), REPLACE),
    (e.without_replacement(1000, 20, e.randomized_response(0.3, 4)), REPLACE),
    (e.with_replacement(1000, 20, e.gaussian(2)), REPLACE),
    (e.group(2, e.poisson(0.02, e.gaussian(3))), ADD),
    (e.group(3, e.laplace(30)), ADD),
    (e.last_iterate(50, 0.98, 0.1, 1.0, None), REPLACE),
    (e.last_iterate(50, 1.0, 0.1, 1.0, 2.0), REPLACE),
    (e.composed([e.poisson(0.02, e.gaussian(1.2)), e.gaussian(9), e.local(0.01)]), ADD),
    (e.composed([e.without_replacement(1000, 20, e.gaussian(2)), e.shuffled(1, 500)]), REPLACE),
]
