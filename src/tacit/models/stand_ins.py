"""What stands in the place of a layer while a loss is traced.

It is of the class of its layer, a node of the tree of the model, and answers a call by an equation
of the program (see `calls`). It notes how it is used: in the survey, and once more in the pass that
follows, where all has to be as the survey found it.

The gradient of a layer with a `Trouble` is formed for every example. These are in trouble:

* a layer that is never called: it has no tap;
* one whose parameters are read outside its call (tied weights, a penalty over all leaves of the
  model): the tap would see a part of the gradient;
* one with other arrays than the model's when it is called: tied or cast ones, or those that a
  transformation makes of a layer that it is given rather than closes over;
* one whose call is not as its rule has it: a matrix where its layer asks for a vector, say, nothing
  to record, an input that has no place, or a key that makes a difference;
* one whose call stands at more than one place: the squared norm has cross terms between the calls;
* one called inside a transformation that no tap is handed through, as `cond` and `while_loop`
  are, or is differentiated within the loss.
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
    "call a layer on one position, as its documents have it, and without a key that it uses",
)


class LayerUse:
    """What a trace learnt about one layer: how it is called, and which arrays are read besides."""

    def __init__(self, layer: Layer, outer: Layer, place: int):
        self.layer, self.outer, self.place = layer, outer, place
        self.is_called = False
        self.undescribed: Trouble | None = None
        self.differentiated: set[int] = set()
        self.read: list[str] = []
        self.shapes: list[Any] = []

    @property
    def trouble(self) -> Trouble | None:
        if self.differentiated:
            # Its arrays are read by that as well, which nobody who wrote the loss would find.
            return _INSIDE
        if self.undescribed:
            return self.undescribed
        if self.read:
            what = f"{self.read[0]} is" if len(self.read) == 1 else "arrays are"
            return Trouble(f"its {what} read outside its call", _READ)
        if not self.is_called:
            return _UNCALLED
        if len(self.shapes) > 1:
            return _AGAIN
        return _INSIDE if self.shapes in ([], [None]) else None

    def is_of(self, layer: Layer) -> bool:
        """Whether this is the model's layer still."""
        (leaves, structure), (own, before) = jax.tree.flatten(layer), jax.tree.flatten(self.layer)
        return structure == before and all(map(operator.is_, leaves, own))

    def called(self, inputs: tuple, named: dict[str, Any]) -> PyTree[Array]:
        """What this layer answers, as an equation of the program."""
        layer, key = self.layer, named.get("key")
        others = {name: value for name, value in named.items() if name != "key"}
        try:
            given = inspect.signature(layer).bind(*inputs, **others)
        except TypeError as error:
            raise UndescribedError("the layer refuses it, or has an input named key") from error
        if given.kwargs:
            raise UndescribedError("rules know inputs by their place")
        if key is not None and not _is_ignored(key, layer, given.args):
            raise UndescribedError("rules know no key")
        return called(self.place, ruled(layer), ruled(self.outer), given.args, self.differentiated)

    def __deepcopy__(self, memo: dict) -> "LayerUse":
        return self


def _is_ignored(key: Any, layer: Layer, inputs: tuple) -> bool:
    """Whether the layer does with this key what it does without, as most of Equinox's do."""

    def program(**named: Any) -> str:
        return str(jax.make_jaxpr(lambda: layer(*inputs, **named))())

    try:
        return program(key=key) == program()
    except Exception:
        # What the layer fails at, it says itself; without a key, it may be right to.
        return False


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

    def __call__(self, *inputs: Array, **named: Any) -> PyTree[Array]:
        seen = self._seen
        seen.is_called = True
        if not seen.is_of(self._layer):
            seen.undescribed = _OTHER
        else:
            with suppress(UndescribedError):
                return seen.called(inputs, named)
            seen.undescribed = _NOT_DESCRIBED
        # Plainly, so that the program shows which arrays it reads.
        return self._layer(*inputs, **named)

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
