"""What a refusal of SQL says can be asked instead."""

import pytest

from tables.records import table, visits
from tacit import tables


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A table of which nothing is read."""
    return table(visits(9, 3, seed=7), tmp_path_factory.mktemp("own"))


@pytest.mark.parametrize(
    "text, says",
    [
        ("SELECT MODE(sex) FROM v", "without MODE of rows: there is tables.top"),
        ("SELECT APPROX_TOP_K(sex, 3) FROM v", "without APPROX_TOP_K of rows: there is tables.top"),
        ("SELECT HISTOGRAM(days, [0, 7]) FROM v", "function HISTOGRAM of rows: .* tables.histo"),
        ("SELECT CORR(days, days) FROM v", "without CORR of rows: there is tables.covariance"),
        ("SELECT COVAR_SAMP(days, days) FROM v", "COVAR_POP is answered"),
        ("SELECT CUME_DIST() OVER (ORDER BY days) FROM v", r"a window \(OVER\) of .* tables.cdf"),
        ("SELECT MAX(days) FROM v", "without MAX of rows: there is tables.quantiles"),
        ("SELECT APPROX_QUANTILE(days, 0.5) FROM v", "of rows: there is PERCENTILE_DISC"),
        ("SELECT COUNT(*) FILTER (WHERE days > 1) FROM v", "without FILTER of rows: .* COUNT_IF"),
        ("SELECT COUNT(*) FROM v ORDER BY 1", "without ORDER BY: .* tables.top"),
        ("SELECT COUNT(*) FROM v LIMIT 3", "without LIMIT: .* tables.top"),
        ("SELECT COUNT(*) FROM v JOIN w USING (ward)", "without JOIN: .* visits.join"),
        ("SELECT COUNT(*) FROM v HAVING COUNT(*) > 3", "without this HAVING: .* at_least=20"),
        ("SELECT REGR_SLOPE(days, days) FROM v", "without REGR_SLOPE of rows: there are COUNT"),
    ],
)
def test_a_refusal_names_the_construct_and_the_call(own, text, says):
    """In one sentence."""
    with pytest.raises(ValueError, match=says) as refusal:
        own.sql(text, rows_per_person=5)
    assert "\n" not in str(refusal.value)


def test_the_calls_that_are_named_are_calls(own):
    """As they stand in the sentences, of a table that has such columns."""
    named = [
        tables.top("sex", categories=["f", "m"], k=1),
        tables.cdf("days", bins=[2, 7, 30]),
        tables.quantiles("days", [0.1, 0.9], 0, 30),
        tables.histogram("days", bins=[0, 7, 30]),
    ]
    asked = own.ask(**{f"n{i}": each for i, each in enumerate(named)}, rows_per_person=2)

    assert len(named) == len(asked.aggregates)
    assert own.by(tables.undeclared("ward", at_least=20)).keys.at_least == 20
