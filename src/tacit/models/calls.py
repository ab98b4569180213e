"""A layer's call as one equation of the loss's program, wherever in the program it stands.

A loss is traced with stand-ins, whose calls are equations that only say which layer they are of.
`vmap` gives such an equation one more axis of calls; `scan`, `jit` and `checkpoint` have it in the
program of their body. What a rule does not know is no such equation: a matrix where its layer asks
for a vector, say. So the call is traced on shapes first, and with a tap it has to answer what the
layer does, down to the type of every number.

`found` says where the calls are, and `performed` runs the program with a tap added at each, and
hands out what each recorded: the taps of a scan's steps go into it as rows, and the records come
out of it as such, so none is ever in the trace of another transformation.

A layer that is called at `T` positions so has a tap and a record with an axis of length T in front:
of all positions, as if it had been called once on all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast, final

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import ShapedArray
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Primitive, jaxprs_in_params
from jax.extend.core.primitives import jit_p, remat_p, scan_p
from jax.interpreters import ad, batching
from jaxtyping import Array, PyTree

from tacit.scanned import divided

Taps = dict[int, Array]
Records = dict[int, PyTree[Array]]
Shape = tuple[int, ...]


class UndescribedError(Exception):
    """A layer is called in a way that its rule does not know: legal, perhaps, but another thing."""


@final
@dataclass(frozen=True, eq=False)
class Call:
    """Of which layer an equation is, how its inputs lie, and what comes out.

    `layer` has the arrays of the trace, and `outer` those of who performs the program. Taps are
    float32, and what is added is of the `kind` of the outputs: the layer answers as it does without
    a tap, and the sums of slopes are not rounded as halves are. The place is added to
    `differentiated` where a derivative of the layer is taken within the loss.
    """

    place: int
    layer: Any
    outer: Any
    structure: Any
    tap: Shape
    kind: Any
    outputs: list[jax.ShapeDtypeStruct]
    differentiated: set[int]

    def plain(self, *leaves: Array) -> list[Array]:
        return jax.tree.leaves(self.layer(*self.structure.unflatten(leaves)))

    def recorded(self, tap: Array, *leaves: Array) -> tuple[list[Array], PyTree[Array]]:
        inputs = self.structure.unflatten(leaves)
        output, record = self.outer.recorded(tap.astype(self.kind), *inputs)
        return jax.tree.leaves(output), record


def called(
    place: int, layer: Any, outer: Any, inputs: tuple, differentiated: set[int]
) -> PyTree[Array]:
    """What the layer answers, as one equation of the program that is traced.

    Raises:
      UndescribedError: if its rule cannot do what the layer does on these inputs.
    """
    try:
        call, leaves, answer = _described(place, layer, outer, inputs, differentiated)
    except Exception as error:
        # Whatever a rule does not know, it may fail at; what the layer fails at, it says itself.
        raise UndescribedError("the rule fails, or answers another thing") from error
    return answer.unflatten(_CALL.bind(*leaves, call=call, mapped=0))


def _described(
    place: int, layer: Any, outer: Any, inputs: tuple, differentiated: set[int]
) -> tuple[Call, list[Array], Any]:
    """The call with its inputs, and how its answer lies, if that is the same with a tap."""
    leaves, structure = jax.tree.flatten(inputs)
    leaves = [jnp.asarray(leaf) for leaf in leaves]
    if not leaves:
        raise UndescribedError("an equation is mapped along its inputs")
    own, tapped = (lambda *given: layer(*given)), (lambda *given: jnp.zeros(layer.tap(*given)))
    given = structure.unflatten(leaves)
    shapes, answer = jax.tree.flatten(jax.eval_shape(own, *given))
    tap = jax.eval_shape(tapped, *given)
    kind = next(each.dtype for each in shapes if jnp.issubdtype(each.dtype, jnp.floating))
    call = Call(place, layer, outer, structure, tap.shape, kind, shapes, differentiated)
    with_tap, _ = jax.eval_shape(call.recorded, tap, *leaves)
    if [(each.shape, each.dtype) for each in with_tap] != [(x.shape, x.dtype) for x in shapes]:
        raise UndescribedError("the rule answers another thing than the layer")
    return call, leaves, answer


def found(program: Jaxpr, lengths: Shape | None = ()) -> Iterator[tuple[int, Shape | None]]:
    """Every call's place with the shape of its tap, or None where no tap can reach it."""
    for equation in program.eqns:
        if equation.primitive is _CALL:
            call, mapped = equation.params["call"], equation.params["mapped"]
            over = cast(ShapedArray, equation.invars[0].aval).shape[:mapped]
            yield call.place, None if lengths is None else (*lengths, *over, *call.tap)
        within = lengths if equation.primitive in _OPEN else None
        if within is not None and equation.primitive is scan_p:
            within = (*within, equation.params["length"])
        for inner in jaxprs_in_params(equation.params):
            yield from found(inner, within)


def performed(
    program: Jaxpr, constants: list, inputs: list, taps: Taps
) -> tuple[list[Array], Records]:
    """The program's answers, and every call's record, with the taps added."""
    values = dict(zip([*program.constvars, *program.invars], [*constants, *inputs], strict=True))
    records: Records = {}

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else values[atom]

    for equation in program.eqns:
        answers, more = _answered(equation, [read(atom) for atom in equation.invars], taps)
        values.update(zip(equation.outvars, answers, strict=True))
        records.update(more)
    return [read(atom) for atom in program.outvars], records


def _answered(equation: JaxprEqn, inputs: list, taps: Taps) -> tuple[list[Array], Records]:
    primitive, params = equation.primitive, equation.params
    if primitive is _CALL:
        return _tapped(params["call"], params["mapped"], inputs, taps)
    places = {place for inner in jaxprs_in_params(params) for place, _ in found(inner)}
    if places:
        own = {place: taps[place] for place in places}
        return _OPEN[primitive](equation, inputs, own)
    with equation.ctx.manager:
        answer = primitive.bind(*inputs, **primitive.get_bind_params(params))
    return answer if primitive.multiple_results else [answer], {}


def _tapped(call: Call, mapped: int, inputs: list, taps: Taps) -> tuple[list[Array], Records]:
    way = call.recorded
    for _ in range(mapped):
        way = jax.vmap(way)
    outputs, record = way(taps[call.place], *inputs)
    return outputs, {call.place: record}


def _in_turn(equation: JaxprEqn, inputs: list, taps: Taps) -> tuple[list[Array], Records]:
    """A scan, with rows of taps more to read, and rows of records more to write."""
    params, body = equation.params, equation.params["jaxpr"]
    fixed, handed_on = divided(equation)
    kept = fixed + handed_on

    def step(carry: list, given: tuple[Taps, list]):
        tap, rows = given
        own = [*inputs[:fixed], *carry, *rows]
        answers, records = performed(body.jaxpr, body.consts, own, tap)
        return answers[: len(carry)], (answers[len(carry) :], records)

    start, rows = inputs[fixed:kept], inputs[kept:]
    length, back, unroll = (params[name] for name in ("length", "reverse", "unroll"))
    carry, (outputs, records) = lax.scan(step, start, (taps, rows), length, back, unroll)
    return [*carry, *outputs], records


def _at_once(equation: JaxprEqn, inputs: list, taps: Taps) -> tuple[list[Array], Records]:
    body: ClosedJaxpr = equation.params["jaxpr"]
    return performed(body.jaxpr, body.consts, inputs, taps)


def _made_again(equation: JaxprEqn, inputs: list, taps: Taps) -> tuple[list[Array], Records]:
    """What a checkpoint does not keep; records are."""
    params = equation.params

    def way(inputs: list, taps: Taps):
        return performed(params["jaxpr"], [], inputs, taps)

    again = jax.checkpoint(way, prevent_cse=params["prevent_cse"], policy=params["policy"])
    return again(inputs, taps)


_OPEN = {scan_p: _in_turn, jit_p: _at_once, remat_p: _made_again}
_CALL = Primitive("layer")
_CALL.multiple_results = True


@_CALL.def_abstract_eval
def _shapes(*inputs: Any, call: Call, mapped: int) -> list[ShapedArray]:
    over = inputs[0].shape[:mapped]
    return [ShapedArray((*over, *each.shape), each.dtype) for each in call.outputs]


def _mapped(inputs: list, axes: list, *, call: Call, mapped: int) -> tuple[list, list[int]]:
    """One axis of calls more, before the others."""
    size = next(x.shape[axis] for x, axis in zip(inputs, axes, strict=True) if axis is not None)
    moved = [
        jnp.broadcast_to(x, (size, *x.shape)) if axis is None else jnp.moveaxis(x, axis, 0)
        for x, axis in zip(inputs, axes, strict=True)
    ]
    outputs = _CALL.bind(*moved, call=call, mapped=mapped + 1)
    return outputs, [0] * len(outputs)


def _differentiated(inputs: list, tangents: list, *, call: Call, mapped: int):
    """Without an equation: no tap can reach what is differentiated within a loss."""
    call.differentiated.add(call.place)
    way = call.plain
    for _ in range(mapped):
        way = jax.vmap(way)
    return jax.jvp(way, tuple(inputs), tuple(map(ad.instantiate_zeros, tangents)))


batching.primitive_batchers[_CALL] = _mapped
ad.primitive_jvps[_CALL] = _differentiated
