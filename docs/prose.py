"""Check what README and its like and the documents say, as `make lint` does: sentences that a tired reader finishes,
words that the field knows, links that lead somewhere.

    python docs/prose.py            # names every sentence that is too long, every private word, every dead link
    python docs/prose.py docs/own.md

Code blocks, pictures and addresses count as nothing, inline code as one word. A cell of a table and an item of a list
end a sentence.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
MOST_WORDS = 30_000
"""In README and docs/ together, as `wc -w` counts."""
LONGEST = 40
"""Words of a sentence."""
MEDIAN = 16
"""Words of the sentences of one document, at most, by the median."""
LINKED = (ROOT / "CHANGELOG.md", ROOT / "llms.txt")
"""Of these the links alone are looked at."""
PRIVATE = {
    "whoever": "anyone who",
    "whomever": "anyone",
    "lest": "so that … not",
    "told": "reported, shown",
    "put to": "asked of, given to",
    "inquiry": "question",
    "sighting": "detection",
    "spoilt": "degraded",
    "surer": "more certain",
    "hither": "here",
}
"""Words of our own, or out of use, and what the field says."""
CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"(`+)(?:.+?)\1", re.DOTALL)
PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
SENTENCE_END = re.compile(
    r"(?<![\s(.][A-Za-z])(?<!e\.g)(?<!i\.e)(?<!vs)(?<!cf)[.!?][)\"”*_]*(?=\s+[^a-z\s]|\s*$)|\s*:\s*$"
)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def documents() -> list[Path]:
    beside = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md")]
    return [*beside, *sorted((ROOT / "docs").glob("**/*.md"))]


def blocks(text: str) -> Iterator[str]:
    """Yield paragraphs, items of lists and cells of tables as plain words, without code."""
    plain = LINK.sub(r"\1", PICTURE.sub(r"\1", INLINE.sub("code", CODE.sub("", text))))
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[*+-]|\d+\.)\s)|\n(?=[#|])|(?<=\|)\n", plain):
        row = paragraph.strip()
        if row.startswith("|"):
            yield from (cell for cell in row.strip("|").split("|") if re.search(r"\w", cell))
        elif row and not row.startswith(("#", "<")):
            yield re.sub(r"^\s*(?:[*+-]|\d+\.)\s+", "", row)


def sentences(text: str) -> list[str]:
    return [
        " ".join(one.split())
        for block in blocks(text)
        for one in re.split(SENTENCE_END, block)
        if re.search(r"\w", one)
    ]


def count_words(text: str) -> int:
    return len(re.findall(r"[\w’'.,%/×–-]*\w[\w’'.,%/×–-]*", text))


def anchors(text: str) -> set[str]:
    """Return the anchors of headings, as they are shown on the web."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


def dead_links(document: Path, text: str) -> Iterator[str]:
    for _, address in LINK.findall(CODE.sub("", text)):
        if re.match(r"\w+:", address):
            continue
        name, _, anchor = address.partition("#")
        there = (document.parent / name).resolve() if name else document
        if not there.exists():
            yield f"{name} is not there"
        elif anchor and anchor not in anchors(there.read_text("utf-8")):
            yield f"{there.name} has no heading #{anchor}"


def faults(document: Path) -> Iterator[str]:
    """Yield in a line each what a reader would stumble over."""
    text = document.read_text("utf-8")
    said = sentences(text)
    lengths = [count_words(one) for one in said]
    yield from dead_links(document, text)
    for one, words in zip(said, lengths, strict=True):
        if words > LONGEST:
            yield f"{words} words in a sentence, at most {LONGEST}: {one[:100]} …"
    if lengths and median(lengths) > MEDIAN:
        yield f"half of the sentences have more than {median(lengths):g} words, at most {MEDIAN}"
    prose = " ".join(said).lower()
    for word, better in PRIVATE.items():
        if count := len(re.findall(rf"\b{word}\b", prose)):
            yield f"“{word}” {count} times: say “{better}”"


def main() -> None:
    some = [Path(name).resolve() for name in sys.argv[1:]] or documents()
    lines = [f"{one.relative_to(ROOT)}: {fault}" for one in some for fault in faults(one)]
    if len(sys.argv) == 1:
        lines += [f"{one.name}: {dead}" for one in LINKED for dead in dead_links(one, one.read_text("utf-8"))]
    total = sum(len(one.read_text("utf-8").split()) for one in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    if len(sys.argv) == 1 and total > MOST_WORDS:
        lines.append(f"{total:,} words in all documents, at most {MOST_WORDS:,}")
    print("\n".join(lines) or f"{len(some)} documents, {total:,} words: nothing to mend")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
