"""A row as a line of the audit's table, by its number: so a process can be told to make it."""

from functools import cache

from audits import catalogue
from audits.row import findings, stands
from tacit.noise import keys

HEAD = f"{'cell':<12}{'mechanism':<34}{'draws':>9}{'claim':>9}{'shown':>9}  planted bugs: shown"
# Once for each process.
rows = cache(catalogue.rows)


def line(most: float, index: int) -> tuple[str, bool]:
    """The line of a row, of so many draws at most, and whether it stands."""
    row = rows()[index]
    draws = int(min(row.draws, most))
    key = keys.jax_key(keys.derive(keys.from_seed(index), "server", 0))
    own, bugs = findings(row, key, draws)
    shown = ", ".join(
        f"{name} {bug.epsilon:.3g}{'' if bug.refuted else ' NOT CAUGHT'}"
        for name, bug in bugs.items()
    )
    verdict = " REFUTED" if own.refuted else ""
    name = f"{row.cell:<12}{row.mechanism:<34}{draws:>9}"
    text = f"{name}{row.epsilon:>9.4g}{own.epsilon:>9.4g}{verdict}"
    return f"{text}  {shown or 'NONE PLANTED'}", stands(own, bugs)
