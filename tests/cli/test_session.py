"""A session goes on where it stopped: the same grants, each result once, each charge once."""

import json
from pathlib import Path

import numpy as np
import pytest

from tacit.cli.planned import planned
from tacit.cli.session import Result, Session
from tacit.cli.settings import Job, TrustSetting
from tacit.cli.tasks import Task
from tacit.contribution import Interval
from tacit.federated.updates import GradientSteps
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger, LedgerError, OverBudget
from tacit.models.networks import Softmax
from tacit.population.arrays import Arrays
from tacit.population.checkpoint import CheckpointError
from tacit.question.participation import Everyone, Once
from tacit.question.sums import Mean
from tacit.trust.central import Central
from tacit.trust.local import Local
from tacit.trust.nonprivate import NonPrivate

UPDATE = GradientSteps(1, 0.1)
OPTIONS = {"limit": None, "seed": 5, "data": "tiny"}
JOBS = [
    Job("tuned", TrustSetting("none", NonPrivate(), Everyone(), 4, 1.0, UPDATE, 1.0, 2)),
    Job("tuned", TrustSetting("central", Central(1.0, 1e-5), Everyone(), 4, 1.0, UPDATE, 1.0, 2)),
    Job("sweep", TrustSetting("local", Local(8.0), Once(), 2, 1.0, UPDATE, 1.0, 0)),
]


@pytest.fixture(scope="module")
def task() -> Task:
    """Twenty people with an image of two by two pixels each."""
    draw = np.random.default_rng(0)
    images = draw.uniform(0, 1, (20, 1, 2, 2)).astype(np.float32)
    labels = draw.integers(0, 3, (20, 1)).astype(np.int32)
    people = Arrays(((images, labels), np.ones((20, 1), bool)), "twenty")
    return Task("tiny", people, Softmax(4, 3), images[:, 0], labels[:, 0], None)


def quiet(*_):
    """Watches nothing."""


class Killed(Exception):
    """Stands for the death of the process."""


def killed_after(releases: int):
    """A watcher in whose hands the process dies when a later release is half done."""

    def watch(name, done, total, accuracy):
        if JOBS[releases].setting.name == name and done == 1:
            raise Killed

    return watch


def test_a_resumed_session_has_the_same_grants_and_options(tmp_path):
    """Names are written before anything is charged, one for each release, all different."""
    started = Session.start(tmp_path / "demo", OPTIONS, 3)
    resumed = Session.resume(tmp_path / "demo" / "checkpoint")

    assert started == resumed
    assert 3 == len(set(started.grants))


def test_two_sessions_share_no_grant(tmp_path):
    """Even in one folder: the second is a new run and is charged anew."""
    first, second = (Session.start(tmp_path, OPTIONS, 3) for _ in range(2))

    assert not set(first.grants) & set(second.grants)


@pytest.fixture(scope="module")
def whole(task, tmp_path_factory) -> tuple[Path, list[Result]]:
    """Where all jobs were played, and their results."""
    folder, releases = tmp_path_factory.mktemp("whole"), planned(task, JOBS)
    session = Session.start(folder, OPTIONS, len(JOBS))
    return folder, session.run(task, releases, Ledger(folder / "book"), quiet)


def test_every_job_is_played_once_and_remembered(tmp_path, task, whole):
    """Results in order, with receipts that verify; playing again plays nothing."""
    folder, results = whole
    book = Ledger(folder / "book")
    spent = book.spent("twenty")
    again = Session.resume(folder / "checkpoint").run(task, planned(task, JOBS), book, quiet)
    receipt.write(tmp_path / "receipt.json", [result.receipt for result in results])

    assert ["none", "central", "local"] == [result.name for result in results]
    assert [4, 4, 2] == [result.curve[-1][0] for result in results]
    assert [r.receipt for r in results] == [r.receipt for r in again]
    assert spent == book.spent("twenty")
    assert receipt.verify(tmp_path / "receipt.json").sound


def test_results_come_back_equal(tmp_path, task):
    """What a resumed session remembers is what was found, in the same types."""
    session = Session.start(tmp_path, OPTIONS, 1)
    session.run(task, planned(task, JOBS[:1]), Ledger(tmp_path / "ledger.db"), quiet)

    assert session == Session.resume(tmp_path / "checkpoint")


@pytest.mark.parametrize("releases", [0, 1, 2])
def test_a_killed_session_ends_where_the_whole_one_ends(tmp_path, task, whole, releases):
    """Killed in any release: the same accuracies and models, and each charged once."""
    (folder, results), cut = whole, tmp_path / "cut"
    with pytest.raises(Killed):
        Session.start(cut, OPTIONS, 3).run(
            task, planned(task, JOBS), Ledger(cut / "book"), killed_after(releases)
        )
    resumed = Session.resume(cut / "checkpoint")
    assert releases == len(resumed.results)
    after = resumed.run(task, planned(task, JOBS), Ledger(cut / "book"), quiet)

    assert [r.accuracy for r in results] == [r.accuracy for r in after]
    for model in (folder / "models").iterdir():
        assert model.read_bytes() == (cut / "models" / model.name).read_bytes()
    assert Ledger(folder / "book").spent("twenty") == Ledger(cut / "book").spent("twenty")


def test_models_of_the_tables_are_kept_and_those_of_the_sweep_are_not(tmp_path, task):
    """One file for each row of a table."""
    session = Session.start(tmp_path, OPTIONS, len(JOBS))
    session.run(task, planned(task, JOBS), Ledger(tmp_path / "ledger.db"), quiet)

    kept = {path.name for path in (tmp_path / "models").iterdir()}
    assert {"tuned-none.eqx", "tuned-central.eqx"} == kept


def test_a_new_session_forgets_the_states_of_an_old_one(tmp_path):
    """A state of another grant would be refused; it is removed instead."""
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "release0.npz").write_bytes(b"old")
    Session.start(tmp_path, OPTIONS, 1)

    assert ["session.json"] == [path.name for path in folder.iterdir()]


def test_no_key_is_in_the_checkpoint_folder(tmp_path, task):
    """Only the ledger holds a release's key, and only until the release is done."""
    session = Session.start(tmp_path, {**OPTIONS, "seed": None}, 3)
    book = Ledger(tmp_path / "ledger.db")
    with pytest.raises(Killed):
        session.run(task, planned(task, JOBS), book, killed_after(1))
    learner = task.learner(UPDATE, 1.0, 2)
    plan = JOBS[1].setting.plan(learner, 20)
    again = task.population.grant(plan, learner, book, grant_id=session.grants[1])
    key = again.key.taken(again.staged, again.name, again.private)

    for path in (tmp_path / "checkpoint").iterdir():
        content = path.read_bytes()
        assert key not in content and key.hex().encode() not in content


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"options": {}, "grants": []}', b'{"results": [{}]}', b"\xff"],
)
def test_a_damaged_session_is_refused(tmp_path, content):
    """One sentence that says what the folder must be."""
    (tmp_path / "session.json").write_bytes(content)
    with pytest.raises(CheckpointError, match="must be the checkpoint folder") as refused:
        Session.resume(tmp_path)

    assert "\n" not in str(refused.value)


def test_a_limit_that_an_earlier_version_kept_is_refused_and_still_in_the_way(tmp_path, task):
    """It has no delta: the run does not go on with it, nor is it written over."""
    book = Ledger(tmp_path / "ledger.db")
    session = Session.start(tmp_path, {**OPTIONS, "limit": 10.0}, 3)
    with pytest.raises(CheckpointError, match="must be an epsilon and a delta, and an earlier"):
        session.run(task, planned(task, JOBS), book, quiet)
    with pytest.raises(CheckpointError, match="holds a run that was cut off"):
        Session.refuse_unfinished(tmp_path)

    assert [] == book.history(task.population.name)


def test_a_session_cut_anywhere_is_refused(tmp_path, task):
    """A shorter session.json never passes for a whole one."""
    Session.start(tmp_path, OPTIONS, 3)
    path = tmp_path / "checkpoint" / "session.json"
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(CheckpointError):
            Session.resume(path.parent)


def question(who=Everyone()):
    return Mean(Interval(0.0, 1.0), who, 1, 20)


def test_a_limit_holds_in_a_ledger_that_was_opened_without_one(tmp_path, task):
    """Whoever says a limit is not charged beyond it, whoever opened the account."""
    book = Ledger(tmp_path / "ledger.db")
    Session.start(tmp_path / "a", OPTIONS, 1).run(task, planned(task, JOBS[1:2]), book, quiet)
    limited = Session.start(tmp_path / "b", {**OPTIONS, "limit": [1.5, 1e-4]}, 1)
    with pytest.raises((LedgerError, OverBudget)):
        limited.run(task, planned(task, JOBS[1:2]), book, quiet)


def test_each_release_of_a_seeded_session_has_its_own_noise(tmp_path, task):
    """One seed, different noise in each release: two equal jobs end differently."""
    session = Session.start(tmp_path, OPTIONS, 2)
    twice = [Job(table, JOBS[1].setting) for table in ("tuned", "shared")]
    session.run(task, planned(task, twice), Ledger(tmp_path / "ledger.db"), quiet)
    models = [tmp_path / "models" / f"{table}-central.eqx" for table in ("tuned", "shared")]

    assert models[0].read_bytes() != models[1].read_bytes()


def test_the_session_file_is_json_a_person_can_read(tmp_path):
    """Options as they were given, the grants, and no result yet."""
    session = Session.start(tmp_path, OPTIONS, 2)
    saved = json.loads((tmp_path / "checkpoint" / "session.json").read_text())

    assert {"options": OPTIONS, "grants": session.grants, "results": []} == saved
    assert [32, 32] == [len(name) for name in saved["grants"]]
