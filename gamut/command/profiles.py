"""Profiles: overlays over profiles/defaults.yaml, which `gamut use` writes as params.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ruamel.yaml.error import YAMLError

from gamut.command import overlays
from gamut.command.overlays import Blocks
from gamut.command.yaml_text import confirmed_text
from gamut.evaluation.curating.review import AnyCuration
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import write_whole
from gamut.project.inputs import regular_file
from gamut.project.pipeline import BENCHMARKS, PARAMS, PIPELINE, value_at
from gamut.project.places import TREE_FOLDER
from gamut.project.validation import parse_yaml, read_yaml
from gamut.publish.parameters import check_everything

PROFILES = Path("profiles")
DEFAULTS = "defaults"
"""The profile with which every build starts; other profiles hold only what differs."""
FIRST = "# By `gamut use {names}`: every value that decides a result, yours to edit; `gamut check --all` has the rest"
NAMED = re.compile(r"# By `gamut use ([^`]+)`")
PROFILES_NOTE = TREE_FOLDER / PARAMS
"""params.yaml as `gamut use` last wrote it, before any edits: the profiles may have changed since."""


def profile_names() -> list[str]:
    return sorted(path.stem for path in PROFILES.glob("*.yaml") if path.stem != DEFAULTS)


def composed_text(profiles: Sequence[str]) -> str:
    known = profile_names()
    for name in profiles:
        if name not in known:
            raise UserError(f"there is no profile {name!r}{nearest_choice(name, known)}")
    blocks = blocks_in(DEFAULTS)
    for name in profiles:
        blocks = overlays.laid_over(blocks, blocks_in(name))
    return whole_text(Path(profile_paths(profiles)), blocks, FIRST.format(names=" ".join(profiles)))


def blocks_in(name: str) -> Blocks:
    path = PROFILES / f"{name}.yaml"
    if not isinstance(read_yaml(path), dict):
        raise UserError(f"{path} has to hold keys with values")
    return overlays.read_text(path.read_text(encoding="utf-8")).blocks


def profile_paths(profiles: Sequence[str]) -> str:
    return ", ".join(str(PROFILES / f"{name}.yaml") for name in profiles)


def whole_text(path: Path, blocks: Blocks, first: str, behind: Sequence[str] = ()) -> str:
    text = "\n".join([first, *overlays.lines_of(blocks), *behind]) + "\n"
    return confirmed_text(path, text, overlays.values_of(blocks), "its values")


def use_profiles(profiles: Sequence[str], force: bool = False) -> Iterator[str]:
    """Write params.yaml from profiles and yield lines for the user. Edits of a person stay, and are named, unless
    `force`. UserError if the result would be wrong: then params.yaml is not changed.
    """
    profiles = list(dict.fromkeys(profiles))
    text = given = composed_text(profiles)
    kept = list[str]()
    check_everything(parse_yaml(text), Path(profile_paths(profiles)))
    if PARAMS.exists() and not force:
        text, kept = with_edits(text)
        try:
            check_everything(parse_yaml(text), PARAMS)
        except UserError as error:
            raise UserError(
                f"{error}\nwith your own edits ({', '.join(kept)}): fix them, or discard them by `--force`"
            ) from None
    write_whole(PARAMS, text.encode())
    write_whole(PROFILES_NOTE, given.encode())
    first = "their first lines say what they need, `gamut check` what is missing"
    yield f"{PARAMS} is now made of {profile_paths(profiles)}: {first}"
    if kept:
        yield f"your own edits are kept: {', '.join(kept)}; `--force` discards them"


def with_edits(text: str) -> tuple[str, list[str]]:
    """Return a text with a person's edits of the present params.yaml, and the keys of these edits."""
    present = regular_file(PARAMS).read_text(encoding="utf-8")
    if not isinstance(read_yaml(PARAMS), dict):
        return text, []
    try:
        mine = overlays.read_text(present)
    except ValueError:
        raise UserError(f"{PARAMS}: every key has to be on a line of its own, as `name: value`") from None
    new = overlays.read_text(text)
    ways = (
        overlays.merged_edits(mine.blocks, overlays.read_text(base).blocks, new.blocks)
        for base in possible_bases(present)
    )
    blocks, kept = min(ways, key=lambda way: len(way[1]))
    own = [line for line in mine.head if not NAMED.match(line)]
    return whole_text(PARAMS, blocks, "\n".join([new.head[0], *own]), mine.tail), kept


def possible_bases(text: str) -> list[str]:
    """Return what a params.yaml may have been before a person edited it: what `gamut use` wrote here, or what its
    profiles give now (another person may have run `gamut use` elsewhere).
    """
    given = PROFILES_NOTE.read_text(encoding="utf-8") if PROFILES_NOTE.is_file() else ""
    named = NAMED.match(text)
    found = [given] if named and given.startswith(named[0]) else []
    return [*found, now] if (now := profiles_text(text)) else found or ["{}"]


def profiles_text(text: str) -> str | None:
    """Return what the profiles give that params.yaml names in its first line; None if one does not exist."""
    named = NAMED.match(text)
    try:
        return composed_text(named[1].split()) if named else None
    except UserError:
        return None


def append_block(curation: AnyCuration, version: str) -> Iterator[str]:
    """Add the block of a benchmark that has none to the end of params.yaml, for this edition; yield lines for the user.
    UserError if params.yaml would be wrong with it: then it is not changed.
    """
    if (
        curation.block is None
        or not PARAMS.exists()
        or value_at(values := read_yaml(PARAMS), curation.name) is not None
    ):
        return
    check_everything(values, PARAMS)
    block, before = curation.block(version, values), PARAMS.read_bytes()
    whole = before + (b"" if before.endswith(b"\n") else b"\n") + block.encode()
    try:
        values_after = parse_yaml(whole.decode())
    except (YAMLError, ValueError):
        values_after = None
    if values_after != values | parse_yaml(block):
        raise UserError(f"{PARAMS}: its end cannot take a new block, add this by hand:\n{block}")
    check_everything(values_after, PARAMS)
    write_whole(PARAMS, whole)
    yield f"{PARAMS}: the block {curation.name!r} with this edition was added at its end: read it and `git add` it"
    stages = BENCHMARKS / curation.name / PIPELINE
    yield f"`dvc repro {stages}:board` measures contestants on it: metrics/{curation.name}, pages in report/benchmarks"
