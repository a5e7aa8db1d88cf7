"""Files in which the items of a benchmark are published elsewhere, with their pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple

from pydantic import ValidationError

from stages.evaluation.curating.entries import NoItemError, require_sound, writable
from stages.evaluation.curating.findings import Finding, Findings
from stages.evaluation.defining.benchmark import Kind
from stages.evaluation.defining.editions import Origin


class Odd(NamedTuple):
    """An entry that can be no item: what it is called, if anything, why, and what it is."""

    id: str | int | None
    why: str
    entry: Any

    @property
    def said(self) -> str:
        return f"{'an entry without an id' if self.id is None else self.id}: {self.why}"


class Reading(Generic[Kind]):
    """What is read of published entries: items, the entries that can be none, and what is wrong with both."""

    def __init__(self) -> None:
        self.items: list[Kind] = []
        self.findings: list[Finding] = []
        self.odd: list[Odd] = []

    def add(self, id: str | int | None, entry: Any, make: Callable[[Findings], Kind]) -> None:
        """Read one entry: `make` returns its item, or raises NoItemError (or pydantic's error) where it can be none."""
        said = Findings(id)
        try:
            require_sound(entry)
            self.items.append(make(said))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "id"
            self.refuse(NoItemError(where, "type", first["input"], first["msg"]), said, entry)
        except NoItemError as error:
            self.refuse(error, said, entry)
        self.findings += said

    def refuse(self, error: NoItemError, said: Findings, entry: Any) -> None:
        said.say(*error.finding)
        self.odd.append(Odd(said.of, str(error), writable(entry)))


@dataclass(frozen=True)
class Imported(Generic[Kind]):
    """What was read: items, the bytes of all their pictures by sha256 (`PictureFiles` reads each when it is asked for),
    and where all that comes from, if the files say so.

    `findings`: what is wrong with the items, and what was mended; None where a layout does not look. `odd`: entries
    that can be no item. `unread`: whole files that cannot be read, and why: with any, there is no edition.
    """

    items: list[Kind]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    origin: Origin | None = None
    findings: Sequence[Finding] | None = None
    odd: Sequence[Odd] = ()
    unread: Sequence[str] = ()


@dataclass(frozen=True)
class Layout(Generic[Kind]):
    """Files in which the items of a benchmark are published elsewhere.

    `name`: of the file or folder that `read` takes. `read` is given also the folder of pictures, if the command names
    one; it raises a UserError for what it cannot read.
    """

    name: str
    read: Callable[[Path, Path | None], Imported[Kind]]
