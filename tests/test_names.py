"""One meaning a name: who reads a class's name need not ask which."""

import re
from collections import defaultdict
from pathlib import Path

import tacit

ROOT = Path(tacit.__file__).parent
CLASS = re.compile(r"^ *class (\w+)[(:]", re.MULTILINE)


def homes() -> dict[str, list[str]]:
    """Every class of the library, with the modules that define one of its name."""
    found = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for name in CLASS.findall(path.read_text()):
            found[name].append(path.relative_to(ROOT).as_posix())
    return found


def test_no_two_classes_share_a_name():
    """What two modules call by one name is told apart nowhere: in receipts, errors and prose."""
    named = homes()

    assert len(named) > 300, "the library's classes were not found"
    assert {name: modules for name, modules in named.items() if len(modules) > 1} == {}
