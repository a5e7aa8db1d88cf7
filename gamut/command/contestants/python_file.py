"""A contestant of kind python: a template for its file, and its first answer, which comes before it is added."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from gamut.asking.models.opening import open_when_asked
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.requests import Model, Reply
from gamut.evaluation.bodies.answer import answering_player, answering_visit, conversation, shards_of
from gamut.evaluation.curating.benchmarks import curations
from gamut.project.code import OWN_MODELS
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.model_kinds import require_own_model
from gamut.project.plain_text import shorten_to_line
from gamut.project.settings import Settings
from gamut.publish.parameters import Everything
from gamut.tables.images import picture_size

FUNCTION = "answer"
SHOWN = 80  # characters of a text that are shown
TEMPLATE = '''\
"""My model, as `gamut` asks it (docs/models.md, kind python). Weights are loaded here, once."""

from PIL import Image

Part = str | Image.Image


def answer(parts: list[Part], wants: tuple[str, ...], size: tuple[int, int], seed: int) -> list[Part]:
    """Answer one item: `parts` are its texts and pictures in order, `wants` is "text", "image" or both, `size` is the
    width and height of a picture. A text, a picture, or a list of both in order is an answer.
    """
    asked = " ".join(part for part in parts if isinstance(part, str))
    text = f"I was asked: {asked[:200]}"
    picture = Image.new("RGB", size, (seed % 256, 128, 128))
    return [text if want == "text" else picture for want in wants]
'''


def own_file(named: Path) -> str:
    """Return the path of a model's file from the project: in the folder of own models, where DVC sees its changes."""
    path = named if named.is_relative_to(OWN_MODELS) else Path(OWN_MODELS, named.name)
    if path != named and len(named.parts) > 1 and not named.is_file():
        raise UserError(f"--python {named} does not exist; a name without a folder writes a template")
    try:
        return require_own_model(path.as_posix())
    except ValueError as error:
        raise UserError(f"--python {named}: {error}") from None


def write_file(named: Path, file: str) -> list[str]:
    """Write a model's file: a copy of one that is elsewhere, or a template. One that is there stays as it is."""
    elsewhere = named.is_file() and not (Path(file).exists() and named.samefile(file))
    if elsewhere and Path(file).exists() and Path(file).read_bytes() != named.read_bytes():
        raise UserError(f"--python {named}: {file} exists and differs: name that file, or give this one another name")
    if Path(file).exists():
        return []
    if elsewhere:
        write_whole(Path(file), named.read_bytes())
        return [f"{file} is a copy of {named}, which is not read any more: change the copy"]
    write_whole(Path(file), TEMPLATE.encode())
    return [f"{file} is new: a template, it answers with its prompt or a plain picture: put your model there"]


def first_answer(
    everything: Everything, contestant: str, measured_in: Mapping[str, Sequence[str]], settings: Settings
) -> str:
    """Ask a new contestant for one answer to a benchmark in which it is measured, and return a line about the answer.
    UserError if it fails.
    """
    name = next(iter(measured_in))
    benchmark, params = curations()[name].benchmark, everything.benchmarks[name]
    items = benchmark.items(params)
    player = answering_player(benchmark, params, contestant, items)
    by_id = {str(item.id): item for item in items}
    visit = answering_visit(benchmark, params, by_id, contestant, lambda item, setting: None, conversation)
    rows = (row for of in shards_of(benchmark, params, contestant, items).values() for row in of)
    asked = next(((row, talk) for row in rows for talk in next(visit(row), [])), None)
    if asked is None:
        return f"{name} has no item that it can answer"
    row, talk = asked
    where, end = f"{name} {row['setting']}/{row['item']}", asyncio.run(ask(open_when_asked(player, settings), talk))
    if end.status != "ok":
        raise UserError(f"{where}: {end.status}: {end.reason}: nothing is added")
    parts = [end.value] if isinstance(end.value, bytes) else end.value.parts
    return f"{where}: it answered {', '.join(map(part_words, parts))}{f' ({end.reason})' if end.reason else ''}"


async def ask(model: Model, talk: Conversation) -> Outcome:
    replies: list[Reply] = []
    try:
        while not isinstance(step := talk.next(replies), Outcome):
            replies.append(await model.answer(step))
        return step
    finally:
        await model.close()


def part_words(part: str | bytes) -> str:
    if isinstance(part, str):
        return f'"{shorten_to_line(part, SHOWN)}"'
    return "a picture of {}x{} pixels".format(*picture_size(part))
