"""Pages as trees, to be asked what stands where: by name, class and attributes of elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

EMPTY = {"meta", "link", "img", "input", "br", "rect", "polygon"}


@dataclass
class Element:
    """An element with what stands in it: elements and texts in order."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    inside: list[Element | str] = field(default_factory=list)

    def __getitem__(self, name: str) -> str:
        found = self.attributes[name]
        assert found is not None
        return found

    @property
    def text(self) -> str:
        """All of its text."""
        return "".join(one if isinstance(one, str) else one.text for one in self.inside)

    @property
    def words(self) -> str:
        """All of its text, a blank between words."""
        return " ".join(self.text.split())

    def all(self, tag: str = "", **wanted: str) -> Iterator[Element]:
        """Every element in it with this name and these attributes (`class_`, `data_key`), in order."""
        for one in self.inside:
            if isinstance(one, Element):
                if tag in ("", one.tag) and all(one.attributes.get(attribute(k)) == v for k, v in wanted.items()):
                    yield one
                yield from one.all(tag, **wanted)

    def one(self, tag: str = "", **wanted: str) -> Element:
        """The only element like that."""
        [found] = self.all(tag, **wanted)
        return found


def attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].inside.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].inside.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            assert self.open.pop().tag == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def tree(path: Path) -> Element:
    """A page as a tree; AssertionError for an element that is not closed."""
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    [root] = reader.open
    return root


class Read:
    """What a test wants to know of a page: numbers by file and key, texts by tag, all words, ids, links."""

    def __init__(self, path: Path) -> None:
        elements = [*tree(path).all()]
        said = [one for one in elements if one.tag == "data" and one.attributes.get("data-key")]
        self.numbers = {(one.attributes.get("data-file") or "", one["data-key"]): float(one["value"]) for one in said}
        self.tags: dict[str, list[str]] = {}
        for one in elements:
            self.tags.setdefault(one.tag, []).append(one.text)
        self.ids = [one["id"] for one in elements if "id" in one.attributes and one["id"] != "main"]
        self.links = [one[name] for one in elements for name in ("href", "src") if name in one.attributes]
        self.text = " ".join(" ".join(strings(elements[0])).split())


def strings(element: Element) -> Iterator[str]:
    """Its texts, each by itself."""
    for one in element.inside:
        yield from [one] if isinstance(one, str) else strings(one)
