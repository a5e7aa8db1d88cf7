"""Which version of the embedded world answers where params.yaml uses it: a small file for each place, such as
`roles/ROLE`, `contestants/NAME` or `judges/MODEL`; where the world is not used its file says so.

A stage depends on the file of its place, so that an edit of the world runs again what it concerns, and a build that
asks other models depends on none of the world's files.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gamut.asking.models.world.sandbox import revision
from gamut.dataset.leaks.parameters import HoldOut
from gamut.dataset.shared.source_blocks import Build, SandboxSource
from gamut.evaluation.defining import parameters as evaluation
from gamut.evaluation.defining.parameters import Contestant, members, writer_of
from gamut.pipeline.steps import Makes, start
from gamut.project.files import write_whole
from gamut.project.model_kinds import Model, SandboxModel
from gamut.project.parameters import load

WORLD = Path("datasets/world")
UNUSED = "not used here"


def world(params: Build) -> None:
    shutil.rmtree(WORLD, ignore_errors=True)
    for place, parts in places(params, load(evaluation.Params).contestants):
        write_whole(WORLD / place, f"{' '.join(map(revision, parts)) or UNUSED}\n".encode())


def places(params: Build, contestants: Mapping[str, Contestant]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each place with the parts of the world that it uses, none where it is not used."""
    yield "roles/image_embedder", ()  # a role that may be left open, though a stage depends on it
    for role, slug in params.roles.filled().items():
        yield f"roles/{role}", used(params.models[slug], role)
    for slug, model in params.models.items():
        yield f"judges/{slug}", used(model, "judge")
        yield f"creators/{slug}", used(model, "creator")
        yield f"observers/{slug}", used(model, "detector", "image_embedder")
        yield f"translators/{slug}", used(model, "translator")
        for place in (f"writers/{slug}", f"rewriters/models.{slug}"):
            yield place, used(model, "writer")
    for name, contestant in contestants.items():
        asked_as = [part for member in members(name, contestant) for part in used(member.model, "painter", "creator")]
        yield f"contestants/{name}", list(dict.fromkeys(asked_as))
        writer = writer_of(name, contestant)
        yield f"rewriters/contestants.{name}", () if writer is None else used(writer.model, "writer")
    sources = ["sources"] if any(isinstance(source, SandboxSource) for source in params.sources) else []
    yield "sources", sources
    yield "paraphrases", ["paraphrases"] if params.hold_out.paraphrases == "world" else []
    yield "truth", [*used(params.models[params.roles.painter], "truth"), *sources]  # of pictures, and of source rows


def used(model: Model, *parts: str) -> Sequence[str]:
    return parts if isinstance(model, SandboxModel) else ()


STEP = Makes(
    "world",
    run=world,
    base=Build,
    parameters={"hold_out": HoldOut},
    tracked=("sources", "models", "roles", "contestants", "hold_out.paraphrases"),
)

if __name__ == "__main__":
    start(STEP)
