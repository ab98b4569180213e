"""Columns of expressions that do not go together."""

import ibis
import pandas as pd
import pytest

from tables.records import table
from tacit import tables


@pytest.mark.parametrize("hired", [ibis._.hired, ibis._["hired"]])
def test_columns_that_do_not_go_together_are_named_with_their_types(tmp_path, hired):
    """Those that were said alone; of text, how it becomes a date."""
    frame = pd.DataFrame({"patient": ["a"], "hired": ["2019-01-31"], "hire": [1], "days": [2.0]})
    by_year = table(frame, tmp_path).by(year=(hired.year(), [2019]))
    with pytest.raises(
        ValueError, match=r"'hired' is of type string, .* pd.to_datetime"
    ) as refused:
        by_year.ask(n=tables.count(), rows_per_person=1)
    assert "'hire'" not in str(refused.value) and "'days'" not in str(refused.value)
    of_numbers = table(frame, tmp_path).by(year=(ibis._.days.year(), [2019]))
    with pytest.raises(ValueError, match=r"'days' is of type float64$"):
        of_numbers.ask(n=tables.count(), rows_per_person=1)
