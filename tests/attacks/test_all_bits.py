"""Every attack on all bits, played once: what it finds, foresees and is allowed."""

import numpy as np
import pytest

import tacit
from tacit.attacks.all_bits import bits_found, made_bits
from tacit.attacks.secret_bits import SecretBits
from tacit.attacks.subset_sums import SubsetSums

ATTACKS = SecretBits(64), SubsetSums(40, 160)


@pytest.mark.parametrize("attack", ATTACKS)
def test_exact_answers_give_all_bits_away(attack):
    """Where nothing is promised; one that does not succeed there is no attack."""
    found = bits_found(attack, made_bits(attack.people, 3), tacit.NonPrivate(), 3)

    assert found.found.share == found.expected == found.allowed == 1.0
    assert found == attack.run(tacit.NonPrivate(), 3)


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_rare_is_guessed_without_any_answer(attack):
    """The more so, the rarer, and that much a promise has to allow."""
    bits = made_bits(attack.people, 5)
    trust = tacit.Central(0.1, 1e-6)
    even, rare = (bits_found(attack, bits, trust, 1, rarer).allowed for rarer in (0.5, 0.1))

    assert 0.5 < even < 0.56 and 0.9 <= rare < 0.91


def test_made_bits_are_even():
    """As many have the bit as not, but for luck: 5 deviations of it."""
    assert abs(int(np.count_nonzero(made_bits(10_000, 7))) - 5_000) <= 250
