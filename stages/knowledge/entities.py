"""The entities of knowledge studies, one row for each picture (arXiv 2602.02140, D.2: each has over ten)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from gamut.dataset.reading.folders import content_of, folder_on_disk
from gamut.dataset.reading.hub import hub_rows
from gamut.dataset.reading.pictures import is_image
from gamut.dataset.shared.source_blocks import Columns, HubSource
from gamut.project.errors import UserError
from gamut.project.stage import main
from gamut.tables.columns import Row, make_id, table_schema
from gamut.tables.images import as_everyone_sees
from gamut.tables.writing import write_rows
from stages.knowledge.parameters import FolderEntities, HubEntities, Knowledge, Params, WorldEntities
from stages.knowledge.stages import ENTITIES, KNOWLEDGE, TABLES

SCHEMA = table_schema("id entity category number:int32 image:image status reason")


class Found(NamedTuple):
    """One picture from its source. `data`: None if it is missing. `origin`: its name in messages."""

    category: str
    entity: str
    origin: str
    data: bytes | None


def entities(params: Params) -> None:
    rows = list(entity_rows(found_in(params.knowledge), params.knowledge.pictures))
    write_rows(TABLES["entities"], SCHEMA, rows)
    lacking = {row["entity"]: row["reason"] for row in rows if row["status"] != "ok"}
    whole = {row["entity"] for row in rows} - lacking.keys()
    print(f"knowledge.entities: {len(whole)} of {len(whole) + len(lacking)} entities have their pictures")
    for entity, reason in islice(lacking.items(), 3):
        print(f"knowledge.entities: {entity} is left out: {reason}")


def found_in(block: Knowledge) -> Iterator[Found]:
    match block.entities:
        case WorldEntities():
            from gamut.asking.models.world.sandbox import pictogram, pictogram_kinds

            for kind, category in pictogram_kinds().items():
                numbers = range(block.pictures)
                yield from (Found(category, kind, "a pictogram", pictogram(kind, number).data) for number in numbers)
        case FolderEntities(path=path):
            yield from in_folder(Path(path))
        case HubEntities() as hub:
            columns = Columns(caption=hub.name, image=hub.image)
            named = hub.model_dump(include={"repo", "revision", "config", "split"})
            source = HubSource(kind="hub", wave="knowledge", columns=columns, **named)
            for ordinal, raw in enumerate(hub_rows(source)):
                if isinstance(raw, str) or not isinstance(raw.caption, str) or not raw.caption.strip():
                    why = raw if isinstance(raw, str) else f"column {hub.name!r} holds no name"
                    raise UserError(f"{hub.repo}, row {ordinal}: {why}: name another column, or fix the dataset")
                image = raw.image.get("bytes") if isinstance(raw.image, dict) else raw.image
                yield Found("", raw.caption.strip(), f"row {ordinal}", image if isinstance(image, bytes) else None)


def in_folder(path: Path) -> Iterator[Found]:
    """Yield the pictures of a folder. UserError for one that is not in <category>/<entity>/."""
    if not path.is_dir():
        raise UserError(f"the folder {path} does not exist: create it with <category>/<entity>/<picture>.png")
    folder = folder_on_disk(path)
    for name in filter(is_image, folder.walk()):
        parts = name.split("/")
        if len(parts) != 3:
            raise UserError(f"{folder.path_of(name)}: pictures belong in {path}/<category>/<entity>/: move it there")
        yield Found(parts[0], parts[1], name, content_of(folder, name))


def entity_rows(found: Iterable[Found], wanted: int) -> Iterator[Row]:
    """Yield the first `wanted` usable pictures of each entity, no two alike, in order of category and entity. If there
    are fewer, they are `invalid_input`. UserError if two categories have an entity of one name, or there is none.
    """
    category_of, usable, damage = dict[str, str](), dict[str, list[bytes]](), dict[str, str]()
    for one in found:
        if (category := category_of.setdefault(one.entity, one.category)) != one.category:
            among = " and in ".join(sorted([category, one.category]))
            raise UserError(f"knowledge.entities: the entity {one.entity!r} is in {among}: rename one")
        pictures = usable.setdefault(one.entity, [])
        try:
            if len(pictures) < wanted and (data := as_everyone_sees(one.data or b"")) not in pictures:
                pictures.append(data)
        except ValueError as error:
            damage.setdefault(one.entity, f" ({one.origin} {error})")
    if not usable:
        raise UserError("knowledge.entities of params.yaml: the source has no usable picture: name another source")
    ids = (make_id("entity", ordinal) for ordinal in count())
    for entity, category in sorted(category_of.items(), key=lambda one: one[::-1]):
        few, why = len(usable[entity]), damage.get(entity, "")
        reason = f"{few} different usable pictures, but {wanted} are expected{why}" if few < wanted else None
        about: Row = {"entity": entity, "category": category, "reason": reason}
        about |= {"status": "invalid_input" if reason else "ok"}
        images = [{"bytes": data, "path": None} for data in usable[entity]]
        for number, image in enumerate(images or [None]):
            yield {"id": next(ids), "number": number, "image": image, **about}


if __name__ == "__main__":
    main("knowledge.entities", entities, Params, record=KNOWLEDGE.record(ENTITIES))
