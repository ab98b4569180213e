"""Flower's own apps, of nothing but bytes: a state to every node, and as many as a report back.

A round begins when its number is asked for in a folder, and how long it took is put beside that.
"""

import os
import time
from pathlib import Path

from flwr.app import ConfigRecord, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp

PAUSE = 0.02

# Flower looks for assignments like these.
server = ServerApp()
client = ClientApp()


def held(name: str, size: int) -> RecordDict:
    """So many bytes, like no others."""
    return RecordDict({name: ConfigRecord({"bytes": os.urandom(size)})})


@client.train()
def train(message, context):
    """Answers."""
    return Message(held("answer", context.run_config["up"]), reply_to=message)


@server.main()
def main(grid, context):
    """Rounds, until the run is stopped."""
    asked, turn = context.run_config, 0
    folder = Path(asked["folder"])
    while len(nodes := list(grid.get_node_ids())) < asked["nodes"]:
        time.sleep(PAUSE)
    while True:
        if not (folder / f"{turn}.asked").exists():
            time.sleep(PAUSE)
            continue
        began = time.perf_counter()
        state = held("state", asked["down"])
        sent = [Message(state, dst_node_id=node, message_type="train") for node in nodes]
        replies = list(grid.send_and_receive(sent))
        took = time.perf_counter() - began
        assert len(replies) == len(nodes) and not any(each.has_error() for each in replies)
        (folder / "taken").write_text(str(took))
        (folder / "taken").rename(folder / f"{turn}.took")
        turn += 1
