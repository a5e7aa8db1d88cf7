"""Joins a text that names pictures with these pictures, in one of three forms.

The forms are those of "Generative Fluid Intelligence Evaluation Suite", appendix D.1: edit, interleaved, fine-grained.
A text names a picture as `<image:NAME>`, or by its number among the pictures, from 1: `<image1>`, `<image 1>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from gamut.asking.requests import Part, Picture

Form = Literal["apart", "at_sentence_ends", "in_place"]
PICTURE_NAME = re.compile(r"<image(?::([^<>]+)|\s*([0-9]{1,6})\s*)>")
SENTENCE_END = re.compile(r"""(?<![.!?…])[.!?…]++["'”’»)\]]*+(?=\s|$)|[。！？；…]+["'”’」』）】]*|\n+|$""")
"""The end of a sentence, in English or Chinese, with closing marks."""
SENTENCE_START = re.compile(r"""(?:\A|[.!?…。！？；]["'”’»)\]」』）】]*|\n)\s*\Z""")
"""The text before a new sentence."""
CONTINUATION = re.compile(r"\s*[a-z,.;:!?)，。；：、！？）]")
"""How a text continues after a name that is part of a sentence, even as its first word."""


def place_pictures(text: str, pictures: Mapping[str, Picture], form: Form = "in_place") -> tuple[Part, ...]:
    """Return a text with its pictures, by name, as ordered parts. ValueError for a name without a picture.

    `apart`: all pictures first; the text calls them `image 1`, `image 2`. `at_sentence_ends`: a picture follows the
    sentence that names it, with that name. `in_place`: it is where it is named, as often as it is named. Pictures that
    the text does not name come first.
    """
    texts, names = split_at_names(text, list(pictures))
    unnamed = [name for name in pictures if name not in names]
    if form == "apart":
        numbers = {name: number for number, name in enumerate(pictures, start=1)}
        return merged_parts([*pictures.values(), *numbered_parts(texts, names, numbers, set(), pictures)])
    if form == "in_place":
        following = (part for name, rest in zip(names, texts[1:], strict=True) for part in (pictures[name], rest))
        return merged_parts([*(pictures[name] for name in unnamed), texts[0], *following])
    numbers = {name: number for number, name in enumerate([*unnamed, *dict.fromkeys(names)], start=1)}
    return merged_parts(
        [*(pictures[name] for name in unnamed), *numbered_parts(texts, names, numbers, set(names), pictures)]
    )


def split_at_names(text: str, known: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the texts around the names, and the named pictures, in order."""
    pieces = PICTURE_NAME.split(text)  # text, name, number, text, name, number, ..., text
    named = []
    for name, number in zip(pieces[1::3], pieces[2::3], strict=True):
        if name is not None and name.strip() in known:
            named.append(name.strip())
        elif name is None and 1 <= int(number) <= len(known):
            named.append(known[int(number) - 1])
        else:
            said = name.strip() if name is not None else number
            raise ValueError(f"the text names the picture {said!r}: there are {', '.join(known) or 'none'}")
    return pieces[::3], named


def names_in(text: str) -> set[str]:
    return {
        f"<image:{name.strip()}>" if name else f"<image{int(number)}>" for name, number in PICTURE_NAME.findall(text)
    }


def numbered_parts(
    texts: Sequence[str],
    names: Sequence[str],
    numbers: Mapping[str, int],
    given_here: set[str],
    pictures: Mapping[str, Picture],
) -> Iterator[Part]:
    """Yield a text with picture numbers. Each picture of `given_here` follows the sentence that first names it."""
    whole, mentions = texts[0], list[tuple[str, int, bool]]()
    for position, name in enumerate(names):
        first = name in given_here and name not in [mentioned for mentioned, *_ in mentions]
        goes_on = CONTINUATION.match(next((rest for rest in texts[position + 1 :] if rest.strip()), ""))
        between = first and SENTENCE_START.search(whole) is not None and goes_on is None
        rest = texts[position + 1]
        if first:
            mentions.append((name, len(whole), between))
        if not between:
            whole += f"{' ' * is_word(whole[-1:])}image {numbers[name]}{' ' * is_word(rest[:1])}"
        whole += rest
    ends = sorted({end.end() for end in SENTENCE_END.finditer(whole)} | {at for _, at, between in mentions if between})
    begin = 0
    for name, at, _ in mentions:
        end = next(end for end in ends if end >= at)
        yield whole[begin:end]
        yield pictures[name]
        begin = end
    yield whole[begin:]


def is_word(character: str) -> bool:
    return character.isalnum()


def merged_parts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts without blank texts; neighbouring texts become one."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif not isinstance(part, str) or part.strip():
            found.append(part)
    return tuple(found)


def misnaming(text: str, count: int) -> str | None:
    """Return what is wrong with a text that must name `<image1>` to `<image{count}>` and no other picture."""
    found, wanted = names_in(text), {f"<image{number}>" for number in range(1, count + 1)}
    if lost := sorted(wanted - found):
        return f"it does not name the picture {lost[0]}"
    return f"it names the picture {min(found - wanted)}, which is not given" if found - wanted else None


def numbered_text(parts: Iterable[str | bytes]) -> tuple[str, list[bytes]]:
    """Return texts and encoded pictures as one text, with `<image1>` for the first picture, and the pictures. If a text
    itself contains such a name, it becomes `image 1`.
    """
    texts, pictures = list[str](), list[bytes]()
    for part in parts:
        if isinstance(part, bytes):
            pictures.append(part)
        texts.append(
            f"<image{len(pictures)}>" if isinstance(part, bytes) else PICTURE_NAME.sub(r"image \1\2", part).strip()
        )
    return "\n".join(filter(None, texts)), pictures
