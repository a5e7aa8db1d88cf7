"""The material of a question: labelled blocks of texts and pictures, which no text inside them can close.

A text that could be read as a tag of a block in the request gets a backslash. This includes tags in other widths, with
look-alike signs, attributes or invisible characters. `<b>` and `x < y > z` stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from gamut.asking.requests import Chat, Part, fields_of

OPENING = r"<\u2039\u2329\u276c\u276e\u27e8\u27ea\u3008\u300a\ufe64\uff1c"
CLOSING = r">\u203a\u232a\u276d\u276f\u27e9\u27eb\u3009\u300b\ufe65\uff1e"
SLASH = r"/\u2044\u2215\u29f8\uff0f"  # signs that may be read as the brackets of a tag, and as the slash in it
UNSEEN = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
"""Characters that are drawn as nothing: control characters, and Unicode's default ignorable code points."""
BLANKS, NAME = rf"[\s{UNSEEN}]*+", rf"\w[\w:.{UNSEEN}-]*+"
ATTRIBUTES = rf"[^={OPENING}{CLOSING}]*+=[^{OPENING}{CLOSING}]*+"
TAG = re.compile(
    rf"([{OPENING}]{BLANKS})(\\*+)"
    rf"(?={BLANKS}(?:[{SLASH}]|{NAME}(?:{ATTRIBUTES})?+{BLANKS}[{SLASH}]?+{BLANKS}[{CLOSING}]|(?:{NAME})?+{BLANKS}\Z))"
)
"""The beginning of what may be read as a tag: any closing one, an opening one that is whole, and one that the next text
may complete. Nothing is taken back, so a long text is looked through once."""
TAG_BODY = re.compile(rf"{BLANKS}([{SLASH}]?){BLANKS}([^{OPENING}{CLOSING}]*+)")
"""The content of such a tag: its slash, if it closes, and all up to the next bracket."""
INVISIBLE, LATIN = re.compile(rf"[{UNSEEN}]"), re.compile("[a-z]")
FIRST, WORD = re.compile(r"\A\s*([\w:.-]*)"), re.compile(r"\w+")
OPENING_TAG = re.compile(r"<(\w+)>\n")
TAG_NAME = re.compile(r"</?(\w+)>")


def enclose(name: str, parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts as a block `<name>` … `</name>`, whose texts can close no block (`restore_material`)."""
    inside = (f"{escape_tags(part)}\n" if isinstance(part, str) else part for part in parts)
    return (f"<{name}>\n", *inside, f"</{name}>\n")


def restore_material(material: Sequence[Part], others: Collection[str]) -> tuple[Part, ...]:
    """Return the blocks with their texts as given to `enclose`, except tags of blocks and of `others`, further names
    that the request uses.
    """
    placed = split_blocks(material)
    names = casefold_names([*others, *opening_tags(placed)])
    return tuple(unescape_others(part, names) if name and isinstance(part, str) else part for name, part in placed)


def tag_names(*texts: str) -> set[str]:
    return {name for text in texts for name in TAG_NAME.findall(text)}


def read_enclosures(request: Chat) -> dict[str, list[Part]]:
    parts, fields = request.messages[0].parts, fields_of(request)
    placed = split_blocks(parts[:-1] if fields else parts)
    names = casefold_names(
        [*fields, *tag_names(*(part for name, part in placed if not name and isinstance(part, str)))]
    )
    blocks: dict[str, list[Part]] = {name: [] for name in opening_tags(placed)}
    for name, part in placed:
        if name:
            blocks[name].append(unescape_tags(part.removesuffix("\n"), names) if isinstance(part, str) else part)
    return blocks


def split_blocks(parts: Sequence[Part]) -> list[tuple[str, Part]]:
    """Return the parts, each with the name of its block; "" for tags and for parts outside of blocks."""
    blocks, inside = list[tuple[str, Part]](), ""
    for part in parts:
        if inside and part != f"</{inside}>\n":
            blocks.append((inside, part))
            continue
        opening = None if inside or not isinstance(part, str) else OPENING_TAG.fullmatch(part)
        inside = opening[1] if opening else ""
        blocks.append(("", part))
    return blocks


def opening_tags(placed: Sequence[tuple[str, Part]]) -> list[str]:
    opening = (OPENING_TAG.fullmatch(part) for name, part in placed if not name and isinstance(part, str))
    return [tag[1] for tag in opening if tag]


def casefold_names(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}


def escape_tags(text: str) -> str:
    return TAG.sub(r"\1\2\\", text)


def unescape_others(text: str, names: Collection[str]) -> str:
    """Remove the backslashes before tags whose names are not among these."""
    return TAG.sub(lambda tag: tag[0] if may_name(tag, names) else drop_backslash(tag), text)


def unescape_tags(text: str, names: Collection[str]) -> str:
    return TAG.sub(lambda tag: drop_backslash(tag) if may_name(tag, names) else tag[0], text)


def drop_backslash(tag: re.Match[str]) -> str:
    return tag[1] + tag[2][1:]


def may_name(tag: re.Match[str], names: Collection[str]) -> bool:
    """Say whether a tag may be read as one of these names: in any case and width, with accents, unseen characters or a
    prefix.

    So does a tag that ends a text, which the next may complete, and one in letters of two scripts or of another one.
    """
    body = TAG_BODY.match(tag.string, tag.end())
    assert body is not None  # all of it may be empty
    letters = unicodedata.normalize("NFKD", INVISIBLE.sub("", body[2])).casefold()
    letters = "".join(one for one in letters if not unicodedata.combining(one))
    first, together = FIRST.findall(letters)[0], "".join(letters.split())
    words = WORD.findall(letters if body[1] else first)
    if together in names or any(word in names for word in words):
        return True
    ends = body.end() == len(tag.string) and not together
    return ends or (not first.isascii() and bool(body[1] or LATIN.search(first)))
