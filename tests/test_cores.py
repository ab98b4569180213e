"""Cores that a process may run on are counted."""

import os

import pytest
from threadpoolctl import threadpool_info

from tacit.cores import cores


def test_those_that_a_process_is_bound_to_are_counted(monkeypatch):
    """And not all that the machine has, where the system tells them apart."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 3, 5}, raising=False)
    assert cores() == 3


def test_else_all_are_counted(monkeypatch):
    """Not every system binds processes."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert cores() == 7


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="nothing binds processes here")
def test_linear_algebra_has_no_more_threads_than_tests_have_cores():
    """Else they wait for each other: a process of `pytest -n` has a share of all."""
    many = [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]
    assert many and max(many) <= cores()
