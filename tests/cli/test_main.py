"""The command line as a stranger uses it: tables, files, refusals, going on after a kill."""

import gc
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import idx_files
import quick_keys
import tacit
from cli.shortened import shorten
from tacit.accounting import events
from tacit.accounting.guarantee import Guarantee
from tacit.cli import main
from tacit.cli.main import app
from tacit.cli.session import Session
from tacit.ledger import receipt
from tacit.ledger.ledger import Charge, Ledger
from tacit.noise import chacha

QUICK = ["--no-sweep", "--setting", "central", "--setting", "local", "--seed", "3"]


def run(*args: str):
    return CliRunner().invoke(app, [str(a) for a in args])


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> tuple[Path, str]:
    """A finished run of two settings, and what it printed."""
    out = tmp_path_factory.mktemp("trained") / "demo"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chacha, "IMPL", quick_keys.IMPL)
        shorten(patched, 40)
        done = run("train", *QUICK, "--json", "--out", out)
    assert 0 == done.exit_code, done.output
    return out, done.stdout


@pytest.fixture(scope="module")
def trained(shown) -> Path:
    """Its folder."""
    return shown[0]


@pytest.fixture
def few_rounds(monkeypatch) -> None:
    """Where it does not matter what is learnt."""
    shorten(monkeypatch, 4)


def test_training_leaves_a_report_a_receipt_the_models_and_the_ledger(trained):
    """Everything promised is there, and the report needs nothing outside itself."""
    page = (trained / "report.html").read_text()
    models = {path.name for path in (trained / "models").iterdir()}

    assert {f"{t}-{s}.eqx" for t in ("tuned", "shared") for s in ("central", "local")} == models
    assert page.count("<svg") == 1 and 'src="' not in page
    assert "nothing in" in page and "private" in page
    assert (trained / "ledger.db").exists()


def test_json_prints_the_table(shown):
    """Standard output is JSON and nothing else: one object a release, with its promises."""
    rows = json.loads(shown[1])

    assert ["central", "local", "central", "local"] == [row["name"] for row in rows]
    assert all(0 <= row["accuracy"] <= 1 and row["receipt"]["guarantees"] for row in rows)
    assert rows[0]["accuracy"] > 0.85


def test_a_seeded_run_is_not_approved(trained):
    """Its numbers hold, and nothing in it is private: exit status 1."""
    done = run("verify", trained / "receipt.json")

    assert 1 == done.exit_code and "REFUSED" in done.output
    assert "every promise holds" not in done.output
    assert "receipt 0 is of a seeded run: nothing in it is private" in done.output


def test_a_command_is_imported_without_a_search_for_garbage(monkeypatch):
    """Which would be among all that the command computes with."""
    searched, verify = [], main.import_module("tacit.cli.verify")

    def imported(name: str) -> object:
        searched.append(gc.isenabled())
        return verify

    monkeypatch.setattr(main, "import_module", imported)
    main.command("verify")

    assert searched == [False] and gc.isenabled()


@pytest.mark.parametrize(
    "args, sentence",
    [
        (["--epsilon", "0"], "epsilon must be positive and finite, got 0.0"),
        (["--epsilon", "nan"], "epsilon must be positive and finite, got nan"),
        (["--delta", "1.5"], "delta must be at least 0 and below 1"),
        (["--local-epsilon", "-1"], "epsilon must be positive and finite"),
        (["--direction", "inf"], "must be positive and finite, got direction inf"),
        (["--setting", "quantum"], "--setting must be one of none, central"),
        (["--data", "mnist"], "MNIST needs --data-dir"),
        (["--rounds", "12"], "--rounds is for --data mnist, got it with --data digits"),
        (["--setting", "none", "--model", "linear"], "--model is for --data mnist"),
        (["--data", "mnist", "--data-dir", "nowhere"], "nowhere"),
        (["--resume", "nowhere"], "must be the checkpoint folder of an earlier"),
        (["--ledger", "notes.txt"], "notes.txt"),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, args, sentence):
    """Exit status 2, the value allowed is named, nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("This is not a ledger. " * 100)
    done = run("train", *args)
    said = " ".join(done.stderr.split())

    assert 2 == done.exit_code, done.output
    assert said.startswith("tacit: ") and sentence in said
    assert ["notes.txt"] == [path.name for path in tmp_path.iterdir()]


def command(*args: object) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    own = [sys.executable, "-m", "tacit.cli.main", *map(str, args)]
    return subprocess.run(own, capture_output=True, text=True)


def test_a_run_that_does_not_fit_is_refused_before_anything_is_charged(tmp_path):
    """What all releases ask for and what is left, in one sentence; no file, account or charge."""
    done = command(
        "train", "--no-sweep", "--setting", "local", "--limit", 9, "--out", tmp_path / "o"
    )

    assert 2 == done.returncode and "" == done.stdout
    assert (
        "tacit: the 2 grants together ask for epsilon = 16, delta = 0; its epsilon is too much for "
        "the account of public per person under replace-one in 'digits', which --limit 9 "
        "--limit-delta 0.0001 would open: nothing was made or charged, so say a larger limit, or "
        "ask for less\n"
    ) in done.stderr
    assert [] == list(tmp_path.iterdir())


def test_a_refused_run_leaves_a_ledger_as_it_was(tmp_path):
    """Accounts that only this run would have opened are not there; those there are untouched."""
    book = tmp_path / "people.db"
    Ledger(book).limit("digits", "public", tacit.Relation.ADD_REMOVE, 1.0, 1e-3)
    before = Ledger(book).spent("digits")
    args = ["--no-sweep", "--setting", "central", "--out", tmp_path / "out", "--ledger", book]
    done = run("train", *args)

    assert 2 == done.exit_code and "ask for epsilon = 2, delta = 1e-05" in done.stderr
    assert before == Ledger(book).spent("digits")
    assert [book] == list(tmp_path.iterdir())


def test_what_promises_nothing_is_refused_beside_a_limit(tmp_path):
    """Before anything is charged; the sentence says what to leave out."""
    done = run("train", "--no-sweep", "--limit", "100", "--out", tmp_path / "out")

    assert 2 == done.exit_code and [] == list(tmp_path.iterdir())
    assert "promises nothing" in done.stderr and "--setting" in done.stderr


def test_a_limit_stops_the_second_run(few_rounds, tmp_path):
    """The account has room for one run of epsilon 2; the next is refused, uncharged."""
    out = tmp_path / "demo"
    args = ["--no-sweep", "--setting", "central", "--out", out, "--limit", "3"]
    first, kept = run("train", *args), (out / "receipt.json").read_bytes()
    again = run("train", *args)
    spent = {a.relation.value: a.epsilon for a in Ledger(out / "ledger.db").spent("digits")}

    assert 0 == first.exit_code
    assert 2 == again.exit_code and "has epsilon = 1," in again.stderr
    assert spent["add/remove"] <= 2.0 and spent["replace-one"] <= 2.0
    assert kept == (out / "receipt.json").read_bytes()


def test_room_that_somebody_else_spends_meanwhile_loses_nothing(few_rounds, tmp_path, monkeypatch):
    """Refused half-way: what is finished has its report, and the sentence says where."""
    out, charge, calls = tmp_path / "out", Ledger.charge, []

    def spending(book, *args, **said):
        calls.append(None)
        if len(calls) == 2:
            local = Charge(
                Guarantee(
                    "public",
                    "person",
                    tacit.Relation.REPLACE_ONE,
                    events.local(1),
                    9.0,
                    0.0,
                    "plain sum",
                )
            )
            charge(book, "other", "digits", [local], bytes(32), {}, {})
        return charge(book, *args, **said)

    monkeypatch.setattr(Ledger, "charge", spending)
    args = ["--no-sweep", "--setting", "central", "--out", out, "--limit", "10"]
    book = Ledger(tmp_path / "people.db")
    for relation in (tacit.Relation.ADD_REMOVE, tacit.Relation.REPLACE_ONE):
        book.limit("digits", "public", relation, 10.0, 1e-4)
    done = run("train", *args, "--ledger", tmp_path / "people.db")
    said = " ".join(done.stderr.split())

    assert 2 == done.exit_code
    assert "has epsilon = 1, delta = 0.0001 left of epsilon = 10, delta = 0.0001" in said
    assert f"1 of 2 releases are finished and kept in {out}/" in said
    assert said.endswith(f"releases are finished and kept in {out}/")
    assert 1 == len(receipt.read(out / "receipt.json")) and (out / "report.html").exists()
    again = run("train", "--resume", out / "checkpoint")
    assert 2 == again.exit_code and "the grant asks for epsilon = 2" in again.stderr
    assert 2 == len(book.history("digits"))


@pytest.mark.parametrize("broken", [b"", b"PK not a zip"])
def test_a_corrupt_checkpoint_is_refused(trained, tmp_path, broken):
    """One sentence, status 2, and the ledger stays as it was."""
    (tmp_path / "session.json").write_bytes(broken)
    done = run("train", "--resume", tmp_path)

    assert 2 == done.exit_code
    assert "whole session.json" in " ".join(done.stderr.split())


def test_mnist_trains_and_plans_from_idx_files(tmp_path):
    """The four files, whole images as people and a linear model: better than guessing."""
    (tmp_path / "mnist").mkdir()
    data = idx_files.make_mnist(tmp_path / "mnist").directory
    options = ["--data", "mnist", "--data-dir", data, "--people", "images", "--model", "linear"]
    options += ["--setting", "none", "--rounds", "10"]
    done = run("train", *options, "--no-sweep", "--json", "--out", tmp_path / "demo")

    assert 0 == done.exit_code, done.output
    assert json.loads(done.stdout)[0]["accuracy"] > 0.3
    assert 0 == run("plan", *options).exit_code


def test_a_truncated_data_file_is_refused(tmp_path):
    """The sentence names the file; status 2; nothing is written beside the data."""
    (tmp_path / "mnist").mkdir()
    data = idx_files.make_mnist(tmp_path / "mnist").directory
    victim = next(p for p in data.iterdir() if p.name.startswith("train-images"))
    os.truncate(victim, victim.stat().st_size // 2)
    done = run("train", "--data", "mnist", "--data-dir", data, "--out", tmp_path / "demo")

    assert 2 == done.exit_code
    assert "train-images" in " ".join(done.stderr.split())
    assert not (tmp_path / "demo").exists()


def test_a_run_that_was_cut_off_is_not_written_over(tmp_path):
    """Its checkpoint would be lost, and what it was charged; the sentence says how to go on."""
    out = tmp_path / "demo"
    kept = Session.start(out, {"seed": 3}, 2)
    before = (kept.folder / "session.json").read_bytes()
    done = run("train", *QUICK, "--out", out)

    assert 2 == done.exit_code
    assert "holds a run that was cut off: go on with tacit train --resume" in said(done)
    assert before == (kept.folder / "session.json").read_bytes()
    assert ["checkpoint"] == [path.name for path in out.iterdir()]


@pytest.mark.parametrize("other", [("--limit", "1"), ("--out", "x"), ("--epsilon", "9")])
def test_what_is_resumed_takes_no_other_options(trained, other):
    """They would say nothing, and are not passed over."""
    done = run("train", "--resume", trained / "checkpoint", *other)

    assert 2 == done.exit_code
    assert f"takes --json alone beside it, got {other[0]}" in said(done)


@pytest.mark.parametrize("limit", ["0", "-1", "nan"])
def test_a_limit_is_positive(limit, tmp_path):
    """Refused before anything is planned or made."""
    done = run("train", *QUICK, "--limit", limit, "--out", tmp_path / "demo")

    assert 2 == done.exit_code and "--limit must be positive, got" in said(done)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("delta", ["1", "-0.1", "nan", "2"])
def test_a_delta_that_limits_nothing_is_refused(delta, tmp_path):
    """One of 1 is no limit at all, and would stand for ever."""
    limit = ("--limit", "10", "--limit-delta", delta)
    done = run("train", *QUICK, *limit, "--out", tmp_path / "demo")

    assert 2 == done.exit_code and "--limit-delta must be at least 0 and below 1, got" in said(done)
    assert [] == list(tmp_path.iterdir())


def test_a_delta_limits_beside_an_epsilon_only(tmp_path):
    """Alone it would be passed over."""
    done = run("train", *QUICK, "--limit-delta", "1e-4", "--out", tmp_path / "demo")

    assert 2 == done.exit_code and "--limit-delta goes with --limit" in said(done)
    assert [] == list(tmp_path.iterdir())


def test_a_run_whose_deltas_do_not_fit_is_refused_before_anything_is_written(tmp_path):
    """The two of its releases together, and not one by one; the sentence says what is too much."""
    shuffled = ("train", "--no-sweep", "--setting", "shuffled", "--out", tmp_path / "demo")
    done = run(*shuffled, "--limit", "10", "--limit-delta", "1.5e-5")

    assert 2 == done.exit_code and [] == list(tmp_path.iterdir())
    assert "the 2 grants together ask for epsilon = 4, delta = 2e-05; its delta is" in said(done)
    assert "too much for the account of public per person under replace-one in" in said(done)
    assert "which --limit 10 --limit-delta 1.5e-05 would open: nothing was made" in said(done)


@pytest.mark.parametrize("said_delta, delta", [((), 1e-4), (("--limit-delta", "2e-5"), 2e-5)])
def test_accounts_have_the_delta_that_was_said_or_the_documented_one(
    few_rounds, tmp_path, said_delta, delta
):
    """Of the public; the ledger keeps it, and the table of accounts shows it."""
    out = tmp_path / "demo"
    central = ("--no-sweep", "--setting", "central", "--limit", "20", *said_delta)
    done = run("train", *central, "--out", out)
    accounts = Ledger(out / "ledger.db").spent("digits")

    assert 0 == done.exit_code and {(20.0, delta)} == {
        (a.limit_epsilon, a.limit_delta) for a in accounts if a.observer == "public"
    }
    assert f"{delta:g}" in done.stdout and "δ limit" in done.stdout
    assert [20.0, delta] == Session.resume(out / "checkpoint").options["limit"]


def said(done) -> str:
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("seed", ["-1", str(2**64 // 1000)])
def test_a_seed_out_of_range_leaves_nothing(seed, tmp_path):
    """Not the ledger either, where a limit would stand for ever."""
    done = run("train", "--setting", "central", "--seed", seed, "--out", tmp_path / "demo")

    assert 2 == done.exit_code and "--seed must be at least 0 and below" in said(done)
    assert [] == list(tmp_path.iterdir())


TAKEN = ("file", "link", "below a file", "receipt.json")


@pytest.mark.parametrize(
    "command, kind", [*itertools.product(("train", "compare"), TAKEN), ("train", "models")]
)
def test_a_folder_that_cannot_be_written_is_refused_for_free(command, kind, tmp_path):
    """Before anything is planned: no charge, no account, no file."""
    out, book = tmp_path / "out", tmp_path / "book.db"
    if kind in ("file", "below a file"):
        out.write_text("mine")
    elif kind == "link":
        out.symlink_to(tmp_path / "nowhere")
    else:
        out.mkdir()
        (out / "models").write_text("mine") if kind == "models" else (out / kind).mkdir()
    own = out / "sub" if kind == "below a file" else out
    done = run(command, "--seed", "3", "--ledger", book, "--out", own)

    assert 2 == done.exit_code and "must be a f" in said(done) and not book.exists()


@pytest.mark.parametrize("name", main.COMMANDS)
def test_a_command_is_listed_by_its_first_line(name):
    """The list stands beside no command, so that nothing is imported for it."""
    own = main.command(name)

    assert main.COMMANDS[name] == (own.help or "").strip().split("\n\n")[0].replace("\n", " ")


@pytest.mark.parametrize("name", main.COMMANDS)
def test_help_breaks_no_line_that_is_broken_already(name):
    """Of 80 columns one is a margin on either side; first paragraphs are filled."""
    own = main.command(name)
    each = [own, *getattr(own, "commands", {}).values()]
    lines = [
        line
        for one in each
        for text in (one.help or "").split("\n\n")[1:]
        for line in text.splitlines()
    ]

    assert [] == [line for line in lines if len(line) > 78]


def begun(words, parts):
    """What a process of its own says of these words, how it ends, and which of these parts it has
    imported then."""
    code = (
        "import sys; from tacit.cli.main import app\n"
        f"try: app({words!r})\n"
        "except SystemExit as ended: status = ended.code\n"
        f"print(status, {parts!r} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said, _, ended = done.stdout.rstrip("\n").rpartition("\n")
    return said + done.stderr, ended


@pytest.mark.parametrize("asked", [["--help"], ["--version"], ["nothing"]])
def test_help_waits_for_no_command(asked):
    """Nor for the numerics that all of them need."""
    said, ended = begun(asked, {"jax", "scipy", "sqlalchemy", "matplotlib"})

    assert ended.endswith(" set()"), ended
    assert ("tacit 0." if asked == ["--version"] else "Usage: ") in said


@pytest.mark.parametrize(
    "asked",
    [
        "plan --help",
        "plan --epsilon no",
        "plan --rounds 3",
        "plan --upload 0",
        "plan mean --help",
        "plan mean --low 0 --high 1",
        "plan mean --low 0 --high 1 --people 9 --epsilon 1 --rounds 0",
        "plan --epsilon 3 mean",
    ],
)
def test_a_refused_plan_waits_for_nothing_that_plans(asked):
    """What an option says by itself is wrong without numerics; so is help there without them."""
    _, ended = begun(asked.split(), {"jax", "optax", "scipy", "sqlalchemy", "matplotlib"})

    assert f"{0 if '--help' in asked else 2} set()" == ended


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_while_it_is_imported_says_so(number):
    """One sentence and its status, as later: no traceback of whatever was just imported."""
    code = (
        "import os; from tacit.cli import main\n"
        f"main.import_module = lambda name: os.kill(os.getpid(), {int(number)})\n"
        "main.app(['train'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (128 + number, "tacit: stopped before anything was begun\n") == (
        done.returncode,
        done.stderr,
    )
