"""What SQL has no words for here, or other ones: what does it instead, in SQL or in Python.

A refusal names the construct, and where the question itself can be asked, the call that asks it.
"""

from sqlglot import exp

_TOP = 'tables.top("sex", categories=["f", "m"], k=1)'
_COVARIANCE = 'tables.covariance({"days": (0, 30), "age": (0, 120)})'
_CDF = 'tables.cdf("days", bins=[2, 7, 30])'
_QUANTILES = 'tables.quantiles("days", [0.1, 0.9], 0, 30)'
_OF_DECLARED = (
    "it is for the most frequent of declared values alone, as in SELECT sex, COUNT(*) AS n FROM v "
    "GROUP BY sex ORDER BY n DESC LIMIT 1, "
)
_PARTS = {
    "order": _OF_DECLARED + _TOP,
    "limit": _OF_DECLARED + _TOP,
    "joins": 'a public table is joined by visits.join(wards, on="ward")',
    "having": (
        "it is for how many people a found group needs alone, as in HAVING COUNT(DISTINCT patient) "
        '>= 20, tables.undeclared("ward", at_least=20)'
    ),
}
_KINDS: dict[type, str] = {
    exp.Mode: _TOP,
    exp.ApproxTopK: _TOP,
    exp.Corr: _COVARIANCE,
    exp.CumeDist: _CDF,
    exp.PercentRank: _CDF,
    exp.Min: _QUANTILES,
    exp.Max: _QUANTILES,
    exp.Quantile: "PERCENTILE_DISC",
    exp.ApproxQuantile: "PERCENTILE_DISC",
    exp.Filter: "COUNT_IF(condition), or tables.count_if",
}
_FUNCTIONS = {"histogram": 'tables.histogram("days", bins=[0, 7, 30])'}


def of_part(part: str) -> str:
    """What is said behind the refusal of a part of a statement."""
    return f": {_PARTS[part]}" if part in _PARTS else ""


def of_function(node: exp.Expr) -> str | None:
    """What does the same as an aggregate that is refused, if anything does."""
    inner = node.this if isinstance(node, exp.Window | exp.WithinGroup) else node
    if isinstance(inner, exp.Anonymous):
        return _FUNCTIONS.get(inner.name.lower())
    return _KINDS.get(type(inner))
