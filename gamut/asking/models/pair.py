"""A pair of models that answers as one: one writes, the other paints, such as GPT-4o with GPT-Image-1.

Where texts and pictures are asked for the writer is asked first, and marks where pictures belong and what is to be seen
on them; then the painter for each. Where it marks none the painter makes one picture, with what the writer said behind
what was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gamut.asking.limits import cost, writes
from gamut.asking.making import LONGEST
from gamut.asking.models.opening import ASKED, MOST
from gamut.asking.parts import Created, bundled, in_words, unbundled
from gamut.asking.requests import Create, Model, Picture, Reply, Request, seed_of, wants_picture
from gamut.project.plain_text import one_line
from gamut.project.settings import Endpoint

NOT_REACHED = ("transport_error", "missing")
"""Ends of replies that say nothing of who was asked: it is asked anew, or there is no such file."""


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
        return self.writer.concurrency + self.painter.concurrency

    async def answer(self, request: Request) -> Reply:
        if not wants_picture(request):
            return await self.written(request)
        if not (isinstance(request, Create) and writes(request)):
            return await self.painted(request)
        asked_for = (*request.parts, ASKED)
        written = await self.written(replace(request, parts=asked_for, modalities=("text",), width=0, height=0))
        if written.finish != "stop":
            return written
        try:
            said = unbundled(written.content)
        except ValueError:  # whoever reads it will say what is wrong with it
            return written
        return await self.illustrated(request, said, written)

    async def illustrated(self, request: Create, said: Created, written: Reply) -> Reply:
        """Have the pictures painted that were asked for in what the writer `said`, each with a seed of its own.

        A folder has one picture an answer. Where all fail the first failure is the reply, and one that the painter was
        not reached for in any case: it is asked anew. Else the answer has what came, with a remark on what did not.
        """
        pieces = [piece for part in said.parts for piece in (places_in(part) if isinstance(part, str) else [part])]
        orders, most = orders_of(request, pieces), 1 if self.painter.by_record else MOST
        remarks = [f"{len(orders)} pictures were asked for, {most} painted"] if len(orders) > most else []
        replies, painted = [written], list[Created]()
        for number, order in enumerate(orders[:most], 1):
            reply = await self.painted(order)
            replies.append(reply)
            try:
                made = unbundled(reply.content) if reply.finish == "stop" else Created(())
            except ValueError:
                return added(reply, replies)
            if reply.finish in NOT_REACHED:
                return added(reply, replies)
            if not made.pictures:
                why = "no image came" if reply.finish == "stop" else in_words(reply.content)
                remarks.append(one_line(f"picture {number} of {len(orders)}: {why}", LONGEST))
            elif len(made.pictures) > 1:
                remarks.append(f"picture {number} of {len(orders)}: {len(made.pictures)} came, the first is kept")
            painted.append(made)
        failed = next((reply for reply in replies if reply.finish != "stop"), None)
        if failed is not None and not any(made.pictures for made in painted):
            return added(failed, replies)
        thinking = "\n".join(made.thinking for made in (said, *painted) if made.thinking)
        content = bundled([*put_together(pieces, painted)], thinking, "; ".join(remarks))
        return added(Reply(content), replies)

    async def written(self, request: Request) -> Reply:
        return await asked(self.writer, "the writer", request, self.writers_prices)

    async def painted(self, request: Request) -> Reply:
        return await asked(self.painter, "the painter", request, self.painters_prices)

    async def close(self) -> None:
        try:
            await self.writer.close()
        finally:
            await self.painter.close()


async def asked(model: Model, who: str, request: Request, prices: Endpoint) -> Reply:
    reply = await model.answer(request)
    named = f"{who}, {model.identity['id']}: ".encode()
    content = reply.content if reply.finish == "stop" else named + in_words(reply.content).encode()
    return replace(reply, content=content, cost=cost(request, reply, prices))


def orders_of(request: Create, pieces: Sequence[str | bytes | Place]) -> list[Create]:
    """Return what the painter is asked for: what stands at each place, or, where there is none, one picture by all."""
    described = [piece.description for piece in pieces if isinstance(piece, Place)]
    if not described:
        text = "\n".join(piece for piece in pieces if isinstance(piece, str))
        parts = (*request.parts, f"\n{text}\n") if text.strip() else request.parts
        return [replace(request, parts=parts, modalities=("image",))]
    given = tuple(part for part in request.parts if isinstance(part, Picture))
    return [
        replace(request, parts=(*given, f"{one}\n"), modalities=("image",), seed=seed_of(f"place {n}", request.seed))
        for n, one in enumerate(described, 1)
    ]


def put_together(pieces: Sequence[str | bytes | Place], painted: Sequence[Created]) -> Iterator[str | bytes]:
    pictures = [made.pictures[:1] for made in painted]
    for piece in pieces:
        if not isinstance(piece, Place):
            yield piece
        elif pictures:
            yield from pictures.pop(0)
    for left in pictures:
        yield from left


def added(last: Reply, replies: Sequence[Reply]) -> Reply:
    return replace(
        last,
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cost=sum(reply.cost or 0.0 for reply in replies),
    )


PLACE = re.compile(r"<picture>(.*?)</picture>", re.DOTALL | re.IGNORECASE)


class Place(NamedTuple):
    """The place of a picture, with what is to be seen on it."""

    description: str


def places_in(text: str) -> list[str | Place]:
    """Return a text's words and places in order, as it is where it has none; a place without a description is none."""
    pieces = PLACE.split(text)
    if len(pieces) == 1:
        return pieces[:]
    of_places = (Place(piece.strip()) if number % 2 else piece.strip("\n") for number, piece in enumerate(pieces))
    return [piece for piece in of_places if (piece.description if isinstance(piece, Place) else piece.strip())]
