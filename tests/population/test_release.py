"""A release: what a statistic answered, and what only a learner can release."""

import jax.numpy as jnp
import numpy as np
import pytest

import small
import tacit


def test_a_statistics_answer_is_what_its_learner_heard(tmp_path):
    """A mean of means, and the answers of all rounds in order."""
    book = small.ledger(tmp_path)
    mean = small.people().grant(small.plan(), tacit.statistics.Average(), book, seed=1).run()
    all_of_them = tacit.statistics.Answers(4)
    each = small.people().grant(small.plan(), all_of_them, book, seed=1).run()

    assert each.answer.shape == (4,)
    np.testing.assert_allclose(mean.answer, np.mean(each.answer), rtol=1e-5)


def test_a_model_has_no_answer(tmp_path):
    """The sentence says who releases it."""

    class Sum:
        def init(self):
            return jnp.zeros(())

        def ask(self, state, person):
            return person

        def tell(self, state, answer):
            return state + answer

    release = small.people().grant(small.plan(), Sum(), small.ledger(tmp_path), seed=1).run()
    with pytest.raises(AttributeError, match=r"`learner.released\(release.state\)`"):
        release.answer  # noqa: B018
