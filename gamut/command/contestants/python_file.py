"""A contestant of kind python: its file, written where there is none, and its first answer, before it is added."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gamut.asking.models.opening import open_when_asked
from gamut.asking.requests import Model, Reply
from gamut.asking.visiting import Visit, follow
from gamut.evaluation.bodies.answer import answering_player, answering_visit, conversation, shards_of
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.running.answers import parts_of
from gamut.project.code import OWN_MODELS
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.model_kinds import require_own_model
from gamut.project.plain_text import shorten_to_line
from gamut.project.settings import Settings
from gamut.publish.parameters import Everything
from gamut.tables.columns import Row
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
    """Return the path of a model's file from the project; a bare name lies in the folder of one's own models."""
    path = Path(OWN_MODELS, named) if len(named.parts) == 1 and not named.exists() else named
    try:
        return require_own_model(path.as_posix())
    except ValueError as error:
        raise UserError(f"--python {named}: {error}: {Path(OWN_MODELS, named.with_suffix('.py').name)}") from None


def write_template(file: str) -> list[str]:
    if Path(file).exists():
        return []
    write_whole(Path(file), TEMPLATE.encode())
    return [f"{file} is new: it answers with its prompt, or a plain picture: put your model there"]


def first_answer(
    everything: Everything, contestant: str, measured_in: Mapping[str, Sequence[str]], settings: Settings
) -> str:
    """Ask a new contestant for one answer of a benchmark in which it is measured, and say what came; UserError where it
    failed.
    """
    name = next(iter(measured_in))
    benchmark, params = curations()[name].benchmark, everything.benchmarks[name]
    items = benchmark.items(params)
    player = answering_player(benchmark, params, contestant, items)
    by_id = {str(item.id): item for item in items}
    visit = answering_visit(benchmark, params, by_id, contestant, lambda item, setting: None, conversation)
    rows = (row for of in shards_of(benchmark, params, contestant, items).values() for row in of)
    model = open_when_asked(player, settings)
    answer = asyncio.run(answer_one(model, visit, rows))
    if answer is None:
        return f"{name} has no item that can be put to it"
    where = f"{name} {answer['setting']}/{answer['item']}"
    if answer["status"] != "ok":
        raise UserError(f"{where}: {answer['status']}: {answer['reason']}: nothing is added")
    said = ", ".join(map(part_words, parts_of(answer["parts"])))
    return f"{where}: it answered {said}{f' ({remark})' if (remark := answer['reason']) else ''}"


async def answer_one(model: Model, visit: Visit, rows: Iterable[Row]) -> Row | None:
    """Return the first row about which anything was asked, as it is answered."""
    known: dict[str, Reply] = {}
    try:
        for row in rows:
            visiting = follow(visit, row, model, known.get)
            while True:
                try:
                    missing = next(visiting)
                except StopIteration as end:
                    answered: Row = end.value[0]
                    break
                known |= {mark: await model.answer(request) for mark, request in missing.items()}
            if known:
                return answered
        return None
    finally:
        await model.close()


def part_words(part: str | bytes) -> str:
    if isinstance(part, str):
        return f'"{shorten_to_line(part, SHOWN)}"'
    return "a picture of {}x{} pixels".format(*picture_size(part))
