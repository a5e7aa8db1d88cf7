"""The form in which an answer is shown to judges, people, pages and observers, and from which controls are made.

Tables keep what the contestant made. Texts and pictures are bounded, so that no answer can run up a judge's bill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gamut.asking.requests import Part, Picture
from gamut.project.plain_text import amount, can_be_seen
from gamut.tables.images import as_everyone_sees, media_type

MOST_CHARACTERS = 20_000  # of all texts of an answer together
MOST_PICTURES = 32  # of an answer


def parts_as_shown(parts: Iterable[str | bytes]) -> list[Part]:
    """Return an answer's parts in the form that is shown. Raise ValueError when a picture cannot be shown."""
    return [part if isinstance(part, str) else picture_as_shown(part) for part in bounded_parts(parts)]


def picture_as_shown(data: bytes) -> Picture:
    shown = as_everyone_sees(data)
    return Picture(shown, media_type(shown))


def bounded_parts(parts: Iterable[str | bytes]) -> list[str | bytes]:
    """Return the parts, cut to MOST_CHARACTERS of text and MOST_PICTURES pictures; later texts are left out."""
    bounded = list[str | bytes]()
    characters, pictures = MOST_CHARACTERS, MOST_PICTURES
    for part in parts:
        if isinstance(part, bytes):
            if pictures:
                bounded.append(part)
                pictures -= 1
        elif characters or not part:
            bounded.append(shorten_middle(part, characters))
            characters = max(0, characters - len(part))
    return bounded


def shorten_middle(text: str, most: int) -> str:
    """Cut out the middle of a text, because conclusions are at the end. Invisible text is cut without a mark."""
    if len(text) <= most:
        return text
    if not can_be_seen(text):
        return text[:most]
    behind = most // 2
    mark = f"\n[… {amount(len(text) - most, 'character')} left out …]\n"
    return text[: most - behind] + mark + text[len(text) - behind :]


def bounds_remarks(parts: Sequence[str | bytes]) -> Iterator[str]:
    characters = sum(len(part) for part in parts if isinstance(part, str))
    if characters > MOST_CHARACTERS:
        yield f"{characters:,} characters, of which {MOST_CHARACTERS:,} are shown"
    if (pictures := sum(isinstance(part, bytes) for part in parts)) > MOST_PICTURES:
        yield f"{amount(pictures, 'picture')}, of which the first {MOST_PICTURES} are shown"
