"""A few phones in this process, with a vector each, and what they are asked."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

import tacit
from tacit import live

NAME = "phones"
DIM = 6
MANY = 4


class Towards(eqx.Module):
    """Moves a place towards everybody's vector."""

    rate: float = 0.5
    dim: int = eqx.field(static=True, default=DIM)

    def init(self) -> Any:
        return jnp.zeros(self.dim)

    def ask(self, state: Any, person: Any) -> Any:
        return person - state

    def tell(self, state: Any, answer: Any) -> Any:
        return state + self.rate * answer


class Away(Towards):
    """Asks for the opposite."""

    def ask(self, state: Any, person: Any) -> Any:
        return state - person


VECTORS = np.linalg.qr(np.random.default_rng(0).normal(size=(DIM, DIM)))[0][:MANY].astype("f4") / 2
FUNCTION = live.Function("towards", 1, Towards(), VECTORS[0])
CAP = live.Cap(epsilon=1000.0, days=7.0)
# A run's own number.
RUN = bytes(range(32))


def phone(path: Any, who: int = 0, cap: live.Cap = CAP, **more: Any) -> live.Client:
    return live.Client(VECTORS[who], [FUNCTION], live.OwnLedger(path / f"{who}.db", cap, **more))


def phones(path: Any, **more: Any) -> dict[str, live.Client]:
    return {f"phone{who}": phone(path, who, **more) for who in range(MANY)}


def federation(clients: Any, **more: Any) -> live.Federation:
    return live.Federation(live.Nearby(clients), NAME, [FUNCTION], **more)


def mean(rounds: int = 2, who: Any = None) -> tacit.Mean:
    return tacit.Mean(tacit.Ball(DIM, 1.0), who or tacit.Everyone(), rounds, MANY)


def both(rounds: int = 2, who: Any = None, local: float = 8.0) -> tacit.Plan:
    """Reports that are private by themselves, and noise on their sum."""
    public = tacit.Central(100.0, 1e-5, tacit.Relation.ZERO_OUT)
    return tacit.Federated(local, public).plan(mean(rounds, who))


def ledger(path: Any, *plans: tacit.Plan) -> tacit.Ledger:
    """With room for these plans, several times."""
    book = tacit.Ledger(path / "people.db")
    for relation in tacit.Relation:
        for observer in ("public", "server"):
            book.limit(NAME, observer, relation, epsilon=1e5, delta=0.01)
    return book
