"""Receipts: recomputable by anyone, and no single number of a promise alterable unseen."""

import copy
import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import tacit
from tacit.accounting import accountant
from tacit.accounting.events import composed, gaussian, local, poisson, repeated
from tacit.accounting.guarantee import Guarantee
from tacit.accounting.relation import Relation
from tacit.ledger import receipt
from tacit.ledger.receipt import ReceiptError
from tacit.population.release import Release


def _claim(event, delta: float, relation: Relation) -> Guarantee:
    account = accountant.epsilon(event, delta, relation)
    return Guarantee(
        "public", "person", relation, event, account.epsilon, delta, account.accountant
    )


def _reserved(event, delta: float, reserve: float, relation: Relation) -> Guarantee:
    """A claim at `delta` whose epsilon was certified at `delta - reserve`."""
    return replace(_claim(event, delta - reserve, relation), delta=delta, delta_reserved=reserve)


def _receipt() -> dict[str, Any]:
    sampled = repeated(poisson(0.05, gaussian(1.5)), 40)
    claims = [
        _reserved(sampled, 1e-5, 6e-6, Relation.ADD_REMOVE),
        _claim(sampled, 1e-5, Relation.ADD_REMOVE),
        _claim(composed([gaussian(4), gaussian(3)]), 1e-6, Relation.REPLACE_ONE),
        _claim(repeated(local(0.5), 4), 0.0, Relation.REPLACE_ONE),
    ]
    return receipt.make(claims, {"rounds": 40, "clip": 0.1}, {"tacit": "0"}, private=True)


def _verify(folder: Path, *receipts: dict[str, Any]) -> receipt.Report:
    receipt.write(folder / "r.json", receipts)
    return receipt.verify(folder / "r.json")


def _numbers(data: Any, path: tuple = ()) -> Iterator[tuple]:
    """The paths of every number in JSON data."""
    children = data.items() if isinstance(data, dict) else enumerate(data)
    for name, value in children:
        if isinstance(value, dict | list):
            yield from _numbers(value, (*path, name))
        elif isinstance(value, int | float):
            yield (*path, name)


def _altered(data: dict[str, Any], path: tuple, factor: float) -> dict[str, Any]:
    changed = copy.deepcopy(data)
    *way, last = path
    place: Any = changed
    for step in way:
        place = place[step]
    old = place[last]
    if isinstance(old, bool):
        place[last] = not old
    elif isinstance(old, int):
        place[last] = old + (1 if factor > 1 else -1)
    else:
        place[last] = old * factor if old else 1e-3
    return changed


def test_an_honest_receipt_verifies(tmp_path: Path) -> None:
    """Every claim is recomputed, by two accountants that agree."""
    report = _verify(tmp_path, _receipt(), _receipt())
    assert report.ok and len(report.findings) == 8
    assert all(
        finding.second.epsilon >= finding.first.epsilon * 0.999 for finding in report.findings
    )


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    """The file holds the receipts exactly."""
    receipt.write(tmp_path / "r.json", [_receipt()])
    assert receipt.read(tmp_path / "r.json") == [_receipt()]


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_every_altered_number_breaks_the_digest(tmp_path: Path, factor: float) -> None:
    """Each number of a receipt in turn, changed a little, is noticed."""
    honest = _receipt()
    paths = list(_numbers(honest))
    assert len(paths) == 25
    for path in paths:
        assert receipt.digest(_altered(honest, path, factor)) != honest["digest"]
    assert not _verify(tmp_path, _altered(honest, paths[0], factor)).ok


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_promises_are_held_without_the_digest(tmp_path: Path, factor: float) -> None:
    """One changed epsilon, delta, reserve or event number is noticed even with a fresh digest."""
    numbers = 0
    for alone in _of_one_claim(_receipt()):
        for path in _numbers(alone):
            if path[0] == "guarantees":
                forged = _altered(alone, path, factor)
                forged["digest"] = receipt.digest(forged)
                assert _noticed_without_the_digest(tmp_path, forged), path
                numbers += 1
    assert numbers == 22


def _of_one_claim(honest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Its claims apart: others than the altered one need not be computed again."""
    for claim in honest["guarantees"]:
        yield {**honest, "guarantees": [claim]}


def _noticed_without_the_digest(folder: Path, forged: dict[str, Any]) -> bool:
    try:
        report = _verify(folder, forged)
    except ReceiptError:
        return True
    return not report.altered and not report.ok


def test_a_consistent_forgery_is_not_noticed(tmp_path: Path) -> None:
    """A receipt is no signature: with no plan beside it, a matching pair and a digest do verify."""
    forged = _receipt()
    event = repeated(poisson(0.05, gaussian(1.5)), 40)
    other = _claim(event, 1e-3, Relation.ADD_REMOVE)
    assert other.epsilon < forged["guarantees"][1]["epsilon"]
    forged["guarantees"][1].update(epsilon=other.epsilon, delta=other.delta)
    assert not _verify(tmp_path, forged).ok
    forged["digest"] = receipt.digest(forged)
    assert _verify(tmp_path, forged).ok


def test_a_promise_with_a_reserve_is_recomputed_without_it(tmp_path: Path) -> None:
    """The epsilon certified at delta - reserve verifies; the smaller one at delta does not."""
    event = repeated(poisson(0.05, gaussian(1.5)), 40)
    true = _reserved(event, 1e-5, 6e-6, Relation.ADD_REMOVE)
    report = _verify(tmp_path, receipt.make([true], {}, {}, private=True))
    assert report.ok and report.findings[0].first.delta == report.findings[0].second.delta
    assert report.findings[0].claim == true
    low = replace(true, epsilon=_claim(event, 1e-5, Relation.ADD_REMOVE).epsilon)
    report = _verify(tmp_path, receipt.make([low], {}, {}, private=True))
    assert "below what the event costs" in report.findings[0].wrong


@pytest.mark.parametrize("reserve", [-1e-9, 1.1e-5, 1.0])
def test_a_reserve_is_a_part_of_delta(tmp_path: Path, reserve: float) -> None:
    """A reserve that is negative, or leaves nothing of delta is refused, made or read."""
    with pytest.raises(ValueError, match=r"delta_reserved must be in \[0, delta = 1e-05\]"):
        replace(_claim(gaussian(3), 1e-5, Relation.ADD_REMOVE), delta_reserved=reserve)
    forged = _receipt()
    forged["guarantees"][0]["delta_reserved"] = reserve
    (tmp_path / "r.json").write_text(
        json.dumps({"format": "tacit receipts 2", "receipts": [forged]})
    )
    with pytest.raises(ReceiptError, match="delta_reserved must be"):
        receipt.verify(tmp_path / "r.json")


def test_a_renamed_accountant_or_relation_is_noticed(tmp_path: Path) -> None:
    """A claim names the accountant that made it."""
    forged = _receipt()
    forged["guarantees"][0]["accountant"] = "exact Gaussian"
    forged["digest"] = receipt.digest(forged)
    assert not _verify(tmp_path, forged).ok


def _planned(trust: Any, question: tacit.question.Question) -> dict[str, Any]:
    """The receipt of a plan, as a release of it has."""
    return Release("g", trust.plan(question), None, private=True).receipt()


def _mean(relation: Relation) -> dict[str, Any]:
    question = tacit.Mean(tacit.Interval(-1.0, 1.0), tacit.Everyone(), 2, 100)
    return _planned(tacit.Central(1.0, 1e-6, relation), question)


def _sealed(forged: dict[str, Any]) -> dict[str, Any]:
    return {**forged, "digest": receipt.digest(forged)}


def test_every_trust_s_receipt_agrees_with_its_plan(tmp_path: Path) -> None:
    """The comparison refuses no honest receipt: every trust model, relation, and kind of delta."""
    number, once = tacit.Interval(0.0, 1.0), tacit.Once()
    every = [_mean(relation) for relation in Relation]
    for relation in Relation:
        central = tacit.Central(0.7, 1e-6, relation)
        vectors = tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 3, 100)
        every.append(_planned(tacit.Federated(tacit.Split(8.0, 4.0), central), vectors))
        counts = tacit.Mean(tacit.OneHot(4), tacit.Everyone(), 1, 100)
        every.append(_planned(tacit.Central(0.7, 0.0, relation), counts))
        every.append(_planned(central, tacit.Select(counts)))
    every.append(_planned(tacit.Shuffled(1.0, 1e-6), tacit.Mean(number, once, 10, 2000)))
    every.append(_planned(tacit.Local(2.0), tacit.Mean(number, once, 2, 100)))

    assert _verify(tmp_path, *every).ok


def test_a_changed_relation_is_noticed_beside_its_plan(tmp_path: Path) -> None:
    """The digest recomputed; also where the plan's copy of the promise was changed with it."""
    forged = _mean(Relation.REPLACE_ONE)
    forged["guarantees"][0]["relation"] = "add/remove"
    report = _verify(tmp_path, _sealed(forged))
    assert "the plan beside it does not make this promise" == report.findings[0].wrong
    forged["plan"]["guarantees"][0]["relation"] = "add/remove"
    report = _verify(tmp_path, _sealed(forged))
    assert not report.ok and not report.altered
    assert (
        report.findings[0].wrong == "the trust is under replace-one, the promise under add/remove"
    )


@pytest.mark.parametrize("name, value", [("observer", "nobody"), ("unit", "photograph")])
def test_another_observer_or_unit_is_noticed_beside_its_plan(tmp_path, name, value) -> None:
    """No number follows from them, so only the comparison can."""
    forged = _mean(Relation.REPLACE_ONE)
    forged["guarantees"][0][name] = value

    assert not _verify(tmp_path, _sealed(forged)).ok


def test_a_delta_with_its_epsilon_is_noticed_beside_its_plan(tmp_path: Path) -> None:
    """A pair from the same event's curve, in the receipt and in the plan's copy of the promise."""
    forged = _mean(Relation.ADD_REMOVE)
    event = receipt.verify(_written(tmp_path, forged)).findings[0].claim.event
    other = _claim(event, 1e-3, Relation.ADD_REMOVE)
    for promise in (forged["guarantees"][0], forged["plan"]["guarantees"][0]):
        promise.update(epsilon=other.epsilon, delta=other.delta, delta_reserved=0.0)
        promise.update(accountant=other.accountant)
    report = _verify(tmp_path, _sealed(forged))

    assert "the trust's delta is 1e-06, the promise's 0.001" == report.findings[0].wrong


def test_a_reserve_that_is_not_negligible_excuses_no_delta(tmp_path: Path) -> None:
    """Of a trust without a delta: its samplers take less than a billionth."""
    question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 100)
    forged = _planned(tacit.Central(1.0, 0.0), question)
    for promise in (forged["guarantees"][0], forged["plan"]["guarantees"][0]):
        promise.update(delta=0.9, delta_reserved=0.9)
    report = _verify(tmp_path, _sealed(forged))

    assert "the trust's delta is 0.0, the promise's 0.9" == report.findings[0].wrong


def _written(folder: Path, one: dict[str, Any]) -> Path:
    receipt.write(folder / "one.json", [one])
    return folder / "one.json"


@pytest.mark.parametrize("kept", [0, 1])
def test_a_promise_that_stands_twice_for_another_is_noticed(kept: int, tmp_path: Path) -> None:
    """As many as the plan makes, each of them the plan's, and one of them left out."""
    forged = _planned(
        tacit.Federated(tacit.Split(8.0, 4.0), tacit.Central(1.0, 1e-6)),
        tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 3, 100),
    )
    forged["guarantees"] = 2 * [forged["guarantees"][kept]]

    assert not _verify(tmp_path, _sealed(forged)).sound


def test_a_promise_that_was_left_out_is_noticed(tmp_path: Path) -> None:
    """The plan makes two, and the receipt has the stronger one."""
    forged = _planned(
        tacit.Federated(tacit.Split(8.0, 4.0), tacit.Central(1.0, 1e-6)),
        tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 3, 100),
    )
    forged["guarantees"].pop()
    report = _verify(tmp_path, _sealed(forged))

    assert ["the promises are not those of the plan beside them, each once and in order"] == [
        found.wrong for found in report.findings
    ]


@pytest.mark.parametrize(
    "plan",
    [
        {"trust": 1},
        {"guarantees": 2},
        {"guarantees": None},
        {"trust": {"central": []}},
        {"trust": {"delta": "x"}},
        {"trust": {"epsilon": True, "delta": 1.0}},
    ],
)
def test_a_plan_that_is_none_is_refused(tmp_path: Path, plan: object) -> None:
    """Whatever stands there, it is no error of Python's."""
    forged = _sealed({**_mean(Relation.ADD_REMOVE), "plan": plan})

    assert not _verify(tmp_path, forged).ok


def test_a_seeded_receipt_does_not_hold(tmp_path: Path) -> None:
    """Nor does one that promises nothing, or a file without any."""
    seeded = _sealed({**_receipt(), "private": False})
    empty = _sealed({**_receipt(), "guarantees": []})
    report = _verify(tmp_path, _receipt(), seeded, empty)

    assert not report.ok and not any(finding.wrong for finding in report.findings)
    assert ((1,), (2,), (True, False, True)) == (report.seeded, report.empty, report.private)
    assert _verify(tmp_path, _receipt()).ok
    assert not _verify(tmp_path, seeded).ok and not _verify(tmp_path, empty).ok
    assert not _verify(tmp_path).ok


def test_a_seeded_run_says_so(tmp_path: Path) -> None:
    """The private flag is under the digest."""
    forged = {**_receipt(), "private": False}
    assert _verify(tmp_path, forged).altered == (0,)


def test_a_receipt_of_the_format_before_verifies(tmp_path: Path) -> None:
    """Its reserves are called spills, in the promises and in the plan beside them."""
    plan = tacit.Central(1.0, 1e-5).plan(
        tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 30)
    )
    now = Release("g", plan, None, True).receipt()
    body = json.loads(json.dumps(now).replace("delta_reserved", "spill"))
    before = {"format": "tacit receipts 1", "receipts": [{**body, "digest": receipt.digest(body)}]}
    (tmp_path / "r.json").write_text(json.dumps(before))
    report = receipt.verify(tmp_path / "r.json")

    assert report.ok and 0 < report.findings[0].claim.delta_reserved
    assert report.findings[0].claim == plan.guarantees[0]


@pytest.mark.parametrize(
    ("event", "wrong"),
    [
        ({"event": "discrete-gaussian", "sigma": 1e300, "sensitivity": 2**53}, "not the event's"),
        ({"event": "gaussian", "noise_multiplier": 5e-324}, "below what"),
        ({"event": "local", "epsilon": 1e300}, "below what"),
    ],
    ids=lambda given: given["event"] if isinstance(given, dict) else "",
)
def test_an_event_beyond_floats_costs_nothing_or_all(tmp_path: Path, event, wrong) -> None:
    """Numbers that are allowed, as large or small as floats are: what is claimed is another's."""
    forged = _receipt()
    forged["guarantees"][0]["event"] = event

    assert wrong in _verify(tmp_path, _sealed(forged)).findings[0].wrong


@pytest.mark.parametrize("error", [OverflowError, MemoryError, RecursionError, ValueError])
def test_an_event_beyond_every_accountant_is_refused(tmp_path: Path, error) -> None:
    """What an accountant ends in becomes a ReceiptError."""
    stopped = mock.patch.object(receipt, "epsilon", side_effect=error("beyond"))
    with stopped, pytest.raises(ReceiptError, match="claims what no accountant proves: beyond"):
        _verify(tmp_path, _receipt())


def test_an_event_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """Deeper than Python reads, in the file or as an event."""
    for depth in (600, 20_000):
        nested = '{"event":"repeated","count":1,"of":' * depth + "{}" + "}" * depth
        whole = json.dumps({"format": "tacit receipts 2", "receipts": [_receipt()]})
        (tmp_path / "r.json").write_text(
            whole.replace('"event": {', f'"event": {nested}, "x": {{', 1)
        )
        with pytest.raises(ReceiptError):
            receipt.verify(tmp_path / "r.json")


def test_the_name_of_the_format_before_is_refused_in_this_one(tmp_path: Path) -> None:
    """A file is of one format: whoever reads it by its name reads what was verified."""
    forged = json.loads(json.dumps(_receipt()).replace("delta_reserved", "spill"))
    with pytest.raises(ReceiptError, match="it must have the fields of a promise, and no others"):
        _verify(tmp_path, _sealed(forged))


_OTHERS = (None, math.nan, math.inf, "x", [], {}, -1, True, 10**400)


def _places(data: Any, path: tuple = ()) -> Iterator[tuple]:
    """The paths of everything in JSON data, and of what is in it."""
    for name, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, name)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, name))


def _with(data: dict[str, Any], path: tuple, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(data)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("sealed", [False, True], ids=["digest left", "digest anew"])
def test_no_field_that_is_none_is_accepted_or_breaks_the_reader(tmp_path, sealed, part) -> None:
    """Each in turn is replaced by what it never is: refused in a sentence, or found wrong.

    With the digest written anew, what is accepted has the promises it had.
    """
    honest = _planned(
        tacit.Federated(tacit.Split(8.0, 4.0), tacit.Central(1.0, 1e-6)),
        tacit.Mean(tacit.Ball(3, 1.0), tacit.Everyone(), 3, 100),
    )
    tried = 0
    for path in list(_places(honest))[part::4]:
        for value in _OTHERS:
            forged = _with(honest, path, value)
            if json.dumps(forged) == json.dumps(honest):
                continue
            if sealed and path[0] != "digest":
                forged["digest"] = hashlib.sha256(_canonical(forged)).hexdigest()
            whole = {"format": "tacit receipts 2", "receipts": [forged]}
            (tmp_path / "r.json").write_text(json.dumps(whole))
            tried += 1
            if _accepted(tmp_path / "r.json"):
                assert sealed and forged["guarantees"] == honest["guarantees"], (path, value)
                assert path[0] in ("plan", "versions"), (path, value)

    assert 125 < tried


def _canonical(receipt: dict[str, Any]) -> bytes:
    """As `receipt.digest`, of what JSON cannot hold too."""
    body = {name: value for name, value in receipt.items() if name != "digest"}
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()


def _accepted(path: Path) -> bool:
    try:
        return receipt.verify(path).ok
    except ReceiptError as refused:
        assert str(refused)
        return False


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_json_does_not_have_is_refused(tmp_path: Path, number: str) -> None:
    """Wherever it stands, also in a plan's field that nothing is compared with."""
    whole = json.dumps({"format": "tacit receipts 2", "receipts": [_receipt()]})
    assert '"clip": 0.1' in whole
    (tmp_path / "r.json").write_text(whole.replace('"clip": 0.1', f'"clip": {number}'))
    with pytest.raises(ReceiptError, match=f"{number} is no number of JSON"):
        receipt.verify(tmp_path / "r.json")


def test_a_plan_s_number_that_only_python_takes_for_the_promise_s_is_noticed(tmp_path) -> None:
    """True is 1 to Python, and not to whoever reads the file."""
    question = tacit.Mean(tacit.Interval(0.0, 1.0), tacit.Everyone(), 1, 100)
    forged = _planned(tacit.Local(1.0), question)
    assert forged["plan"]["guarantees"][1]["epsilon"] == 1.0
    forged["plan"]["guarantees"][1]["epsilon"] = True

    assert not _verify(tmp_path, _sealed(forged)).sound


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format":"tacit receipts 2"}', "\x00"])
def test_a_broken_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    """Truncated, foreign or binary files are a ReceiptError."""
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(ReceiptError):
        receipt.verify(tmp_path / "r.json")


def test_a_ledger_is_told_from_a_receipt(tmp_path: Path) -> None:
    """A database by where it is shown, other bytes by what a receipt is; none by how it failed."""
    tacit.Ledger(tmp_path / "cli.db").populations()
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    for name, says in (("cli.db", "a ledger is shown by `tacit ledger show`"), ("picture.png", "")):
        with pytest.raises(ReceiptError, match="no receipt, which must be a JSON file") as refused:
            receipt.verify(tmp_path / name)
        assert says in str(refused.value) and "codec" not in str(refused.value)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    """Cut anywhere before its end, the file is refused."""
    receipt.write(tmp_path / "r.json", [_receipt()])
    whole = (tmp_path / "r.json").read_bytes()
    for length in range(0, len(whole) - 1, 37):
        (tmp_path / "cut.json").write_bytes(whole[:length])
        with pytest.raises(ReceiptError):
            receipt.verify(tmp_path / "cut.json")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("relation", "nearby"),
        ("event", {"event": "magic"}),
        ("epsilon", "much"),
        ("epsilon", str(_receipt()["guarantees"][0]["epsilon"])),
        ("delta_reserved", False),
        ("delta", 2.0),
        ("relation", "replace-one"),
    ],
)
def test_a_guarantee_that_is_none_is_refused(tmp_path: Path, name: str, value: object) -> None:
    """Unknown relations and events, words for numbers, unproved pairs: a ReceiptError."""
    forged = _receipt()
    forged["guarantees"][0][name] = value
    with pytest.raises(ReceiptError):
        _verify(tmp_path, forged)


def test_missing_files_and_folders_are_one_sentence(tmp_path: Path) -> None:
    """Reading or writing where nothing is raises a ReceiptError that names the path."""
    with pytest.raises(ReceiptError, match="cannot be read"):
        receipt.verify(tmp_path / "absent.json")
    with pytest.raises(ReceiptError, match="cannot be written"):
        receipt.write(tmp_path / "absent" / "r.json", [])


def test_a_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    """Writing is whole or nothing, and leaves no other file."""
    receipt.write(tmp_path / "r.json", [_receipt()])
    before = (tmp_path / "r.json").read_bytes()
    with pytest.raises(ValueError):
        receipt.write(tmp_path / "r.json", [{"plan": float("nan")}])
    assert (tmp_path / "r.json").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    assert json.loads(before)["format"] == "tacit receipts 2"
