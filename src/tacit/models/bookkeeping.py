"""One forward and one backward pass that leave every example's gradient in factors.

A layer `y = f(x W + b)` gets a *tap*: zeros added to its pre-activation. The loss's gradient in the
tap is all that backpropagation contributes to the gradient of W, and x is known from the forward
pass; so the pass differentiates the loss in the taps alone, and the layers turn pairs of record
and slope into `PerExample` gradients (see `per_example`). No gradient of a parameter is formed.

A parameter array that no such layer holds, and a layer whose use the records cannot describe,
take part in the same pass the plain way, one instance for each example, with a warning that says
which and why. The uses that cannot be described:

* its parameters are read outside its call (tied weights, a penalty over all leaves of the model):
  the tap would see a part of the gradient;
* it is called more than once: the squared norm has cross terms between the calls;
* it is called inside another transformation (`vmap`, `scan`, `jit`, `checkpoint`): records of an
  inner trace cannot leave it. The layers here take any leading axes, so a sequence needs no `vmap`.

These are found by tracing the loss once on shapes alone, with stand-ins for the layers. A stand-in
is a node of the tree of the model, of the class of its layer, so a loss that goes through leaves or
asks for classes finds what it would find in the model, and is seen to do so.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.extend.core import get_opaque_trace_state
from jaxtyping import Array, Float, PyTree

from tacit.models.equinox_layers import rule_of
from tacit.models.once import first_time
from tacit.models.per_example import added

Loss = Callable[[Any, PyTree], Float[Array, ""]]


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
        """The layer with a `PerExample` in the place of each array; arguments are batched."""
        ...


class SlowGradientWarning(UserWarning):
    """Gradients of some parameters are formed for every example, which costs time and memory."""


class _Trouble(NamedTuple):
    """Why a gradient has to be formed, and what would spare it."""

    what: str
    remedy: str


_NO_RULE = _Trouble("not in a layer with a rule", "use the layers of tacit.models")
_UNCALLED = _Trouble("never called", "leave out what is never called")
_AGAIN = _Trouble("called more than once", "call a layer once, on all positions together")
_INSIDE = _Trouble(
    "called inside another transformation",
    "call a layer outside of vmap, scan and jit: it takes leading axes",
)
_READ = "tie no weights, and leave penalties to the optimiser"


def per_example_gradients(loss: Loss, model: PyTree, batch: PyTree) -> list[PyTree]:
    """Every example's gradient, as one tree for each part of the model that has parameters.

    `loss(model, example)` is the loss of one example; `batch` has a leading axis of examples.
    """
    members, structure = parts(model)
    shapes = _survey(loss, members, structure, batch)
    is_tapped = [shape is not None for shape in shapes]
    taps = [jnp.zeros(shape) for shape in shapes if shape is not None]
    trees = [eqx.partition(member, eqx.is_inexact_array) for member in members]
    plain = [arrays for (arrays, _), tapped in zip(trees, is_tapped, strict=True) if not tapped]

    def traced(variables, example):
        tap, untapped = (iter(values) for values in variables)
        whole = [
            _Tapped(member, next(tap)) if tapped else eqx.combine(next(untapped), rest)
            for member, (_, rest), tapped in zip(members, trees, is_tapped, strict=True)
        ]
        value = loss(jax.tree.unflatten(structure, whole), example)
        return value, [member.record for member in whole if isinstance(member, _Tapped)]

    slopes_and_records = jax.vmap(jax.grad(traced, has_aux=True), in_axes=(None, 0))
    (slopes, untapped), records = slopes_and_records((taps, plain), batch)
    pairs, instances = zip(records, slopes, strict=True), iter(untapped)
    gradients = [
        _ruled(member).gradients(*next(pairs)) if tapped else jax.tree.map(added, next(instances))
        for member, tapped in zip(members, is_tapped, strict=True)
    ]
    return [part for part, own in zip(gradients, members, strict=True) if has_parameters(own)]


def parts(model: PyTree) -> tuple[list[PyTree], Any]:
    """The model's layers and its other leaves, with the structure that holds them."""
    return jax.tree.flatten(model, is_leaf=_is_layer)


def has_parameters(part: PyTree) -> bool:
    """Whether a part holds arrays of real numbers, which are what is learnt."""
    return any(map(eqx.is_inexact_array, jax.tree.leaves(part)))


def _survey(loss: Loss, members: list, structure, batch: PyTree) -> list[tuple[int, ...] | None]:
    """The shape of each part's tap, or None where it has to take part the plain way."""
    seen = [_Seen(member) if _is_layer(member) else None for member in members]

    def traced(arrays, example):
        whole = [
            member if note is None else _Watched(member, note, get_opaque_trace_state())
            for member, note in zip(eqx.combine(arrays, rest), seen, strict=True)
        ]
        return loss(jax.tree.unflatten(structure, whole), example)

    arrays, rest = eqx.partition(members, eqx.is_array)
    example = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), batch)
    jax.eval_shape(traced, arrays, example)
    _warn(members, structure, seen)
    return [None if note is None or note.trouble else note.shape for note in seen]


def _warn(members: list, structure, seen: list) -> None:
    """One warning that names every parameter array, or layer, without a fast gradient."""
    whole = jax.tree.unflatten(structure, range(len(members)))
    found = [
        (jax.tree_util.keystr(path), trouble)
        for path, place in jax.tree_util.tree_leaves_with_path(whole)
        if (trouble := _trouble(members[place], seen[place]))
    ]
    if found:
        places = ", ".join(f"{place} ({trouble.what})" for place, trouble in found)
        remedies = "; ".join(dict.fromkeys(trouble.remedy for _, trouble in found))
        sentence = f"the gradient is formed for every example at {places}; to spare it, {remedies}"
        if first_time(sentence):
            warnings.warn(sentence, SlowGradientWarning, stacklevel=5)


def _trouble(member: PyTree, note: "_Seen | None") -> _Trouble | None:
    if note is not None:
        return note.trouble
    return _NO_RULE if eqx.is_inexact_array(member) else None


def _is_layer(node: Any) -> bool:
    return isinstance(node, Layer) or rule_of(node) is not None


def _ruled(layer: Any) -> Layer:
    """What knows its gradients: the layer itself, or the rule of one of Equinox's."""
    return layer if isinstance(layer, Layer) else cast(Layer, rule_of(layer))


class _Seen:
    """What the survey learnt about one layer. One that is never called has an empty tap."""

    def __init__(self, layer: Layer):
        self.name = type(layer).__name__
        self.shape: tuple[int, ...] | None = None
        self.trouble: _Trouble | None = _UNCALLED


@jax.tree_util.register_pytree_node_class
class _Watched:
    """Stands in for a layer while shapes are traced, and notes how it is used."""

    def __init__(self, layer: Layer, seen: _Seen, outside: Any):
        self._layer, self._seen, self._outside = layer, seen, outside

    @property
    def __class__(self):  # pyright: ignore[reportIncompatibleMethodOverride]
        return type(self._layer)

    def __call__(self, *inputs: Array, key: Any = None) -> PyTree[Array]:
        if self._seen.shape is not None:
            self._seen.trouble = _AGAIN
        elif get_opaque_trace_state() != self._outside:
            self._seen.trouble = _INSIDE
        elif self._seen.trouble is _UNCALLED:
            self._seen.trouble = None
        self._seen.shape = _ruled(self._layer).tap(*inputs)
        return self._layer(*inputs, key=key)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._layer, name)
        if any(map(eqx.is_array, jax.tree.leaves(value))):
            self._seen.trouble = _Trouble(f"its {name} is read outside its call", _READ)
        return value

    def tree_flatten(self) -> tuple[tuple[Layer], tuple[_Seen, Any]]:
        """The layer's own, to who asks for all leaves of the model."""
        self._seen.trouble = _Trouble("its arrays are read outside its call", _READ)
        return (self._layer,), (self._seen, self._outside)

    @classmethod
    def tree_unflatten(cls, rest: tuple[_Seen, Any], layer: tuple[Layer]) -> "_Watched":
        return cls(*layer, *rest)


@jax.tree_util.register_pytree_node_class
class _Tapped:
    """Stands in for a layer while the loss is differentiated, and keeps its record."""

    def __init__(self, layer: Layer, tap: Array):
        self._layer, self._tap = layer, tap
        self.record: PyTree[Array] = None

    @property
    def __class__(self):  # pyright: ignore[reportIncompatibleMethodOverride]
        return type(self._layer)

    def __call__(self, *inputs: Array, key: Any = None) -> PyTree[Array]:
        output, self.record = _ruled(self._layer).recorded(self._tap, *inputs)
        return output

    def __getattr__(self, name: str) -> Any:
        return getattr(self._layer, name)

    def tree_flatten(self) -> tuple[tuple, Any]:
        """The survey has seen none of this, or the layer would not be tapped."""
        raise RuntimeError("a loss must do the same each time, and it read other arrays this time")

    @classmethod
    def tree_unflatten(cls, rest: Any, children: tuple) -> "_Tapped":
        return cls(*children, *rest)
