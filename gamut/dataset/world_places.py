"""The files by which stages depend on the embedded world, and on Python files of the project: one for each place where
params.yaml may use them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gamut.asking.models.world.sandbox import revision
from gamut.dataset.shared.source_blocks import Build, SandboxSource
from gamut.evaluation.defining import parameters as evaluation
from gamut.evaluation.defining.parameters import Contestant, members, writer_of
from gamut.project.code import digest_of_file
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.model_kinds import Model, PythonModel, SandboxModel
from gamut.project.parameters import load

WORLD = Path("datasets/world")


def write_world(params: Build) -> None:
    shutil.rmtree(WORLD, ignore_errors=True)
    for place, parts in places(params, load(evaluation.Params).contestants):
        write_whole(WORLD / place, f"{' '.join(map(version, parts)) or 'not used here'}\n".encode())


def version(part: str) -> str:
    """Return the version of a part of the world, or of a Python file: where there is none, its own cell says so."""
    if not part.endswith(".py"):
        return revision(part)
    try:
        return f"{part} {digest_of_file(Path(part))}"
    except UserError as error:
        return str(error)


def places(params: Build, contestants: Mapping[str, Contestant]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each place with the parts of the world, or the Python file, that it uses."""
    yield "roles/image_embedder", ()  # a role that may be left open, though a stage depends on it
    for role, slug in params.roles.filled().items():
        yield f"roles/{role}", parts_used(params.models[slug], role)
    for slug, model in params.models.items():
        yield f"judges/{slug}", parts_used(model, "judge")
        yield f"creators/{slug}", parts_used(model, "creator")
        yield f"observers/{slug}", parts_used(model, "detector", "image_embedder")
        yield f"translators/{slug}", parts_used(model, "translator")
        for place in (f"writers/{slug}", f"rewriters/models.{slug}"):
            yield place, parts_used(model, "writer")
    for name, contestant in contestants.items():
        asked_as = [
            part for member in members(name, contestant) for part in parts_used(member.model, "painter", "creator")
        ]
        yield f"contestants/{name}", list(dict.fromkeys(asked_as))
        writer = writer_of(name, contestant)
        yield f"rewriters/contestants.{name}", () if writer is None else parts_used(writer.model, "writer")
    sources = ["sources"] if any(isinstance(source, SandboxSource) for source in params.sources) else []
    yield "sources", sources
    yield "paraphrases", ["paraphrases"] if params.hold_out.paraphrases == "world" else []
    yield (
        "truth",
        [*parts_used(params.models[params.roles.painter], "truth"), *sources],
    )  # of pictures, and of source rows


def parts_used(model: Model, *parts: str) -> Sequence[str]:
    if isinstance(model, PythonModel):
        return (model.file,)
    return parts if isinstance(model, SandboxModel) else ()
