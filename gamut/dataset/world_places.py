"""The files by which stages depend on the embedded world, and on Python files of the project: one for each place where
params.yaml may use them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gamut.asking.models.world.versions import parts_used, write_versions
from gamut.dataset.shared.source_blocks import Build, SandboxSource

WORLD = Path("datasets/world")


def write_world(params: Build) -> None:
    write_versions(WORLD, places(params))


def places(params: Build) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each place with the parts of the world, or the Python file, that it uses."""
    yield "roles/image_embedder", ()  # a role that may be left open, though a stage depends on it
    for role, slug in params.roles.filled().items():
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
