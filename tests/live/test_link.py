"""Devices in this process: asked one after the other, by their names."""

from tacit.live.link import Link, Nearby, Reachable


class Echo:
    def answer(self, order: bytes, state: bytes) -> bytes:
        return order + state


def test_those_who_are_asked_answer():
    """And nobody else; names stay in the order they were given in."""
    near = Nearby({"b": Echo(), "a": Echo()})

    assert isinstance(near, Link) and isinstance(Echo(), Reachable)
    assert ("b", "a") == near.devices
    assert [("a", b"1s")] == list(near.asked({"a": b"1"}, b"s", 1.0))
