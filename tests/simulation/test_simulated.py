"""A simulation plays a few and answers with the declared noise; nothing of it is private."""

import io
import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chi2

import tacit
from tacit.ledger import receipt
from tacit.noise import keys
from tacit.population import Checkpoint, CheckpointError
from tacit.population.kind_of_run import KindOfRun
from tacit.population.release import recorded
from tacit.population.staged import Staged
from tacit.question.uneven import Uneven
from tacit.simulation import Experiment, Simulated
from tacit.simulation.simulated import error_of
from tacit.statistics.answers import Answers

DIM, ROUNDS, MANY = 50, 60, 10**6
BALL = tacit.Ball(DIM, 1.0)
PURE = tacit.Central(1.0, 0.0)
GAUSSIAN = tacit.Central(1.0, 1e-7)
REPLACE = tacit.Relation.REPLACE_ONE
# Below it a right law falls once in ten million.
NEVER = 1e-7


def people(rows: int = 40, scale: float = 0.0) -> tacit.Arrays:
    """Rows about zero, in a ball; of zeros unless told."""
    numbers = np.random.default_rng(0).standard_normal((rows, DIM)).astype(np.float32)
    return tacit.Arrays(scale * numbers / math.sqrt(DIM), "people")


def asked(participation=tacit.Poisson(1e-2), rounds=ROUNDS, number=MANY) -> tacit.Mean:
    return tacit.Mean(BALL, participation, rounds, number)


def answers(plan, played=20, who=None, seed=1) -> np.ndarray:
    learner = Answers(plan.sums.rounds, shape=(DIM,))
    made = Simulated(who or people(), played).run(plan, learner, seed=seed)
    return np.asarray(made.state.answer, np.float64)


def is_chi_squared(squares: np.ndarray, variance: float) -> bool:
    """Whether these are squares of normal numbers of this variance."""
    low = chi2.cdf(squares.sum() / variance, squares.size)
    return NEVER < low < 1 - NEVER


@pytest.mark.parametrize("played", [1, 20, 40])
def test_the_noise_on_the_mean_is_that_of_the_declared_cohort(played):
    """However few are played; not two thirds of it, and not that of a cohort of so few."""
    plan = tacit.Central(1.0, 1e-7).plan(asked())
    squares = answers(plan, played) ** 2
    variance = (plan.server.facts.noise / plan.sums.cohort) ** 2

    assert is_chi_squared(squares, variance)
    assert not is_chi_squared(squares, variance * (2 / 3) ** 2)
    assert not is_chi_squared(squares, variance * (plan.sums.cohort / played) ** 2)


@pytest.mark.parametrize(
    "participation, number",
    [
        (tacit.Everyone(), 40),
        (tacit.Fixed(20), 40),
        (tacit.AtMost(3), 1001),
        (tacit.Cyclic(2), 1001),
    ],
    ids=str,
)
def test_the_noise_is_the_declared_one_of_any_cohort(participation, number):
    """Of one that is played in full, and of those that are not all as large, divided by the one
    number that the plan divides by."""
    plan = tacit.Central(1.0, 1e-7, REPLACE).plan(asked(participation, 60, number))
    played = 20 if number > 40 else round(plan.sums.cohort)
    squares = answers(plan, played) ** 2
    variance = (plan.server.facts.noise / plan.sums.cohort) ** 2

    assert is_chi_squared(squares, variance) and not is_chi_squared(squares, variance * 1.2**2)
    assert played == plan.sums.cohort or (number > 40 and played < plan.sums.cohort)


def test_the_devices_error_is_that_of_fewer_and_nothing_else_is():
    """500 times of it at 20 of 10,000; what a round's reports share and the server's noise stay."""
    federated = tacit.Federated(8.0, tacit.Central(1.0, 1e-7)).plan(asked())
    few = tacit.Mean(tacit.Ball(2_000, 1.0), tacit.Everyone(), 1, 10_000)
    for plan in (federated, tacit.Local(512.0, upload=64).plan(few)):
        facts, noise = plan.device.facts, plan.server.facts
        stays = facts.shared_error + facts.noise_error(noise) / plan.sums.cohort**2

        assert 10_000 == plan.sums.cohort and 0 < stays < plan.error
        assert error_of(plan, 20) - stays == pytest.approx(500 * (plan.error - stays), rel=1e-9)
    assert facts.shared_error > 0


def test_noise_that_is_no_normal_noise_is_the_declared_one_as_well():
    """Its squared length has the stated mean within 4.5 standard errors; a third less has not."""
    plan = PURE.plan(asked(tacit.Everyone(), 200))
    squares = (answers(plan) ** 2).sum(axis=1)
    stated, spread = plan.server.facts.error / MANY**2, squares.std() / math.sqrt(200)

    assert abs(squares.mean() - stated) < 4.5 * spread < abs(squares.mean() - stated * 4 / 9)


def test_correlated_noise_stays_correlated():
    """Its sum over rounds is far below that of independent noise, as declared."""
    rounds = 64
    question = tacit.Running(asked(tacit.Cyclic(1), rounds), bands=16)
    plan = tacit.Central(1.0, 1e-7, tacit.Relation.ZERO_OUT).plan(question)
    noise = answers(plan).sum(axis=0)
    stated = plan.server.running_error / plan.sums.cohort**2 / DIM

    assert is_chi_squared(noise**2, stated)
    assert not is_chi_squared(noise**2, rounds * (plan.server.facts.noise / plan.sums.cohort) ** 2)


def test_rounds_of_uneven_shares_have_each_its_own_noise():
    """As declared; and the rough one's is not the fine one's."""
    question = Uneven(asked(tacit.Everyone(), 2), (1, 99))
    plan = GAUSSIAN.plan(question)
    rough, fine = answers(plan) ** 2
    first, last = (deviation**2 for deviation in plan.server.deviations)

    assert is_chi_squared(rough, first) and is_chi_squared(fine, last)
    assert not is_chi_squared(fine, first)


@pytest.mark.parametrize("trust", [tacit.Local(8.0), tacit.Federated(8.0, GAUSSIAN)])
def test_the_error_stated_is_that_of_so_few_devices(trust):
    """At the worst norm, within 5 standard errors and not half of it; the plan's is too small."""
    who = np.zeros((40, DIM), np.float32)
    who[:, 0] = 1.0
    participation = tacit.Everyone() if isinstance(trust, tacit.Local) else tacit.Poisson(1e-2)
    plan = trust.plan(asked(participation))
    stood = Simulated(tacit.Arrays(who, "people"), 20)
    made = stood.run(plan, Answers(ROUNDS, shape=(DIM,)), seed=3)
    errors = ((np.asarray(made.state.answer, np.float64) - who[0]) ** 2).sum(axis=1)
    worst = made.error

    assert worst > 100 * plan.error
    assert errors.mean() < worst + 5 * errors.std() / math.sqrt(ROUNDS)
    assert errors.mean() > 0.5 * worst


def test_runs_of_other_seeds_ask_other_people():
    """Side by side as alone, though both of a round are played together."""
    plan, learner = tacit.Central(1.0, 1e-7).plan(asked()), Answers(ROUNDS, shape=(DIM,))
    stood, seeds = Simulated(people(scale=0.5), 20), (1, 2)
    made = stood.side_by_side([Experiment(plan, learner, seed) for seed in seeds])

    for seed, each in zip(seeds, made, strict=True):
        alone = answers(plan, who=stood.people, seed=seed)
        np.testing.assert_allclose(each.state.answer, alone, rtol=1e-4, atol=1e-6)


def test_played_in_full_it_is_the_real_run(tmp_path):
    """Everybody of a whole small population: the same mean as its grant's, noise apart."""
    plan = tacit.NonPrivate().plan(asked(tacit.Everyone(), 1, 40))
    learner, who = Answers(1, shape=(DIM,)), people(scale=0.5)
    real = who.grant(plan, learner, tmp_path / "ledger.db", seed=0)
    whole = np.asarray(real.run().answer)

    np.testing.assert_allclose(answers(plan, 40, who), whole, rtol=1e-6, atol=1e-7)


def test_each_round_draws_whom_it_plays():
    """Of people who are told apart by a coordinate each, others are played in another round."""
    who = tacit.Arrays(np.eye(40, DIM, dtype=np.float32), "people")
    plan = tacit.NonPrivate().plan(asked(tacit.Everyone(), 200, 40))
    means = answers(plan, 10, who)[:, :40]
    found = means > 0

    np.testing.assert_allclose(means[found], 0.1, atol=1e-5)
    assert (found.sum(axis=1) == 10).all()
    # Each is in a quarter of 200 rounds: one of forty is beyond 35 of 50 once in a million.
    assert (abs(found.sum(axis=0) - 50) < 35).all()


def test_nobody_is_promised_anything(tmp_path):
    """Its receipt holds nothing, and it says what it is; there is no grant to charge for."""
    plan = GAUSSIAN.plan(asked())
    made = Simulated(people(), 20).run(plan, Answers(ROUNDS, shape=(DIM,)), seed=1)
    path = tmp_path / "receipt.json"
    receipt.write(path, [made.receipt()])
    report = receipt.verify(path)

    assert str(made) == (
        "simulation of 1,000,000 people in cohorts of 10,000, 20 of them played a round: "
        "not a private release"
    )
    assert not report.ok and report.empty == (0,) and report.private == (False,)
    assert made.receipt()["plan"]["says"] == str(made)
    assert not hasattr(Simulated, "grant") and not hasattr(made, "grant")


def test_a_limited_ledger_charges_for_no_simulation(tmp_path):
    """The plan as it is played promises nothing, which no account with a limit takes."""
    ledger = tacit.Ledger(tmp_path / "ledger.db")
    ledger.limit("people", "public", tacit.Relation.REPLACE_ONE, 1.0, 1e-6)
    as_played = Simulated(people(), 20)._as_played(GAUSSIAN.plan(asked()))
    with pytest.raises(tacit.ledger.OverBudget, match="promises nothing"):
        people().grant(as_played, Answers(ROUNDS, shape=(DIM,)), ledger)


def test_one_seed_repeats_and_another_does_not():
    """Without a seed no two runs are alike."""
    plan = GAUSSIAN.plan(asked(rounds=3))
    seeds = [answers(plan, seed=seed) for seed in (1, 1, 2, None, None)]

    np.testing.assert_array_equal(seeds[0], seeds[1])
    assert len({each.tobytes() for each in seeds}) == 4


class Stopped(Exception):
    """What a watcher raises to cut a run off."""


def test_a_run_that_was_cut_off_goes_on_as_if_it_had_not_been(tmp_path):
    """To the bit; another seed, number of played or data does not go on from there."""
    plan, learner = GAUSSIAN.plan(asked(rounds=6)), Answers(6, shape=(DIM,))
    stood, checkpoint = Simulated(people(scale=0.5), 20), Checkpoint(tmp_path / "checkpoint")

    def stop(rounds, state):
        if rounds == 4:
            raise Stopped

    with pytest.raises(Stopped):
        stood.run(plan, learner, seed=5, checkpoint=checkpoint, watch=stop)
    with pytest.raises(CheckpointError, match="belongs to"):
        stood.run(plan, learner, seed=6, checkpoint=checkpoint)
    with pytest.raises(CheckpointError, match="belongs to"):
        Simulated(people(scale=0.5), 17).run(plan, learner, seed=5, checkpoint=checkpoint)
    with pytest.raises(CheckpointError, match="belongs to"):
        Simulated(people(scale=0.4), 20).run(plan, learner, seed=5, checkpoint=checkpoint)
    again, seen = stood.run(plan, learner, seed=5, checkpoint=checkpoint), []
    whole = stood.run(plan, learner, seed=5, watch=lambda rounds, state: seen.append(rounds))

    assert seen == [1, 2, 3, 4, 5, 6]
    for one, other in zip(*map(jax.tree.leaves, (again.state, whole.state)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_run_that_somebody_ended_goes_on_from_there(tmp_path):
    """Nothing is closed in a simulation: what comes out at last is the whole, to the bit."""
    plan, learner = GAUSSIAN.plan(asked(rounds=6)), Answers(6, shape=(DIM,))
    stood, told = Simulated(people(scale=0.5), 20), []
    kept = {"seed": 5, "checkpoint": Checkpoint(tmp_path / "checkpoint")}
    early = stood.run(plan, learner, **kept, watch=lambda rounds, state: rounds == 2)
    again = stood.run(plan, learner, **kept, watch=lambda rounds, state: told.append(rounds))
    whole = stood.run(plan, learner, seed=5)

    assert int(early.state[1]) == 2 and told == [3, 4, 5, 6]
    for one, other in zip(*map(jax.tree.leaves, (again.state, whole.state)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_grant_goes_on_from_a_simulation(tmp_path):
    """By the simulation's own name, in a ledger that somebody charged under it, or by another:
    nothing is charged and nothing released."""
    plan, learner = GAUSSIAN.plan(asked(rounds=2)), Answers(2, shape=(DIM,))
    saved, book, who = Checkpoint(tmp_path / "c.npz"), tacit.Ledger(tmp_path / "l.db"), people()
    book.limit_for("people", plan, times=9)
    Simulated(who, 20).run(plan, learner, seed=0, checkpoint=saved)
    with np.load(saved.path) as archive:
        name = json.loads(str(archive["header"]))["grant"]

    def refused(said: str, **named) -> None:
        for seeded in ({"seed": 0}, {}):
            with pytest.raises((ValueError, CheckpointError), match=said):
                who.grant(plan, learner, book, checkpoint=saved, **named, **seeded)

    refused("grant_id must not begin with 'simulation '", grant_id=name)
    refused("belongs to a simulation, from which no grant goes on", grant_id="g")
    refused("belongs to a simulation, from which no grant goes on")
    assert [] == book.history("people")

    bound = Staged.of(plan, learner, who.data, None).bound
    terms = "people", plan.charges(), keys.from_seed(0), bound, recorded(plan, private=True)
    book.charge(name, *terms)
    charged = book.spent("people")
    refused("grant_id must not begin with 'simulation '", grant_id=name)
    assert charged == book.spent("people")


def test_no_simulation_goes_on_from_a_grant(tmp_path):
    """It is told whose the file is, and not to ask for a grant."""
    plan, learner = GAUSSIAN.plan(asked(rounds=2)), Answers(2, shape=(DIM,))
    saved, book, who = Checkpoint(tmp_path / "c.npz"), tacit.Ledger(tmp_path / "l.db"), people()
    book.limit_for("people", plan)
    who.grant(plan, learner, book, grant_id="g", seed=0, checkpoint=saved).run()
    with pytest.raises(
        CheckpointError, match="belongs to grant 'g', from which no simulation goes"
    ):
        Simulated(who, 20).run(plan, learner, seed=0, checkpoint=saved)


def test_a_simulation_is_sealed_as_one():
    """Alone or beside others, with a key that no grant of the same root has."""
    plan, learner = GAUSSIAN.plan(asked(rounds=2)), Answers(2, shape=(DIM,))
    run = Simulated(people(), 20)._staged(Experiment(plan, learner, 0), None, None)
    (beside,) = Simulated(people(), 20)._runs([Experiment(plan, learner, 0)])

    assert run.root == beside.root == keys.from_seed(0)
    for each in (run, beside):
        assert each.kind.seal(each.root) == KindOfRun.SIMULATION.seal(each.root)
        assert KindOfRun.of(each.name) is KindOfRun.SIMULATION


def test_equal_seeds_go_on_from_one_another(tmp_path):
    """Whoever counted them; what is no whole number is refused before anything is played."""
    plan, learner = GAUSSIAN.plan(asked(rounds=2)), Answers(2, shape=(DIM,))
    stood, saved = Simulated(people(), 20), Checkpoint(tmp_path / "checkpoint")
    first, *others = [
        np.asarray(stood.run(plan, learner, seed=seed, checkpoint=saved).state.answer)
        for seed in (0, np.int64(0), 0.0)
    ]

    assert all(np.array_equal(first, other) for other in others)
    with pytest.raises(ValueError, match="seed must be a whole number from 0 and below 2"):
        stood.run(plan, learner, seed=0.5)


def test_what_is_played_side_by_side_are_experiments():
    """A pair is refused in a sentence."""
    with pytest.raises(ValueError, match=r"each must be an Experiment\(plan, learner, seed\)"):
        Simulated(people(), 20).side_by_side([(GAUSSIAN.plan(asked()), Answers(1))])


class Terminal(io.StringIO):
    """Somebody looks."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("several", [False, True])
def test_a_bar_says_that_it_is_of_a_simulation(several):
    """And nothing of an epsilon, which nobody is promised."""
    plan, shown = GAUSSIAN.plan(asked(rounds=2)), Terminal()
    bar = tacit.population.progress_bar(plan, shown)
    watch = [bar, lambda rounds, state: None] if several else bar
    Simulated(people(), 20).run(plan, Answers(2, shape=(DIM,)), seed=0, watch=watch)

    assert shown.getvalue().count("a simulation, not private") == 2
    assert "ε" not in shown.getvalue() and shown.getvalue().endswith("\n")


@pytest.mark.parametrize(
    "played, said",
    [
        (0, "played must be a whole number from 1 to that of the people there are to play, got 0"),
        (41, "from 1 to that of the people there are to play, got 41"),
        (2.5, "got 2.5"),
        ("20", "got '20'"),
        (math.nan, "got nan"),
    ],
)
def test_who_is_not_there_cannot_be_played(played, said):
    """The sentence does not say how many there are, which may be a secret."""
    with pytest.raises(ValueError, match=said):
        Simulated(people(), played)


def test_cohorts_smaller_than_what_is_played_are_refused():
    """Before anything is played."""
    plan = GAUSSIAN.plan(asked(tacit.Poisson(1e-5)))
    with pytest.raises(ValueError, match="at most the declared cohort of 10, got 20"):
        Simulated(people(), 20).run(plan, Answers(1, shape=(DIM,)))


def test_shares_of_many_devices_are_refused():
    """They hide in one another."""
    shared = tacit.Aggregated(1.0, 1e-6).plan(asked(tacit.Everyone()))
    with pytest.raises(ValueError, match="a few devices cannot add the noise of many"):
        Simulated(people(), 20).run(shared, Answers(1, shape=(DIM,)))


def test_what_cannot_be_simulated_is_refused():
    """Other questions, data that are no people, and what could not be gone on with."""
    learner = Answers(1, shape=(DIM,))
    choice = tacit.Select(tacit.Mean(tacit.Cube(DIM, 0.0, 1.0), tacit.Everyone(), 1, MANY))
    with pytest.raises(
        ValueError, match="a simulation is of a Mean, Running or Uneven, got Select"
    ):
        Simulated(people(), 20).run(GAUSSIAN.plan(choice), learner)
    with pytest.raises(ValueError, match="people to play must be Arrays, got ndarray"):
        Simulated(jnp.zeros((3, DIM)).__array__(), 2)
    with pytest.raises(ValueError, match="of a plan that a trust model makes, got 'x'"):
        Simulated(people(), 20).run("x", learner)
    with pytest.raises(ValueError, match=r"must be a Checkpoint\(path\), got 'path'"):
        Simulated(people(), 2).run(GAUSSIAN.plan(asked()), learner, seed=1, checkpoint="path")
    with pytest.raises(ValueError, match="needs a seed, got none"):
        Simulated(people(), 2).run(GAUSSIAN.plan(asked()), learner, checkpoint=Checkpoint("c"))
