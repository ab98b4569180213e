"""A device: it has one person's data, and answers orders for reports.

An order is checked (`agreement`), then charged to the device's own ledger (`own_ledger`), and only
then is anything computed: the term by the device's own function, the report by its own randomiser,
from a key of its own. The answer is kept, and is the same however often it is asked for.

**Guarantee**: everything that `answer` returns, over any stretch of the cap's days and to whatever
servers, is epsilon-locally private with the cap's epsilon and delta, for one person's data replaced
by any other. Refusals depend on orders and on what was sent before, and not on the data.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from tacit.ledger.database import LedgerError
from tacit.live.agreement import Agreement
from tacit.live.function import Function
from tacit.live.message import MessageError
from tacit.live.order import Reply, RoundOrder, hashed, report_of
from tacit.live.own_ledger import OverCap, OwnLedger
from tacit.live.sides import send
from tacit.noise import keys
from tacit.population.loop import traced

_log = logging.getLogger("tacit.live")


@final
@dataclass(frozen=True, eq=False)
class Client:
    """One person's device.

    Args:
      person: their data, as every function on the list takes it.
      functions: which may be run.
      ledger: the device's own.

    Raises:
      ValueError: if a function is of data of another shape or type, or two have one name.
    """

    person: PyTree = field(repr=False)
    functions: Sequence[Function]
    ledger: OwnLedger = field(repr=False)

    def __post_init__(self):
        for each in self.functions:
            if not each.takes(self.person):
                raise ValueError(f"{each} is of data of other shapes or types than this device has")
        if len(set(map(str, self.functions))) != len(self.functions):
            raise ValueError("every function of a device has a name and version of its own")

    def answer(self, order: bytes, state: bytes) -> bytes:
        """The report that is ordered, or why there is none; the same however often it is asked."""
        number = bytes(keys.KEY_BYTES)
        try:
            asked = RoundOrder.read(order)
            number = asked.number
            return self._reported(Agreement.to(asked, state, self.functions))
        except (MessageError, OverCap) as error:
            refused = str(error)
        except LedgerError:
            refused = "this device's ledger cannot be written"
        except Exception:
            # Whatever was sent: a device that ends is one that somebody else can end.
            _log.exception("an order could not be answered")
            refused = "this device cannot answer this order"
        _log.warning("refused: %s", refused)
        return Reply(number, refused=refused).packed()

    def _reported(self, agreed: Agreement) -> bytes:
        order, said = agreed.order, f"{agreed} of {self.ledger.cap}"
        asked = hashed(order.packed())
        ready = self.ledger.charge(order.number, asked, *agreed.spent, order.sender, said)
        if ready.report is not None:
            return ready.report
        assert ready.key is not None
        report = self.ledger.keep(order.number, self._drawn(ready.key, agreed))
        _log.info("agreed to %s: %s", order.sender, said)
        return report

    def _drawn(self, key: bytes, agreed: Agreement) -> bytes:
        order = agreed.order
        shape, device = traced((agreed.shape, agreed.device))
        people = jax.tree.map(lambda leaf: np.asarray(leaf)[None], self.person)
        own = agreed.state, people, jnp.uint32([order.place]), keys.jax_key(key)
        report = send(agreed.function.learner, shape, device, *own, order.public)
        return report_of(order.number, report).packed()
