"""Small files that make stages depend on what answers them: the embedded world, Python files of the project, or weights
that a stage builds. There is one file for each place where params.yaml may use one of these.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from gamut.asking.models.weights import built_digest
from gamut.asking.models.world.sandbox import PARTS, revision
from gamut.dataset.shared.source_blocks import Build, SandboxSource
from gamut.evaluation.defining import parameters as evaluation
from gamut.evaluation.defining.parameters import members, writer_of
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.model_kinds import Model, PythonModel, SandboxModel, built_folders
from gamut.project.roles import MAY_BE_NULL

WORLD, PLAYERS = Path("datasets/world"), Path("datasets/players")
Places = Iterator[tuple[str, Sequence[str]]]
"""Each place with the parts of the world, the Python file, or the folders of weights that it uses."""


def write_world(params: Build) -> None:
    write_versions(WORLD, places(params))


def write_players(params: evaluation.Params) -> None:
    write_versions(PLAYERS, players(params))


def write_versions(folder: Path, places: Places) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for place, parts in places:
        write_whole(folder / place, f"{' '.join(map(version, parts)) or 'not used here'}\n".encode())


def version(part: str) -> str:
    """Return the present version of a part, a file or a folder; if it is missing, the message that says so."""
    if part in PARTS:
        return revision(part)
    try:
        return f"{part} {digest_of_file(Path(part)) if part.endswith('.py') else built_digest(part)}"
    except UserError as error:
        return str(error)


def places(params: Build) -> Places:
    yield from ((f"roles/{role}", ()) for role in MAY_BE_NULL)  # stages depend on their files
    for role, slug in ({"matcher": params.roles.judge} | params.roles.filled()).items():
        yield f"roles/{role}", parts_used(params.models[slug], role)
    for slug, model in params.models.items():
        yield f"judges/{slug}", parts_used(model, "judge")
        yield f"creators/{slug}", parts_used(model, "creator")
        yield f"observers/{slug}", parts_used(model, "detector", "image_embedder")
        yield f"translators/{slug}", parts_used(model, "translator")
        yield f"writers/{slug}", parts_used(model, "writer")
    sources = ["sources"] if any(isinstance(source, SandboxSource) for source in params.sources) else []
    yield "sources", sources
    yield "pictograms", ["pictograms"]
    yield "paraphrases", ["paraphrases"] if params.hold_out.paraphrases == "world" else []
    yield (
        "truth",
        [*parts_used(params.models[params.roles.painter], "truth"), *sources],
    )  # of pictures, and of source rows


def players(params: evaluation.Params) -> Places:
    """Yield the places of contestants, and of models that rewrite prompts."""
    for slug, model in params.models.items():
        yield f"rewriters/models.{slug}", parts_used(model, "writer")
    for name, contestant in params.contestants.items():
        models = [member.model for member in members(name, contestant)]
        asked_as = [part for one in models for part in (*parts_used(one, "painter", "creator"), *built_folders(one))]
        yield f"contestants/{name}", list(dict.fromkeys(asked_as))
        own = [] if (writer := writer_of(name, contestant)) is None else [writer.model]
        rewriting = [part for one in own for part in (*parts_used(one, "writer"), *built_folders(one))]
        yield f"rewriters/contestants.{name}", rewriting


def parts_used(model: Model, *parts: str) -> Sequence[str]:
    if isinstance(model, PythonModel):
        return (model.file,)
    return parts if isinstance(model, SandboxModel) else ()
