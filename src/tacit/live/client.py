"""A device: it has one person's data, and answers orders for reports.

An order is checked (`agreement`), then charged to the device's own ledger (`own_ledger`), and only
then is anything computed: the term by the device's own function, the report by its own randomiser,
from a key of its own. The answer is kept, and is the same however often it is asked for. In a sum
under masks (`masked`) a report is seen with others' alone, and there are further stages.

**Guarantee**: everything that `answer` returns, over any stretch of the cap's days and to whatever
servers, is epsilon-locally private with the cap's epsilon and delta, for one person's data replaced
by any other; where it joins sums under masks, against whoever cannot break these, if no more
members collude than its owner thinks. Days are those of the ledger, which looks at its clock last
thing before `answer` returns; whoever carries it has sent it soon, or drops it (`Reachable`).
Refusals depend on orders, on the clock and on what was sent before, and not on the data.
"""

import functools
import logging
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from tacit.argument import got
from tacit.ledger.accounts import LedgerError
from tacit.live.agreement import Agreement
from tacit.live.bare import bare
from tacit.live.charge import OverCap, Ready
from tacit.live.function import Function, refuse_no_list
from tacit.live.masked.joining import JoinedRounds, refuse_no_member, terms_of
from tacit.live.masked.member import Member
from tacit.live.masked.session import MaskedRound
from tacit.live.masked.sharing import Sharing
from tacit.live.masked.stages import Stage
from tacit.live.message import Message, MessageError, one_line
from tacit.live.order import Reply, RoundOrder, hashed, report_of
from tacit.live.own_ledger import OwnLedger
from tacit.live.sides import send, share
from tacit.noise import keys
from tacit.noise.fixed import FixedPoint
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
      member: of a group whose sums are made under masks; without, there are no such sums.

    Raises:
      ValueError: if there is no function, or one that is none or of data of another shape or type,
        or two have one name and version; or the ledger is none.
    """

    person: PyTree = field(repr=False)
    functions: Sequence[Function]
    ledger: OwnLedger = field(repr=False)
    member: Member | None = field(repr=False, default=None)
    _joined: JoinedRounds = field(init=False, repr=False, default_factory=JoinedRounds)

    def __post_init__(self):
        refuse_no_list(self.functions)
        # An audit keeps no file, and stands where a ledger does.
        if isinstance(self.ledger, type) or not hasattr(self.ledger, "charge"):
            raise ValueError(f"a device needs an OwnLedger(path, cap), got {got(self.ledger)}")
        for each in self.functions:
            if not each.takes(self.person):
                raise ValueError(f"{each} is of data of other shapes or types than this device has")

    def answer(self, order: bytes, state: bytes) -> bytes:
        """What is ordered, or why there is none, in a line; the same however often it is asked."""
        number = bytes(keys.KEY_BYTES)
        try:
            asked = read(order)
            number = asked.number
            return self._answered(asked, order, state)
        except (MessageError, OverCap) as error:
            refused = one_line(str(error))
        except LedgerError:
            refused = "this device's ledger cannot be written"
        except Exception as error:
            # Whatever was sent: a device that ends is one that somebody else can end.
            _log_failed(error)
            refused = "this device cannot answer this order"
        _log.warning("refused: %s", refused)
        return Reply(number, refused=refused).packed()

    def _answered(self, asked: RoundOrder | Stage, packed: bytes, state: bytes) -> bytes:
        if isinstance(asked, Stage):
            said = self._joined.session(asked.number).answer(asked, packed)
            # What is refused is not sent, and counts for nothing.
            self.ledger.renew(asked.number)
            return said
        agreed = Agreement.to(asked, state, self.functions, self.ledger.cap)
        if asked.round == 0:
            return self._willing(agreed)
        if isinstance(agreed.ways, Sharing):
            self._refuse_gone(asked.number)
            return self._begun(agreed, agreed.ways)
        return self._reported(agreed)

    def _willing(self, agreed: Agreement) -> bytes:
        """That it would report, so often as it may be asked, and of a member whom it knows: nothing
        is charged or computed."""
        order, ways = agreed.order, agreed.ways
        known = ()
        if isinstance(ways, Sharing):
            member = refuse_no_member(self.member, ways, order.place)
            known = (np.frombuffer(member.known, np.uint8),)
        self.ledger.refuse_no_room(agreed.cost, order.rounds)
        return Reply(order.number, known).packed()

    def _reported(self, agreed: Agreement) -> bytes:
        ready = self._charged(agreed)
        if ready.report is not None:
            return ready.report
        assert ready.key is not None
        return self.ledger.keep(agreed.order.number, self._drawn(ready.key, agreed))

    def _begun(self, agreed: Agreement, ways: Sharing) -> bytes:
        """The first answer in a round under masks, whose keys are in memory from here on."""
        number = agreed.order.number
        member = refuse_no_member(self.member, ways, agreed.order.place)
        ready = self._charged(agreed)
        if ready.report is not None:
            return self._joined.again(number, ready.report)
        assert ready.key is not None
        terms = terms_of(agreed, ways, functools.partial(self._share, ready.key, agreed, ways))
        session = MaskedRound(member, terms)
        mine = session.begun()
        begun = self.ledger.keep(number, mine)
        if begun == mine:
            # Of two at once, the first to be kept goes on.
            self._joined.add(number, session)
        return begun

    def _refuse_gone(self, number: bytes) -> None:
        """Before it is charged again: what is refused is not sent, and counts no longer for it."""
        if self.ledger.answered(number):
            self._joined.refuse_gone(number)

    def _charged(self, agreed: Agreement) -> Ready:
        """On the disk, once; and said."""
        order, said = agreed.order, f"{agreed} of {self.ledger.cap}"
        asked = hashed(order.packed())
        ready = self.ledger.charge(order.number, asked, agreed.cost, order.sender, said)
        if ready.report is None:
            _log.info("agreed to %s: %s", order.sender, said)
        return ready

    def _share(self, key: bytes, agreed: Agreement, ways: Sharing) -> PyTree[FixedPoint]:
        """The term and its share of the noise, on the grid."""
        shape, device, server = traced((*bare((agreed.shape, agreed.device)), ways.plan.server))
        own = agreed.state, self._people, keys.jax_key(key)
        return share(agreed.function.learner, shape, device, server.grid, *own)

    def _drawn(self, key: bytes, agreed: Agreement) -> bytes:
        order = agreed.order
        shape, device = traced(bare((agreed.shape, agreed.device)))
        own = agreed.state, self._people, jnp.uint32([order.place]), keys.jax_key(key)
        report = send(agreed.function.learner, shape, device, *own, order.public)
        return report_of(order.number, report).packed()

    @property
    def _people(self) -> PyTree:
        """One of them."""
        return jax.tree.map(lambda leaf: np.asarray(leaf)[None], self.person)


def read(packed: bytes) -> RoundOrder | Stage:
    """What a server says; raises a MessageError if it is neither."""
    text, arrays = Message.read(packed)
    return Stage.read(text, arrays) if "stage" in text else RoundOrder.read(packed)


def _log_failed(error: Exception) -> None:
    """Where it failed, and why in a line: an error's own text may have a server's words in it."""
    where = "".join(traceback.format_tb(error.__traceback__))
    _log.error("an order could not be answered: %s\n%s", one_line(repr(error)), where)
