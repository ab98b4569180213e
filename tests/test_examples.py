"""Every example runs, quickly, and what it says of its own numbers is so."""

import contextlib
import importlib.util
import io
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


def load(name: str) -> ModuleType:
    """An example as a module, without running its `main`."""
    path = next(path for path in EXAMPLES if path.stem == name)
    spec = importlib.util.spec_from_file_location(f"example_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def auction() -> tuple[ModuleType, list[Any], str]:
    """The example, its rows, and what it printed."""
    example = load("digital_goods_auction")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        rows = example.main()
    return example, rows, printed.getvalue()


def test_the_auction_prints_its_rows(auction):
    """A line for each, and a heading."""
    _, rows, printed = auction

    assert rows
    assert len(printed.splitlines()) > len(rows)


def test_a_model_of_one_s_own_learns_and_is_charged_once(capsys):
    """From people with several records, cut off half-way, under both trust models."""
    rows = {row.model: row.rmse for row in load("own_model").main()}
    printed = capsys.readouterr().out

    assert rows["untrained"] > 0.5 and rows["central"] < 0.25 and rows["federated"] < 0.35
    for spent in ("cut off half-way, spent 2\nfinished, spent 2\n", "finished, spent 4\n"):
        assert spent in printed
    assert all(f"{name:10} error {error:.3f}" in printed for name, error in rows.items())


def test_pictures_are_read_from_plain_updates_and_no_promise_is_broken(capsys, tmp_path):
    """All of them; of others no more than is allowed, and less of them the less is allowed."""
    example = load("reconstruction")
    rows = example.main(out=tmp_path / "pictures.png")
    printed = capsys.readouterr().out

    assert len(rows) == 15 and len({row.onlooker for row in rows}) == 3
    for row in rows:
        surer = example.BreachRate(row.rate.breaches, row.rate.people, 1 - 1e-6)
        assert surer.low <= row.bound
        assert row.rate.share == 1 or row.view != "the update as it is"
        assert row.rate.share < 0.05 or not row.view.startswith("clipped")
        assert str(row.rate) in printed
    assert {row.rate.breaches for row in rows if row.bound < 1e-3} == {0}
    assert (tmp_path / "pictures.png").read_bytes().startswith(b"\x89PNG")


def test_clusters_and_directions_of_a_promise_are_near_the_exact_ones(capsys, tmp_path):
    """Nearer than a town is wide, and than a town could turn the direction; all is drawn."""
    example = load("clusters")
    exact, *private = example.main(out=tmp_path / "clusters.png")
    printed = capsys.readouterr().out

    assert [row.epsilon for row in private] == [1.0, 0.25]
    # Of a cosine that is the last float below one the angle is 8.54e-7 degrees.
    assert exact.angle < 1e-6
    for row in private:
        assert exact.centre < row.centre < 0.05 and exact.mean < row.mean < 0.1 and row.angle < 10
        assert f"{row.centre:20.3f} {row.mean:11.3f} {row.angle:10.1f} degrees" in printed
    assert (tmp_path / "clusters.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("bound", "shown"),
    [
        (1.0, "100.0%"),
        (0.905369, "90.6%"),
        (0.25, "25.0%"),
        (0.000647, "7e-04"),
        (6.448e-104, "7e-104"),
        (9.1e-105, "1e-104"),
        (9e-291, "below 1e-290"),
    ],
)
def test_what_is_allowed_at_most_is_rounded_up(bound, shown):
    """So that what is printed still bounds."""
    assert load("reconstruction").percent(bound) == shown


def test_every_example_is_tested():
    """By name, above or below."""
    written = Path(__file__).read_text()

    assert [] == [path.stem for path in EXAMPLES if f'load("{path.stem}")' not in written]


def test_the_auction_s_bound_holds_at_its_probability(auction):
    """At most a share e^-t of auctions earns less than the theorem says; more than OPT none."""
    example, rows, _ = auction
    for row in rows:
        failed = example.REPEATS - row.above_bound
        assert binom.sf(failed - 1, example.REPEATS, math.exp(-example.T)) > 1e-6
        assert row.bound < row.mean <= row.best


def test_the_auction_s_bound_is_no_larger_than_it_must_be():
    """When all other prices earn just less than the bound, it fails about as often as it may."""
    example = load("digital_goods_auction")
    short = example.Exponential(1.0, example.SENSITIVITY).shortfall(100, 1, example.T)
    scores = np.full(100, 10_000, np.float32)
    scores[53] += math.ceil(short)
    nearer = scores.copy()
    nearer[53] = 10_000 + math.ceil(short / 3)
    failed = example.REPEATS - example.auction(1.0, scores).above_bound
    kept = example.auction(1.0, nearer).mean < nearer[53] / 100 - 0.5 * math.ceil(short / 3) / 100

    assert binom.sf(failed - 1, example.REPEATS, math.exp(-example.T)) > 1e-6
    assert failed > 0.5 * example.REPEATS * math.exp(-example.T)
    assert kept


def test_the_auction_earns_more_with_more_epsilon(auction):
    """Privacy costs something where it is strict, and nearly nothing where it is not."""
    shares = [row.mean / row.best for row in auction[1]]

    assert shares == sorted(shares)
    assert shares[0] < 0.9
    assert shares[-1] > 0.99


def test_one_bidder_moves_no_revenue_by_more_than_the_sensitivity():
    """In cents the scores are whole, and a bidder more, at any bid, moves them by 100 at most."""
    example = load("digital_goods_auction")
    valuations = example.bids(50_000)
    before = example.revenues(valuations).astype(np.float64)
    moves = [
        np.abs(example.revenues(np.append(valuations, bid)) - before).max()
        for bid in (0.0, 0.005, 0.5, 1.0)
    ]

    assert max(moves) == example.SENSITIVITY
    assert np.all(before == np.floor(before))
    # The same in euros is rounded: the remedy is needed.
    euros, count = np.float32(0.57), np.float32(49_999)
    assert float(euros * (count + 1)) - float(euros * count) > float(euros)


def test_the_auction_refuses_more_bidders_than_it_can_count():
    """Above 167,772 bidders a revenue in cents would be rounded."""
    example = load("digital_goods_auction")
    with pytest.raises(ValueError, match="at most 167772 bidders"):
        example.revenues(np.ones(167_773))
