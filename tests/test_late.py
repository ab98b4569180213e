"""SciPy's large parts are imported when something of them is called, and are then what they are."""

import gc
import importlib
import subprocess
import sys

import pytest
from scipy import optimize, signal, special, stats

from tacit import late
from tacit.late import Late, LatePart, LateScipy, _Finder, imported_late

FIRST = """
import sys, numpy as np, tacit
from tacit import tables
import pandas as pd
visits = tacit.Table(pd.DataFrame({"patient": [1, 2], "days": [3.0, 4.0]}), "patient", "p", "p.db")
visits.budget(epsilon=1, delta=1e-6)
ask = visits.ask(n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5)
ask.run(tacit.Central(1.0, 0.0))
"""
LOOK = """
print([name for name in ("scipy.optimize", "scipy.signal", "scipy.stats") if name in sys.modules])
"""
PLAN = """
import sys
from tacit.cli.main import app
app(["plan", "--setting", "shuffled", "--setting", "central"], standalone_mode=False)
print([name for name in ("scipy.signal", "scipy.stats", "sklearn") if name in sys.modules])
"""
HOLDERS = """
import sys
import tacit.borrowed
from tacit.late import Late, LatePart, LateScipy
kinds = Late | LatePart | LateScipy
late = lambda module: any(isinstance(own, kinds) for own in vars(module).values())
held = {name.split(".")[0] for name, module in list(sys.modules.items()) if late(module)}
print(sorted(held - {"tacit"}), [each for each in sys.meta_path if "tacit" in f"{type(each)}"])
"""
BESIDE = """
import threading
found = []
def other():
    import scipy.optimize.elementwise, scipy.signal.windows, scipy.stats.distributions
    found.append(scipy.stats.distributions.norm is scipy.stats.norm)
beside = threading.Thread(target=other)
beside.start()
import tacit.borrowed
beside.join()
print(found)
"""


def _said(program: str, folder) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.timing
def test_a_first_answer_waits_for_none_of_them(tmp_path):
    """They take a fifth of its processor time to import, and it calls nothing of theirs."""
    assert "[]" == _said(FIRST + LOOK, tmp_path)


@pytest.mark.timing
def test_a_plan_waits_for_no_signals_and_no_laws(tmp_path):
    """They take as long to import as plans under all trust models take to find."""
    assert "[]" == _said(PLAN, tmp_path)


@pytest.mark.timing
def test_nobody_but_their_accountant_is_given_a_late_name(tmp_path):
    """And nothing is left in the way of imports."""
    assert "['dp_accounting'] []" == _said(HOLDERS, tmp_path)


@pytest.mark.timing
def test_another_thread_imports_what_it_means(tmp_path):
    """At the same time, and parts of these parts too."""
    assert "[True]" == _said(BESIDE, tmp_path)


@pytest.mark.parametrize(
    "name, own",
    [
        ("brentq", optimize.brentq),
        ("fminbound", optimize.fminbound),
        ("minimize", optimize.minimize),
        ("fftconvolve", signal.fftconvolve),
        ("lfilter", signal.lfilter),
        ("binom", stats.binom),
        ("norm", stats.norm),
    ],
)
def test_each_name_is_what_it_is_in_scipy(name, own):
    assert own is vars(late)[name]._found()


def test_a_late_name_is_called_and_has_what_its_own_has():
    assert 0.5 == late.norm.cdf(0.0)
    assert 0.0 == late.brentq(lambda x: x, -1.0, 2.0)
    with pytest.raises(AttributeError):
        _ = Late("scipy.stats", "norm").nothing_of_this_name


@pytest.mark.parametrize("there", [False, True])
def test_a_part_is_imported_without_a_search_for_garbage(monkeypatch, there):
    """Once: whoever calls something of a part that is there may have garbage."""
    searched = []

    def imported(part: str) -> object:
        searched.append(gc.isenabled())
        return stats

    monkeypatch.setattr(importlib, "import_module", imported)
    monkeypatch.setitem(sys.modules, "scipy.stats", stats)
    if not there:
        monkeypatch.delitem(sys.modules, "scipy.stats")

    assert Late("scipy.stats", "norm").cdf(0.0) == 0.5
    assert searched == [there] and gc.isenabled()


def test_an_import_that_fails_leaves_nothing_behind():
    """Nor is any other package's file looked for."""
    before = list(sys.meta_path)
    with pytest.raises(ModuleNotFoundError), imported_late("no_such_package"):
        importlib.import_module("no_such_package")
    assert before == sys.meta_path
    assert _Finder("dp_accounting").find_spec("scipy.stats", None) is None


def test_what_is_not_late_of_scipy_is_itself():
    assert LateScipy().special is special
    assert isinstance(LateScipy().stats, LatePart)
    assert stats.norm.sf(1.0) == LateScipy().stats.norm.sf(1.0)
