"""How a device steps and how the server does: options of learning, which change no promise.

What people send is bounded and randomised whatever they computed, and what the server makes of the
answers is post-processing. So the plans, their errors and their ε are those of the plain options.

| option | device | server |
| --- | --- | --- |
| `--update`, `--epochs`, `--batch` | its rule | |
| `--server`, `--rate` | | what it does with an answer, and how long its steps are |
| `--schedule`, `--warm-up` | | how that length changes with the rounds |

Settings have rates of their own, for plain descent. An optimiser that divides by the size of what
it is told takes steps of another size altogether, and is asked for a rate.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from tacit.late import LatePart

if TYPE_CHECKING:
    import optax

    from tacit.cli import servers
    from tacit.federated import updates
    from tacit.federated.updates import Update
    from tacit.learning import rates
    from tacit.learning.rates import Rate
else:
    # Who is refused, or wants help, waits for no JAX.
    servers, rates = LatePart("tacit.cli.servers"), LatePart("tacit.learning.rates")
    updates = LatePart("tacit.federated.updates")

# Records of a step, where nobody says how many.
BATCH = 20


class UpdateRule(StrEnum):
    gradient = "gradient"
    proximal = "proximal"
    epochs = "epochs"


class ServerRule(StrEnum):
    descent = "descent"
    momentum = "momentum"
    adagrad = "adagrad"
    adam = "adam"
    yogi = "yogi"


class Shrinking(StrEnum):
    constant = "constant"
    cosine = "cosine"
    root = "root"


# Their steps have about the same length as an answer.
_OF_AN_ANSWERS_LENGTH = ServerRule.descent, ServerRule.momentum

RuleOption = Annotated[UpdateRule, typer.Option(help="What a device computes.")]
EpochsOption = Annotated[
    int | None, typer.Option(help="Passes over its records; of --update epochs.", show_default="1")
]
BatchOption = Annotated[
    int | None, typer.Option(help="Records of one of its steps.", show_default=f"{BATCH}")
]
ServerOption = Annotated[ServerRule, typer.Option(help="What the server does with an answer.")]
RateOption = Annotated[
    float | None,
    typer.Option(help="Length of its steps, in every setting.", show_default="each its own"),
]
ScheduleOption = Annotated[Shrinking, typer.Option(help="How its steps shrink over the rounds.")]
WarmUpOption = Annotated[int, typer.Option(help="Rounds until its steps have their full length.")]

# What none of these options says, and what versions without them did.
PLAIN: dict[str, Any] = {
    "epochs": None,
    "batch": None,
    "server": ServerRule.descent,
    "rate": None,
    "schedule": Shrinking.constant,
    "warm_up": 0,
}


def update_of(options: Mapping[str, Any], steps: int, rate: float) -> "Update":
    """What a device computes.

    Raises:
      ValueError: if that is not done in epochs and their number is given, or is none.
    """
    rule = options["update"]
    passes = {name: options[name] for name in ("epochs", "batch") if options[name] is not None}
    if rule == UpdateRule.epochs:
        return updates.Epochs(**{"epochs": 1, "batch": BATCH, **passes}, rate=rate)
    if passes:
        raise ValueError(f"--epochs and --batch are for --update epochs, got --update {rule}")
    if rule == UpdateRule.gradient:
        return updates.GradientSteps(steps, rate)
    return updates.ProximalPoint(5, rate)


@final
@dataclass(frozen=True)
class ServerSteps:
    """What the server does with answers, and how long its steps are.

    Args:
      rule: of the optimisers.
      rate: the length of steps; None for that of each setting.
      shrinking: how it changes over the rounds of a release.
      warm_up: in so many rounds it grows from nearly nothing.

    Raises:
      ValueError: if a number is none, or the optimiser takes none of the settings' rates.
    """

    rule: ServerRule = ServerRule.descent
    rate: float | None = None
    shrinking: Shrinking = Shrinking.constant
    warm_up: int = 0

    def __post_init__(self):
        if self.rate is None and self.rule not in _OF_AN_ANSWERS_LENGTH:
            raise ValueError(
                f"--server {self.rule} needs --rate, as 0.01: the settings' rates are for "
                "steps as long as an answer"
            )
        if self.rate is not None and not 0 < self.rate < float("inf"):
            raise ValueError(f"--rate must be positive and finite, got {self.rate:g}")
        if not self.warm_up >= 0:
            raise ValueError(f"--warm-up must be at least 0 rounds, got {self.warm_up}")

    @property
    def optimizer(self) -> "optax.GradientTransformation":
        """What is done with an answer."""
        return servers.server(self.rule)

    def length(self, own: float, rounds: int) -> "float | Rate":
        """The rate of a release of so many rounds, whose setting has this one of its own."""
        full = own if self.rate is None else self.rate
        lengths = {
            Shrinking.constant: full,
            Shrinking.cosine: rates.Cosine(full, rounds),
            Shrinking.root: rates.Decay(full, 1.0, 0.5),
        }
        shrinking = lengths[self.shrinking]
        return rates.WarmUp(self.warm_up, shrinking) if self.warm_up else shrinking


# Plain descent at each setting's own rate.
THEIR_OWN = ServerSteps()


def server_of(options: Mapping[str, Any]) -> ServerSteps:
    """The server of these options."""
    rule, shrinking = ServerRule(options["server"]), Shrinking(options["schedule"])
    return ServerSteps(rule, options["rate"], shrinking, options["warm_up"])
