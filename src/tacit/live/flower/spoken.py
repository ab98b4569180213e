"""All of Flower that is spoken here, in its one version, with its telemetry off.

What a device and a server say to a SuperLink is Flower's own protocol and no public interface of
it: between versions its ports, paths and fields have changed. So the version is one, another is
refused before anything of it is loaded, and nothing else in this room imports Flower.
"""

# ruff: noqa: E402
# pyright: reportMissingImports=false

import os
from importlib.metadata import PackageNotFoundError, version

SPOKEN = "1.41.0"
# Read by Flower when it is loaded, here and in every process that is begun from here: it asks
# nobody for newer versions, and tells nobody that it runs.
QUIET = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_DISABLE_UPDATE_CHECK": "1"}


def installed() -> str | None:
    """The version of Flower that is here, or None."""
    try:
        return version("flwr")
    except PackageNotFoundError:
        return None


def refuse_another(found: str | None) -> None:
    """Raises an ImportError unless this version of Flower is the one that is spoken."""
    if found == SPOKEN:
        return
    there = "Flower is not installed" if found is None else f"Flower {found} is installed"
    raise ImportError(
        f"{there}, and live federations speak to version {SPOKEN} alone: "
        'pip install "tacit[flower]" brings it'
    )


refuse_another(installed())
os.environ.update(QUIET)

import httpx
from flwr.app import Error, Message, Metadata, RecordDict
from flwr.app.message import make_message
from flwr.common.constant import SUPERLINK_NODE_ID
from flwr.common.serde import fab_to_proto, message_from_proto, message_to_proto
from flwr.proto.control_pb2 import RegisterNodeRequest, StartRunRequest
from flwr.proto.fleet_pb2 import (
    ActivateNodeRequest,
    DeactivateNodeRequest,
    PullMessagesRequest,
    PushMessagesRequest,
)
from flwr.proto.heartbeat_pb2 import SendNodeHeartbeatRequest
from flwr.proto.message_pb2 import (
    ConfirmMessageReceivedRequest,
    ObjectTree,
    PullObjectRequest,
    PullObjectResponse,
    PushObjectRequest,
    PushObjectResponse,
)
from flwr.proto.node_pb2 import Node
from flwr.proto.runtime_pb2 import (
    AcquireTaskRequest,
    GetNodesRequest,
    GetNodesResponse,
    PullAppMessagesRequest,
    PullTaskInputRequest,
    PushAppMessagesRequest,
    PushTaskOutputRequest,
    SendTaskHeartbeatRequest,
)
from flwr.supercore.constant import TaskType
from flwr.supercore.control import ControlHttpClient
from flwr.supercore.fab import Fab
from flwr.supercore.inflatable.inflatable_object import get_object_id, iterate_object_tree
from flwr.supercore.interceptors import (
    RuntimeTokenHttpInterceptor,
    RuntimeVersionHttpInterceptor,
    SuperExecAuthHttpInterceptor,
)
from flwr.supercore.protobuf.constants import PROTOBUF_MEDIA_TYPE
from flwr.supercore.runtime import RuntimeHttpClient
from flwr.supernode.fleet_http_client import FleetHttpClient
from flwr.supernode.node_auth_http_interceptor import NodeAuthHttpInterceptor
from google.protobuf.message import DecodeError

__all__ = [
    "PROTOBUF_MEDIA_TYPE",
    "QUIET",
    "SPOKEN",
    "SUPERLINK_NODE_ID",
    "AcquireTaskRequest",
    "ActivateNodeRequest",
    "ConfirmMessageReceivedRequest",
    "ControlHttpClient",
    "DeactivateNodeRequest",
    "DecodeError",
    "Error",
    "Fab",
    "FleetHttpClient",
    "GetNodesRequest",
    "GetNodesResponse",
    "Message",
    "Metadata",
    "Node",
    "NodeAuthHttpInterceptor",
    "ObjectTree",
    "PullAppMessagesRequest",
    "PullMessagesRequest",
    "PullObjectRequest",
    "PullObjectResponse",
    "PullTaskInputRequest",
    "PushAppMessagesRequest",
    "PushMessagesRequest",
    "PushObjectRequest",
    "PushObjectResponse",
    "PushTaskOutputRequest",
    "RecordDict",
    "RegisterNodeRequest",
    "RuntimeHttpClient",
    "RuntimeTokenHttpInterceptor",
    "RuntimeVersionHttpInterceptor",
    "SendNodeHeartbeatRequest",
    "SendTaskHeartbeatRequest",
    "StartRunRequest",
    "SuperExecAuthHttpInterceptor",
    "TaskType",
    "fab_to_proto",
    "get_object_id",
    "httpx",
    "installed",
    "iterate_object_tree",
    "make_message",
    "message_from_proto",
    "message_to_proto",
    "refuse_another",
]
