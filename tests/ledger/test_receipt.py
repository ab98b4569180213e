"""Receipts: recomputable by anyone, and no single number of a promise alterable unseen."""

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.accounting import accountant
from tacit.accounting.events import composed, gaussian, local, poisson, repeated
from tacit.accounting.relation import Relation
from tacit.ledger import receipt
from tacit.ledger.receipt import Claim, ReceiptError
from tacit.population.release import Release


def _claim(event, delta: float, relation: Relation) -> Claim:
    account = accountant.epsilon(event, delta, relation)
    return Claim("public", "person", relation, event, account.epsilon, delta, account.accountant)


def _spilled(event, delta: float, spill: float, relation: Relation) -> Claim:
    """A claim at `delta` whose epsilon was certified at `delta - spill`."""
    return replace(_claim(event, delta - spill, relation), delta=delta, spill=spill)


def _receipt() -> dict[str, Any]:
    sampled = repeated(poisson(0.05, gaussian(1.5)), 40)
    claims = [
        _spilled(sampled, 1e-5, 6e-6, Relation.ADD_REMOVE),
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
    """One changed epsilon, delta, spill or event number is noticed even with a fresh digest."""
    honest = _receipt()
    for path in _numbers(honest):
        if path[0] != "guarantees":
            continue
        forged = _altered(honest, path, factor)
        forged["digest"] = receipt.digest(forged)
        assert _noticed_without_the_digest(tmp_path, forged), path


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


def test_a_promise_with_spill_is_recomputed_without_it(tmp_path: Path) -> None:
    """The epsilon certified at delta - spill verifies; the smaller one at delta does not."""
    event = repeated(poisson(0.05, gaussian(1.5)), 40)
    true = _spilled(event, 1e-5, 6e-6, Relation.ADD_REMOVE)
    report = _verify(tmp_path, receipt.make([true], {}, {}, private=True))
    assert report.ok and report.findings[0].first.delta == report.findings[0].second.delta
    assert report.findings[0].claim == true
    low = replace(true, epsilon=_claim(event, 1e-5, Relation.ADD_REMOVE).epsilon)
    report = _verify(tmp_path, receipt.make([low], {}, {}, private=True))
    assert "below what the event costs" in report.findings[0].wrong


@pytest.mark.parametrize("spill", [-1e-9, 1.1e-5, 1.0, float("nan")])
def test_spill_is_a_part_of_delta(tmp_path: Path, spill: float) -> None:
    """A spill that is negative, NaN, or leaves nothing of delta is refused, made or read."""
    with pytest.raises(ValueError, match=r"spill must be in \[0, delta = 1e-05\]"):
        replace(_claim(gaussian(3), 1e-5, Relation.ADD_REMOVE), spill=spill)
    forged = _receipt()
    forged["guarantees"][0]["spill"] = spill
    (tmp_path / "r.json").write_text(
        json.dumps({"format": "tacit receipts 1", "receipts": [forged]})
    )
    with pytest.raises(ReceiptError, match="spill must be"):
        receipt.verify(tmp_path / "r.json")


def test_a_renamed_accountant_or_relation_is_noticed(tmp_path: Path) -> None:
    """A claim names the accountant that made it."""
    forged = _receipt()
    forged["guarantees"][0]["accountant"] = "exact Gaussian"
    forged["digest"] = receipt.digest(forged)
    assert not _verify(tmp_path, forged).ok


def _planned(trust: Any, question: tacit.Question) -> dict[str, Any]:
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
        promise.update(epsilon=other.epsilon, delta=other.delta, spill=0.0)
        promise.update(accountant=other.accountant)
    report = _verify(tmp_path, _sealed(forged))

    assert "the trust's delta is 1e-06, the promise's 0.001" == report.findings[0].wrong


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
    "plan", [[], 3, {"trust": 1}, {"guarantees": 2}, {"trust": {"delta": "x"}}]
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


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format":"tacit receipts 1"}', "\x00"])
def test_a_broken_file_is_one_sentence(tmp_path: Path, content: str) -> None:
    """Truncated, foreign or binary files are a ReceiptError."""
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(ReceiptError):
        receipt.verify(tmp_path / "r.json")


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
        ("spill", False),
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
    assert json.loads(before)["format"] == "tacit receipts 1"
