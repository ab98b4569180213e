"""Processes that are copies of one which has imported what they need: that takes longest of them.

The one that waits asks JAX for no device, whose threads a copy would not have.
"""

import multiprocessing
import os
import sys
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from unittest import mock

# What the library imports when it is first used is named, too.
NEEDED = (
    *("small", "tacit.statistics.answers", "tacit.trust.central", "tacit.ledger.store"),
    *("tacit.tables.ask", "tables.records", "tables.stored"),
    *("cryptography.hazmat.primitives.ciphers.algorithms", "pytest", "scipy.stats", "sqlite3"),
)


def context() -> ForkServerContext:
    """Of copies, for as long as tests run.

    The one that waits has to be told where tests lie: `multiprocessing` tells only its copies.
    """
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(list(NEEDED))
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, sys.path))):
        forkserver.ensure_running()
    return found
