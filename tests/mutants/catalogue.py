"""All mutants, room by room."""

from mutants import (
    accounting,
    attacks,
    audit,
    contribution,
    estimators,
    flower,
    learning,
    live,
    mechanisms,
    open_keys,
    population,
    queries,
    solve,
    sq,
    synthesis,
    tables,
    trust,
)
from mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *trust.MUTANTS,
    *population.MUTANTS,
    *contribution.MUTANTS,
    *mechanisms.MUTANTS,
    *accounting.MUTANTS,
    *learning.MUTANTS,
    *estimators.MUTANTS,
    *attacks.MUTANTS,
    *audit.MUTANTS,
    *solve.MUTANTS,
    *sq.MUTANTS,
    *synthesis.MUTANTS,
    *queries.MUTANTS,
    *tables.MUTANTS,
    *open_keys.MUTANTS,
    *live.MUTANTS,
    *flower.MUTANTS,
)
