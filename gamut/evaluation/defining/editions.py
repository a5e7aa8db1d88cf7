"""Frozen editions of benchmarks: `datasets/editions/<benchmark>/<version>.jsonl`, in git, one item per line, permanent.

`row` and `row_sha256` are the id of an item's dataset row, and the hash of the row's source. The id alone is not
enough, since every build has the same ids. All other keys belong to the benchmark. Pictures are stored separately
(`picture_shards`), and the edition's origin in `<version>.origin.json`.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from gamut.evaluation.defining import picture_shards
from gamut.evaluation.defining.parameters import Version
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import sha256_of, write_json, write_whole
from gamut.project.inputs import regular_file, repeated_keys
from gamut.project.plain_text import amount
from gamut.project.validation import Strict
from gamut.tables.columns import grouped
from gamut.tables.images import media_type, picture_size

EDITIONS = Path("datasets/editions")
PICTURES = Path("datasets/edition_images")
"""Not below `EDITIONS`, on which the stage `hold_out` depends as a whole: DVC would refuse to build the dataset without
the pictures of every benchmark."""
ORIGIN = ".origin.json"
"""The ending of the file of an edition's origin, after its version."""


def require_text(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


def require_printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


Text = Annotated[str, AfterValidator(require_text)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PictureName = Annotated[
    str, StringConstraints(pattern=r"^[^<>\s]([^<>]*[^<>\s])?$", max_length=200), AfterValidator(require_printable)
]
"""The NAME in `<image:NAME>` (`running.placing`)."""
Role = Literal["input", "reference", "mask", "question", "solution"]
"""`input`: given to contestants. `reference`: how an answer may look. `mask`: where an input has to be changed.
`question` and `solution`: pictures of a task about a picture."""


class EditionPicture(BaseModel):
    """A picture of an item: its name in the item, its role, and its bytes as they were published.

    `width` and `height`: pixels as stored, whatever the EXIF orientation. `origin`: such as a path in the source.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: PictureName
    role: Role
    sha256: Sha256
    media_type: Annotated[str, StringConstraints(pattern=r"^image/[a-z0-9.+-]+$")]
    width: Annotated[int, Field(ge=1)]
    height: Annotated[int, Field(ge=1)]
    origin: Text | None = None


UNKNOWN = "unknown"
"""The licence if none is stated."""


class Origin(Strict):
    """Where an edition comes from, and whether its licence allows publishing. An UNKNOWN one does not."""

    source: Text
    revision: Text
    licence: Text
    redistributable: bool

    @property
    def is_unlicensed(self) -> bool:
        return self.licence.strip().casefold() == UNKNOWN


def require_distinct_names(pictures: tuple[EditionPicture, ...]) -> tuple[EditionPicture, ...]:
    names = [picture.name for picture in pictures]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two pictures have the name {twice[0]!r}")
    return pictures


HELD_OUT_KEYS = (
    *("prompt", "prompt_zh", "texts", "question", "reference_text", "context"),
    *("rule_hint", "text_hint", "multimodal_hint", "probe.options"),
)
"""Where items of all benchmarks have texts that no model may be trained on: the build knows no benchmark."""


class Item(BaseModel):
    """An item of a frozen edition; other keys are kept. `unusable`: why it is not asked and counts nowhere."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str | int
    prompt: Text
    prompt_zh: Text | None = None
    row: str | None = None
    row_sha256: Sha256 | None = None
    texts: tuple[Text, ...] = ()
    images: Annotated[tuple[EditionPicture, ...], AfterValidator(require_distinct_names)] = ()
    unusable: Text | None = None

    @property
    def held_out(self) -> list[str]:
        """All texts of the item that nothing in the dataset may resemble (`HELD_OUT_KEYS`)."""
        content = self.model_dump()
        return [text for key in HELD_OUT_KEYS for text in texts_at(content, key.split("."))]

    def of_role(self, role: str) -> list[EditionPicture]:
        return [picture for picture in self.images if picture.role == role]


class OddEntry(Item):
    """A published entry that cannot become an item: no contestant is asked, but its texts are held out."""

    unusable: Text
    odd_entry: Any
    """The entry as it was published."""


def texts_at(content: object, keys: Sequence[str]) -> list[str]:
    """Return the text or texts at the end of a path of keys; none if the path does not exist."""
    for key in keys:
        content = content.get(key) if isinstance(content, Mapping) else None
    several = content if isinstance(content, list | tuple) else (content,)
    return [text for text in several if isinstance(text, str) and text]


Kind = TypeVar("Kind", bound=Item)


def usable_items(items: Iterable[Kind]) -> list[Kind]:
    return [item for item in items if item.unusable is None]


def item_count(items: Collection[Item]) -> str:
    unusable = len(items) - len(usable_items(items))
    return amount(len(items), "item") + (f", of which {unusable:,} cannot be asked" if unusable else "")


def source_sha256(caption: str | None, prompt: str | None) -> str:
    """Return the sha256 (hex) that identifies a dataset row in every build: of its source's caption, before any model
    changes it, or without a caption of the prompt from which its picture was painted.
    """
    return hashlib.sha256(((prompt or "") if caption is None else caption).encode()).hexdigest()


def path_of(benchmark: str, version: str) -> Path:
    """Return the path of an edition. UserError for an invalid version."""
    try:
        TypeAdapter(Version).validate_python(version)
    except ValidationError:
        raise UserError(
            f"{version!r} cannot name an edition: use lower-case letters, digits, '.', '_' and '-', as in v1"
        ) from None
    return EDITIONS / benchmark / f"{version}.jsonl"


def origin_path(benchmark: str, version: str) -> Path:
    return path_of(benchmark, version).with_name(f"{version}{ORIGIN}")


def pictures_path(benchmark: str, version: str) -> Path:
    return PICTURES / benchmark / path_of(benchmark, version).stem


def read_origin(path: Path) -> Origin | None:
    """Return where an edition comes from; None if there is no file. UserError if it cannot be read."""
    if not path.exists():
        return None
    try:
        return Origin.model_validate_json(regular_file(path).read_bytes())
    except ValidationError as error:
        wanted = "an object with source, revision, licence and redistributable (true or false) is expected"
        raise UserError(f"{path}: {first_mistake(error)}: {wanted}") from None


def first_mistake(error: ValidationError) -> str:
    """Return `key: problem` of the first key with a mistake."""
    first = error.errors(include_url=False)[0]
    return ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")]))


def read_editions(folder: Path = EDITIONS) -> Iterator[tuple[str, Item]]:
    """Yield every item of every edition, each with its edition's name, `<benchmark>/<version>`."""
    for path in sorted(folder.rglob("*.jsonl")):
        edition = str(path.relative_to(folder).with_suffix(""))
        yield from ((edition, item) for item in read_items(path, Item))


def read_edition(benchmark: str, version: str, kind: type[Kind]) -> list[Kind]:
    """Return the items of one edition, checked as `kind`. Odd entries are returned only if that is `Item`."""
    path = path_of(benchmark, version)
    if not path.exists():
        known = [other.stem for other in path.parent.glob("*.jsonl")]
        raise UserError(f"the edition {path} does not exist{nearest_choice(version, known)}")
    return [*edition_items(path, sha256_of(path), kind)]


@lru_cache(maxsize=8)
def edition_items(path: Path, sha256: str, kind: type[Kind]) -> tuple[Kind, ...]:
    return tuple(read_items(path, kind))


def read_items(
    path: Path,
    kind: type[Kind],
    fix: str = "fix it, or restore it from git",
    complete: Callable[[Any], Any] = lambda line: line,
) -> Iterator[Kind]:
    """Yield the items of a file in order, with odd entries if their `kind` is `Item`. A UserError names file, line and
    `fix`. `complete`: makes an item's JSON from a line's JSON; its ValueError says why that is impossible.
    """
    ids: set[str] = set()
    for number, line in enumerate(regular_file(path).read_bytes().removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            content = orjson.loads(line)
            is_odd = isinstance(content, dict) and "odd_entry" in content
            item = OddEntry.model_validate(content) if is_odd else kind.model_validate(complete(content))
        except orjson.JSONDecodeError as error:
            raise UserError(f"{where}: not JSON ({error}): {fix}") from None
        except ValidationError as error:
            raise UserError(f"{where}: {first_mistake(error)}: {fix}") from None
        except ValueError as error:
            raise UserError(f"{where}: {error}: {fix}") from None
        if twice := repeated_keys(line):
            raise UserError(f"{where}: {twice[0]}: the key occurs twice: {fix}")
        if str(item.id) in ids:
            raise UserError(f"{where}: an earlier line has the same id {item.id!r}: change one of them")
        ids.add(str(item.id))
        if isinstance(item, kind):
            yield item
    if not ids:
        raise UserError(f"{path} has no items: {fix}")


def freeze_edition(
    benchmark: str,
    version: str,
    items: Sequence[Item],
    pictures: Mapping[str, bytes] = MappingProxyType({}),
    origin: Origin | None = None,
) -> bool:
    """Write an edition. Return False if it exists with the same items. UserError for other items or pictures.

    `pictures`: the bytes of all pictures of the items, by sha256; each is read once. Pictures are written before items:
    if the process is killed between, there is no edition, and freezing again completes it.
    """
    path, named = path_of(benchmark, version), pictures_by_digest(items)
    if not items or len({str(item.id) for item in items}) < len(items):
        raise ValueError("an edition needs items, each with its own id")
    if path.exists():
        there = [one for one in read_items(path, type(items[0])) if not isinstance(one, OddEntry)]
        there += [one for one in read_items(path, Item) if isinstance(one, OddEntry)]
        if [item.model_dump() for item in there] != [item.model_dump() for item in items]:
            raise UserError(f"{path} is already frozen with other items: choose another version")
        if origin not in (None, said := read_origin(origin_path(benchmark, version))):
            if said is not None:
                raise UserError(f"{path} is frozen with another origin: fix {origin_path(benchmark, version)} by hand")
            write_origin(origin, origin_path(benchmark, version))
        if named.keys() <= intact_pictures(benchmark, version):
            return False
    require_named(named, pictures)
    if pictures:
        shards = pictures_path(benchmark, version)
        picture_shards.write_shards(shards, pictures, lambda sha256, data: require_like(named[sha256], data))
    if path.exists():
        return True
    if origin is not None:
        write_origin(origin, origin_path(benchmark, version))
    write_items(items, path)
    return True


def pictures_by_digest(items: Iterable[Item]) -> dict[str, list[tuple[Item, EditionPicture]]]:
    return grouped((picture.sha256, (item, picture)) for item in items for picture in item.images)


def intact_pictures(benchmark: str, version: str) -> set[str]:
    found = set()
    for path in picture_shards.shards(pictures_path(benchmark, version)):
        with suppress(UserError):
            found |= picture_shards.verified_pictures(path)
    return found


def require_named(places: Mapping[str, Sequence[tuple[Item, EditionPicture]]], pictures: Mapping[str, bytes]) -> None:
    """UserError for a picture that an item names but `pictures` lacks, or the other way round."""
    for sha256, where in places.items():
        if sha256 not in pictures:
            item, picture = where[0]
            raise UserError(f"item {item.id!r}: its picture {picture.name!r} (sha256 {sha256[:8]}…) is missing")
    if unnamed := sorted(set(pictures) - places.keys()):
        raise UserError(f"no item names the picture with sha256 {unnamed[0][:8]}…: leave it out")


def require_like(places: Sequence[tuple[Item, EditionPicture]], data: bytes) -> None:
    for item, picture in places:
        where = f"item {item.id!r}: its picture {picture.name!r}"
        try:
            is_so = (hashlib.sha256(data).hexdigest(), media_type(data), *picture_size(data))
        except ValueError as error:
            raise UserError(f"{where} {error}") from None
        if is_so != (picture.sha256, picture.media_type, picture.width, picture.height):
            raise UserError(f"{where} does not have the sha256, media type and size that the item states: fix the item")


def write_items(items: Sequence[Item], path: Path) -> None:
    write_whole(path, b"".join(orjson.dumps(item.model_dump(exclude_unset=True)) + b"\n" for item in items))


def write_origin(origin: Origin, path: Path) -> None:
    write_json(path, origin.model_dump())
