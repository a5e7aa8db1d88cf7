"""What is made to order: a conversation that ends with a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stages.asking.outcomes import FAILED, Outcome, reason
from stages.asking.requests import Paint, Reply, Request
from stages.project.model_kinds import LEAST_SIDE
from stages.tables.images import size


@dataclass(frozen=True)
class Painting:
    """A picture asked for; `convert` returns it as it is kept, or raises ValueError saying why it is not usable.

    One of another size than asked for is `ok`, with a remark: many models paint in sizes of their own. With a side
    below LEAST_SIDE it is none: nobody could see in it what was asked for.
    """

    request: Paint
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        """See `Conversation.next`."""
        if not replies:
            return self.request
        reply = replies[-1]
        if reply.finish != "stop":
            status = "refused_generation" if reply.finish == "refused" else FAILED[reply.finish]
            return Outcome(status, reason=reason(reply))
        if not reply.content:
            return Outcome("missing_output", reason="the reply has no image")
        try:
            value = self.convert(reply.content)
            width, height = size(value)
        except ValueError as error:
            return Outcome("parse_error", reason=f"the image {error}")
        if min(width, height) < LEAST_SIDE:
            return Outcome("parse_error", reason=f"the image has {width}x{height} pixels, too few to be a picture")
        asked = self.request.width, self.request.height
        remark = None if (width, height) == asked else f"{width}x{height} pixels instead of {asked[0]}x{asked[1]}"
        return Outcome("ok", value, remark)
