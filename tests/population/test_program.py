"""What a grant was lowered for is what it runs, whatever becomes of its learner."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from equinox.internal import noinline
from jax.experimental import pallas

import small
import tacit
from tacit.population import program


class Weighted:
    """A learner that is no tree of arrays: it holds a NumPy array that anybody can write to."""

    def __init__(self):
        self.weight = np.float32([1.0])

    def init(self):
        return jnp.zeros(())

    def ask(self, state, person):
        return person * self.weight[0]

    def tell(self, state, answer):
        return answer


class WeightedTree(eqx.Module):
    """The same as a tree."""

    weight: np.ndarray

    init, tell = Weighted.init, Weighted.tell

    def ask(self, state, person):
        return person * self.weight[0]


class Whole(Weighted):
    """The same array as a whole: a constant of the traced round, which is the caller's own."""

    def ask(self, state, person):
        return jnp.sum(person * jnp.asarray(self.weight))


FACTOR = 1.0


class Global(Weighted):
    """What it asks depends on a name of its module."""

    def ask(self, state, person):
        return person * FACTOR


def indexed(place: int) -> type:
    """A learner that reads the person's number or a half, by a kernel's index map alone."""

    class Indexed(Weighted):
        def ask(self, state, person):
            def kernel(found, out):
                out[...] = found[...]

            here = pallas.BlockSpec((1,), lambda i: (place,))
            return pallas.pallas_call(
                kernel,
                out_shape=jax.ShapeDtypeStruct((1,), jnp.float32),
                grid=(1,),
                in_specs=[here],
                out_specs=pallas.BlockSpec((1,), lambda i: (0,)),
                interpret=True,
            )(jnp.stack([person, 0 * person + 0.5]))[0]

    return Indexed


class Hidden(Weighted):
    """A learner behind a function that the compiler is not shown."""

    def ask(self, state, person):
        return noinline(lambda given: given * FACTOR)(person)


def test_learners_that_differ_in_what_is_not_traced_are_others(tmp_path):
    """The compiler's text tells them apart: none goes on with the other's program."""
    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), indexed(0)(), book, grant_id="g")
    with pytest.raises(tacit.ledger.LedgerError, match="was opened with other learner"):
        small.people().grant(small.plan(), indexed(1)(), book, grant_id="g")


def test_learners_that_differ_in_what_is_not_traced_run_programs_of_their_own(tmp_path):
    """Though both are of the same shapes."""
    book, answers = small.ledger(tmp_path), []
    plan = small.plan(1, tacit.Central(40.0, 0.1))
    for place in (0, 1):
        answers.append(float(small.people().grant(plan, indexed(place)(), book).run().state))

    assert abs(answers[0] - small.people().data.mean()) < 0.1 < abs(answers[0] - answers[1])


def test_another_generator_of_the_learners_own_is_another_learner(tmp_path):
    """What its keys draw depends on a setting that no trace shows."""

    class Drawing(Weighted):
        def ask(self, state, person):
            return person * jax.random.uniform(jax.random.key(3))

    book = small.ledger(tmp_path)
    small.people().grant(small.plan(), Drawing(), book, grant_id="g")
    refused = pytest.raises(tacit.ledger.LedgerError, match="was opened with other learner")
    with jax.threefry_partitionable(not jax.config.jax_threefry_partitionable), refused:
        small.people().grant(small.plan(), Drawing(), book, grant_id="g")


def test_a_function_that_the_compiler_is_not_shown_is_refused_for_free(tmp_path):
    """It is a call back to the host by another name."""
    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="must not call back to the host"):
        small.people().grant(small.plan(), Hidden(), book)

    assert 0 == small.spent(book)


class Multiplying(Weighted):
    """A learner whose numbers go through a product of matrices."""

    def ask(self, state, person):
        return jnp.dot(jnp.stack([person, 0 * person]), jnp.ones(2))


def test_a_grant_resumes_only_under_the_same_settings_of_the_compiler(tmp_path, monkeypatch):
    """Products of another precision, or another compiler's flags, round otherwise."""
    book, asked = small.ledger(tmp_path), (small.plan(), Multiplying())
    small.people().grant(*asked, book, grant_id="g")
    refused = pytest.raises(tacit.ledger.LedgerError, match="was opened with other learner")
    with jax.default_matmul_precision("highest"), refused:
        small.people().grant(*asked, book, grant_id="g")
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
    with pytest.raises(tacit.ledger.LedgerError, match="was opened with other platform"):
        small.people().grant(*asked, book, grant_id="g")


def change(learner, monkeypatch) -> None:
    """Everything that can be changed about a learner without a new one."""
    learner.weight[:] = 0.0
    monkeypatch.setitem(globals(), "FACTOR", 0.0)
    monkeypatch.setattr(type(learner), "ask", lambda self, state, person: 0.0 * person)
    jax.clear_caches()
    program.forget()


LEARNERS = {
    "object": Weighted,
    "constant": Whole,
    "tree": lambda: WeightedTree(np.float32([1.0])),
    "global": Global,
}


@cache
def whole(kind: str) -> float:
    """Where a run that nobody disturbs ends."""
    with TemporaryDirectory() as folder:
        book = small.ledger(Path(folder))
        return float(small.people().grant(small.plan(), LEARNERS[kind](), book, seed=3).run().state)


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_learner_changed_in_a_run_changes_nothing(kind, tmp_path, monkeypatch):
    """Nor is it looked at between rounds: a run that died could be replayed otherwise."""
    book, learner, seen = small.ledger(tmp_path), LEARNERS[kind](), []
    undisturbed = whole(kind)
    small.people().grant(small.plan(), learner, book, seed=3).run(
        watch=lambda rounds, state: (seen.append(float(state)), change(learner, monkeypatch))
    )

    assert undisturbed == seen[-1] and 4 == len(seen)


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_learner_changed_after_its_grant_is_not_what_runs(kind, tmp_path, monkeypatch):
    """The round was traced when it was granted, and runs as it was."""
    book, learner = small.ledger(tmp_path), LEARNERS[kind]()
    grant = small.people().grant(small.plan(), learner, book, seed=3)
    undisturbed = whole(kind)
    change(learner, monkeypatch)

    assert undisturbed == float(grant.run().state)


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_changed_learner_is_another_when_its_grant_is_asked_for_again(
    kind, tmp_path, monkeypatch
):
    """Refused by its name, whatever was traced or compiled of it before."""
    book, learner = small.ledger(tmp_path), LEARNERS[kind]()
    small.people().grant(small.plan(), learner, book, grant_id="g")
    change(learner, monkeypatch)
    with pytest.raises(tacit.ledger.LedgerError, match="was opened with other learner"):
        small.people().grant(small.plan(), learner, book, grant_id="g")


class Doubled(eqx.Module):
    """Average of twice the value: the same shapes, another program."""

    def init(self):
        return tacit.statistics.Average().init()

    def ask(self, state, person):
        return 2 * person

    def tell(self, state, answer):
        return tacit.statistics.Average().tell(state, answer)


def holding(factor: float, within) -> eqx.Module:
    """A learner whose inner program holds an array: not an argument, and nowhere in its text."""
    held = jnp.arange(3.0) * factor
    inner = within(lambda person: person * held.sum())

    class Holding(Doubled):
        def ask(self, state, person):
            return inner(person)

    return Holding()


WITHIN = {
    "itself": lambda ask: ask,
    "jit": jax.jit,
    "jit in jit": lambda ask: jax.jit(lambda person: jax.jit(ask)(person)),
    "loop": lambda ask: lambda person: jax.lax.fori_loop(0, 1, lambda _, x: ask(x), person),
    "branch": lambda ask: lambda person: jax.lax.cond(person > 0, jax.jit(ask), ask, person),
}


@pytest.mark.parametrize("within", WITHIN)
def test_a_grant_resumes_only_with_the_same_numbers_in_inner_programs(within, tmp_path):
    """However deep they lie, other ones ask another question."""
    book, people, wrap = small.ledger(tmp_path), small.people(), WITHIN[within]
    for factor in (1.0, 1.0):
        people.grant(small.plan(), holding(factor, wrap), book, grant_id="g")
    with pytest.raises(tacit.ledger.LedgerError, match="other learner"):
        people.grant(small.plan(), holding(2.0, wrap), book, grant_id="g")


def calls_back(person):
    return jax.pure_callback(lambda x: x, person, person)


def reports(person):
    jax.debug.callback(lambda x: None, person)
    return person


@pytest.mark.parametrize("ask", [calls_back, reports, jax.jit(calls_back), jax.jit(reports)])
def test_a_learner_that_calls_back_to_the_host_is_refused_for_free(ask, tmp_path):
    """It could be anything at every call; that it is the same again cannot be told."""

    class CallsBack(Doubled):
        def ask(self, state, person):
            return ask(person)

    book = small.ledger(tmp_path)
    with pytest.raises(ValueError, match="must not call back to the host"):
        small.people().grant(small.plan(), CallsBack(), book)

    assert 0 == small.spent(book)


class Counting(Weighted):
    """A learner that starts elsewhere whenever it is asked where."""

    calls = 0

    def init(self):
        self.calls += 1
        return jnp.float32(self.calls)

    def ask(self, state, person):
        return person + state


def test_a_learner_starts_where_it_was_fingerprinted(tmp_path):
    """It is asked once where: another start would be another question under the same noise."""
    book, plan, learner = small.ledger(tmp_path), small.plan(1), Counting()
    grant = small.people().grant(plan, learner, book, grant_id="g")

    assert 1 == learner.calls == float(grant.staged.rounds.start[0])
    with pytest.raises(tacit.ledger.LedgerError, match="was opened with other learner"):
        small.people().grant(plan, learner, book, grant_id="g")


def test_what_a_program_does_not_read_is_among_its_arguments_all_the_same():
    """Programs of one text are compiled once, so the text must say what they are called with."""
    one, two = jnp.ones(()), jnp.full((), 2.0)
    of_two = program.Program.of(lambda given: given[-1] + 1, [one, two])
    of_three = program.Program.of(lambda given: given[-1] + 1, [one, one, two])

    assert of_two.digest != of_three.digest
    assert 3.0 == of_two.compiled()([one, two]) == of_three.compiled()([one, one, two])


def test_only_programs_of_whole_numbers_are_computed_without_a_compiler():
    """A float may come out otherwise there, and a resumed run with it."""
    made = program.Program.of(lambda n: n // 3, np.int32([-7]))
    program.forget()

    assert made.computed()(np.int32([-7])).tolist() == [-3]
    assert 0 == program.compiles()
    assert program.Program.of(lambda n: n / 3, np.int32([-7])).computed() is None
