"""One meaning a name: who reads a class's name, or of an error, need not ask which."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit
from tacit.uncollected import uncollected

ROOT = Path(tacit.__file__).parent
CLASS = re.compile(r"^ *class (\w+)[(:]", re.MULTILINE)
# Of a class's docstring, what it says of its field.
FIELD = re.compile(r"^  error: (.+(?:\n    .+)*)", re.MULTILINE)


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


def errors(text: str) -> Iterator[str]:
    """What is said of each function, method, property and field of this name, and of each function
    that takes a number by it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and (node.name == "error" or _takes_error(node)):
            yield ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef) and any(map(_is_error, node.body)):
            yield "".join(FIELD.findall(ast.get_docstring(node) or ""))


def _takes_error(node: ast.FunctionDef) -> bool:
    """As a number: what was raised is an error too."""
    own = node.args
    taken = [each for each in own.posonlyargs + own.args + own.kwonlyargs if each.arg == "error"]
    return any("float" in ast.unparse(each.annotation) for each in taken if each.annotation)


def _is_error(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "error"


def is_mean_squared(said: str) -> bool:
    return "mean squared" in " ".join(said.split())


def test_an_error_is_a_mean_squared_one():
    """Its root is an `rmse`, and what is neither has a name of its own."""
    with uncollected():
        found = {
            path.relative_to(ROOT).as_posix(): [*errors(path.read_text())]
            for path in sorted(ROOT.rglob("*.py"))
        }
    told = {name: said for name, said in found.items() if said}

    assert len(told) > 10, "the library's errors were not found"
    assert [name for name, said in told.items() if not all(map(is_mean_squared, said))] == []


@pytest.mark.parametrize(
    "text",
    [
        'def error():\n    """The root mean square."""',
        "def error(): ...",
        'def rate(error: float | None):\n    """Of the noise\'s error."""',
        "def rate(*, error: float): ...",
        'class A:\n  """\n  Args:\n    error: a root.\n    it: mean squared.\n  """\n  error: int',
    ],
)
def test_an_error_that_is_none_is_found(text):
    """Of a function, of an argument, and of a field whose neighbour is one."""
    assert [is_mean_squared(said) for said in errors(text)] == [False]


def test_what_was_raised_is_no_such_error():
    """An argument that holds it needs no words of a mean."""
    assert [*errors("def told(error: ValueError): ...")] == []
