"""Scripts that print claims say what they measured, and exit 1 beyond a limit."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = {"beside", "claims", "every_way", "wide_resnet"}
SCRIPTS = sorted(path for path in (ROOT / "bench").glob("*.py") if path.stem not in SHARED)
ENDING = 'if __name__ == "__main__":\n    settle(main())'


def settled(*claims: str) -> tuple[int, list[str]]:
    """What a script of these claims exits with and prints."""
    lines = [
        "from claims import at_least, at_most, settle, skipped",
        f"settle(iter([{', '.join(claims)}]))",
    ]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=ROOT / "bench",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    return run.returncode, run.stdout.splitlines()


def test_claims_that_hold_exit_0():
    """At the limit is within it; of several turns the median counts, and the spread is printed."""
    code, lines = settled('at_most("time", [1.0, 9.0, 1.2], 1.2)', 'at_least("recall", 0.9, 0.9)')

    assert code == 0
    assert lines == [
        "time: 1.2 (1 to 9 in 3 turns), at most 1.2: holds",
        "recall: 0.9, at least 0.9: holds",
    ]


@pytest.mark.parametrize(
    "claim",
    ['at_most("x", [2, 1, 3], 1.9)', 'at_least("x", 1, 1.1)', 'at_most("x", float("nan"), 1)'],
)
def test_a_claim_that_fails_exits_1(claim):
    """Also if others hold, which are all printed; NaN is within no limit."""
    code, lines = settled(claim, 'at_most("last", 0, 1)')

    assert code == 1
    assert lines[0].endswith("FAILS")
    assert lines[1:] == ["last: 0, at most 1: holds"]


def test_what_was_skipped_is_said_and_exits_0():
    """Beside claims or alone; it is no verdict on the others."""
    alone, lines = settled('skipped("no such folder")')
    code, beside = settled('at_most("x", 1, 0)', 'skipped("no peer")')

    assert (alone, lines) == (0, ["skipped: no such folder"])
    assert (code, beside[-1]) == (1, "skipped: no peer")


def test_who_claims_nothing_and_is_not_skipped_exits_1():
    """Nothing was measured, and nobody said why."""
    run = subprocess.run(
        [sys.executable, "-c", "from claims import settle\nsettle(iter([]))"],
        cwd=ROOT / "bench",
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 1
    assert run.stderr == "a script must claim something, or say why it was skipped\n"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_every_script_settles_its_claims(script):
    """The last statement settles what `main` claims: something, and by no verdict of its own."""
    tree = ast.parse(script.read_text())
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]

    assert ast.unparse(tree.body[-1]) == ast.unparse(ast.parse(ENDING))
    assert not any(isinstance(word, str) and "FAILS" in word for word in words)
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert {"at_most", "at_least"} & {call.id for call in calls if isinstance(call, ast.Name)}


def made(folder: Path, scripts: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """`make bench` of these scripts, beside the file of claims."""
    (folder / "bench").mkdir()
    for name, text in scripts.items():
        (folder / "bench" / f"{name}.py").write_text(text)
    (folder / "Makefile").write_text((ROOT / "Makefile").read_text())
    for fresh in ("pyproject.toml", "constraints.txt", ".venv/.installed"):
        (folder / fresh).parent.mkdir(exist_ok=True)
        (folder / fresh).touch()
    interpreter = f"{folder}/python"
    Path(interpreter).write_text(f'#!/bin/sh\ntest "$1" = -m || exec {sys.executable} "$@"\n')
    Path(interpreter).chmod(0o755)
    return subprocess.run(
        ["make", "--no-print-directory", "bench", f"RUN={interpreter}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_make_bench_ends_with_what_a_script_ended_with(tmp_path):
    """A script that exits 1 is not the last to run, and `make bench` fails nevertheless."""
    scripts = {"a": "print('ran'); raise SystemExit(1)", "b": "print('ran')"}
    run = made(tmp_path, {"claims": "raise SystemExit(7)", **scripts})

    assert run.returncode != 0
    assert run.stdout.count("ran\n") == 2
    assert "claims" not in run.stdout


def test_make_bench_ends_by_saying_what_was_skipped(tmp_path):
    """By script, whichever ran in between; that something was is no failure."""
    texts = {
        "a": "from claims import settle, skipped\nsettle(iter([skipped('no GPU')]))",
        "b": "from claims import at_most, settle\nsettle(iter([at_most('x', 0, 1)]))",
    }
    run = made(tmp_path, {"claims": (ROOT / "bench" / "claims.py").read_text(), **texts})

    assert run.returncode == 0
    assert run.stdout.splitlines()[-4:] == [
        "== bench/b.py",
        "x: 0, at most 1: holds",
        "== skipped",
        "bench/a.py: no GPU",
    ]
