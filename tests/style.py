"""Where the source breaks the rules of CONTRIBUTING.md that can be measured, by name.

`cd tests && ../.venv/bin/python -m style > style_exceptions.txt` writes the catalogue anew; what is
in it is to become less.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tacit.uncollected import uncollected

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "tacit", ROOT / "tests"
MOST_LINES = 250
MOST_IN_A_FUNCTION = 15
SECTION = re.compile(r"^(?P<heading> *)(?:Args|Raises|Returns):\n(?P<entry> *)", re.MULTILINE)
VAGUE = {"utils", "util", "helpers", "common", "misc", "base"}


def broken(source: Path = SOURCE, tests: Path = TESTS) -> list[str]:
    """Every exception, a line each, in the order of the rules and of the files."""
    modules = {path.relative_to(source): path.read_text() for path in sorted(source.rglob("*.py"))}
    with uncollected():
        trees = {name: ast.parse(text) for name, text in modules.items()}
    return [
        *(f"over {MOST_LINES} lines: {name}" for name, text in modules.items() if _long(text)),
        *(
            f"over {MOST_IN_A_FUNCTION} lines of a function: {name}, {function}"
            for name, tree in trees.items()
            for function in _long_functions(tree)
        ),
        *(f"without a test of its own: {name}" for name in modules if _unmirrored(name, tests)),
        *(
            f"opens without saying what it is: {name}"
            for name, tree in trees.items()
            if _mute(tree)
        ),
        *(f"named for nothing: {name}" for name in modules if name.stem in VAGUE),
        *(
            f"a section of a docstring not indented by two: {name}, line {line}"
            for name, text in modules.items()
            for line in _far_in(text)
        ),
    ]


def _long(text: str) -> bool:
    return text.count("\n") > MOST_LINES


def _long_functions(tree: ast.AST, of: str = "") -> Iterator[str]:
    """Functions whose own lines, without signature and docstring, are too many."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        name = f"{of}{node.name}"
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
        if isinstance(node, ast.FunctionDef) and lines > MOST_IN_A_FUNCTION:
            yield name
        yield from _long_functions(node, f"{name}.")


def _unmirrored(name: Path, tests: Path) -> bool:
    return name.stem != "__init__" and not (tests / name.with_name(f"test_{name.name}")).exists()


def _mute(tree: ast.Module) -> bool:
    return bool(tree.body) and ast.get_docstring(tree) is None


def _far_in(text: str) -> Iterator[int]:
    for section in SECTION.finditer(text):
        if section["entry"] != section["heading"] + "  ":
            yield text.count("\n", 0, section.start()) + 1


if __name__ == "__main__":
    print("\n".join(broken()))
