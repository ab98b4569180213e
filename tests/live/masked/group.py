"""A few phones that are members of one group, sums under their masks, and a link that listens."""

from typing import Any

import equinox as eqx
import numpy as np

import tacit
from live.phones import DIM, FUNCTION, MANY, NAME, VECTORS, ledger
from tacit import live
from tacit.device.noise_sharing import NoiseSharing
from tacit.live import client as client_module
from tacit.live import sides
from tacit.live.masked.member import Member, SigningKey
from tacit.question.dropouts import DropOuts

CAP = live.Cap(epsilon=1000.0, days=7.0, delta=0.1)
KEYS = [SigningKey(bytes([who]) * 32) for who in range(MANY)]
ROSTER = {f"phone{who}": key.public for who, key in enumerate(KEYS)}


def member(who: int, **more: Any) -> Member:
    return Member(f"phone{who}", KEYS[who], ROSTER, **more)


def phone(path: Any, who: int, cap: live.Cap = CAP, **more: Any) -> live.Client:
    ledger = live.OwnLedger(path / f"{who}.db", cap)
    return live.Client(VECTORS[who], [FUNCTION], ledger, member(who, **more))


def phones(path: Any, **more: Any) -> dict[str, live.Client]:
    return {f"phone{who}": phone(path, who, **more) for who in range(MANY)}


def plan(rounds: int = 2, least: int = 3, epsilon: float = 100.0) -> tacit.Plan:
    """Of four, of whom one may be colluding and one be gone."""
    who = DropOuts(tacit.Everyone(), 0.1, least)
    question = tacit.Mean(tacit.Ball(DIM, 1.0), who, rounds, MANY)
    return tacit.Aggregated(epsilon, 1e-5).plan(question)


# Of a round: the order, peers, shares, survivors, signatures.
STAGES = 5


class Listening:
    """A link that keeps what crosses, and changes or loses it: a function of the round, the stage
    and the name."""

    def __init__(self, clients, change=lambda t, stage, name, answer: [answer]):
        self.link, self.change = live.Nearby(clients), change
        self.asks, self.sent, self.came, self.states = 0, [], [], []

    @property
    def devices(self):
        return self.link.devices

    def asked(self, orders, state, seconds):
        t, stage = divmod(self.asks, STAGES)
        self.asks += 1
        self.sent.append(dict(orders))
        if state:
            self.states.append(state)
        for name, answer in self.link.asked(orders, state, seconds):
            self.came.append((t, stage, name, answer))
            yield from ((name, each) for each in self.change(t, stage, name, answer))


def run(
    tmp_path, change=lambda t, stage, name, answer: [answer], own=None, clients=None, link=None
):
    """The rounds that were heard, the release, and the link."""
    heard, link = [], link or Listening(clients or phones(tmp_path), change)
    population = live.Federation(link, NAME, [FUNCTION], heard=heard.append)
    grant = population.grant(own or plan(), FUNCTION.learner, ledger(tmp_path))
    return heard, grant.run(), link


def quiet(monkeypatch):
    """Devices add no noise: so sums are those of the terms."""
    monkeypatch.setattr(NoiseSharing, "shared", lambda self, key, total, present: total)
    # One that was made before has noise, and is not made again.
    anew = eqx.filter_jit(lambda *asked: sides.shared(*asked))
    monkeypatch.setattr(client_module, "share", anew)


def moved(vectors, rounds=1):
    """Where the exact means of these, over the declared divisor, lead."""
    state = np.zeros(vectors.shape[1])
    for _ in range(rounds):
        state = state + 0.5 * (vectors - state).sum(axis=0) / (0.9 * MANY)
    return state
