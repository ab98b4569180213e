"""Records of people: dealt or their own, as a model takes them, and what is looked at."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.tiny import data, way
from signals import unheard
from tacit.data.dataset import DataError
from tacit.experiments.records import Records

ROWS = np.arange(203)


def owned() -> Records:
    """Three people with 3, 100 and 100 records, of whom the first is the last in the file."""
    return replace(data(), owners=np.repeat([2, 1, 0], [100, 100, 3]))


def test_people_hold_as_many_records_as_the_model_takes_them():
    """What is left over belongs to nobody; models are looked at with the test part."""
    held = data().held(way().start(None), 5)
    (inputs, labels), present = held.people.data

    assert data().people(5) == 40
    assert inputs.shape == (40, 5, 8, 4) and labels.shape == (40, 5) and present.all()
    assert held.inputs.shape == (100, 8, 4) and held.labels.shape == (100,)


def test_who_owns_records_holds_them():
    """At most so many; what is missing is marked."""
    records = owned()
    records.labels[:] = records.owners
    (inputs, labels), present = records.held(way().start(None), 5).people.data

    assert records.people(5) == 3 and inputs.shape == (3, 5, 8, 4)
    assert present.sum(axis=1).tolist() == [3, 5, 5]
    for person in range(3):
        assert (labels[person][present[person]] == person).all()


def test_what_prepares_records_is_given_all_of_them_once():
    """And what asks whether to go on, and each has its own back."""
    given = []

    def marked(inputs, heard):
        given.append((len(inputs), heard))
        return inputs + 1

    records = data()
    held = records.held(replace(way().start(None), prepared=marked), 5, unheard)

    assert given == [(203 + 100, unheard)]
    assert held.people.data[0][0].max() == records.inputs.max() + 1
    assert sorted(held.inputs[:, 0, 0]) == sorted(records.test_inputs[:, 0, 0] + 1)


def test_inputs_to_look_at_stay_with_their_labels():
    """In another order than the file's."""
    records = data()
    held = records.held(way().start(None), 5)
    bright = held.inputs.mean(axis=(1, 2)) > 0.5

    np.testing.assert_array_equal(bright, held.labels == 1)
    assert (held.labels != records.test_labels).any()


@pytest.mark.parametrize("part", ["inputs", "labels", "test_inputs", "test_labels", "public"])
def test_a_digest_follows_from_all_there_is(part):
    """And from whose it is."""
    records = replace(owned(), public=[np.zeros(3)])
    other = replace(owned(), public=[np.zeros(3)])
    assert records.digest == other.digest
    changed = other.public[0] if part == "public" else getattr(other, part)
    changed.flat[0] += 1

    assert other.digest != records.digest
    assert data().digest != owned().digest
    assert replace(owned(), owners=np.repeat([2, 1, 0], [3, 100, 100])).digest != owned().digest


@pytest.mark.parametrize(("part", "said"), [("labels", "learn from"), ("test_labels", "look at")])
@pytest.mark.parametrize("none", [np.zeros(0, np.int32), np.full(3, -1, np.int32)])
def test_records_without_a_label_are_refused(part, said, none):
    """There is nothing that an accuracy would be a share of."""
    with pytest.raises(DataError, match=f"tiny must have a label to {said}, got none"):
        replace(data(), **{part: none})
