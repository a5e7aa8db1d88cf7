"""What answers as each contestant, and who rewrites prompts: which version of the embedded world, of a Python file, or
of weights and adapters that stages build; a small file for each, such as `contestants/NAME`.

A cell of `answer` depends on the file of its contestant. The stage `world` cannot write it: a training reads the
release, and so the release would wait for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gamut.asking.models.world.versions import parts_used, write_versions
from gamut.evaluation.defining.parameters import Params, members, writer_of
from gamut.pipeline.steps import Makes, start
from gamut.project.code import OWN_MODELS
from gamut.project.model_kinds import BASES, TRAINED


def places(params: Params) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each place with what answers there."""
    for slug, model in params.models.items():
        yield f"rewriters/models.{slug}", parts_used(model, "writer")
    for name, contestant in params.contestants.items():
        asked_as = [
            part for member in members(name, contestant) for part in parts_used(member.model, "painter", "creator")
        ]
        yield f"contestants/{name}", list(dict.fromkeys(asked_as))
        writer = writer_of(name, contestant)
        yield f"rewriters/contestants.{name}", () if writer is None else parts_used(writer.model, "writer")


STEP = Makes(
    "players",
    run=lambda params: write_versions(Path("datasets/players"), places(params)),
    reads=f"{OWN_MODELS} {BASES} {TRAINED}",
    base=Params,
    tracked=("models", "contestants"),
    outs=("datasets/players",),
    module="gamut.evaluation.bodies.players",
)

if __name__ == "__main__":
    start(STEP)
