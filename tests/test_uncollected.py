"""Imports are not interrupted by searches for garbage, and leave those as they were."""

import gc
import subprocess
import sys
import weakref

import pytest

from tacit.uncollected import uncollected

SEARCHES = """
import gc
found = []
gc.callbacks.append(lambda phase, info: found.append(info["generation"]))
import tacit
before = len(found)
tacit.{name}
print(len(found) - before, gc.isenabled(), gc.get_freeze_count())
"""
FROZEN = """
import gc
from tacit.uncollected import uncollected
gc.freeze()
many = gc.get_freeze_count()
with uncollected():
    import decimal, fractions
print(many - 100 < gc.get_freeze_count() <= many)
"""
YOUNG = """
import gc, tacit
tacit.Interval
ring = []
ring.append(ring)
counts = []
for _ in range(3):
    tacit.Interval
    counts.append(gc.get_count()[0])
print(any(each is ring for each in gc.get_objects(generation=0)), counts == sorted(counts))
"""


class Ring:
    """Something that only a search finds to be garbage."""

    def __init__(self):
        self.own = self


@pytest.mark.parametrize("name", ["Interval", "estimators.LogisticRegression"])
def test_a_name_is_imported_without_a_search(name):
    """At the top or in a room, whatever comes with it; afterwards searches go on, and nothing is
    frozen."""
    code = SEARCHES.format(name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert "0 True 0\n" == done.stdout, done.stderr


def test_where_nothing_is_imported_the_young_stay_young():
    """However often a name is used: else searches would never be due."""
    done = subprocess.run([sys.executable, "-c", YOUNG], capture_output=True, text=True)

    assert "True True\n" == done.stdout, done.stderr


def test_garbage_is_found_afterwards():
    """What was there before, and what was made meanwhile."""
    before = weakref.ref(Ring())
    with uncollected():
        meanwhile = weakref.ref(Ring())
    gc.collect()

    assert before() is None and meanwhile() is None


@pytest.mark.parametrize("is_on", [True, False])
def test_searches_are_as_they_were(is_on):
    """On or off, also after an import that fails and within another."""
    was = gc.isenabled()
    try:
        gc.enable() if is_on else gc.disable()
        with pytest.raises(ImportError), uncollected(), uncollected():
            raise ImportError
        assert is_on == gc.isenabled()
    finally:
        gc.enable() if was else gc.disable()


def test_what_others_have_frozen_stays_so():
    """And is not searched with all else."""
    done = subprocess.run([sys.executable, "-c", FROZEN], capture_output=True, text=True)

    assert "True\n" == done.stdout, done.stderr
