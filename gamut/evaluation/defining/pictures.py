"""Pictures of an edition, as models get them: read on request, and verified by their sha256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.requests import Picture
from gamut.evaluation.defining import picture_shards
from gamut.evaluation.defining.editions import EditionPicture, Item, Role, pictures_by_digest, pictures_path
from gamut.evaluation.defining.picture_shards import Place
from gamut.project.errors import UserError
from gamut.tables.images import media_type, picture_size


class EditionPictures(Mapping[str, Picture]):
    """The pictures of an edition by sha256. None stays in memory. LookupError for a missing or altered one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unreadable: list[str] = []

    @cached_property
    def places(self) -> Mapping[str, Place]:
        found: dict[str, Place] = {}
        for path in picture_shards.shards(self.folder):
            try:
                found |= picture_shards.places(path)
            except UserError as error:
                self.unreadable.append(str(error))
        return found

    def __getitem__(self, sha256: str) -> Picture:
        if sha256 not in self.places:
            raise LookupError(self.why_missing(sha256))
        place = self.places[sha256]
        try:
            data = picture_shards.read_picture(place)
        except UserError as error:
            raise LookupError(str(error)) from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise LookupError(alteration(place, sha256))
        return Picture(data, media_type(data))

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def why_missing(self, sha256: str) -> str:
        return (self.unreadable or [f"{self.folder} has no picture {sha256[:8]}…"])[0]

    def of(self, item: Item, *roles: Role) -> dict[str, Picture]:
        """Return the pictures of an item by name, of some roles or all; LookupError for the first that is missing."""
        found = {}
        for picture in item.images:
            if not roles or picture.role in roles:
                try:
                    found[picture.name] = self[picture.sha256]
                except LookupError as error:
                    raise LookupError(f"item {item.id!r}: picture {picture.name!r}: {error.args[0]}") from None
        return found


def require_pictures(pictures: EditionPictures, item: Item) -> dict[str, Picture]:
    """Return an item's pictures as all judges and observers see them. UserError if one is missing."""
    try:
        return {name: picture_as_shown(picture.data) for name, picture in pictures.of(item).items()}
    except LookupError as error:
        raise UserError(f"{error.args[0]}: restore the pictures, or run `dvc repro` to leave the item out") from None
    except ValueError as error:
        raise UserError(f"item {item.id!r}: a picture {error}: mark the item as `unusable` in a new edition") from None


def stand_ins(item: Item) -> dict[str, Picture]:
    """Return stand-ins for an item's pictures, by name, for uses that need only digests. No file is read."""
    return {picture.name: Picture(picture.sha256.encode(), picture.media_type) for picture in item.images}


def pictures_of_role(item: Item, pictures: Mapping[str, Picture], *roles: Role) -> dict[str, Picture]:
    """Return the pictures of one or more roles, in the order of the roles, by name."""
    return {one.name: pictures[one.name] for role in roles for one in item.of_role(role)}


def pictures_of(benchmark: str, version: str) -> EditionPictures:
    return EditionPictures(pictures_path(benchmark, version))


def missing_pictures(items: Iterable[Item], pictures: EditionPictures) -> dict[str, str]:
    """Return by item's id which of its pictures is missing or altered, and why. All pictures are read once."""
    naming = [item for item in items if item.images]
    whole: set[str] = set()
    unreadable: dict[Path, str] = {}
    for path in picture_shards.shards(pictures.folder) if naming else ():
        try:
            whole |= picture_shards.verified_pictures(path)
        except UserError as error:
            unreadable[path] = str(error)

    def why(sha256: str) -> str:
        place = pictures.places.get(sha256)
        if place is None:
            return pictures.why_missing(sha256)
        return unreadable.get(place.path) or alteration(place, sha256)

    lacking = ((item, next((p for p in item.images if p.sha256 not in whole), None)) for item in naming)
    return {str(item.id): f"picture {picture.name!r}: {why(picture.sha256)}" for item, picture in lacking if picture}


def unnamed_picture_message(items: Iterable[Item], pictures: EditionPictures) -> str | None:
    others = sorted(set(pictures) - set(pictures_by_digest(items)))
    return f"{pictures.folder}: no item names its picture {others[0][:8]}…" if others else None


def alteration(place: Place, sha256: str) -> str:
    return f"{place.path}: its picture {sha256[:8]}… was altered"


def absence_message(benchmark: str, version: str, items: Iterable[Item]) -> str | None:
    """Return the message that an edition's pictures are missing, and how to get them. None if they exist."""
    folder = pictures_path(benchmark, version)
    if not any(item.images for item in items) or picture_shards.shards(folder):
        return None
    tracked = folder.with_name(f"{folder.name}.dvc")
    fix = f"`dvc pull {tracked}`" if tracked.exists() else f"restore them from git, or `gamut import {benchmark} …`"
    return f"{folder}: the pictures of this edition are missing: {fix} brings them"


def describe_picture(data: bytes, name: str, role: Role, origin: str | None = None) -> EditionPicture:
    """Return a picture in an item's form. ValueError for bytes that are not a picture, or an invalid name."""
    width, height = picture_size(data)
    return EditionPicture(
        name=name,
        role=role,
        sha256=hashlib.sha256(data).hexdigest(),
        media_type=media_type(data),
        width=width,
        height=height,
        **({} if origin is None else {"origin": origin}),
    )
