"""A room's names are imported when they are first used, and are no other thing then."""

import subprocess
import sys

import pytest

from tacit import first_use, models
from tacit.models.networks import Softmax

USED = """
import sys
from tacit import models
print("tacit.models.networks" in sys.modules)
models.Softmax
print("tacit.models.networks" in sys.modules)
"""


def test_a_name_is_imported_when_it_is_used():
    """And not with its room."""
    done = subprocess.run([sys.executable, "-c", USED], capture_output=True, text=True)

    assert "False\nTrue\n" == done.stdout, done.stderr


def test_a_name_is_what_its_own_file_calls_so():
    """Every one is listed; what is no name of the room is an AttributeError."""
    used, listed, every = first_use.names("tacit.models", str(models.__file__))

    assert used("Softmax") is Softmax
    assert set(every) <= set(listed()) and "Softmax" in every
    with pytest.raises(AttributeError, match="Softmux"):
        used("Softmux")
