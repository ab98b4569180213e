"""What somebody may have meant by a command that there is not.

Statistics have no command each: `tacit ask` answers them all, and what it calls them stands here,
because who mistypes a word does not wait for what `ask` is made of.
"""

from collections.abc import Collection
from difflib import get_close_matches

# By what a statistic is called, the option of `ask`.
STATISTICS = {
    "count": "--count",
    "people": "--people",
    "mean": "--mean days:0:30",
    "average": "--mean days:0:30",
    "sum": "--total days:0:30",
    "total": "--total days:0:30",
    "variance": "--variance days:0:30",
    "covariance": "--covariance days:0:30,age:0:120",
    "median": "--median days:0:30",
    "quantile": "--quantiles days:0:30:.25,.5,.9",
    "quantiles": "--quantiles days:0:30:.25,.5,.9",
    "histogram": "--histogram days:0,7,30",
    "cdf": "--cdf days:2,7,30",
    "share": '--share "days > 7"',
    "top": "--top 2:ward=A,B,C",
    "sql": '--sql "SELECT COUNT(*) FROM rows"',
    "query": '--sql "SELECT COUNT(*) FROM rows"',
}


def no_command(name: str, commands: Collection[str]) -> str:
    """That there is none of this name, and what there is instead.

    Args:
      name: as it was typed.
      commands: those that there are.
    """
    near = get_close_matches(name.lower(), [*commands, *STATISTICS], 1)
    if not near:
        return f"No such command {name!r}."
    if near[0] in STATISTICS:
        asked = STATISTICS[near[0]]
        return f"No such command {name!r}: tacit ask FILE --person COLUMN {asked} --epsilon 1"
    return f"No such command {name!r}: did you mean tacit {near[0]}?"
