"""Regions to be found by a description, as cases of an edition: a person's own, else of scenes of the embedded world.

Nobody else who paints knows to the pixel where things are. Section 3.3 takes its pictures from LISA.
"""

import io
import random
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, ValidationError

from stages.asking.models import sandbox
from stages.asking.outcomes import Conversation
from stages.asking.requests import seed_of
from stages.asking.seeing import Computing
from stages.evaluation.construction.drawing import distinct
from stages.evaluation.construction.own_pictures import MADE
from stages.evaluation.construction.slots import Slots, digest_of, packed
from stages.gir.construction.entities import describing
from stages.gir.construction.parameters import Params
from stages.gir.construction.words import WORLD_POOLS, read_things
from stages.gir.shared.measures.overlap import INSIDE
from stages.gir.shared.putting import REGION
from stages.project.csv_forms import refuse
from stages.project.errors import UserError
from stages.project.inputs import regular, stays_within
from stages.project.model_kinds import SandboxModel
from stages.project.pipeline import EDITIONS
from stages.project.validation import Strict
from stages.tables.columns import Row, make_id
from stages.tables.images import UnusableError, size, upright_jpeg, upright_rgb

LIST = "perception.jsonl"
Said = Annotated[str, Field(pattern=r"^\S(.*\S)?$")]


class Line(Strict):
    image: Said
    mask: Said
    description: Annotated[str, Field(pattern=r"^\S.*[.。]$")]
    origin: Said
    licence: Said


class Perception(NamedTuple):
    """A picture as a JPEG, the region as a PNG of black and white, what is to be found, and where both come from."""

    picture: bytes
    mask: bytes
    description: str
    origin: str


def read_perceptions(folder: str, edition: str) -> list[Perception]:
    """Read a person's own, in order; none where there is no list. A UserError names the lines that cannot be used."""
    path = Path(folder, edition, LIST)
    if not path.exists():
        return []
    found, mistakes = [], []
    try:
        lines = regular(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}): convert it first") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(perception_of(Line.model_validate_json(line), path.parent))
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                mistakes.append((number, ": ".join([*map(str, first["loc"]), first["msg"]])))
            except ValueError as error:
                mistakes.append((number, str(error)))
    refuse(path, mistakes)
    return found


def perception_of(line: Line, folder: Path) -> Perception:
    """Return what a line names; ValueError for what cannot be used."""
    files = {}
    for name in (line.image, line.mask):
        file = folder / name
        if not file.is_file() or not stays_within(folder, file):
            raise ValueError(f"{name!r} is no file below {folder}")
        files[name] = regular(file).read_bytes()
    try:
        picture = upright_jpeg(files[line.image])
    except UnusableError as error:
        raise ValueError(f"{line.image} {error}") from None
    try:
        mask = mask_of(files[line.mask], upright_rgb(picture).size)
    except UnusableError as error:
        raise ValueError(f"{line.mask} {error}") from None
    return Perception(picture, mask, line.description, f"{line.origin}; licence: {line.licence}")


def mask_of(data: bytes, size: tuple[int, int]) -> bytes:
    """Return a mask as a PNG of 0 and 255; UnusableError for one of another size, of nothing, or of everything."""
    mask = upright_rgb(data).convert("L")
    if mask.size != size:
        raise UnusableError(f"is {mask.width}x{mask.height} pixels, its picture {size[0]}x{size[1]}")
    region = mask.point([0] * (INSIDE + 1) + [255] * (255 - INSIDE))
    if region.getextrema() != (0, 255):
        raise UnusableError("is of one colour: there is no region in it")
    out = io.BytesIO()
    region.save(out, "PNG", optimize=True)
    return out.getvalue()


def share_of(mask: bytes) -> float:
    """Return which share of its picture a mask covers, 0..1."""
    counts = upright_rgb(mask).convert("L").histogram()
    return counts[255] / sum(counts)


def mask_scenes(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    own = read_perceptions(propose.pictures, slots.edition)
    count = propose.drafts.perception
    rows: list[Row] = [{"id": make_id("perception", n), "task": "perception"} for n in range(count)]
    given = dict(zip((row["id"] for row in rows), own, strict=False))
    if len(given) < len(rows) and not isinstance(slots.player("author").model, SandboxModel):
        raise UserError(
            f"{EDITIONS}: gir.drafts.perception: {len(rows):,} are wanted, "
            f"{Path(propose.pictures, slots.edition, LIST)} has {len(own):,}: add some there, or "
            " name a model of kind sandbox at gir.author, which paints masks"
        )
    scenes = distinct("scene", slots.seed(), len(rows), scene, lambda case: case)
    drawn = dict(zip((row["id"] for row in rows), scenes, strict=True))

    def conversation(row: Row) -> Conversation:
        if row["id"] in given:
            return Computing(lambda: given[row["id"]].description)
        kind = drawn[row["id"]][0]
        return describing(with_article(kind), [kind], slots.seed(row["id"]))

    def made(row: Row, value: Any) -> Row:
        if row["id"] in given:
            return filled(given[row["id"]], {})
        kind, other = drawn[row["id"]]
        shown = scene_in_words(kind, other)
        seed = seed_of("picture", slots.seed(row["id"]))
        picture, mask = sandbox.painted_with_mask(shown, kind, propose.width, propose.height, seed)
        mask = mask_of(mask, size(picture))
        origin = f"painted by the embedded world: {shown}; licence: {MADE}"
        return filled(Perception(picture, mask, to_be_found(value.description), origin), {"shown": shown, "is": kind})

    slots.ask("writer", rows, conversation, made)
    if unused := own[len(rows) :]:
        print(f"{slots.label}: {len(unused):,} lines of {LIST} are not used: want more perception")


def scene(chance: random.Random) -> tuple[str, str]:
    things = read_things(WORLD_POOLS)
    kind = chance.choice(list(things))
    return kind, chance.choice([name for name, thing in things.items() if thing.group != things[kind].group])


def scene_in_words(kind: str, other: str) -> str:
    said = f"{with_article(kind)} and {with_article(other)}."
    return said[0].upper() + said[1:]


def with_article(kind: str) -> str:
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def to_be_found(description: str) -> str:
    """Return a description as a request: `An animal that …` becomes `Find an animal that …`."""
    return f"Find {description[0].lower()}{description[1:]}"


def filled(found: Perception, known: Row) -> Row:
    """Return what of a row a picture and its region fill. `known`: what of the picture is sure, for its proof."""
    proof = known | {"share": round(share_of(found.mask), 4), "input": digest_of(found.picture)}
    pictures = {"input": found.picture, "mask": found.mask}
    images = [
        {"name": f"{role}_1", "role": role, "origin": found.origin, "image": {"bytes": data, "path": None}}
        for role, data in pictures.items()
    ]
    prompt = f"{found.description} {REGION}"
    return {"prompt": prompt, "case": packed({"proof": proof}), "images": images}
