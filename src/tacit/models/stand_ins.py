"""What stands in the place of a layer while a loss is traced.

It is of the class of its layer, a node of the tree of the model, and answers a call by an equation
of the program (see `calls`). The one of the survey notes what else is asked of it.
"""

import inspect
import operator
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import jax
from jaxtyping import Array, Float, PyTree

from tacit.models.calls import UndescribedError, called
from tacit.models.equinox_layers import rule_of


@runtime_checkable
class Layer(Protocol):
    """A module whose gradients follow from what it records and the slope at its tap."""

    def __call__(self, *inputs: Array, key: Any = None) -> PyTree[Array]: ...

    def tap(self, *inputs: Array) -> tuple[int, ...]:
        """The shape of the pre-activation for these inputs."""
        ...

    def recorded(self, tap: Array, *inputs: Array) -> tuple[PyTree[Array], PyTree[Array]]:
        """The output with `tap` added to the pre-activation, and what `gradients` needs."""
        ...

    def gradients(self, record: PyTree[Array], slope: Float[Array, "batch ..."]) -> PyTree:
        """The layer with a `PerExample` in the place of each array.

        Both arguments have an axis of examples in front, and behind it one for each `vmap` and
        `scan` that calls the layer, over which the gradient is the sum.
        """
        ...


def is_layer(node: Any) -> bool:
    return isinstance(node, Layer) or rule_of(node) is not None


def ruled(layer: Any) -> Layer:
    """What knows its gradients: the layer itself, or the rule of one of Equinox's."""
    return layer if isinstance(layer, Layer) else cast(Layer, rule_of(layer))


class Trouble(NamedTuple):
    """Why a gradient has to be formed, and what would spare it."""

    what: str
    remedy: str


_UNCALLED = Trouble("never called", "leave out what is never called")
_AGAIN = Trouble("called more than once", "call a layer once, on all positions together")
_INSIDE = Trouble(
    "called inside another transformation",
    "call a layer outside of cond, while_loop and derivatives",
)
_READ = "tie no weights, and leave penalties to the optimiser"
_OTHER = Trouble(
    "called with arrays that the loss replaced or handed over",
    "close over layers rather than hand them, or stacks of them, to jit, checkpoint, vmap or scan, "
    "and leave their arrays as they are",
)
_NOT_DESCRIBED = Trouble(
    "called in a way that its rule does not know",
    "call a layer on one position, as its documents have it",
)


class LayerUse:
    """What a trace learnt about one layer: how it is called, and which arrays are read besides."""

    def __init__(self, layer: Layer, outer: Layer, place: int):
        self.layer, self.outer, self.place = layer, outer, place
        self.is_called = self.is_changed = False
        self.is_described = True
        self.differentiated: set[int] = set()
        self.read: list[str] = []
        self.shapes: list[Any] = []

    @property
    def trouble(self) -> Trouble | None:
        if self.differentiated:
            # Its arrays are read by that as well, which nobody who wrote the loss would find.
            return _INSIDE
        if self.is_changed:
            return _OTHER
        if not self.is_described:
            return _NOT_DESCRIBED
        if self.read:
            what = f"{self.read[0]} is" if len(self.read) == 1 else "arrays are"
            return Trouble(f"its {what} read outside its call", _READ)
        if not self.is_called:
            return _UNCALLED
        if len(self.shapes) > 1:
            return _AGAIN
        return _INSIDE if self.shapes in ([], [None]) else None

    def called(self, layer: Layer, given: inspect.BoundArguments) -> PyTree[Array]:
        """What this layer answers, as an equation of the program."""
        (leaves, structure), (own, before) = jax.tree.flatten(layer), jax.tree.flatten(self.layer)
        if not (structure == before and all(map(operator.is_, leaves, own))):
            self.is_changed = True
            raise UndescribedError("it is another layer than the model's")
        if given.kwargs:
            raise UndescribedError("rules know inputs by their place")
        return called(self.place, ruled(layer), ruled(self.outer), given.args, self.differentiated)

    def __deepcopy__(self, memo: dict) -> "LayerUse":
        return self


@jax.tree_util.register_pytree_node_class
class StandIn:
    """Stands in for a layer while a loss is traced, and notes how it is used.

    Its leaves are the layer's. Who only looks at them has read nothing: reading is a use in the
    program. One whose leaves were replaced is no longer the layer.
    """

    def __init__(self, layer: Layer, seen: LayerUse):
        self._layer, self._seen = layer, seen

    @property
    def __class__(self):  # pyright: ignore[reportIncompatibleMethodOverride]
        return type(self._layer)

    def __call__(self, *inputs: Array, key: Any = None, **named: Array) -> PyTree[Array]:
        seen = self._seen
        seen.is_called = True
        given = inspect.signature(self._layer).bind(*inputs, **named)
        with suppress(UndescribedError):
            return seen.called(self._layer, given)
        seen.is_described = False
        # Plainly, so that the program shows which arrays it reads.
        return self._layer(*inputs, key=key, **named)

    def __reduce__(self) -> tuple[type["StandIn"], tuple[Layer, LayerUse]]:
        """A copy's use is noted with that of the layer."""
        return StandIn, (self._layer, self._seen)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layer, name)

    def tree_flatten(self) -> tuple[tuple[Layer], LayerUse]:
        return (self._layer,), self._seen

    @classmethod
    def tree_unflatten(cls, seen: LayerUse, layer: tuple[Layer]) -> "StandIn":
        return cls(*layer, seen)
