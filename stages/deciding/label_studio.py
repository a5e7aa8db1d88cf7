"""A task written for Label Studio: what is to be decided, and the interface in which people decide it.

`tasks.json` is imported into a project whose labelling interface is `interface.xml`; `exports` reads what comes back.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from stages.deciding.export_forms import DECISION, REMARK, SHOWN
from stages.project.files import write_json, write_whole
from stages.project.plain_text import amount
from stages.tables.images import media_type

IMAGE = "image"


class Thing(NamedTuple):
    """What is decided about: `id`, `round` and `about` as a decision has them, texts by name, and a picture's bytes, or
    the address under which Label Studio finds it.
    """

    id: str
    texts: Mapping[str, str]
    image: bytes | str | None = None
    round: int = 0
    about: str = ""


def write_tasks(
    folder: Path, things: Sequence[Thing], decisions: Sequence[str], rewritten: Sequence[str] = ()
) -> Iterator[str]:
    """Write things to be decided about, and yield what to tell.

    All have texts of the same names, and all a picture or none; `decisions`: what may be decided; `rewritten`: names of
    texts that a rewrite may change.
    """
    write_json(folder / "tasks.json", [{"data": data_of(one)} for one in things])
    shown = list(data_of(things[0])) if things else []
    write_whole(folder / "interface.xml", interface(shown, decisions, rewritten))
    yield f"{folder / 'tasks.json'}: {amount(len(things), 'task')} for Label Studio; its interface is interface.xml"


def data_of(thing: Thing) -> dict[str, Any]:
    """Return what stands in a task's data; the id stands there twice, because the export JSON_MIN loses the first."""
    data: dict[str, Any] = {"id": thing.id, "thing": thing.id, "round": thing.round, "about": thing.about}
    if thing.image is not None:
        data[IMAGE] = thing.image if isinstance(thing.image, str) else data_uri(thing.image)
    return data | {f"{SHOWN}{name}": text for name, text in thing.texts.items()}


def data_uri(picture: bytes) -> str:
    """Return a picture as an address that holds it; ValueError where it is none."""
    return f"data:{media_type(picture)};base64,{base64.b64encode(picture).decode()}"


def interface(data: Iterable[str], decisions: Sequence[str], rewritten: Sequence[str]) -> bytes:
    """Return the labelling interface, as XML, for tasks whose data have these names."""
    view = ElementTree.Element("View")
    shown = [name for name in data if name == IMAGE or name.startswith(SHOWN)]
    for name in shown:
        if name != IMAGE:
            ElementTree.SubElement(view, "Header", value=name.removeprefix(SHOWN))
        ElementTree.SubElement(view, "Image" if name == IMAGE else "Text", name=name, value=f"${name}")
    about: dict[str, Any] = {"toName": shown[0]} if shown else {}
    choices = ElementTree.SubElement(view, "Choices", name=DECISION, choice="single", required="true", **about)
    for decision in decisions:
        ElementTree.SubElement(choices, "Choice", value=decision)
    for name in rewritten:
        ElementTree.SubElement(view, "Header", value=f"{name}, rewritten")
        ElementTree.SubElement(
            view, "TextArea", name=name, value=f"${SHOWN}{name}", rows="4", maxSubmissions="1", editable="true", **about
        )
    ElementTree.SubElement(view, "TextArea", name=REMARK, placeholder=REMARK, rows="2", maxSubmissions="1", **about)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="utf-8") + b"\n"
