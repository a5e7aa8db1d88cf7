"""A pair of models that answers as one: one writes, the other paints, such as GPT-4o with GPT-Image-1.

For an answer with texts and pictures, the writer first marks the places of pictures and describes them; then the
painter paints each. Without marks the painter makes one picture, from the task and the writer's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gamut.asking.limits import reply_cost, wants_text
from gamut.asking.making import LONGEST_REMARK
from gamut.asking.parts import Created, bundle, text_of_content, unbundle
from gamut.asking.requests import Create, Model, Picture, Reply, Request, seed_of, wants_picture
from gamut.project.plain_text import shorten_to_line
from gamut.project.settings import Endpoint

MOST_PLACES = 8  # pictures that are painted for one answer
WRITER_INSTRUCTION = f"""
A painter makes the pictures of your answer. Write each one as <picture>…</picture> where it belongs in the answer, \
with a description in place of the dots. The painter is given the pictures of the task, if it has any, and that \
description: not the task, not your other words, no other description. So say in each all that is to be seen. Make as \
many pictures as the task asks for, {MOST_PLACES} at most; one where it says no number. What stands outside of \
<picture> is your answer in words; descriptions are no part of it.
"""
"""The instruction that a writer gets with the task."""
NOT_REACHED = ("transport_error", "missing")
"""Ends of replies that say nothing about the model: it is asked again, or a file does not exist."""


class PairModel:
    """Asks the writer, the painter, or both in turn, as a request needs. Tokens and cost are those of both."""

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
            return await self.ask_writer(request)
        if not (isinstance(request, Create) and wants_text(request)):
            return await self.ask_painter(request)
        asked_for = (*request.parts, WRITER_INSTRUCTION)
        reply = await self.ask_writer(replace(request, parts=asked_for, modalities=("text",), width=0, height=0))
        if reply.finish != "stop":
            return reply
        try:
            answer_in_words = unbundle(reply.content)
        except ValueError:  # the reader of the reply reports the problem
            return reply
        return await self.illustrate(request, answer_in_words, reply)

    async def illustrate(self, request: Create, words: Created, writers_reply: Reply) -> Reply:
        """Paint the pictures that the writer marked, each with its own seed. A folder of answers has one picture for an
        answer.

        If all of them fail, or the painter is not reached for one, that failure is the reply. Otherwise the answer has
        the pictures that came, and a remark.
        """
        pieces = [piece for part in words.parts for piece in (places_in(part) if isinstance(part, str) else [part])]
        orders, most = orders_of(request, pieces), 1 if self.painter.by_record else MOST_PLACES
        remarks = [f"{len(orders)} pictures were asked for, {most} painted"] if len(orders) > most else []
        replies, painted = [writers_reply], list[Created]()
        for number, order in enumerate(orders[:most], 1):
            reply = await self.ask_painter(order)
            replies.append(reply)
            try:
                picture = unbundle(reply.content) if reply.finish == "stop" else Created(())
            except ValueError:
                return with_totals(reply, replies)
            if reply.finish in NOT_REACHED:
                return with_totals(reply, replies)
            if not picture.pictures:
                why = "no image came" if reply.finish == "stop" else text_of_content(reply.content)
                remarks.append(shorten_to_line(f"picture {number} of {len(orders)}: {why}", LONGEST_REMARK))
            elif len(picture.pictures) > 1:
                remarks.append(f"picture {number} of {len(orders)}: {len(picture.pictures)} came, the first is kept")
            painted.append(picture)
        failed = next((reply for reply in replies if reply.finish != "stop"), None)
        if failed is not None and not any(made.pictures for made in painted):
            return with_totals(failed, replies)
        thinking = "\n".join(made.thinking for made in (words, *painted) if made.thinking)
        content = bundle([*merge_pieces(pieces, painted)], thinking, "; ".join(remarks))
        return with_totals(Reply(content), replies)

    async def ask_writer(self, request: Request) -> Reply:
        return await ask_named(self.writer, "the writer", request, self.writers_prices)

    async def ask_painter(self, request: Request) -> Reply:
        return await ask_named(self.painter, "the painter", request, self.painters_prices)

    async def close(self) -> None:
        try:
            await self.writer.close()
        finally:
            await self.painter.close()


async def ask_named(model: Model, who: str, request: Request, prices: Endpoint) -> Reply:
    reply = await model.answer(request)
    speaker = f"{who}, {model.identity['id']}: ".encode()
    content = reply.content if reply.finish == "stop" else speaker + text_of_content(reply.content).encode()
    return replace(reply, content=content, cost=reply_cost(request, reply, prices))


def orders_of(request: Create, pieces: Sequence[str | bytes | Place]) -> list[Create]:
    """Return the painter's requests: one for each place, or one picture from the whole text if there is no place."""
    described = [piece.description for piece in pieces if isinstance(piece, Place)]
    if not described:
        text = "\n".join(piece for piece in pieces if isinstance(piece, str))
        parts = (*request.parts, f"\n{text}\n") if text.strip() else request.parts
        return [replace(request, parts=parts, modalities=("image",))]
    pictures = tuple(part for part in request.parts if isinstance(part, Picture))
    return [
        replace(request, parts=(*pictures, f"{one}\n"), modalities=("image",), seed=seed_of(f"place {n}", request.seed))
        for n, one in enumerate(described, 1)
    ]


def merge_pieces(pieces: Sequence[str | bytes | Place], painted: Sequence[Created]) -> Iterator[str | bytes]:
    pictures = [made.pictures[:1] for made in painted]
    for piece in pieces:
        if not isinstance(piece, Place):
            yield piece
        elif pictures:
            yield from pictures.pop(0)
    for left in pictures:
        yield from left


def with_totals(last: Reply, replies: Sequence[Reply]) -> Reply:
    return replace(
        last,
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cost=sum(reply.cost or 0.0 for reply in replies),
    )


PLACE = re.compile(r"<picture>(.*?)</picture>", re.DOTALL | re.IGNORECASE)


class Place(NamedTuple):
    description: str


def places_in(text: str) -> list[str | Place]:
    """Return the words and places of a text in order. A place without a description does not count."""
    pieces = PLACE.split(text)
    if len(pieces) == 1:
        return pieces[:]
    of_places = (Place(piece.strip()) if number % 2 else piece.strip("\n") for number, piece in enumerate(pieces))
    return [piece for piece in of_places if (piece.description if isinstance(piece, Place) else piece.strip())]
