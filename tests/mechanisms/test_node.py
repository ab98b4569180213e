"""Mechanisms are trees that JAX tells apart by their class."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import tacit
from tacit.mechanisms.local.sampled_vertex import VertexResponse, VertexSigns
from tacit.mechanisms.node import node

SOURCE = Path(tacit.__file__).parent


@node
@dataclass(frozen=True)
class Doubled:
    scale: float
    size: int = field(default=1, metadata={"static": True})

    def __post_init__(self):
        if not self.scale > 0:
            raise ValueError("scale must be positive")

    def of(self, number):
        return 2 * self.scale * number


@node
@dataclass(frozen=True)
class Halved:
    scale: float
    size: int = field(default=1, metadata={"static": True})

    def of(self, number):
        return self.scale * number / 2


def structure(tree):
    return jax.tree.structure(tree)


def test_classes_of_equal_fields_have_other_structures():
    """By themselves, within others, and as two of the library's mechanisms."""
    assert structure(Doubled(1.0)) != structure(Halved(1.0))
    assert structure((Doubled(1.0), 2)) != structure((Halved(1.0), 2))
    assert structure([Doubled(1.0), Halved(1.0)]) != structure([Doubled(1.0), Doubled(1.0)])
    response, signs = (kind.of(5, 2.0, 1.5) for kind in (VertexResponse, VertexSigns))
    assert structure(response) != structure(signs)


def test_one_program_of_several_kinds_runs_each_by_its_own_code():
    """Whatever was traced before; another number is no other program."""
    traced = []

    @jax.jit
    def run(kind, number):
        traced.append(kind)
        return kind.of(number)

    found = [run(kind(scale), 3.0) for scale in (1.0, 2.0) for kind in (Doubled, Halved)]
    np.testing.assert_allclose(found, [6.0, 1.5, 12.0, 3.0])
    assert len(traced) == 2


def test_static_fields_are_structure_and_the_others_numbers():
    """With names on their paths; what stands for numbers is not checked."""
    tree = Doubled(3.0, size=4)
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree.leaves_with_path(tree)]

    assert jax.tree.leaves(tree) == [3.0] and paths == [".scale"]
    assert structure(tree) == structure(Doubled(9.0, size=4)) != structure(Doubled(3.0, size=5))
    assert jax.tree.map(lambda leaf: -leaf, tree).scale == -3.0
    many = jax.tree.map(lambda leaf: leaf * jnp.arange(1.0, 4.0), Doubled(1.0))
    np.testing.assert_allclose(jax.vmap(lambda each: each.of(1.0))(many), [2.0, 4.0, 6.0])


FILES = sorted(SOURCE.rglob("*.py"))


def test_no_class_of_the_library_is_registered_otherwise():
    """A decorator of JAX's would compare equal to another class of equal fields."""
    used = re.compile(r"^@.*register_dataclass|register_dataclass\(", re.MULTILINE)

    assert FILES and not [str(path) for path in FILES if used.search(path.read_text())]


def test_classes_made_alike_are_still_two():
    """Of one name, one module and one field."""

    def made():
        @node
        @dataclass(frozen=True)
        class Same:
            scale: float

        return Same(1.0)

    assert structure(made()) != structure(made())
