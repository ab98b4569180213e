"""The central model: noise for the relation, an epsilon that never passes its target, the error."""

import dataclasses
import itertools
import math
import re
from collections.abc import Iterator

import equinox as eqx
import numpy as np
import pytest

from measured import answers, bias, deviation
from tacit.accounting import calibration, events
from tacit.accounting.accountant import epsilon as certified_epsilon
from tacit.accounting.relation import Relation
from tacit.accounting.reserve import reserve_for
from tacit.contribution import (
    Ball,
    Counts,
    Cube,
    Grid,
    Interval,
    L1Ball,
    OneHot,
    Outer,
    Product,
    Sphere,
)
from tacit.ledger import receipt
from tacit.mechanisms.additive.cube_norm import CubeNorm
from tacit.mechanisms.additive.gaussian import Gaussian
from tacit.mechanisms.additive.k_norm import EuclideanNorm
from tacit.mechanisms.additive.laplace import Laplace
from tacit.mechanisms.additive.staircase import Staircase
from tacit.mechanisms.additive.wishart import WishartDifference
from tacit.plan import Plan, Server
from tacit.population.release import Release
from tacit.question.participation import AtMost, Available, Everyone, Fixed, Once, Poisson
from tacit.question.sums import Above, Mean, Select
from tacit.server.means import JointMean, NoisyMean
from tacit.server.symmetric import SymmetricMean
from tacit.trust.central import Central

ADD, REPLACE, ZERO = Relation.ADD_REMOVE, Relation.REPLACE_ONE, Relation.ZERO_OUT
NUMBER, BALL = Interval(2.0, 5.0), Ball(4, 1.5)


def ask(shape=NUMBER, who=Everyone(), rounds=3, people=500) -> Mean:
    return Mean(shape, who, rounds, people)


SHAPES = {
    "interval": NUMBER,
    "grid": Grid(-1, 4, 0.5),
    "ball": BALL,
    "l1-ball": L1Ball(3, 2.0),
    "cube": Cube(3, -1.0, 2.0),
    "sphere": Sphere(4),
    "one-hot": OneHot(5),
    "counts": Counts(5, 2, 3),
    "outer": Outer(3, 1.5),
}
# The pure noise of each, and how far neighbouring sums are apart, in L2 and in that noise's norm:
# one left out, and one replaced.
APART = {
    "interval": (Staircase, (5.0, 5.0), (3.0, 3.0)),
    "grid": (Staircase, (2.0, 2.0), (2.5, 2.5)),
    "ball": (EuclideanNorm, (1.5, 1.5), (3.0, 3.0)),
    "l1-ball": (Laplace, (2.0, 2.0), (4.0, 4.0)),
    "cube": (CubeNorm, (math.sqrt(12), 2.0), (math.sqrt(27), 3.0)),
    "sphere": (EuclideanNorm, (1.0, 1.0), (2.0, 2.0)),
    "one-hot": (Laplace, (1.0, 1.0), (math.sqrt(2), 2.0)),
    "counts": (Laplace, (3 * math.sqrt(2), 6.0), (6.0, 12.0)),
    "outer": (WishartDifference, (2.25, 2.25), (2.25 * math.sqrt(2), 4.5)),
}
Mechanism = Gaussian | Laplace | Staircase | EuclideanNorm | CubeNorm | WishartDifference
CELLS = list(itertools.product(SHAPES, Relation))
# A sphere's pure noise is a ball's, and slow to account for.
PURE_CELLS = [cell for cell in CELLS if cell[0] != "sphere" or cell[1] is REPLACE]


def apart(name: str, relation: Relation) -> tuple[float, float]:
    return APART[name][1 + (relation is REPLACE)]


def mechanisms(server: Server) -> Iterator[Mechanism]:
    """Of every part."""
    if isinstance(server, JointMean):
        for part in server.parts:
            yield from mechanisms(part)
    else:
        assert isinstance(server, NoisyMean | SymmetricMean)
        yield server.mechanism


def only(plan: Plan) -> Mechanism:
    (mechanism,) = mechanisms(plan.server)
    return mechanism


@pytest.mark.parametrize("name, relation", CELLS)
def test_noise_is_the_multiplier_times_the_distance_of_neighbours(name, relation):
    """One calibrated multiplier, scaled to how far the sum moves: at least, and to rounding."""
    plan = Central(1.0, 1e-5, relation).plan(ask(SHAPES[name]))
    distance, _ = apart(name, relation)
    multiplier = calibration.noise_multiplier(
        lambda z: events.repeated(events.gaussian(z), 3), 1.0, 1e-5, relation
    )

    assert isinstance(only(plan), Gaussian)
    assert multiplier * distance <= plan.server.facts.noise <= multiplier * distance * (1 + 1e-4)


def staircase_variance(epsilon: float, moved: float) -> float:
    """The least, of the continuous law (Geng and Viswanath, with their best width)."""
    b = math.exp(-epsilon)
    return moved**2 * (2 ** (-2 / 3) * (b * (1 + b)) ** (2 / 3) + b) / (1 - b) ** 2


def stairs_variance(epsilon: float, width: int) -> float:
    """The least of whole numbers, over all lengths of the first stair, by summation."""
    k = np.arange(0, 400 * width)
    masses = [
        np.exp(-epsilon * ((k + width - first) // width)) * (1 + (k > 0))
        for first in range(1, width + 1)
    ]
    return min(float((k * k * mass).sum() / mass.sum()) for mass in masses)


def pure_variance(name: str, epsilon: float, moved: float) -> float:
    """Of one coordinate, from the shape's own noise's law."""
    shape, (kind, *_) = SHAPES[name], APART[name]
    dim = math.prod(shape.answer_shape)
    if kind is EuclideanNorm:
        return (dim + 1) * (moved / epsilon) ** 2
    if kind is WishartDifference:
        return (shape.dim + 1) * (moved / epsilon) ** 2
    if kind is CubeNorm:
        return (dim + 1) * (dim + 2) / 3 * (moved / epsilon) ** 2
    if kind is Staircase and shape.unit:
        return shape.unit**2 * stairs_variance(epsilon, round(moved / shape.unit))
    if kind is Staircase:
        return staircase_variance(epsilon, moved)
    if not shape.unit:
        return 2 * (moved / epsilon) ** 2
    x = math.exp(-epsilon * shape.unit / moved)
    return 2 * x / (1 - x) ** 2 * shape.unit**2


@pytest.mark.parametrize("name, relation", PURE_CELLS)
def test_pure_noise_is_that_of_the_shapes_norm(name, relation):
    """A third of epsilon a round, for neighbours' distance in the norm of the noise.

    Exactly, on whole units; to the cutting of terms and float32 rounding elsewhere.
    """
    plan = Central(0.6, 0.0, relation).plan(ask(SHAPES[name]))
    kind, moved = APART[name][0], apart(name, relation)[1]
    expected = math.sqrt(pure_variance(name, 0.2, moved))
    slack = 1e-9 if SHAPES[name].unit else 1e-4

    assert isinstance(only(plan), kind) and plan.guarantees[0].epsilon <= 0.6
    assert expected * (1 - 1e-9) <= plan.server.facts.noise <= expected * (1 + slack)


def charged_again(plan: Plan) -> float:
    """The epsilon of the noise that is drawn, on sums that move as far as they can at once."""
    promise, parts = plan.guarantees[0], list(mechanisms(plan.server))
    if isinstance(parts[0], Gaussian):
        moved = math.hypot(*(1 / part.noise_multiplier for part in parts))
        release = events.gaussian(1 / moved)
    else:
        release = events.k_norm(math.fsum(part.epsilon for part in parts))
    event = plan.question.event(release, promise.relation)
    return certified_epsilon(
        event, promise.delta - promise.delta_reserved, promise.relation
    ).epsilon


@pytest.mark.parametrize(
    "name, relation, delta", [(*c, 0.0) for c in PURE_CELLS] + [(*c, 1e-5) for c in CELLS]
)
def test_the_event_charged_is_the_noise_added(name, relation, delta):
    """The promise made again from the noise that is drawn, over what each mechanism allows for."""
    plan = Central(1.0, delta, relation).plan(ask(SHAPES[name]))
    mechanism = only(plan)

    distance = apart(name, relation)[delta == 0]
    assert distance <= mechanism.sensitivity <= distance * (1 + 1e-4)
    assert pytest.approx(plan.guarantees[0].epsilon, rel=1e-9) == charged_again(plan)


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(
    "who, relation", [(Poisson(0.1), ADD), (Poisson(0.1), ZERO), (Fixed(9), REPLACE)]
)
def test_the_event_charged_is_the_noise_added_to_a_sample(who, relation, delta):
    """The same of a cohort drawn in secret, with either noise."""
    plan = Central(1.0, delta, relation).plan(ask(SHAPES["counts"], who))

    assert pytest.approx(plan.guarantees[0].epsilon, rel=1e-9) == charged_again(plan)
    assert 0.999 <= plan.guarantees[0].epsilon <= 1.0


@pytest.mark.parametrize("who", [Everyone(), Once()])
@pytest.mark.parametrize("name", [name for name in SHAPES if name != "sphere"])
def test_what_the_samplers_take_is_stated_and_next_to_nothing(name, who):
    """Above zero, as no sampler is perfect; with a delta it is no part of it that shows."""
    pure, normal = (
        Central(1.0, delta, REPLACE).plan(ask(SHAPES[name], who)).guarantees[0]
        for delta in (0.0, 1e-5)
    )

    assert (
        0
        < pure.delta_reserved
        == pure.delta
        < (1e-12 if APART[name][0] is EuclideanNorm else 1e-17)
    )
    assert 0 < normal.delta_reserved < 2.0**-60 and 1e-5 == normal.delta


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("name", ["interval", "ball", "cube"])
def test_the_samplers_of_every_number_in_every_round_are_paid_for(name, delta):
    """Three rounds take what the sampler of one answer does, three times."""
    plan = Central(1.0, delta, REPLACE).plan(ask(SHAPES[name]))
    distance = only(plan).tv_distance(math.prod(SHAPES[name].answer_shape))

    assert pytest.approx(reserve_for(1.0, 3 * distance), rel=1e-9, abs=0) == (
        plan.guarantees[0].delta_reserved
    )


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("name", ["interval", "ball", "l1-ball", "cube"])
def test_a_person_moves_the_cut_sums_of_many_by_no_more_than_the_noise_is_for(name, delta):
    """So many sums fit on a coarse grid only, and to it each coordinate is cut on its own."""
    plan = Central(0.3, delta, REPLACE).plan(ask(SHAPES[name], people=2**26))
    mechanism, dim = only(plan), math.prod(SHAPES[name].answer_shape)
    distance = apart(name, REPLACE)[delta == 0]
    steps = {Staircase: 1, CubeNorm: 1, Laplace: dim}.get(type(mechanism), math.sqrt(dim))

    assert mechanism.step > 1e-6 * distance
    assert mechanism.sensitivity >= distance + steps * mechanism.step


def test_a_pure_promise_about_a_sample_states_the_cost_of_its_overflow():
    """A cohort that is cut is no pure event: the chance of it is the delta that is promised."""
    question = ask(who=Poisson(0.1), rounds=50)
    promise = Central(1.0, 0.0).plan(question).guarantees[0]
    cost = reserve_for(1.0, question.overflow())

    assert pytest.approx(cost, rel=1e-4) == promise.delta == promise.delta_reserved


def test_an_epsilon_beyond_what_samplers_bear_is_not_used():
    """With a delta, half of it pays for the samplers and epsilon is less."""
    made = [Central(epsilon, 1e-6).plan(ask()) for epsilon in (60.0, 100.0)]

    for plan in made:
        assert plan.guarantees[0].epsilon < 60 and plan.guarantees[0].delta_reserved <= 0.5e-6 * (
            1 + 1e-9
        )
    assert pytest.approx(made[0].error, rel=1e-3) == made[1].error


LOUD = {
    "number": ask(),
    "counts": ask(SHAPES["counts"]),
    "cube": ask(SHAPES["cube"]),
    "sample": ask(who=Poisson(0.1)),
    "select from a sample": Select(ask(OneHot(5), Poisson(0.1))),
    "above": Above(ask(), 3.0, 2),
}


@pytest.mark.parametrize("name", LOUD)
def test_the_epsilon_named_is_the_largest_that_samplers_bear_without_a_delta(name):
    """What a sampler takes changes a little with its noise: 3% of epsilon to either side."""
    with pytest.raises(ValueError, match="delta against the public must exceed") as refused:
        Central(60.0, 0.0).plan(LOUD[name])
    named = re.search(r"epsilon of at most about (\d[\d.]*),", str(refused.value))
    assert named is not None
    (promise,) = Central(0.97 * float(named[1]), 0.0).plan(LOUD[name]).guarantees

    assert 0 < promise.delta_reserved == promise.delta <= 1e-9
    with pytest.raises(ValueError, match=r"delta against the public must exceed .* or 0 with"):
        Central(1.03 * float(named[1]), 0.0).plan(LOUD[name])


def test_rounds_whose_cohorts_overflow_too_often_need_a_delta():
    """No epsilon is small enough, so none is named."""
    with pytest.raises(ValueError, match=r"delta against the public must exceed \S+, got 0:"):
        Central(1.0, 0.0).plan(ask(who=Poisson(0.1), rounds=10_000))


@pytest.mark.parametrize("epsilon, kind", [(5.0, EuclideanNorm), (12.0, Laplace)])
def test_noise_whose_sampler_is_too_far_from_its_law_is_not_used(epsilon, kind):
    """Euclidean noise comes from coarser tables than Laplace noise, which then is what is left."""
    plan = Central(epsilon, 0.0).plan(ask(BALL, rounds=1))
    (promise,), mechanism = plan.guarantees, only(plan)
    moved = apart("ball", ADD)[0] * (1.0 if kind is EuclideanNorm else 2.0)

    assert isinstance(mechanism, kind)
    assert moved <= mechanism.sensitivity <= moved * (1 + 1e-4)
    assert 0 < promise.delta_reserved == promise.delta <= 1e-9 and promise.epsilon <= epsilon


PAIR = (Interval(-1.0, 1.0), OneHot(3))


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("shares", [None, (0.2, 0.8)])
def test_the_parts_of_a_product_share_one_budget(shares, relation, delta):
    """All parts at once spend what one shape would, and not a rounding more; none is left."""
    plan = Central(1.0, delta, relation).plan(ask(Product(*PAIR, shares=shares)))
    alone = Central(1.0, delta, relation).plan(ask())

    assert alone.guarantees[0].event == plan.guarantees[0].event
    assert plan.guarantees[0].epsilon * (1 - 1e-9) <= charged_again(plan)
    assert charged_again(plan) <= plan.guarantees[0].epsilon
    assert 2 == len(list(mechanisms(plan.server)))


@pytest.mark.parametrize("shares", [None, (0.2, 0.8)])
def test_a_part_has_the_noise_of_its_share(shares):
    """Normal noise grows with the root of 1 / share, pure noise with 1 / share."""
    question = ask(Product(*PAIR, shares=shares))
    normal, pure = (mechanisms(Central(1.0, d).plan(question).server) for d in (1e-5, 0.0))
    alone = [Central(1.0, d).plan(ask(part)) for d in (1e-5, 0.0) for part in PAIR]
    expected = shares or (0.5, 0.5)

    for share, part, whole in zip(expected, normal, alone[:2], strict=True):
        assert pytest.approx(only(whole).sigma / math.sqrt(share), rel=1e-9) == part.sigma
    for share, part, whole in zip(expected, pure, alone[2:], strict=True):
        assert pytest.approx(only(whole).epsilon * share, rel=1e-9) == part.epsilon


@pytest.mark.parametrize("epsilon, delta", itertools.product((0.1, 1.0, 6.0), (1e-9, 1e-5)))
def test_epsilon_is_never_above_its_target_and_within_a_thousandth(epsilon, delta):
    """Over rounds and participations: calibration stops on the side that keeps the promise."""
    pairs = [(Everyone(), ADD), (Once(), ZERO), (AtMost(2), REPLACE), (Available(0.5), REPLACE)]
    for (who, relation), rounds in itertools.product(pairs, (2, 30)):
        promise = Central(epsilon, delta, relation).plan(ask(who=who, rounds=rounds)).guarantees[0]

        assert epsilon * 0.999 <= promise.epsilon <= epsilon


@pytest.mark.parametrize("who, relation", [(Poisson(0.1), ADD), (Fixed(50), REPLACE)])
@pytest.mark.parametrize("epsilon, rounds", [(0.3, 30), (1.5, 5)])
def test_sampled_epsilon_is_never_above_its_target(who, relation, epsilon, rounds):
    """The same where a secret sample amplifies the promise."""
    promise = Central(epsilon, 1e-6, relation).plan(ask(who=who, rounds=rounds)).guarantees[0]

    assert epsilon * 0.999 <= promise.epsilon <= epsilon


def test_sampling_is_charged_as_sampling():
    """A tenth of the people a round needs less noise on the sum, and more rounds need more."""
    all_, tenth, longer = (
        Central(1.0, 1e-6).plan(ask(who=who, rounds=rounds)).server.facts.noise
        for who, rounds in ((Everyone(), 5), (Poisson(0.1), 5), (Poisson(0.1), 50))
    )

    assert tenth < longer < all_


def test_overflowing_cohorts_are_paid_for_out_of_delta():
    """Noise is calibrated to what is left of delta, and the promise is stated at all of it."""
    question = ask(who=Poisson(0.1), rounds=50)
    cost = reserve_for(1.0, question.overflow())
    promise = Central(1.0, 4 * cost).plan(question).guarantees[0]
    left = certified_epsilon(promise.event, 4 * cost - promise.delta_reserved, ADD).epsilon

    assert 4 * cost == promise.delta and pytest.approx(cost, rel=1e-6) == promise.delta_reserved
    assert left <= promise.epsilon <= 1.0
    assert promise.epsilon > certified_epsilon(promise.event, 4 * cost, ADD).epsilon


def test_where_overflow_takes_nearly_all_of_delta_less_epsilon_is_used():
    """Its cost grows with epsilon, so there is one at which half of delta is enough."""
    question = ask(who=Poisson(0.1), rounds=50)
    delta = 4.1 * question.overflow()
    promise = Central(1.0, delta).plan(question).guarantees[0]

    assert promise.epsilon < 1.0 and promise.delta_reserved <= delta / 2 * (1 + 1e-9)
    assert pytest.approx(reserve_for(promise.epsilon, question.overflow()), rel=0.1) == (
        promise.delta_reserved
    )


def test_a_delta_below_the_cost_of_overflow_is_refused():
    """The sentence names the least delta, at which nothing would be left for any epsilon."""
    question = ask(who=Poisson(0.1), rounds=50)
    least = 4 * question.overflow()
    with pytest.raises(ValueError, match=f"the public must exceed {least:.3g}, or 0"):
        Central(1.0, least).plan(question)


@pytest.mark.parametrize("delta", [1e-9, 1e-6])
def test_the_receipt_of_a_plan_that_may_overflow_verifies(tmp_path, delta):
    """What overflow costs is part of the claim, and recomputing the claim allows for it."""
    plan = Central(1.0, delta).plan(ask(who=Poisson(0.1), rounds=50))
    receipt.write(tmp_path / "receipt.json", [Release("g", plan, None, True).receipt()])

    assert [""] == [f.wrong for f in receipt.verify(tmp_path / "receipt.json").findings]


PURE = {
    "number": ask(),
    "sample": ask(who=Poisson(0.1)),
    "ball": ask(BALL),
    "cube": ask(SHAPES["cube"]),
    "product": ask(Product(*PAIR)),
    "select": Select(ask(OneHot(5))),
    "select from a sample": Select(ask(OneHot(5), Poisson(0.1))),
    "above": Above(ask(), 3.0, 2),
    "above of a sample": Above(ask(who=Poisson(0.1)), 3.0, 2),
}


@pytest.mark.parametrize("name", PURE)
def test_the_receipt_of_a_pure_plan_verifies(name, tmp_path):
    """What samplers and cuts take is its delta, and a negligible one."""
    plan = Central(1.0, 0.0).plan(PURE[name])
    receipt.write(tmp_path / "receipt.json", [Release("g", plan, None, True).receipt()])

    assert 0 <= plan.guarantees[0].delta == plan.guarantees[0].delta_reserved <= 1e-9
    assert [""] == [f.wrong for f in receipt.verify(tmp_path / "receipt.json").findings]


@pytest.mark.parametrize(
    "name, who, relation",
    [
        ("Poisson", Poisson(0.1), REPLACE),
        ("Fixed", Fixed(5), ADD),
        ("Fixed", Fixed(5), ZERO),
        ("Once", Once(), ADD),
        ("AtMost", AtMost(3), ADD),
    ],
)
def test_a_relation_without_a_proof_for_the_participation_is_refused(name, who, relation):
    """No plan is made, and the sentence names both."""
    with pytest.raises(ValueError, match=f"^{name} .* not for {relation.value}"):
        Central(1.0, 1e-5, relation).plan(ask(who=who))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, "1", None, True, [1.0]])
def test_an_unusable_epsilon_is_refused(epsilon):
    """The sentence names the values allowed."""
    with pytest.raises(ValueError, match="epsilon must be positive and finite"):
        Central(epsilon, 1e-5)


@pytest.mark.parametrize("delta", [-1e-300, 1.0, math.nan, "1e-5", None, False])
def test_an_unusable_delta_is_refused(delta):
    """The sentence names the values allowed; zero, for a pure promise, is one of them."""
    with pytest.raises(ValueError, match="delta must be at least 0 and below 1"):
        Central(1.0, delta)


@pytest.mark.parametrize("relation", ["add/remove", "replace-one", None, Relation])
def test_what_is_no_relation_is_refused(relation):
    """The sentence names those there are; words are none, anywhere in the library."""
    with pytest.raises(ValueError, match=r"relation must be Relation.ADD_REMOVE, Relation.REPLACE"):
        Central(1.0, 1e-5, relation)


TRIALS = 4_000
# Members of each shape, and their sum.
DATA = {
    "interval": ([2.0, 3.5, 5.0], 10.5),
    "grid": ([-0.5, 0.5, 2.0], 2.0),
    "ball": (np.eye(3, 4) * 0.9, [0.9, 0.9, 0.9, 0.0]),
    "l1-ball": ([[1.0, -0.5, 0.25], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]], [1.0, 1.5, 0.25]),
    "cube": ([[2.0, -1.0, 0.5], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0]], [4.0, 1.0, 2.5]),
    "sphere": (np.eye(3, 4), [1.0, 1.0, 1.0, 0.0]),
    "one-hot": ([4.0, 0.0, 4.0], [1, 0, 0, 0, 2]),
    "counts": ([[3, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 2, 0, 0, 0]], [3, 2, 0, 1, 0]),
}


def quieter(server: Server) -> Server:
    """Two thirds of the noise, in every part."""
    if isinstance(server, JointMean):
        return JointMean(tuple(quieter(part) for part in server.parts))
    assert isinstance(server, NoisyMean)
    own = server.mechanism
    match own:
        case Gaussian():
            quiet = Gaussian(own.sigma * 2 / 3, own.sensitivity, own.step)
        case Laplace():
            quiet = Laplace.calibrate(own.epsilon * 3 / 2, own.sensitivity, own.step)
        case Staircase():
            quiet = Staircase.least_squares(own.epsilon * 3 / 2, own.sensitivity, own.step)
        case EuclideanNorm() | CubeNorm():
            numbers = own.epsilon * 3 / 2, own.sensitivity, own.step, own.dimension
            quiet = type(own).calibrate(*numbers)
    return eqx.tree_at(lambda s: s.mechanism, server, quiet)


@pytest.mark.parametrize("delta", [0.0, 1e-2])
def test_the_predicted_error_is_the_measured_one(delta):
    """Mean squared error of the answer about its cohort's mean, within four standard errors.

    Two thirds of the noise fail the same check.
    """
    data, total = DATA["ball"][0], np.array(DATA["ball"][1])
    plan = Central(1.0, delta, REPLACE).plan(ask(BALL, rounds=2, people=3))
    quiet = dataclasses.replace(plan, server=quieter(plan.server))

    assert abs(deviation(plan, data, TRIALS, 1, total=total)) < 4
    assert deviation(quiet, data, TRIALS, 1, total=total) < -4


def part_deviations(plan: Plan, claimed: Plan, data, totals) -> list[float]:
    """How many standard errors each part's measured error lies above the claimed one."""
    sample, cohort = answers(plan, data, TRIALS, 3), plan.question.cohort
    ends = np.cumsum([np.size(total) for total in totals])[:-1]
    found = []
    for own, total, part in zip(
        np.split(sample, ends, axis=1), totals, claimed.server.parts, strict=True
    ):
        errors = np.square(own - np.ravel(total) / cohort).sum(axis=1)
        claim = part.facts.error / cohort**2
        found.append(float((errors.mean() - claim) / (errors.std() / math.sqrt(TRIALS))))
    return found


OTHERS = ("interval", "grid", "l1-ball", "cube", "one-hot", "counts")


@pytest.mark.parametrize(
    ("names", "delta"), [(OTHERS, 0.0), (OTHERS, 1e-2), (("interval", "one-hot"), 1e-2)]
)
def test_the_error_of_each_part_is_the_predicted_one(names, delta):
    """The other shapes as parts of one question: each part's answer has the error of its noise.

    Two thirds of the noise fail the same check, in every part.
    """
    question = ask(Product(*(SHAPES[name] for name in names)), rounds=2, people=3)
    plan = Central(8.0, delta, REPLACE).plan(question)
    data = np.concatenate([np.reshape(DATA[name][0], (3, -1)) for name in names], axis=1)
    totals = [DATA[name][1] for name in names]
    quiet = dataclasses.replace(plan, server=quieter(plan.server))

    assert max(map(abs, part_deviations(plan, plan, data, totals))) < 4
    assert bias(plan, data, TRIALS, 3, np.concatenate([np.ravel(t) for t in totals])) < 5
    assert max(part_deviations(quiet, plan, data, totals)) < -4
    parts = math.fsum(part.facts.error for part in plan.server.parts)
    assert pytest.approx(parts / question.cohort**2) == plan.error


def test_what_the_public_sees_is_the_only_promise():
    """The curator holds the data: there is nothing to promise against it."""
    plan = Central(1.0, 1e-5).plan(ask())

    assert ["public"] == [g.observer for g in plan.guarantees]
    assert math.isinf(plan.device.facts.epsilon) and plan.private
    assert plan.collect.within is plan.question.contribution
