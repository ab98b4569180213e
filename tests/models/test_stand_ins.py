"""What stands in the place of a layer looks like it."""

import jax
import pytest
from jax import random

from tacit.models.layers import Dense
from tacit.models.stand_ins import LayerUse, StandIn, is_layer

LAYER = Dense(3, 2, random.key(0))
REPLACED = "called with arrays that the loss replaced or handed over"


def stand_in():
    return StandIn(LAYER, LayerUse(LAYER, LAYER, 0))


def test_is_of_the_class_and_has_the_arrays_of_its_layer():
    """So a loss that goes through a model finds what it would find in it."""
    found = jax.tree.leaves(jax.tree.map(lambda leaf: leaf, stand_in()))

    assert isinstance(stand_in(), Dense) and is_layer(stand_in())
    assert all(own is leaf for own, leaf in zip(found, jax.tree.leaves(LAYER), strict=True))


@pytest.mark.parametrize(
    "change, trouble", [(lambda leaf: leaf, None), (lambda leaf: 2 * leaf, REPLACED)]
)
def test_notes_a_call_and_whether_it_is_still_the_layer(change, trouble):
    """Other arrays make it another layer."""
    seen = LayerUse(LAYER, LAYER, 0)
    other = jax.tree.map(change, StandIn(LAYER, seen))
    jax.make_jaxpr(lambda row: other(row))(jax.numpy.ones(3))

    assert seen.is_called and (seen.undescribed and seen.undescribed.what) == trouble
