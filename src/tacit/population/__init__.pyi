from .arrays import Arrays
from .checkpoint import Checkpoint, CheckpointError
from .grant import Grant
from .hosts import HostError
from .learner import Learner
from .release import Release
from .watch import progress_bar

__all__ = [
    "Arrays",
    "Checkpoint",
    "CheckpointError",
    "Grant",
    "HostError",
    "Learner",
    "Release",
    "progress_bar",
]
