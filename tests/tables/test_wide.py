"""Numbers of a row, in double precision."""

import ibis
import numpy as np
import pandas as pd
import pytest

from tacit.tables import rowwise
from tacit.tables.engine import rows_of


@pytest.mark.parametrize("written", [0.1, 0.12345678901234567, 1e-300, 2.5e77])
def test_numbers_that_are_written_out_are_read_to_the_last_digit(written):
    """As Python has them, and not as decimals that are brought to one scale and rounded."""
    rows = rows_of(pd.DataFrame({"zero": np.zeros(1, np.float32)}))
    chosen = ibis.ifelse(ibis._.zero > 1, 1.0 / 3, written)
    for said in (ibis._.zero + written, chosen):
        found = rows.select(x=rowwise.number(rows, said)).to_pyarrow()["x"].to_pylist()
        assert [written] == found
