"""`tacit federation demo`: a live federation on this machine, from nothing to a receipt.

A SuperLink with TLS and node authentication, and a process and a folder for every device, which
holds real digits, its own key, cap and ledger. The same learner is trained under `Federated`, under
`Local`, and under `Aggregated`, whose sums are made under masks; what devices agreed to is in their
logs. All processes are gone when it ends, also after Ctrl-C; a second one does not wait for them,
and they end by themselves.
"""

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tacit.accounting.upper import upper, upper_delta
from tacit.cli import account_tables, report, tables, voice
from tacit.cli.guard import guarded
from tacit.cli.interruption import Stop, noted_by
from tacit.cli.own_devices import FEWEST, MOST_DEVICES, begun, held_out, refuse_devices
from tacit.cli.own_files import refuse_no_delta
from tacit.cli.own_functions import digits, digits_learner
from tacit.cli.session import Result
from tacit.federated.classifying import accuracy
from tacit.ledger import receipt
from tacit.ledger.ledger import Ledger
from tacit.live.cap import Cap
from tacit.live.federation import Federation
from tacit.live.link import Link
from tacit.live.replies import Replies
from tacit.plan import Plan
from tacit.population.so_far import told_so_far
from tacit.question.participation import Everyone, Once
from tacit.trust.aggregated import Aggregated
from tacit.trust.central import Central
from tacit.trust.federated import Federated
from tacit.trust.local import Local

NAME = "digits"
LEFT = "stopped; all processes are gone, and what was spent stays in the ledgers of {out}"
HEARD = "stopping: devices end the answers they are making; again to stop at once"
CUT = "stopped at once; its processes are ending, and what was spent stays in the ledgers of {out}"
OPENING = (
    "Digits stay on devices, each a process with a key, a cap and a ledger of its own; what they "
    "send is randomised there, or seen in a sum alone. So few people learn little from each other "
    "at an ε that protects them: what is shown is the network, and who promises what to whom."
)
ROUNDS = "Of `Federated` and of `Aggregated`; each asks everybody."
DEVICES = f"How many, {FEWEST} to {MOST_DEVICES}, each with its own process."
# Of what devices send by default: under `Local` and `Federated`, and once in sums under masks.
CAP = "epsilon 60 and delta 1e-4 a week"
# Of the server's steps, of a report's vector, and how many rounds `Local` divides people among.
RATE, RADIUS, PARTS = 2.0, 0.3, 2

commands = typer.Typer(
    name="federation",
    help="Devices on a network that learn together.",
    no_args_is_help=True,
    add_completion=False,
)


@commands.callback()
def federation() -> None:
    """Devices on a network that learn together."""


@commands.command()
@guarded
def demo(
    out: Annotated[Path, typer.Option(help="A new folder.")] = Path("federation"),
    devices: Annotated[int, typer.Option(help=DEVICES)] = 8,
    rounds: Annotated[int, typer.Option(help=ROUNDS)] = 5,
    epsilon: Annotated[float, typer.Option(help="Against the public.")] = 8.0,
    delta: Annotated[float, typer.Option(help="Against the public.")] = 1e-5,
    local_epsilon: Annotated[float, typer.Option(help="Of one report.")] = 8.0,
    cap: Annotated[str, typer.Option(help="Of every device.")] = CAP,
    seconds: Annotated[float, typer.Option(help="How long a round waits.")] = 300.0,
) -> None:
    """Trains on digits that stay on devices: a whole federation on this machine."""
    if out.exists():
        raise ValueError(f"--out must be a folder that is not there yet, got {out}")
    refuse_devices(devices)
    most = Cap.read(cap)
    plans = _plans(devices, rounds, Central(epsilon, delta), local_epsilon)
    refuse_small(most, plans)
    refuse_no_delta(most)
    stop = Stop(LEFT.format(out=out), HEARD, CUT.format(out=out))
    with noted_by(stop), begun(out, devices, cap, stop.check) as link:
        voice.opening(OPENING)
        _train(link, plans, seconds, Ledger(out / "ledger.db"), out, stop)


def _plans(people: int, rounds: int, central: Central, local: float) -> dict[str, Plan]:
    learner = digits_learner(RATE)
    both = learner.question(Everyone(), rounds, people, bound=RADIUS)
    parts = learner.question(Once(), min(PARTS, people), people, bound=RADIUS)
    return {
        "federated": Federated(local, central).plan(both),
        "local": Local(local).plan(parts),
        "aggregated": Aggregated(central.epsilon, central.delta).plan(both),
    }


def refuse_small(cap: Cap, plans: Mapping[str, Plan]) -> None:
    """Raises a ValueError unless a device's cap has room for all of these: a device that is asked
    beforehand speaks of one run alone."""
    kept = [own for plan in plans.values() for own in plan.guarantees if own.observer == "server"]
    epsilon, delta = math.fsum(k.epsilon for k in kept), math.fsum(k.delta for k in kept)
    if not (epsilon <= cap.epsilon and delta <= cap.delta):
        raise ValueError(
            f"--cap must have room for what a device sends in all, epsilon {upper(epsilon)} and "
            f"delta {upper_delta(delta)}: give more, or fewer --rounds; got {cap}"
        )


def ask_beforehand(people: Federation, plans: Mapping[str, Plan]) -> None:
    """Nothing is charged unless devices would report.

    Raises:
      ValueError: if one of them would refuse, or nobody would report.
    """
    for name, plan in plans.items():
        said = people.dry_run(plan, digits_learner(RATE))
        voice.note(f"{name}, {said}")
        if said.refused or not said.reported:
            raise ValueError(f"nothing is charged, as devices would not all report under {name}")


def _train(
    link: Link,
    plans: Mapping[str, Plan],
    seconds: float,
    ledger: Ledger,
    out: Path,
    stop: Stop,
) -> None:
    people = Federation(link, NAME, [digits()], seconds=seconds, heard=_said)
    ask_beforehand(people, plans)
    ledger.limit_for(NAME, *plans.values())
    results = []
    for name, plan in plans.items():
        results.append(_played(name, plan, people, ledger, stop))
    spent = ledger.spent(NAME)
    receipt.write(out / "receipt.json", [each.receipt for each in results])
    report.write(out / "report.html", f"{NAME} on devices", results, spent)
    tables.results("on a network of devices", results)
    account_tables.accounts(spent)
    voice.note(f"report, receipt, ledgers and the logs of devices are in {out}/")


def who_is_asked(plan: Plan) -> str:
    """Fewer than all in a round, where each is asked once."""
    if isinstance(plan.sums.participation, Everyone):
        return "and every device is asked in each"
    return "and every device is asked in one of them"


def cost_so_far(plan: Plan, done: int) -> str:
    """What whoever promises are kept from has seen of so many rounds, at most; of all that is
    charged before the first."""
    each = (f"{kept.observer} {told_so_far(kept, plan.sums, done)}" for kept in plan.guarantees)
    return f"so far, kept from: {', '.join(each)}"


def _said(replies: Replies) -> None:
    voice.note(str(replies))


def _played(name: str, plan: Plan, people: Federation, ledger: Ledger, stop: Stop) -> Result:
    learner, began = digits_learner(RATE), time.monotonic()
    images, labels = held_out()
    curve = []

    def look(done: int, state: Any) -> None:
        stop.check()
        voice.note(cost_so_far(plan, done))
        curve.append((done, accuracy(learner.released(state), images, labels)))

    voice.note(f"{name}: {plan.sums.rounds} rounds, {who_is_asked(plan)}")
    release = people.grant(plan, learner, ledger).run(watch=look)
    right = accuracy(learner.released(release.state), images, labels)
    return Result("live", name, right, curve, time.monotonic() - began, release.receipt())
