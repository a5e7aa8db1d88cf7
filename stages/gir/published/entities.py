"""Published entities: pictures in `{Zoology,Botany,Geography}/<id>_<name>/`, and prompts that describe them.

The prompts have `id` and `prompt` (or `implicit_prompt`, `description`), and may have `name`, else that of the folder
counts; `names`, all that are right in an answer; `distractors`, else they are drawn from the others of the domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stages.asking.requests import seed_of
from stages.evaluation.curating.entries import Entry, NoItemError, are_texts, text
from stages.evaluation.curating.findings import Findings
from stages.evaluation.defining.editions import EditionPicture
from stages.gir.published.files import NAMES, PICTURES, Source, below, by_id, first_text, one_line, picture
from stages.gir.shared.items import DISTRACTORS, Task

DESCRIPTIONS = ("prompt", "implicit_prompt", "description")


class Entity(NamedTuple):
    """An entity's folder: its path below the root, and the name that it says."""

    folder: str
    name: str


def entities_in(source: Source, task: Task) -> dict[str, Entity]:
    """Return the entities of a domain by plain id; those without a picture too."""
    folders = [path for path in below(source, NAMES[task]) if path.is_dir() and "_" in path.name]
    found = by_id(source, ((path.name.partition("_")[0], path) for path in folders))
    return {
        id: Entity(f"{NAMES[task]}/{path.name}", one_line(path.name.partition("_")[2].replace("_", " ")))
        for id, path in found.items()
    }


def names_by_id(entities: Mapping[str, Entity], entries: Mapping[str, Entry]) -> dict[str, str]:
    """Return what each entity is called, in its entry or else by its folder."""
    found = {id: entity.name for id, entity in entities.items()}
    for id, entry in entries.items():
        if isinstance(entry.get("name"), str):
            found[id] = one_line(entry["name"])
    return found


def entity_of(
    source: Source, id: str, entity: Entity | None, entry: Entry, called: Mapping[str, str], said: Findings
) -> dict[str, Any]:
    """Return what an item of an entity has; `called`: the names of all entities of its domain by id."""
    name = called.get(id) or one_line(text(entry, "name"))
    names = [one_line(one) for one in texts_of(entry, "names")]
    names = list(dict.fromkeys([name, *names]))
    if "distractors" in entry:
        distractors = [one_line(one) for one in texts_of(entry, "distractors")]
    else:
        distractors = drawn(id, names, called)
    pictures, why = references(source, entity, said)
    return {
        "prompt": first_text(entry, DESCRIPTIONS)[1],
        "entity": name,
        "names": names,
        "distractors": distractors,
        "texts": [name],
        "images": pictures,
        "unusable": why,
    }


def drawn(id: str, names: Sequence[str], called: Mapping[str, str]) -> list[str]:
    """Return up to `DISTRACTORS` other names of the domain, drawn by a hash: a longer list changes few of them."""
    others = sorted((other for other in called if other != id), key=lambda other: (seed_of(f"{id}/{other}", 0), other))
    own = {name.casefold() for name in names}
    fitting = dict.fromkeys(called[other] for other in others if called[other].casefold() not in own)
    return list(fitting)[:DISTRACTORS]


def references(source: Source, entity: Entity | None, said: Findings) -> tuple[list[EditionPicture], str | None]:
    """Return the pictures of an entity, in order of their names, and why it cannot be used for want of one."""
    files = [] if entity is None else below(source, entity.folder)
    wanted = [path for path in files if path.suffix.lower() in PICTURES]
    found, why = list[EditionPicture](), [] if wanted else ["there is no reference picture"]
    for number, path in enumerate(wanted, start=1):
        file = Path(path).relative_to(source.root).as_posix()
        one = picture(source, file, f"reference_{number}", "reference", file, said)
        if isinstance(one, str):
            why.append(one)
        else:
            found.append(one)
    if not wanted:
        said.say("reference", "picture", why[0])
    return found, "; ".join(why) or None


def texts_of(entry: Entry, key: str) -> list[str]:
    """Return a list of texts, empty where there is none; NoItemError for anything else."""
    value = entry.get(key, [])
    if not are_texts(value):
        raise NoItemError(key, "type", value)
    return value
