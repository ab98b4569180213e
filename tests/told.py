"""All that an exception tells or keeps: its words, those beside it, and what its frames hold."""

import traceback
from collections.abc import Iterator

OURS = "/src/tacit/"


def errors_in(error: BaseException | None) -> Iterator[BaseException]:
    """It, what was raised before it, and what frames of ours hold besides."""
    met, left = {}, [error]
    while left:
        each = left.pop()
        if each is None or id(each) in met:
            continue
        met[id(each)] = each
        yield each
        left += [each.__cause__, each.__context__, *_held(each)]


def all_told(error: BaseException) -> str:
    """The texts of all of these, with what each keeps: a driver's has the server's words."""
    return "\n".join(_told(each) for each in errors_in(error))


def alone(error: BaseException) -> bool:
    """Whether there is no other beside it, and none in a frame."""
    return [error] == list(errors_in(error))


def _held(error: BaseException) -> Iterator[BaseException]:
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if OURS in frame.f_code.co_filename:
            held = (own for own in frame.f_locals.values() if isinstance(own, BaseException))
            yield from held


def _told(error: BaseException) -> str:
    said = getattr(getattr(error, "diag", None), "message_primary", "")
    return f"{error!r} {error.__dict__} {said}"
