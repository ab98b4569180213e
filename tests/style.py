"""Where the source breaks the rules of CONTRIBUTING.md that can be measured, by name.

`cd tests && ../.venv/bin/python -m style > style_exceptions.txt` writes the catalogue anew; what is
in it is to become less.
"""

import ast
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from tacit.uncollected import uncollected

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "tacit", ROOT / "tests"
MOST_LINES = 250
MOST_IN_A_FUNCTION = 15
SECTION = re.compile(r"^(?P<heading> *)(?:Args|Raises|Returns):\n(?P<entry> *)", re.MULTILINE)
TELLS_KINDS = {"isinstance", "issubclass", "is_made"}
# Whose business it is what is asked: the questions' own, and that of who answers or refuses them.
OF_QUESTIONS = {"question", "trust"}
REMARK = re.compile(r"#(?! ?(?:noqa|pyright|type|fmt))")
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
        *(
            f"asks whether what is asked is of a kind: {name}, {kind}"
            for name, tree in trees.items()
            if name.parts[0] not in OF_QUESTIONS
            for kind in _kinds_asked(tree)
        ),
        *(
            f"a number without its reason: {name}, {constant}"
            for name, tree in trees.items()
            for constant in _unreasoned(tree, modules[name].splitlines())
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


def _kinds_asked(tree: ast.Module) -> list[str]:
    """The names from `tacit.question` that something is held to be one of."""
    imported = {
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("tacit.question.")
        for each in node.names
    }
    kinds = (kind for node in ast.walk(tree) for kind in _held_to(node))
    return sorted({name.id for kind in kinds for name in _names(kind)} & imported)


def _held_to(node: ast.AST) -> list[ast.expr]:
    """What kinds a call, a case or a comparison of types tells apart."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[_, kind]) if name in TELLS_KINDS:
            return [kind]
        case ast.MatchClass(cls=kind):
            return [kind]
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), comparators=kinds):
            return kinds
    return []


def _names(kind: ast.expr) -> Iterator[ast.Name]:
    return (node for node in ast.walk(kind) if isinstance(node, ast.Name))


def _unreasoned(tree: ast.Module, lines: list[str]) -> Iterator[str]:
    """Numeric constants of the module that neither it nor a comment or string beside them names."""
    opening = ast.get_docstring(tree) or ""
    for node, following in zip_longest(tree.body, tree.body[1:]):
        names = _constants(node)
        remarked = REMARK.search("\n".join(lines[_block(node, lines) : node.end_lineno]))
        told = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if names and not (remarked or told):
            yield from (name for name in names if not re.search(rf"\b{name}\b", opening))


def _constants(node: ast.stmt) -> list[str]:
    """The names that this statement binds, where all are UPPER_CASE and the value is numbers."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [each.id for to in targets for each in ast.walk(to) if isinstance(each, ast.Name)]
    values = [each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
    said = any(isinstance(value, str) for value in values)
    counted = any(type(value) in (int, float) for value in values)
    return names if counted and not said and all(name.isupper() for name in names) else []


def _block(node: ast.stmt, lines: list[str]) -> int:
    """Where the lines begin that stand without a blank one above this statement, from 0."""
    first = node.lineno - 1
    while first and lines[first - 1].strip():
        first -= 1
    return first


if __name__ == "__main__":
    print("\n".join(broken()))
