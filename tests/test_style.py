"""The catalogue of broken rules is exact: a new breach is red, and so is one that was mended."""

from style import TESTS, broken


def test_the_catalogue_is_exact():
    """Mend the breach, or take the line out: `style` says how the catalogue is written anew."""
    listed = (TESTS / "style_exceptions.txt").read_text().splitlines()
    found = broken()

    assert [] == sorted(set(found) - set(listed)), "not in tests/style_exceptions.txt"
    assert [] == sorted(set(listed) - set(found)), "in tests/style_exceptions.txt, and mended"
    assert len(listed) == len(set(listed))


def test_collecting_compiles_hardly_anything(compiled_while_collecting):
    """Each process of a run imports every file, for whichever tests it is given.

    What is allowed are small constants; what is computed belongs in a fixture or a cached function.
    """
    assert compiled_while_collecting <= 200


def test_every_rule_is_measured(tmp_path):
    """A module that breaks them all is named once for each."""
    (tmp_path / "utils.py").write_text(
        'class A:\n    """A.\n\n    Args:\n        x: 1\n    """\n    def long(self):\n'
        + "        x = 1\n" * 16
        + "y = 1\n" * 240
        + "\nMOST = 3\n_LOW, HIGH = 2.0**-40, Fraction(1, 3)\nTEXT = 'x' * 3\n"
    )

    assert [
        "over 250 lines: utils.py",
        "over 15 lines of a function: utils.py, A.long",
        "without a test of its own: utils.py",
        "opens without saying what it is: utils.py",
        "named for nothing: utils.py",
        "a section of a docstring not indented by two: utils.py, line 4",
        "a number without its reason: utils.py, MOST",
        "a number without its reason: utils.py, _LOW",
        "a number without its reason: utils.py, HIGH",
    ] == broken(tmp_path, tmp_path)


def test_nobody_asks_what_kind_a_question_is(tmp_path):
    """By a call, a case or a comparison of types, for one kind or several; those do who write
    questions or answer them."""
    asks = (
        '"""What it is."""\nfrom tacit.question.sums import Above, Mean, Question, Select\n'
        "a = isinstance(asked, int | Mean) or type(asked) is Select or Question\n"
        "match asked:\n    case Above() | Other():\n        pass\n"
    )
    for room in ("learning", "question", "trust"):
        for folder in (tmp_path / "source" / room, tmp_path / "tests" / room):
            folder.mkdir(parents=True)
        (tmp_path / "source" / room / "asks.py").write_text(asks)
        (tmp_path / "tests" / room / "test_asks.py").touch()

    assert [
        f"asks whether what is asked is of a kind: learning/asks.py, {kind}"
        for kind in ("Above", "Mean", "Select")
    ] == broken(tmp_path / "source", tmp_path / "tests")


def test_what_keeps_the_rules_is_in_no_catalogue(tmp_path):
    """250 lines, fifteen in a function besides signature and docstring, and a test.

    The reason of a number stands above its block, on its line, below it, or in the opening.
    """
    lines = ['"""A is it."""', "def f(", "    x,", "):", '    """Says."""', *["    x = 1"] * 15]
    numbers = ["", "# Why.", "D = 1", "E = 2", "", "A = 1", "B = 2  # Why.", "C = 3", '"""Why."""']
    (tmp_path / "kept.py").write_text("\n".join([*lines, *["y = 1"] * 221, *numbers]) + "\n")
    (tmp_path / "test_kept.py").touch()

    assert [] == [line for line in broken(tmp_path, tmp_path) if "test_kept" not in line]
