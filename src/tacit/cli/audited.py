"""What `tacit audit` is asked to run: somebody's own function, or an estimator of the library.

A function is `module:name`, of a file in this folder or anything that Python can import; it is
called with data and a seed. An estimator is a name of `tacit.estimators`, told the promise and the
bounds; its other parameters are given as `--set name=value`, the value as JSON has it.
"""

import json
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tacit import estimators
from tacit.audit.many_runs import Audited
from tacit.trust.central import Central

# What options of their own say, and what every run is given.
TOLD = "trust", "people", "seed", "ledger"
_NONE = "there must be a function {named}, as module:function"
ESTIMATORS = tuple(name for name in estimators.__all__ if name[0].isupper())


def function_of(named: str) -> Callable[..., Any]:
    """The function of a `module:name`.

    Raises:
      ValueError: if there is no such function.
    """
    module, _, name = named.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    if not (module and name):
        raise ValueError(f"what is run must be a module:function, got {named}")
    found = getattr(_imported(module, named), name, None)
    if found is None:
        raise ValueError(_NONE.format(named=named))
    if not callable(found):
        raise ValueError(f"{named} must be a function, got {type(found).__name__}")
    return found


def _imported(module: str, named: str) -> Any:
    """The module; what it raises when it is imported is told in a sentence."""
    try:
        return import_module(module)
    except (Exception, SystemExit) as error:
        # Not what the module itself imports.
        if isinstance(error, ModuleNotFoundError) and module.startswith(str(error.name)):
            raise ValueError(_NONE.format(named=named)) from None
        said = f"{type(error).__name__}: {error}"
        raise ValueError(f"{module} could not be imported: {said}") from error


def estimator_of(name: str, trust: Central, bounds: Any, people: int, given: Sequence[str]) -> Any:
    """The estimator of this name.

    Raises:
      ValueError: if there is none, or it has not such a parameter.
    """
    if name not in ESTIMATORS:
        raise ValueError(
            f"what is audited is a module:function, or one of {', '.join(ESTIMATORS)}, got {name}"
        )
    own = getattr(estimators, name)()
    told, known = dict(map(_parameter, given)), own.get_params()
    unknown = sorted((set(told) - set(known)) | (set(told) & set(TOLD)))
    if unknown:
        others = ", ".join(sorted(set(known) - set(TOLD)))
        raise ValueError(f"--set must name one of {others} of {name}, got {unknown[0]}")
    declared = {"bounds": bounds} if "bounds" in known else {}
    return own.set_params(trust=trust, people=people, **declared | told)


def named_function(target: str) -> Audited | None:
    """The function, if it is one that is meant."""
    return sure(function_of(target), target) if ":" in target else None


def sure(function: Callable[..., Any], named: str) -> Audited:
    """The same; what it raises is told in a sentence, and is no verdict."""

    return lambda data, seed: called(function, named, data, seed)


def called(function: Callable[..., Any], named: str, *args: Any) -> Any:
    """What it answers.

    Raises:
      ValueError: with what it raises, or ends with.
    """
    try:
        return function(*args)
    except (Exception, SystemExit) as error:
        raise ValueError(f"{named} raised {type(error).__name__}: {error}") from error


def _parameter(given: str) -> tuple[str, Any]:
    name, equals, value = given.partition("=")
    if not (name and equals):
        raise ValueError(f"--set must be a name=value, e.g. n_clusters=2, got {given}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
