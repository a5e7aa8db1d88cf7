"""Write a task for Label Studio: all cards in order, and the interface in which people decide.

`tasks.json` is imported into a project whose labelling interface is `interface.xml`; `exports` reads the result. In
Label Studio the data of all tasks have the same names. So all given texts of a card are joined into one, and all judged
texts into another. A thin white line stands for each picture that a card lacks.
"""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.requests import Picture
from gamut.deciding.cards import REWRITING, Card, Choice, Task, expectation, headed
from gamut.deciding.exports import DECISION, REMARK, SHOWN_TEXT
from gamut.evaluation.labelling.shown import ShownPart
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.plain_text import amount, harmless_text

LARGEST = 400_000_000
"""The most bytes of tasks.json: an export contains the pictures again."""
ASKED_NAME, WANTED, GUIDE = "asked", "wanted", "guide"
SIDES = ("given", "judged")
"""The two sides of a card. Data with these names are texts; with a number after the name they are pictures."""
LINE_SIZE = 256, 1
"""Width and height in pixels of the line that stands for a missing picture."""


def write_tasks(folder: Path, task: Task) -> Iterator[str]:
    times = Counter(card_id for card_id, _ in task.places)
    data, cards, size = dict[str, dict[str, str]](), list[Card](), 0
    for card in task.cards(times.keys()):
        data[card.id] = data_of(card)
        cards.append(replace(card, shown=(), given=()))
        size += times[card.id] * len(json.dumps(data[card.id]))
        if size > LARGEST:
            raise UserError(f"{folder} would be larger than {LARGEST:,} bytes: decide on the page, or draw fewer")
    if not cards:
        raise UserError(f"{task.name}: there is nothing that can be shown")
    names = dict.fromkeys(name for of_card in data.values() for name in of_card)
    lacking = {name: white_line() if is_picture(name) else "" for name in names}
    places = [(card_id, number) for card_id, number in task.places if card_id in data]
    tasks = [{"data": {"id": card_id, "round": number} | lacking | data[card_id]} for card_id, number in places]
    write_whole(folder / "tasks.json", json.dumps(tasks, indent=0).encode())
    write_whole(folder / "interface.xml", interface_xml([*names], cards))
    yield f"{folder / 'tasks.json'}: {amount(len(tasks), 'task')} for Label Studio; its interface is interface.xml"
    yield expectation(task, len(tasks))
    if left_out := len(task.places) - len(tasks):
        yield f"{amount(left_out, 'task')} left out: what they are about does not exist any more"


def data_of(card: Card) -> dict[str, str]:
    asked, guide, replies = card.wording
    wanted = " or ".join(one.value for one in choices_of(card)) or card.wanted
    data = {"about": card.about, ASKED_NAME: f"{asked}\n{replies}".strip(), GUIDE: guide, WANTED: wanted}
    pictures = dict[str, str]()
    for side, parts in zip(SIDES, (card.given, card.shown), strict=True):
        data[side] = text_of(parts)
        for place in range(sum(isinstance(one.part, Picture) for one in parts)):
            pictures[f"{side}_{place + 1}"] = inline_picture(card, len(pictures))
    texts = {f"{SHOWN_TEXT}{name}": text for name, text in card.texts.items()}
    return {name: harmless_lines(text) for name, text in data.items() if text} | pictures | texts


def is_picture(name: str) -> bool:
    side, _, number = name.rpartition("_")
    return side in SIDES and number.isdecimal()


def inline_picture(card: Card, which: int) -> str:
    try:
        shown = picture_as_shown(card.pictures[which].data)
    except ValueError as error:
        raise UserError(f"{card.id}: its picture {which} {error}") from None
    return f"data:{shown.media_type};base64,{base64.b64encode(shown.data).decode()}"


def text_of(parts: Sequence[ShownPart]) -> str:
    """Return what is shown as one text, in order, with headings; pictures as their numbers. Return "" if there are only
    pictures without a heading.
    """
    if not any(one.name or isinstance(one.part, str) for one in parts):
        return ""
    blocks, pictures = [], 0
    for name, of_name in headed(parts):
        lines = [name] if name else []
        for part in of_name:
            pictures += isinstance(part, Picture)
            lines.append(f"[picture {pictures}]" if isinstance(part, Picture) else part)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def harmless_lines(text: str) -> str:
    """Return a foreign text, line by line, without characters that could do more than be read."""
    return "\n".join(harmless_text(line) for line in text.split("\n"))


def choices_of(card: Card) -> list[Choice]:
    return [*card.choices, *([REWRITING] if card.texts else [])]


@cache
def white_line() -> str:
    out = io.BytesIO()
    Image.new("RGB", LINE_SIZE, "white").save(out, "PNG")
    return inline_picture(Card("", "", "", [ShownPart("", Picture(out.getvalue()))]), 0)


def interface_xml(data: Sequence[str], cards: Sequence[Card]) -> bytes:
    """Return the interface for tasks whose data have these names. If all cards have the same choices, these are shown
    with the keys of our page (Label Studio would give key 1 to the first, which may be 0); otherwise people type.
    """
    view = ElementTree.Element("View")
    object_tag(view, ASKED_NAME)
    first, *others = (choices_of(card) for card in cards)
    if first and all(one == first for one in others):
        attributes = {"name": DECISION, "toName": ASKED_NAME, "choice": "single", "required": "true"}
        choices = ElementTree.SubElement(view, "Choices", attributes | {"showInline": "true"})
        for one in first:
            alias = {"alias": one.value} if one.words != one.value else {}
            hotkey = {"hotkey": one.key} if one.key else {}
            ElementTree.SubElement(choices, "Choice", {"value": one.words, **alias, **hotkey})
    else:
        object_tag(view, WANTED)
        text_area(view, DECISION, rows="1", required="true", placeholder=DECISION)
    beside = ElementTree.SubElement(view, "View", style="display: flex; gap: 1rem")
    for side, title in zip(SIDES, ("Given", cards[0].frame), strict=True):
        if names := [name for name in data if name == side or (name.startswith(side) and is_picture(name))]:
            column = ElementTree.SubElement(beside, "View", style="flex: 1; min-width: 0")
            ElementTree.SubElement(column, "Header", value=title)
            for name in names:
                object_tag(column, name)
    for name in (name.removeprefix(SHOWN_TEXT) for name in data if name.startswith(SHOWN_TEXT)):
        ElementTree.SubElement(view, "Header", value=f"{name}, rewritten")
        text_area(view, name, rows="4", editable="true", value=f"${SHOWN_TEXT}{name}")
    text_area(view, REMARK, rows="2", placeholder=REMARK)
    if GUIDE in data:
        ElementTree.SubElement(view, "Header", value="What this means")
        object_tag(view, GUIDE)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="utf-8") + b"\n"


def object_tag(view: ElementTree.Element, name: str) -> None:
    tag, how = ("Image", {"maxHeight": "45vh"}) if is_picture(name) else ("Text", {})
    ElementTree.SubElement(view, tag, {"name": name, "value": f"${name}", **how})


def text_area(view: ElementTree.Element, name: str, **how: str) -> None:
    ElementTree.SubElement(view, "TextArea", {"name": name, "toName": ASKED_NAME, "maxSubmissions": "1", **how})
