"""The command line by the name of the package."""

import subprocess
import sys


def test_the_package_is_the_command_line():
    """For whoever has no `tacit` on the path: it is called so all the same."""
    own = [sys.executable, "-m", "tacit"]
    told = subprocess.run([*own, "--version"], capture_output=True, text=True, check=True)
    refused = subprocess.run([*own, "attk"], capture_output=True, text=True)

    assert told.stdout.startswith("tacit 0.") and 2 == refused.returncode
    assert "Usage: tacit " in refused.stderr and "tacit attack" in refused.stderr
