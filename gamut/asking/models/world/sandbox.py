"""The one door to the embedded world: its answers, rows of a source of it, and what is true of its pictures.

Every worker imports this module, so it imports little itself.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from gamut.asking.material import enclosures
from gamut.asking.parts import bundled
from gamut.asking.requests import (
    Chat,
    Create,
    Detect,
    Embed,
    Paint,
    Part,
    Picture,
    Reply,
    Request,
    fields_of,
    packed,
    parts_of,
    pictures_of,
)
from gamut.project.code import ROOT, WORLD, digest_of, files_of
from gamut.project.errors import UserError

if TYPE_CHECKING:
    from gamut.project.model_kinds import SandboxModel as Parameters
    from gamut.world.legacy import LegacyRow

_EXACT: Mapping[str, float] = MappingProxyType({})
"""A judge that does not err."""
INDEPENDENT = "independent"
"""How errors of words and pictures hang together where nothing is said."""
PARTS = {
    "painter": "painting",
    "creator": "contestant",
    "editor": "contestant",
    "judge": "judge",
    "captioner": "captioner",
    "translator": "translator",
    "seed_writer": "writer",
    "writer": "authoring",
    "detector": "observers",
    "image_embedder": "observers",
    "sources": "legacy",
    "truth": "truth",
    "paraphrases": "paraphrasing",
    "sights": "seeing",
}
"""The module of the world that each part begins with: a role, what makes sources and knows the truth about them, or
what says items in other words.
"""
CONTESTANT_FAULTS = ("wrong_reasoning", "wrong_text", "wrong_picture")
"""Faults that no painter has."""


def identity(parameters: Parameters, role: str) -> Mapping[str, Any]:
    """Return what `model_kinds.identity` does of other kinds, with the revision that the world has in this role.

    How it errs as a judge is part of it in that role alone, and only where it does.
    """
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
    """Return what version of a part of the world this is, by the code that it consists of, the font and the tables of
    words: an edit concerns only the parts that import what it edits.
    """
    beside = (str(path.relative_to(ROOT)) for path in (ROOT / "gamut/world").glob("*.t?[tf]"))
    return digest_of([*files_of(f"{WORLD}.{PARTS[part]}"), *beside])[:16]


def start_worker(store: Path) -> None:
    """Begin as a worker that answers for its parent process, and keeps in a store what it sees on pictures."""
    follow_parent()
    keep_sights(store)


def keep_sights(store: Path) -> None:
    """Have this process keep in a store what it sees on pictures, for all stages."""
    from gamut.world import looking

    looking.keep_sights(sights_in(store))


def sights_in(store: Path) -> Path:
    """Return the folder of a store for what is seen on pictures by this version of the world; others lie beside it."""
    return store / "sights" / revision("sights")


def follow_parent() -> None:
    """End this worker when its parent process is gone, however it went; Ctrl-C is the parent's to handle.

    It has nothing to put in order at its end: taking down all that it has loaded would last a third of a second. Its
    exit code is always 0, and nobody reads it.
    """
    atexit.register(os._exit, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def judging_of(parameters: Parameters) -> dict[str, float]:
    """Return how a world errs as a judge, by name; empty where it does not."""
    return {} if parameters.judging is None else parameters.judging.model_dump()


def answer(
    request: Request,
    faults: Mapping[str, float],
    role: str,
    judging: Mapping[str, float] = _EXACT,
    coupling: str = INDEPENDENT,
) -> Reply:
    """Answer one request as the world would in a role: a pure function of request, fault rates, role and, of a judge,
    how it errs, of a contestant, how errors of its words and pictures hang together.
    """
    from gamut.world.answering import Unsupported

    try:
        return Reply(reply_content(request, faults, role, judging, coupling))
    except Unsupported as cause:
        return Reply(str(cause).encode(), "unsupported")


def reply_content(
    request: Request,
    faults: Mapping[str, float],
    role: str,
    judging: Mapping[str, float],
    coupling: str,
) -> bytes:
    """Return the content of a reply; Unsupported where the world cannot give it, or a role is asked what another does:
    its revision says nothing of that.
    """
    from gamut.world.answering import Unsupported

    match request:
        case Chat() if role == "judge":
            from gamut.world.judge import answer

            enclosed = {name: plain_parts(parts) for name, parts in enclosures(request).items()}
            asked = (fields_of(request), pictures_of(request), sample_seed(request), enclosed)
            return orjson.dumps(answer(request.name, *asked, judging))
        case Chat() if role == "writer":
            from gamut.world import authoring

            enclosed = {name: plain_parts(parts) for name, parts in enclosures(request).items()}
            return orjson.dumps(
                authoring.answer(request.name, fields_of(request), enclosed, sample_seed(request), faults)
            )
        case Chat() if role in QUESTION_ROLES:
            ask = answerer(role)
            return orjson.dumps(ask(request.name, fields_of(request), pictures_of(request), sample_seed(request)))
        case Paint() if role == "painter":
            from gamut.world.painting import paint_prompt

            return paint_prompt(
                request.prompt, request.width, request.height, sample_seed(request), painter_faults(faults)
            )
        case Paint() | Create() if role in ("creator", "editor"):
            from gamut.world import contestant

            modalities = request.modalities if isinstance(request, Create) else ("image",)
            given, size = plain_parts(parts_of(request)), (request.width, request.height)
            drawn_by = (request.seed, request.sample)
            return bundled(contestant.answer(given, modalities, size, *drawn_by, faults, coupling))
        case Detect() if role == "detector":
            from gamut.world.observers import detect

            return orjson.dumps([tuple(found) for found in detect(request.picture.data, request.labels)])
        case Embed(Picture(data=picture)) if role == "image_embedder":
            from gamut.world.observers import embed

            return packed(embed(picture))
    raise Unsupported(f"the embedded world's {role} does not answer a request to {type(request).__name__.lower()}")


def sample_seed(request: Chat | Paint | Create) -> int:
    """Return the seed of one sample of a request."""
    return request.seed + request.sample


def plain_parts(parts: Sequence[Part]) -> list[str | bytes]:
    """Return texts and encoded pictures in order, as the world takes them."""
    return [part.data if isinstance(part, Picture) else part for part in parts]


def painter_faults(faults: Mapping[str, float]) -> dict[str, float]:
    """Return the faults that a painter has: it is given no riddles."""
    return {name: rate for name, rate in faults.items() if name not in CONTESTANT_FAULTS}


QUESTION_ROLES = ("captioner", "translator", "seed_writer")
"""Roles that questions without labelled material are put to."""


def answerer(role: str) -> Callable[[str, Mapping[str, str], Sequence[bytes], int], Mapping[str, object]]:
    """Return what answers questions in a role, one of ASKED."""
    match role:
        case "captioner":
            from gamut.world.captioner import answer
        case "translator":
            from gamut.world.translator import answer
        case _:
            from gamut.world.writer import answer
    return answer


def legacy_rows(count: int, seed: int, **of_source: Any) -> Iterator[LegacyRow]:
    """Return the rows of a source of the world; what else it is asked for, see `sandbox.legacy.legacy_rows`."""
    if find_spec("fonticon_mdi7") is None:
        raise UserError(
            "sources of the embedded world: packages are missing: pip install -c constraints.txt -e '.[world]'"
        )
    from gamut.world.legacy import legacy_rows

    return legacy_rows(count, seed, **of_source)


def picture_truth(prompt: str, seed: int, faults: Mapping[str, float], width: int, height: int) -> Mapping[str, bool]:
    """Return what truly holds of a picture that the world painted, see `sandbox.truth`."""
    from gamut.world.truth import picture_truth

    return picture_truth(prompt, seed, painter_faults(faults), width, height)


def alignment_truth(caption: str, prompt: str, seed: int, faults: Mapping[str, float]) -> bool | None:
    """Return whether a caption is true of a picture that the world painted, see `sandbox.truth`."""
    from gamut.world.truth import alignment_truth

    return alignment_truth(caption, prompt, seed, painter_faults(faults))


def paraphrases(text: str, seed: int) -> Iterator[tuple[str, str]]:
    """Return a text in other words that tell the same scene, each behind its way, see `sandbox.paraphrasing`."""
    from gamut.world.paraphrasing import paraphrases

    return paraphrases(text, seed)
