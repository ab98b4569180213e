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

THREADS = """
import threading, tacit
failed = []
def use(room):
    try:
        face = getattr(tacit, room)
        [getattr(face, name) for name in face.__all__[:3]]
    except BaseException as error:
        failed.append((room, error))
rooms = "statistics", "queries", "pac", "sq"
threads = [threading.Thread(target=use, args=(room,)) for room in rooms]
[each.start() for each in threads]
[each.join() for each in threads]
print(failed)
"""


def test_threads_that_use_rooms_at_once_find_them_whole():
    """Each another one, before anybody has imported what they are built on."""
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True)

    assert "[]\n" == done.stdout, done.stderr


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
