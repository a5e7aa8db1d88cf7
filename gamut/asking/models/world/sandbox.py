"""The only module that calls the embedded world. Every worker imports it, so it imports little itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from gamut.asking.material import read_enclosures
from gamut.asking.parts import bundle
from gamut.asking.requests import (
    Chat,
    Create,
    Detect,
    Embed,
    Paint,
    Part,
    Picture,
    Rate,
    Reply,
    Request,
    fields_of,
    pack_vector,
    parts_of,
    pictures_of,
)
from gamut.asking.seeing import score_reply
from gamut.project.code import ROOT, WORLD, digest_of, files_of
from gamut.project.errors import UserError
from gamut.project.process import follow_parent
from gamut.project.roles import SCORERS

if TYPE_CHECKING:
    from gamut.project.model_kinds import SandboxModel as Parameters
    from gamut.world.legacy import LegacyRow

INDEPENDENT = "independent"  # the default relation between errors of words and of pictures
PARTS = {
    "painter": "painting",
    "creator": "contestant",
    "editor": "contestant",
    "judge": "judge",
    "matcher": "agreement",
    "captioner": "captioner",
    "translator": "translator",
    "seed_writer": "writer",
    "writer": "authoring",
    "detector": "observers",
    "image_embedder": "observers",
    **dict.fromkeys(SCORERS.values(), "rating"),
    "sources": "legacy",
    "truth": "truth",
    "paraphrases": "paraphrasing",
    "sights": "seeing",
    "pictograms": "knowledge",
}
"""The module of the world that each part begins with."""
CHAT_ROLES = ("judge", "matcher", "writer", "captioner", "translator", "seed_writer")
CONTESTANT_FAULTS = ("wrong_reasoning", "wrong_text", "wrong_picture")  # faults that no painter has


def identity(parameters: Parameters, role: str) -> Mapping[str, Any]:
    """Return the identity of the world in a role. Its errors as a judge are part of it only in that role."""
    judging = judging_of(parameters)
    return {
        "id": "gamut-sandbox",
        "revision": revision(role),
        "numerics": "",
        "sampling": {"faults": dict(parameters.faults)}
        | ({"judging": judging} if role == "judge" and judging else {})
        | ({"coupling": parameters.coupling} if parameters.coupling != INDEPENDENT else {}),
    }


@cache
def revision(part: str) -> str:
    """Return the version of a part of the world: a digest of its code, the font and the tables of words."""
    beside = (str(path.relative_to(ROOT)) for path in (ROOT / "gamut/world").glob("*.t?[tf]"))
    return digest_of([*files_of(f"{WORLD}.{PARTS[part]}"), *beside])[:16]


def start_worker(store: Path) -> None:
    """Begin as a worker process that answers, and stores what it sees on pictures."""
    follow_parent()
    keep_sights(store)


def keep_sights(store: Path) -> None:
    """Let this process store what it sees on pictures."""
    from gamut.world import looking

    looking.keep_sights(sights_in(store))


def sights_in(store: Path) -> Path:
    """Return the folder of a store for what this version of the world sees on pictures."""
    return store / "sights" / revision("sights")


def judging_of(parameters: Parameters) -> dict[str, float]:
    """Return the parameters of a world's errors as a judge, by name; empty if it makes none."""
    return {} if parameters.judging is None else parameters.judging.model_dump()


def answer(
    request: Request,
    faults: Mapping[str, float],
    role: str,
    judging: Mapping[str, float] = MappingProxyType({}),
    coupling: str = INDEPENDENT,
) -> Reply:
    """Answer as the world in a role; a pure function. `judging`: the noise, bias and slips of a judge; `coupling`: the
    relation between a contestant's errors of words and of pictures.
    """
    from gamut.world.answering import Unsupported

    try:
        return Reply(reply_content(request, faults, role, judging, coupling))
    except Unsupported as cause:
        return Reply(str(cause).encode(), "unsupported")


def reply_content(
    request: Request, faults: Mapping[str, float], role: str, judging: Mapping[str, float], coupling: str
) -> bytes:
    """Return a reply's content. Raise Unsupported if the world, or this role, cannot give it."""
    from gamut.world.answering import Unsupported

    match request:
        case Chat() if role in CHAT_ROLES:
            return orjson.dumps(chat_reply(request, faults, role, judging))
        case Paint() if role == "painter":
            from gamut.world.painting import paint_prompt

            seed = request.seed + request.sample
            return paint_prompt(request.prompt, request.width, request.height, seed, painter_faults(faults))
        case Paint() | Create() if role in ("creator", "editor"):
            from gamut.world import contestant

            modalities = request.modalities if isinstance(request, Create) else ("image",)
            given, size = plain_parts(parts_of(request)), (request.width, request.height)
            return bundle(contestant.answer(given, modalities, size, request.seed, request.sample, faults, coupling))
        case Detect() if role == "detector":
            from gamut.world.observers import detect

            return orjson.dumps([tuple(found) for found in detect(request.picture.data, request.labels)])
        case Embed(Picture(data=picture)) if role == "image_embedder":
            from gamut.world.observers import embed

            return pack_vector(embed(picture))
        case Rate() if role == SCORERS[request.name]:
            from gamut.world.rating import rate

            return score_reply(rate(request.name, request.text, [request.picture.data])).content
    raise Unsupported(f"the embedded world's {role} does not answer a request to {type(request).__name__.lower()}")


def chat_reply(
    request: Chat, faults: Mapping[str, float], role: str, judging: Mapping[str, float]
) -> Mapping[str, object]:
    fields, pictures, seed = fields_of(request), pictures_of(request), request.seed + request.sample
    enclosed = {name: plain_parts(parts) for name, parts in read_enclosures(request).items()}
    match role:
        case "judge":
            from gamut.world import judge

            return judge.answer(request.name, fields, pictures, seed, enclosed, judging)
        case "writer":
            from gamut.world import authoring

            return authoring.answer(request.name, fields, enclosed, seed, faults)
        case "matcher":
            from gamut.world.agreement import answer
        case "captioner":
            from gamut.world.captioner import answer
        case "translator":
            from gamut.world.translator import answer
        case _:
            from gamut.world.writer import answer
    return answer(request.name, fields, pictures, seed)


def plain_parts(parts: Sequence[Part]) -> list[str | bytes]:
    """Return texts and encoded pictures in order, as the world takes them."""
    return [part.data if isinstance(part, Picture) else part for part in parts]


def painter_faults(faults: Mapping[str, float]) -> dict[str, float]:
    """Return the faults that apply to a painter, which is given no riddles."""
    return {name: rate for name, rate in faults.items() if name not in CONTESTANT_FAULTS}


def legacy_rows(count: int, seed: int, **of_source: Any) -> Iterator[LegacyRow]:
    if find_spec("fonticon_mdi7") is None:
        raise UserError(
            "sources of the embedded world: packages are missing: pip install -c constraints.txt -e '.[world]'"
        )
    from gamut.world.legacy import legacy_rows

    return legacy_rows(count, seed, **of_source)


def picture_truth(prompt: str, seed: int, faults: Mapping[str, float], width: int, height: int) -> Mapping[str, bool]:
    from gamut.world.truth import picture_truth

    return picture_truth(prompt, seed, painter_faults(faults), width, height)


def alignment_truth(caption: str, prompt: str, seed: int, faults: Mapping[str, float]) -> bool | None:
    from gamut.world.truth import alignment_truth

    return alignment_truth(caption, prompt, seed, painter_faults(faults))


def paraphrases(text: str, seed: int) -> Iterator[tuple[str, str]]:
    from gamut.world.paraphrasing import paraphrases

    return paraphrases(text, seed)


def pictogram_kinds() -> Mapping[str, str]:
    """Return the category of each kind of pictogram that is painted alone; taught kinds come first."""
    from gamut.world.pictograms import CATEGORIES

    return CATEGORIES


def pictogram(kind: str, number: int) -> Picture:
    from gamut.world.pictograms import pictogram

    return Picture(pictogram(kind, number), "image/png")


def wordings(name: str) -> Mapping[str, Sequence[str]]:
    """Return questions about a picture of one thing, and captions with its name, by kind of wording."""
    from gamut.world.knowledge import wordings_about

    return wordings_about({"name": name})  # type: ignore[return-value]
