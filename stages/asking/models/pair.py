"""A pair of models that answers as one: one writes, the other paints, such as GPT-4o with GPT-Image-1.

Where texts and pictures are asked for the writer is asked first; then the painter, with what the writer said behind
what was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from stages.asking.limits import cost, writes
from stages.asking.models.opening import Model, OpenedWhenAsked, identity_of
from stages.asking.parts import bundled, in_words, unbundled
from stages.asking.requests import Create, Reply, Request, wants_picture
from stages.project.roles import Played, RoleModel
from stages.project.settings import Endpoint, Settings


def opened_when_asked(played: Played, settings: Settings, texts: Callable[[], Iterable[str]] = tuple) -> Model:
    """Return who plays a role, opened by the first request that nobody has answered yet: one model, or a pair of which
    each is opened when it is asked itself.
    """
    if isinstance(played, RoleModel):
        return OpenedWhenAsked(played, settings, texts)
    writer, painter = (OpenedWhenAsked(player, settings) for player in played.players)
    prices = [settings.endpoint(player.slug) for player in played.players]
    return PairModel(writer, painter, identity_of(played), *prices)


class PairModel:
    """Asks the writer, the painter, or one after the other, as a request wants. Tokens and cost are those of both."""

    def __init__(
        self,
        writer: Model,
        painter: Model,
        identity: Mapping[str, Any],
        writers_prices: Endpoint,
        painters_prices: Endpoint,
    ) -> None:
        self.writer, self.painter, self.identity = writer, painter, identity
        self.writers_prices, self.painters_prices = writers_prices, painters_prices
        self.by_record = writer.by_record or painter.by_record

    @property
    def concurrency(self) -> int:
        """Return how many requests may be in flight at both together, as far as they are open."""
        return self.writer.concurrency + self.painter.concurrency

    async def answer(self, request: Request) -> Reply:
        """Answer one request; a failed reply says whose it is."""
        if not wants_picture(request):
            return await self.written(request)
        if not (isinstance(request, Create) and writes(request)):
            return await self.painted(request)
        written = await self.written(replace(request, modalities=("text",), width=0, height=0))
        if written.finish != "stop":
            return written
        try:
            text = "\n".join(unbundled(written.content).texts)
        except ValueError:  # whoever reads it will say what is wrong with it
            return written
        given = (*request.parts, f"\n{text}\n") if text.strip() else request.parts
        painted = await self.painted(replace(request, parts=given, modalities=("image",)))
        return added(together(written, painted) if painted.finish == "stop" else painted, written)

    async def written(self, request: Request) -> Reply:
        """Ask the writer."""
        return await asked(self.writer, "the writer", request, self.writers_prices)

    async def painted(self, request: Request) -> Reply:
        """Ask the painter."""
        return await asked(self.painter, "the painter", request, self.painters_prices)

    async def close(self) -> None:
        """Close both."""
        try:
            await self.writer.close()
        finally:
            await self.painter.close()


async def asked(model: Model, who: str, request: Request, prices: Endpoint) -> Reply:
    """Ask one of the two; its reply with its cost, and for a failure with words that say whose it is."""
    reply = await model.answer(request)
    named = f"{who}, {model.identity['id']}: ".encode()
    content = reply.content if reply.finish == "stop" else named + in_words(reply.content).encode()
    return replace(reply, content=content, cost=cost(request, reply, prices))


def together(written: Reply, painted: Reply) -> Reply:
    """Return the painter's reply with what the writer wrote before it; as it is where it cannot be read."""
    try:
        both = [unbundled(reply.content) for reply in (written, painted)]
    except ValueError:
        return painted
    thinking = "\n".join(made.thinking for made in both if made.thinking)
    return replace(painted, content=bundled([part for made in both for part in made.parts], thinking))


def added(last: Reply, first: Reply) -> Reply:
    """Return the last of two replies with the tokens and the cost of both."""
    return replace(
        last,
        input_tokens=first.input_tokens + last.input_tokens,
        output_tokens=first.output_tokens + last.output_tokens,
        cost=(first.cost or 0.0) + (last.cost or 0.0),
    )
