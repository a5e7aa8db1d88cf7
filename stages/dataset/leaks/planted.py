"""Items' texts in other words, of which it is known that they are the same test: how many of them are found?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from stages.asking.models.sandbox import paraphrases
from stages.dataset.leaks.items import ItemText, evenly
from stages.evaluation.defining.editions import Text
from stages.project.errors import UserError, nearest
from stages.project.inputs import regular
from stages.project.plain_text import one_line
from stages.project.validation import Strict

WORLD = "world"
WORDED_ANEW = 24
"""Texts of items that the embedded world says in other words, evenly out of all that it can."""


class Paraphrase(Strict):
    """A line of a file: the text of an item, its paraphrase, and in which way that was made."""

    way: Text
    prompt: Text
    paraphrase: Text


class Planted(NamedTuple):
    """A paraphrase of an item's text, which is named by its place."""

    way: str
    of: int
    text: str


def planted(texts: Sequence[ItemText], source: str | None, seed: int) -> list[Planted]:
    """Return paraphrases of items' texts from a file; from `world`, what the embedded world makes of those that it
    understands; from None none. UserError as in `read`.
    """
    if source is None:
        return []
    if source != WORLD:
        places = {text.text: place for place, text in reversed([*enumerate(texts)])}
        return [Planted(one.way, places[one.prompt], one.paraphrase) for one in read(Path(source), places)]
    told = [(place, ways) for place, text in enumerate(texts) if (ways := [*paraphrases(text.text, seed)])]
    return [Planted(way, place, said) for place, ways in evenly(told, WORDED_ANEW) for way, said in ways]


def read(path: Path, texts: dict[str, int]) -> Iterator[Paraphrase]:
    """Yield the paraphrases of a file, a JSON object a line; a UserError names the first line that is none, or whose
    `prompt` is no text of an item, given by `texts`.
    """
    for number, line in enumerate(regular(path).read_bytes().splitlines(), start=1):
        where = f"{path}, line {number}"
        try:
            one = Paraphrase.model_validate(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise UserError(f"{where}: not JSON ({error}): way, prompt and paraphrase are wanted") from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise UserError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}: mend it") from None
        if one.prompt not in texts:
            raise UserError(
                f"{where}: {one_line(one.prompt, 60)!r} is no text of an item in datasets/editions"
                f"{nearest(one.prompt, texts)}"
            )
        yield one
