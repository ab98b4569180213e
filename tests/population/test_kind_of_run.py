"""A grant's run and a simulation are told apart, by name and by seal."""

from tacit.noise import keys
from tacit.population.kind_of_run import SIMULATED, KindOfRun

ROOT = keys.from_seed(0)


def test_neither_kind_can_make_the_seal_of_the_other():
    """From one root key, which a seed makes for both; and neither is a key that a round draws
    from."""
    grants, simulations = (kind.seal(ROOT) for kind in KindOfRun)
    others = [keys.derive(ROOT, purpose) for purpose in ("device", "server", "projection")]

    assert len({grants, simulations, ROOT, *others}) == 6


def test_files_of_grants_from_before_are_still_theirs():
    """What a grant's checkpoint is sealed with has not changed."""
    assert KindOfRun.GRANT.seal(ROOT) == keys.derive(ROOT, "checkpoint")


def test_a_name_says_what_it_is_of():
    """By how it begins."""
    assert KindOfRun.of(f"{SIMULATED}7384") is KindOfRun.SIMULATION
    assert KindOfRun.of("line") is KindOfRun.GRANT
    assert KindOfRun.of("simulations of last year") is KindOfRun.GRANT
