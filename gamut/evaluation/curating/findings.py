"""Defects of released items, as `lint.json` lists them: `{id, field, defect, found, fix}`.

`fix` is the corrected value if that is safe; else it is null and the value stays as it was. Nothing is dropped.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gamut.evaluation.running.placing import PICTURE_NAME
from gamut.project.errors import UserError, in_one_line
from gamut.project.files import write_json

FINDINGS_FILE = "lint.json"
ERRORS = {
    "type": "a key is missing, or its value is of another type",
    "term": "a word that is not one of the known words of its field",
    "tag": "a question's tag is missing, misspelt, or one that its task cannot have",
    "reply": "a model's whole reply in the place of questions",
    "duplicate": "a question or an id that occurs twice",
    "inverted": "a question to which Y would mean that the answer failed",
    "open": "a question that cannot be answered with Y or N",
    "placeholder": "a text names a picture that does not exist, or leaves out one that does",
    "picture": "a picture's file is missing, or is not a picture",
}
"""Defects that change what an item means. `--strict` refuses them, fixed or not."""
REMARKS = {
    "twin": "an item that nearly repeats another",
    "same_prompts": "the clear prompt is the same as the prompt",
    "count": "the number of pictures differs from the stated one",
    "blank": "an empty value where one is meant to be",
    "key": "an unknown key; it is kept",
    "assumed": "a value that the files do not give; `fix` is what was assumed",
}
"""Remarks for a person: these items can be used as they are."""
LONGEST = 500
"""Characters of a text that are shown."""
LEAST_SIMILARITY = 0.9
"""Least similarity of two texts that repeat each other."""


class Finding(NamedTuple):
    """One defect: its item (None if the id is unknown), the field, the kind, what was found, and the fix."""

    id: str | int | None
    field: str
    defect: str
    found: Any
    fix: Any = None


class Findings(list[Finding]):
    def __init__(self, of: str | int | None) -> None:
        super().__init__()
        self.of = of

    def say(self, field: str, defect: str, found: Any, fix: Any = None) -> None:
        """Add one; long texts are cut. ValueError for an unknown kind of defect."""
        if defect not in ERRORS | REMARKS:
            raise ValueError(f"there is no defect {defect!r}")
        self.append(Finding(self.of, field, defect, shorten(found), shorten(fix)))


def unprintable_name(path: Path) -> Finding:
    return Finding(None, in_one_line(path), "key", "its name cannot be printed: rename it")


def shorten(value: Any) -> Any:
    whole = value if isinstance(value, str | int | float | None) else repr(value)
    return f"{whole[: LONGEST - 1]}…" if isinstance(whole, str) and len(whole) > LONGEST else whole


def counts_by_defect(findings: Iterable[Finding], among: Mapping[str, str]) -> str:
    """Return how many findings of certain kinds there are, `56 (32 term, 24 type)`; empty without any."""
    counts = Counter(finding.defect for finding in findings if finding.defect in among)
    kinds = ", ".join(f"{count:,} {defect}" for defect, count in sorted(counts.items(), key=lambda one: (-one[1], one)))
    return f"{counts.total():,} ({kinds})" if counts else ""


def summaries(
    source: Path, findings: Sequence[Finding], unread: Sequence[str], strict: bool, listed: str
) -> Iterator[str]:
    """Yield how many defects and remarks there are; `listed` says where to find them. UserError for a file that cannot
    be read, since its items would be lost, and with `strict` for any defect.
    """
    defects, remarks = counts_by_defect(findings, ERRORS), counts_by_defect(findings, REMARKS)
    if unread:
        more = f" (and {len(unread) - 1:,} more)" if len(unread) > 1 else ""
        raise UserError(f"{source}: {unread[0]}{more}; {listed}")
    if strict and defects:
        raise UserError(f"{source} has defects, {defects}: fix them, or leave --strict out; {listed}")
    if defects or remarks:
        yield f"{source}: defects: {defects or 0}; remarks: {remarks or 0}; {listed}"


def write_findings(findings: Sequence[Finding], folder: Path) -> Path:
    path = folder / FINDINGS_FILE
    write_json(path, [finding._asdict() for finding in findings])
    return path


def near_repeats(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of positions: an earlier text, and one that nearly repeats it. Blank texts do not count."""
    from gamut.texts.near_duplicate_search import find_near_duplicates

    positions = [position for position, text in enumerate(texts) if text.strip()]
    with tempfile.TemporaryDirectory() as scratch:
        found = find_near_duplicates((texts[at] for at in positions), LEAST_SIMILARITY, Path(scratch, "texts"))
    return [(positions[of], positions[one]) for one, of in enumerate(found.of.tolist()) if of >= 0]


def lost_names(key: str, text: str, known: Callable[[re.Match[str]], bool], findings: Findings) -> list[str]:
    """Return the names in a text that belong to no picture, and report them."""
    lost = [name[0] for name in PICTURE_NAME.finditer(text) if not known(name)]
    for name in lost:
        findings.say(key, "placeholder", name)
    return lost


def unknown_names(key: str, text: str, pictures: int, findings: Findings) -> list[str]:
    lost = lost_names(key, text, lambda name: picture_number(name, pictures) > 0, findings)
    note_unnamed(key, text, pictures, findings)
    return lost


def names_in_plain_words(key: str, text: str, pictures: int, findings: Findings) -> str:
    """Replace names that belong to none of the `pictures` by plain words, as nothing could be placed there."""

    def in_words(name: re.Match[str]) -> str:
        if picture_number(name, pictures):
            return name[0]
        words = f"image {name[2]}" if name[2] else name[1].strip()
        findings.say(key, "placeholder", name[0], words)
        return words

    if PICTURE_NAME.search(text):
        note_unnamed(key, text, pictures, findings)
    return PICTURE_NAME.sub(in_words, text)


def note_unnamed(key: str, text: str, pictures: int, findings: Findings) -> None:
    for number in sorted(
        set(range(1, pictures + 1)) - {picture_number(name, pictures) for name in PICTURE_NAME.finditer(text)}
    ):
        findings.say(key, "placeholder", f"no <image{number}>")


def picture_number(name: re.Match[str], pictures: int) -> int:
    """Return the number, from 1, of the picture that a name belongs to; 0 if it belongs to none."""
    number = int(name[2] or 0)
    return number if number <= pictures else 0
