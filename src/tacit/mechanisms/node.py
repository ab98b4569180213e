"""Mechanisms as trees of numbers: arrays are their public numbers, all else is their structure.

A compiled program is kept for a structure, and another mechanism that JAX took for one of the same
structure would be run by the first one's program: numbers of one law in the code of another, with
a promise of neither. JAX's own `register_dataclass` (0.10.2) leaves the class out where structures
are compared: two classes of equal fields are equal there. They are rarely taken for one another,
because their hashes differ, but a cache that compares a few bits of a hash does it now and then.
`node` registers a class as a node of its own kind, which is compared by class.
"""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeVar

from jax.tree_util import GetAttrKey, register_pytree_with_keys

Class = TypeVar("Class", bound=type)


def node(cls: Class) -> Class:
    """Registers a frozen dataclass: fields are children, but for those whose metadata say static.

    A tree of others is made without a call of the class, so nothing checks what stands for numbers
    while a program is traced.
    """
    static = tuple(each.name for each in fields(cls) if each.metadata.get("static"))
    numbers = tuple(each.name for each in fields(cls) if each.name not in static)

    def with_keys(made: Any) -> tuple[tuple, tuple]:
        children = tuple((GetAttrKey(name), getattr(made, name)) for name in numbers)
        return children, tuple(getattr(made, name) for name in static)

    def flat(made: Any) -> tuple[tuple, tuple]:
        children = tuple(getattr(made, name) for name in numbers)
        return children, tuple(getattr(made, name) for name in static)

    def again(others: tuple, children: Iterable) -> Any:
        made = object.__new__(cls)
        pairs = zip((*numbers, *static), (*children, *others), strict=True)
        for name, value in pairs:
            object.__setattr__(made, name, value)
        return made

    register_pytree_with_keys(cls, with_keys, again, flat)
    return cls
