"""A link that keeps what crosses it."""


class Heard:
    """A link that keeps everything that crosses it."""

    def __init__(self, link, backwards=False):
        self.link, self.backwards, self.crossed = link, backwards, []

    @property
    def devices(self):
        return self.link.devices

    def asked(self, orders, state, seconds):
        self.crossed += [*orders.values(), state]
        answers = list(self.link.asked(orders, state, seconds))
        for name, answer in answers[::-1] if self.backwards else answers:
            self.crossed.append(answer)
            yield name, answer
