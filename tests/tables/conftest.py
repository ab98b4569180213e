"""A server that tests of tables share."""

import ibis
import pytest


@pytest.fixture
def postgresql():
    """A connection to the machine's own server."""
    pytest.importorskip("psycopg", reason="psycopg is not here")
    try:
        own = ibis.postgres.connect(host="127.0.0.1", user="postgres", database="test")
    except Exception as error:
        pytest.skip(f"there is no PostgreSQL server here: {type(error).__name__}")
    yield own
    own.disconnect()
