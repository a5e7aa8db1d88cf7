"""A task written for Label Studio: all that it puts, in its order, and the interface in which people decide it.

`tasks.json` is imported into a project whose labelling interface is `interface.xml`; `exports` reads what comes back.
All tasks have data of the same names there: so all texts of a card are one, and where it has fewer pictures than
another, a thin white line stands for each that it lacks.
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
from gamut.deciding.cards import REWRITING, Card, Choice, Task
from gamut.deciding.exports import DECISION, REMARK, SHOWN_TEXT
from gamut.evaluation.labelling.sheets import ShownPart
from gamut.project.errors import UserError
from gamut.project.files import write_whole
from gamut.project.plain_text import amount, harmless_text

LARGEST = 400_000_000
"""Bytes of tasks.json: an export holds the pictures again."""
ASKED_NAME, ALL_TEXTS, IMAGE = "asked", "texts", "image_"
LINE_SIZE = 256, 1
"""Pixels, width and height, of what stands for no picture."""


def write_tasks(folder: Path, task: Task) -> Iterator[str]:
    times = Counter(card_id for card_id, _ in task.places)
    data, cards, size = dict[str, dict[str, str]](), list[Card](), 0
    for card in task.cards(times.keys()):
        data[card.id] = data_of(card)
        cards.append(replace(card, shown=()))
        size += times[card.id] * len(json.dumps(data[card.id]))
        if size > LARGEST:
            raise UserError(f"{folder}: would be larger than {LARGEST:,} bytes: decide on the page, or ask about less")
    if not cards:
        raise UserError(f"{task.name}: there is nothing that could be shown")
    names = dict.fromkeys(name for of_card in data.values() for name in of_card)
    lacking = {name: white_line() if name.startswith(IMAGE) else "" for name in names}
    places = [(card_id, number) for card_id, number in task.places if card_id in data]
    tasks = [{"data": {"id": card_id, "round": number} | lacking | data[card_id]} for card_id, number in places]
    write_whole(folder / "tasks.json", json.dumps(tasks, indent=0).encode())
    write_whole(folder / "interface.xml", interface_xml([*names], cards))
    yield f"{folder / 'tasks.json'}: {amount(len(tasks), 'task')} for Label Studio; its interface is interface.xml"
    if left_out := len(task.places) - len(tasks):
        yield f"{amount(left_out, 'task')} left out: what they are about is not there any more"


def data_of(card: Card) -> dict[str, str]:
    pictures = {f"{IMAGE}{number + 1}": inline_picture(card, number) for number in range(len(card.pictures))}
    texts = {f"{SHOWN_TEXT}{name}": text for name, text in card.texts.items()}
    asked = f"{card.question}\n\n[{' or '.join(one.value for one in choices_of(card)) or card.wanted}]"
    return {
        "about": card.about,
        ASKED_NAME: harmless_lines(asked),
        ALL_TEXTS: harmless_lines(text_of(card.shown)),
        **pictures,
        **texts,
    }


def inline_picture(card: Card, which: int) -> str:
    try:
        shown = picture_as_shown(card.pictures[which].data)
    except ValueError as error:
        raise UserError(f"{card.id}: its picture {which} {error}") from None
    return f"data:{shown.media_type};base64,{base64.b64encode(shown.data).decode()}"


def text_of(parts: Sequence[ShownPart]) -> str:
    """Return all that is shown as a text, in its order, with headings; a picture by its number."""
    blocks, pictures = [], 0
    for name, part in parts:
        pictures += isinstance(part, Picture)
        text = f"[picture {pictures}]" if isinstance(part, Picture) else part
        blocks.append(f"{name}:\n{text}" if name else text)
    return "\n\n".join(blocks)


def harmless_lines(text: str) -> str:
    """Return a text of others line by line without what could do more than be read."""
    return "\n".join(harmless_text(line) for line in text.split("\n"))


def choices_of(card: Card) -> list[Choice]:
    return [*card.choices, *([REWRITING] if card.texts else [])]


@cache
def white_line() -> str:
    out = io.BytesIO()
    Image.new("RGB", LINE_SIZE, "white").save(out, "PNG")
    return inline_picture(Card("", "", "", [ShownPart("", Picture(out.getvalue()))]), 0)


def interface_xml(data: Sequence[str], cards: Sequence[Card]) -> bytes:
    """For tasks whose data have these names. What may be chosen stands there where it is the same of all cards, with
    the keys of our page: without them Label Studio gives the key 1 to the first, which may be 0. Else it is typed.
    """
    view = ElementTree.Element("View")
    for name in data:
        if name in (ASKED_NAME, ALL_TEXTS) or name.startswith(IMAGE):
            ElementTree.SubElement(view, "Image" if name.startswith(IMAGE) else "Text", name=name, value=f"${name}")
    first, *others = (choices_of(card) for card in cards)
    if first and all(one == first for one in others):
        attributes = {"name": DECISION, "toName": ASKED_NAME, "choice": "single", "required": "true"}
        choices = ElementTree.SubElement(view, "Choices", attributes)
        for one in first:
            alias = {"alias": one.value} if one.words != one.value else {}
            hotkey = {"hotkey": one.key} if one.key else {}
            ElementTree.SubElement(choices, "Choice", {"value": one.words, **alias, **hotkey})
    else:
        text_area(view, DECISION, rows="1", required="true", placeholder=DECISION)
    for name in (name.removeprefix(SHOWN_TEXT) for name in data if name.startswith(SHOWN_TEXT)):
        ElementTree.SubElement(view, "Header", value=f"{name}, rewritten")
        text_area(view, name, rows="4", editable="true", value=f"${SHOWN_TEXT}{name}")
    text_area(view, REMARK, rows="2", placeholder=REMARK)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="utf-8") + b"\n"


def text_area(view: ElementTree.Element, name: str, **how: str) -> None:
    ElementTree.SubElement(view, "TextArea", {"name": name, "toName": ASKED_NAME, "maxSubmissions": "1", **how})
