"""The page of a table's plan."""

import tacit
from tables.records import table, visits
from tacit import tables

NOTHING, TRUST = tacit.NonPrivate(), tacit.Central(1.0, 1e-6)


def test_a_plan_says_how_many_people_a_key_needs(tmp_path):
    """With which chance; without privacy, that all are released."""
    by = table(visits(9, 3, seed=1), tmp_path).by("ward")
    ask = by.ask(n=tables.count(), groups_per_person=1, rows_per_group=5)
    page, choice = str(ask.plan(TRUST)), ask.plan(TRUST).plan.server.choice

    for chance in ("1%", "50%", "99%"):
        needed = choice.needed(float(chance.rstrip("%")) / 100)
        assert f"of {needed} people with chance {chance}" in " ".join(page.split())
    assert max(map(len, page.split("\n"))) <= 80 and "all of 1 people" in str(ask.plan(NOTHING))


def test_a_plan_says_nothing_of_means_and_uploads(tmp_path):
    """Widths say how far answers are off; rows lie with a curator. All else of the page stands."""
    ask = table(visits(9, 3, seed=1), tmp_path).ask(n=tables.count(), rows_per_person=5)
    own = ask.plan(TRUST)
    labels = [line.split()[0] for line in str(own).split("\n") if not line.startswith(" ")]

    assert ["asked", "trust", "noise", "promised", "counted", "95%"] == labels
    assert "error" in str(own.plan) and "upload" in str(own.plan)
    assert "people" not in str(own) and "of 10,000,000 people" in str(own.plan)
    said = table(visits(9, 3, seed=1), tmp_path, people=400)
    assert "of 400 people" in str(said.ask(n=tables.count(), rows_per_person=5).plan(TRUST))


def test_widths_are_whole_at_80_columns(tmp_path):
    """Below one another; of an aggregate with a long name, too."""
    long = f"share({' and '.join(['days > 7'] * 9)})"
    own = {"m": tables.median("days", 0, 30), long: tables.people()}
    plan = table(visits(9, 3, seed=1), tmp_path).ask(**own, rows_per_person=5).plan(TRUST)
    lines = str(plan).split("\n")

    assert max(map(len, lines)) <= 80 and "  m" + " " * 25 + "ends' ranks" in str(plan)
    said = " ".join(str(plan).split())
    assert all(f"{name} {width}" in said for name, width in plan.widths.items())


def test_noise_is_told_by_its_kinds_and_not_in_units_of_a_grid(tmp_path):
    """How far it moves a number stands beside that number, in the number's own unit."""
    ask = table(visits(9, 3, seed=1), tmp_path).ask(
        n=tables.count(), stay=tables.mean("days", 0, 30), rows_per_person=5
    )
    pure, gaussian = (str(ask.plan(tacit.Central(1.0, delta))) for delta in (0.0, 1e-6))

    assert "noise     none" in str(ask.plan(NOTHING))
    assert "noise     Gaussian, on each number" in gaussian and "deviation" not in gaussian
    assert "Gaussian" not in pure and "noise     " in pure and "deviation" not in pure
