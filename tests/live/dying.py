"""Points at which the server of a run dies, all in its second round or about its end.

Each patches what it has to, and gives the link to ask through and a watch, if it needs one. Whoever
puts another `dies` here has it die otherwise.
"""

from tacit import Ledger
from tacit.population.checkpoint import Checkpoint
from tacit.population.run import Run


class Gone(BaseException):
    """The server dies."""


def dies(*_, **__):
    raise Gone


class Dying:
    """A link on which the server dies, once the first device has answered in its second round."""

    def __init__(self, link):
        self.link, self.asks = link, 0

    @property
    def devices(self):
        return self.link.devices

    def asked(self, orders, state, seconds):
        self.asks += 1
        for name, answer in self.link.asked(orders, state, seconds):
            yield name, answer
            if self.asks == 2:
                dies()


def before_anybody_is_asked(patch, link):
    patch.setattr(Run, "played", dies)
    return link, None


def while_reports_come(patch, link):
    return Dying(link), None


def before_the_sum_is_kept(patch, link):
    save = Checkpoint.save

    def second(self, grant, rounds, *rest, **before):
        return dies() if rounds == 2 else save(self, grant, rounds, *rest, **before)

    patch.setattr(Checkpoint, "save", second)
    return link, None


def before_the_sum_is_marked(patch, link):
    mark, marks = Ledger.mark, set()

    def second(self, grant, known, made):
        def written():
            digest = made()
            marks.add(digest)
            # None, and the digests of two states: the second lies in its file.
            return dies() if len(marks) == 3 else digest

        return mark(self, grant, known, written)

    patch.setattr(Ledger, "mark", second)
    return link, None


def once_the_sum_is_marked(patch, link):
    return link, lambda rounds, state: rounds == 2 and dies()


def before_the_grant_is_closed(patch, link):
    patch.setattr(Ledger, "close", dies)
    return link, None


POINTS = [
    before_anybody_is_asked,
    while_reports_come,
    before_the_sum_is_kept,
    before_the_sum_is_marked,
    once_the_sum_is_marked,
    before_the_grant_is_closed,
]
