"""The block of a benchmark in params.yaml, written where somebody brings its first items; all else stays as it is."""

from __future__ import annotations

from collections.abc import Iterator

from ruamel.yaml.error import YAMLError

from stages.evaluation.curating.review import AnyRoom
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.pipeline import PARAMS, PIPELINE, ROOMS, value_at
from stages.project.validation import parsed, read_yaml
from stages.publish.parameters import check_everything


def put_block(room: AnyRoom, version: str) -> Iterator[str]:
    """Put the block of a benchmark that has none at the end of params.yaml, for this edition, and yield what to tell.
    UserError where params.yaml would be wrong with it: then it stays as it is.
    """
    if room.block is None or not PARAMS.exists() or value_at(values := read_yaml(PARAMS), room.name) is not None:
        return
    check_everything(values, PARAMS)
    block, before = room.block(version, values), PARAMS.read_bytes()
    whole = before + (b"" if before.endswith(b"\n") else b"\n") + block.encode()
    try:
        found = parsed(whole.decode())
    except (YAMLError, ValueError):
        found = None
    if found != values | parsed(block):
        raise UserError(f"{PARAMS}: nothing could be put at its end, put this into it:\n{block}")
    check_everything(found, PARAMS)
    write_whole(PARAMS, whole)
    yield f"{PARAMS}: its block {room.name!r} with this edition is written at the end: look through it and `git add` it"
    stages = ROOMS / room.name / PIPELINE
    yield f"`dvc repro {stages}:pages` puts contestants to it: board in metrics/{room.name}, pages in report/benchmarks"
