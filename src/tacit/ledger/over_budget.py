"""What is said to whoever asks for more than an account has left.

First what helps now: less, or other people. Then what would have had room, for the next time: the
limit of an account is what its people were promised, so that nothing makes room in this one.
"""

from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import NamedTuple, final

from tacit.accounting.decimals import DOWN, UP

# An epsilon and a delta.
Both = tuple[Decimal, Decimal]
# Digits of an epsilon that is offered.
_FEW = Context(prec=3, rounding=ROUND_FLOOR)
# No less is offered: of an epsilon nobody would see anything through its noise.
_NOTHING = {"epsilon": Decimal("0.001"), "delta": Decimal(0)}
_NO_DELTA = " (a limit of delta = 0 has no room even for what the samplers of a pure release take)"


class OverBudget(Exception):
    """A grant asks for more than an account has left; nothing was charged.

    Args:
      said: what is too much, and what Python does about it.
      in_shell: the same with what is typed in its place, where that differs.
      later: how either ends, with what has room the next time.
    """

    def __init__(
        self, said: str, in_shell: str | None = None, later: tuple[str, str] = ("", "")
    ) -> None:
        typed = said if in_shell is None else in_shell
        super().__init__(f"{said}{later[0]}")
        self.in_shell = f"{typed}{later[1]}"
        self._parts = said, typed, later

    def offering(self, more: str) -> "OverBudget":
        """The same with more that helps now."""
        said, typed, later = self._parts
        return OverBudget(f"{said}{more}", f"{typed}{more}", later)


@final
class Excess(NamedTuple):
    """A charge that an account has no room for.

    Args:
      whose: the account or part, and whose it is, as a refusal names them.
      limit: of the account.
      before: what was spent.
      after: what would be.
      asking: who asks, as a refusal says it.
    """

    whose: str
    limit: Both
    before: Both
    after: Both
    asking: str

    @property
    def over(self) -> list[str]:
        """Of epsilon and delta, what is too much."""
        names = zip(("epsilon", "delta"), self.after, self.limit, strict=True)
        return [name for name, spent, most in names if spent > most]

    def refused(self, calls: tuple[str, str], *, summed: bool) -> OverBudget:
        """The refusal.

        Args:
          calls: what sets a limit that has room for all of it, in Python and in the shell.
          summed: whether charges are just added up, so that what is left would fit.
        """
        why = f"{self._much}, and a limit stays what these people were promised"
        others = "ask other people, who have an account under another name"
        python, shell = (f"{why}: {less}{others}" for less in self._less(summed))
        later = "; next time, set a limit with room for all of this before a first release, by"
        return OverBudget(python, shell, (f"{later} {calls[0]}", f"{later} {calls[1]}"))

    def _less(self, summed: bool) -> tuple[str, str]:
        """How to ask for less, in Python and in the shell; nothing where nothing is left."""
        left: dict[str, Decimal] = dict(zip(("epsilon", "delta"), self._left, strict=True))
        if not all(left[name] > _NOTHING[name] for name in self.over):
            return "", ""
        less = f"ask with a smaller {' and a smaller '.join(self.over)}"
        known = summed and self.over == ["epsilon"]
        fits = f" ({_FEW.create_decimal(left['epsilon']).normalize():f} in all would fit)"
        return f"{less}{fits if known else ''} or ", f"{less} or "

    @property
    def _left(self) -> Both:
        epsilon, delta = map(DOWN.subtract, self.limit, self.before)
        return epsilon, delta

    @property
    def _much(self) -> str:
        asked = map(UP.subtract, self.after, self.before)
        much = (
            f"its {' and its '.join(self.over)} {'is' if len(self.over) == 1 else 'are'} too much"
        )
        pure = _NO_DELTA if "delta" in self.over and self.limit[1] == 0 else ""
        return (
            f"{self.whose} has {_said(self._left)} left of {_said(self.limit)} (spent: "
            f"{_said(self.before)}), and {self.asking} for {_said(asked)}; {much}{pure}"
        )


def _said(numbers: Iterable[Decimal]) -> str:
    # Adding zero turns the -0 of a full account into 0.
    epsilon, delta = (float(number) + 0.0 for number in numbers)
    return f"epsilon = {epsilon:.6g}, delta = {delta:.6g}"
