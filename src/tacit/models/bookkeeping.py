"""One forward and one backward pass that leave every example's gradient in factors.

A layer `y = f(x W + b)` gets a *tap*: zeros added to its pre-activation. The loss's gradient in the
tap is all that backpropagation contributes to the gradient of W, and x is known from the forward
pass; so the pass differentiates the loss in the taps alone, and the layers turn pairs of record
and slope into `PerExample` gradients (see `per_example`). No gradient of a parameter is formed.

A layer may be called on all positions together or on each of them, inside `vmap`, `scan`, `jit` and
`checkpoint` (see `calls`): the taps and records of the positions lie side by side.

A parameter array that no such layer holds, and a layer whose use the records cannot describe (see
`stand_ins`), take part in the same pass the plain way, one instance for each example, with a
warning that says which and why. Such uses are found by tracing the loss once on shapes alone, with
stand-ins for the layers. A stand-in is a node of the tree of the model, of the class of its layer,
so a loss that goes through leaves or asks for classes finds what it would find in the model, and is
seen to do so.

Layers may be of halves. Backpropagation then rounds slopes as it does for the plain gradient, but
what is made of slopes and records here is not rounded to halves again: norms and sums are those of
one float32 gradient, which the bound holds for as for any other. It differs from what `jax.grad`
answers, in halves, by that rounding. A gradient that is formed for every example is rounded first,
and what is measured and added is then the rounded one.
"""

import warnings
from collections.abc import Callable, Collection, Iterator
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Var
from jaxtyping import Array, Float, PyTree

from tacit.called_from import called_from
from tacit.models.calls import found, performed
from tacit.models.once import first_time
from tacit.models.per_example import Instances
from tacit.models.stand_ins import LayerUse, StandIn, Trouble, is_layer, ruled

Loss = Callable[[Any, PyTree], Float[Array, ""]]


class SlowGradientWarning(UserWarning):
    """Gradients of some parameters are formed for every example, which costs time and memory."""


_NO_RULE = Trouble("not in a layer with a rule", "use the layers of tacit.models")


def per_example_gradients(loss: Loss, model: PyTree, batch: PyTree) -> list[PyTree]:
    """Every example's gradient, as one tree for each part of the model that has parameters.

    `loss(model, example)` is the loss of one example; `batch` has a leading axis of examples.
    """
    members, structure = parts(model)
    shapes = _survey(loss, members, structure, batch)
    taps = {place: jnp.zeros(shape, jnp.float32) for place, shape in shapes.items()}
    plain = {
        place: eqx.filter(member, eqx.is_inexact_array)
        for place, member in enumerate(members)
        if place not in taps
    }

    def traced(variables, example):
        taps, untapped = variables
        own = [eqx.combine(untapped.get(place), each) for place, each in enumerate(members)]
        program, given, seen = _program(loss, own, structure, taps, example)
        _refuse_others(seen, shapes)
        (value,), records = performed(program.jaxpr, program.consts, given, taps)
        return value, records

    slopes_and_records = jax.vmap(jax.grad(traced, has_aux=True), in_axes=(None, 0))
    (slopes, untapped), records = slopes_and_records((taps, plain), batch)
    gradients = [
        _learnt(member, ruled(member).gradients(records[place], slopes[place]))
        if place in taps
        else jax.tree.map(Instances, untapped[place])
        for place, member in enumerate(members)
    ]
    return [part for part, own in zip(gradients, members, strict=True) if has_parameters(own)]


def _program(
    loss: Loss, members: list, structure, places: Collection[int], example: PyTree
) -> tuple[ClosedJaxpr, list[Array], dict[int, LayerUse]]:
    """The loss with stand-ins at these places, what it is given, and what was seen of them."""
    seen: dict[int, LayerUse] = {}

    def traced(arrays, example):
        whole = eqx.combine(arrays, rest)
        for place in places:
            seen[place] = LayerUse(whole[place], members[place], place)
            whole[place] = StandIn(whole[place], seen[place])
        return loss(jax.tree.unflatten(structure, whole), example)

    arrays, rest = eqx.partition(members, eqx.is_array)
    program = jax.make_jaxpr(traced)(arrays, example)
    _note(seen, program.jaxpr, arrays)
    return program, jax.tree.leaves((arrays, example)), seen


def _note(seen: dict[int, LayerUse], program: Jaxpr, arrays: list) -> None:
    """Every call's tap, and every array of a layer that is used besides."""
    for place, shape in found(program):
        seen[place].shapes.append(shape)
    for path in _read(program, arrays):
        if path[0].idx in seen:
            seen[path[0].idx].read.append(jax.tree_util.keystr(path[1:]).strip("."))


def _read(program: Jaxpr, arrays: list) -> Iterator[tuple]:
    """The paths of the arrays that equations use, which calls do not."""
    atoms = [atom for equation in program.eqns for atom in equation.invars] + program.outvars
    used = {atom for atom in atoms if isinstance(atom, Var)}
    paths = jax.tree_util.tree_leaves_with_path(arrays)
    for (path, _), variable in zip(paths, program.invars, strict=False):
        if variable in used:
            yield path


def _refuse_others(seen: dict[int, LayerUse], shapes: dict[int, tuple[int, ...]]) -> None:
    """What the survey did not see would lack a part of the gradient, or have another's tap."""
    if any(note.trouble or note.shapes != [shapes[place]] for place, note in seen.items()):
        raise RuntimeError("a loss must do the same each time, and it did not this time")


def _learnt(member: PyTree, gradients: PyTree) -> PyTree:
    """Those of parameters: a rule has one for each array, and whole numbers are not learnt."""

    def kept(leaf: Any, gradient: Any) -> Any:
        return gradient if eqx.is_inexact_array(leaf) else None

    return jax.tree.map(kept, member, gradients)


def parts(model: PyTree) -> tuple[list[PyTree], Any]:
    """The model's layers and its other leaves, with the structure that holds them."""
    return jax.tree.flatten(model, is_leaf=is_layer)


def has_parameters(part: PyTree) -> bool:
    """Whether a part holds arrays of real numbers, which are what is learnt."""
    return any(map(eqx.is_inexact_array, jax.tree.leaves(part)))


def _survey(loss: Loss, members: list, structure, batch: PyTree) -> dict[int, tuple[int, ...]]:
    """The shape of the tap at each place that can have one."""
    places = [place for place, member in enumerate(members) if is_layer(member)]
    example = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), batch)
    _, _, seen = _program(loss, members, structure, places, example)
    _warn(members, structure, seen)
    return {place: note.shapes[0] for place, note in seen.items() if note.trouble is None}


def _warn(members: list, structure, seen: dict[int, LayerUse]) -> None:
    """One warning that names every parameter array, or layer, without a fast gradient."""
    whole = jax.tree.unflatten(structure, range(len(members)))
    troubles = [
        (jax.tree_util.keystr(path), trouble)
        for path, place in jax.tree_util.tree_leaves_with_path(whole)
        if (trouble := _trouble(members[place], seen.get(place)))
    ]
    if troubles:
        places = ", ".join(f"{place} ({trouble.what})" for place, trouble in troubles)
        remedies = "; ".join(dict.fromkeys(trouble.remedy for _, trouble in troubles))
        sentence = f"the gradient is formed for every example at {places}; to spare it, {remedies}"
        if first_time(sentence):
            warnings.warn(sentence, SlowGradientWarning, stacklevel=called_from())


def _trouble(member: PyTree, note: LayerUse | None) -> Trouble | None:
    if not has_parameters(member):
        return None
    return _NO_RULE if note is None else note.trouble
