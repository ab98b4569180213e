"""Devices in this process: asked one after the other, by their names."""

import pytest

from tacit.live.link import Link, Nearby, Reachable, read_out


class Echo:
    def answer(self, order: bytes, state: bytes) -> bytes:
        return order + state


def test_those_who_are_asked_answer():
    """And nobody else; names stay in the order they were given in."""
    near = Nearby({"b": Echo(), "a": Echo()})

    assert isinstance(near, Link) and isinstance(Echo(), Reachable)
    assert ("b", "a") == near.devices
    assert [("a", b"1s")] == list(near.asked({"a": b"1"}, b"s", 1.0))


@pytest.mark.parametrize("clients", [[Echo()], {0: Echo()}, {"a": "device"}, None])
def test_others_are_no_devices_with_names(clients):
    """Said when the link is made, and not when the first round asks."""
    with pytest.raises(ValueError, match="clients must be devices by their names, got"):
        Nearby(clients)


def test_answers_are_let_go_of_whatever_is_raised():
    """Those that a link makes one by one, and those that it has already."""
    near = Nearby({"b": Echo(), "a": Echo()})
    made = near.asked({"a": b"1", "b": b"2"}, b"s", 1.0)
    for answers in (made, iter([("a", b"1s")])):
        with pytest.raises(KeyError), read_out(answers) as came:
            assert ("a", b"1s") == next(came)
            raise KeyError
    assert [] == list(made)
