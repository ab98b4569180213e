"""Where a warning points: past the library's frames, and others' between them."""

import types

from tacit.called_from import called_from


def _within(name: str, source: str, **given):
    module = types.ModuleType(name)
    vars(module).update(given)
    exec(source, vars(module))
    return module.call


def test_the_level_is_of_whoever_called_the_library():
    """However deep within it, and with another's frames between its own."""
    direct = _within("tacit.one", "call = lambda: level()", level=called_from)
    through = _within("jax.two", "call = lambda: level()", level=direct)
    outer = _within("tacit.three", "call = lambda: level()", level=through)

    assert direct() == 2 and through() == 2 and outer() == 4
