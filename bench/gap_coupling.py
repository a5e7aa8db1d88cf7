"""Contestants of the embedded world whose words and pictures fail together, each for itself, or never both.

    python bench/gap_coupling.py             # 60 items, 10 samples of both sides, three couplings: two minutes
    python bench/gap_coupling.py --items 6 --samples 4 --judged 1

Items of three categories alike: things that are described, numbers that change places, edits told outright and as
rules. Both sides are wrong at the rate 0.5. `both`, `text_only`, `image_only`, `neither`: shares of the samples, by the
truth: words are held against those that are right, things seen in pictures against the scene that is right; nobody
judges. `expected` is the share of `both` that rates and coupling come to, `deviations` by how many standard deviations
it was missed: sqrt(p(1 - p) / n) over n samples, 0.02 where p is 0. Of the first `--judged` items of each category the
embedded world judges all answers too: `judge_differs` counts verdicts that are not the truth. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.asking.models import sandbox  # noqa: E402
from stages.asking.parts import unbundled  # noqa: E402
from stages.asking.requests import Create, Modality, Picture, seed_of  # noqa: E402
from stages.gapeval.construction import edits, knowledge, numbers  # noqa: E402
from stages.sandbox.coupling import COUPLINGS  # noqa: E402
from stages.sandbox.judge import answer  # noqa: E402
from stages.sandbox.looking import sight_of  # noqa: E402
from stages.sandbox.painter import paint_prompt  # noqa: E402
from stages.sandbox.pairs import Meaning, in_words_of, meaning  # noqa: E402
from stages.sandbox.rules import definite  # noqa: E402
from stages.sandbox.scene import Scene, canonical  # noqa: E402

POOLS = ROOT / "stages/gapeval/construction/pools/world"
SEED, SIDE, RATE = 1, 256, 0.5
EXPECTED = {"alike": RATE, "independent": RATE**2, "apart": 0.0}
CATEGORIES = ("world_knowledge", "numerical", "instruction_following")
TO: dict[str, Modality] = {"und": "text", "gen": "image"}


class Item(NamedTuple):
    """A question that is put twice, and what is right."""

    category: str
    question: str
    prompt: str
    pictures: tuple[bytes, ...]
    right: Meaning


def knowledge_items() -> Iterator[Item]:
    """Yield things that are described."""
    for _, entity in knowledge.read_pool(POOLS).listed():
        made = knowledge.asked(entity)
        yield item_of("world_knowledge", made.question, made.prompt)


def numerical_items() -> Iterator[Item]:
    """Yield pictures of two kinds of things."""
    pool = numbers.read_countable(POOLS)
    for number, pair in enumerate(numbers.pairs(SEED, 1000, pool)):
        made = numbers.asked(pair, pool.plurals)
        yield item_of("numerical", made.question, made.prompt, painted(numbers.said(pair, pool.plurals), number))


def edited_items() -> Iterator[Item]:
    """Yield edits of such pictures, every other one a rule."""
    pool = numbers.read_countable(POOLS)
    for number, pair in enumerate(numbers.pairs(SEED + 1, 1000, pool)):
        picture = painted(numbers.said(pair, pool.plurals), number)
        scene = sight_of(picture).scene
        assert scene is not None
        thing = definite(scene.groups[number % 4 // 2])
        if number % 2:
            made = edits.asked("implicit", "Whatever there are most of disappears.", "")
        else:
            made = edits.asked("explicit", f"Remove {thing}.", "")
        yield item_of("instruction_following", made.question, made.prompt, picture)


def item_of(category: str, question: str, prompt: str, *pictures: bytes) -> Item:
    """Return an item, of which both prompts mean the same."""
    right = meaning([*pictures, question])
    assert right is not None and right == meaning([*pictures, prompt]), (question, prompt)
    return Item(category, question, prompt, pictures, right)


def painted(prompt: str, number: int) -> bytes:
    """Return a picture."""
    return paint_prompt(prompt, SIDE, SIDE, seed_of(f"picture {number}", SEED), {})


def made(item: Item, side: str, sample: int, coupling: str) -> str | bytes:
    """Return what the contestant answers, as a stage has it asked."""
    parts = (*(Picture(data, "image/jpeg") for data in item.pictures), item.question if side == "und" else item.prompt)
    size = (SIDE, SIDE) if side == "gen" else (0, 0)
    request = Create(parts, (TO[side],), *size, seed_of(f"{side}/{item.question}", SEED), sample)
    reply = sandbox.answer(request, {"wrong_text": RATE, "wrong_picture": RATE}, "creator", coupling=coupling)
    assert reply.finish == "stop", reply.content
    [part] = unbundled(reply.content).parts
    return part


def is_right(item: Item, answered: str | bytes) -> bool:
    """Return the truth about an answer."""
    if isinstance(answered, str):
        return answered == in_words_of(item.right, item.right.right)
    scene, right = sight_of(answered).scene, item.right.right
    assert scene is not None
    if item.category == "instruction_following":
        return canonical(scene) == canonical(right)
    return counts(scene) == counts(right)


def counts(scene: Scene) -> Counter[str]:
    """Return how many things there are of each kind."""
    return Counter({group.kind: group.count for group in scene.groups})


def verdict(item: Item, side: str, answered: str | bytes, reference: bytes) -> bool:
    """Return what the embedded world's judge says of an answer."""
    blocks = {
        "question": [item.question if side == "und" else item.prompt],
        "question_picture": list(item.pictures),
        "reference_text": [in_words_of(item.right, item.right.right)],
        "reference_picture": [reference],
        "answer": [answered],
    }
    return answer(f"{item.category}_{side}", {}, [], 0, blocks)["score"] == 1


def joint(items: list[Item], samples: int, judged: int, coupling: str) -> dict[str, float]:
    """Return the shares of samples by which sides are right, and how often the judge differs."""
    found: Counter[tuple[bool, bool]] = Counter()
    differs = verdicts = 0
    for place, item in enumerate(items):
        reference = painted(in_words_of(item.right, item.right.right), 1000 + place)
        for sample in range(samples):
            sides = {side: made(item, side, sample, coupling) for side in TO}
            right = {side: is_right(item, answered) for side, answered in sides.items()}
            found[right["und"], right["gen"]] += 1
            if place // len(CATEGORIES) < judged:
                verdicts += len(sides)
                differs += sum(verdict(item, side, sides[side], reference) != right[side] for side in sides)
    total, expected = sum(found.values()), EXPECTED[coupling]
    names = {"both": (True, True), "text_only": (True, False), "image_only": (False, True), "neither": (False, False)}
    shares = {name: round(found[sides] / total, 4) for name, sides in names.items()}
    deviation = sqrt(expected * (1 - expected) / total) or 0.02
    off = round(abs(shares["both"] - expected) / deviation, 2)
    return shares | {"expected": expected, "deviations": off, "verdicts": verdicts, "judge_differs": differs}


def main() -> None:
    """Answer, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--judged", type=int, default=4, help="items of each category that are judged too")
    asked = parser.parse_args()
    started = time.perf_counter()
    each = [list(islice(made(), -(-asked.items // 3))) for made in (knowledge_items, numerical_items, edited_items)]
    items = [item for row in zip(*each, strict=True) for item in row]
    figures: dict[str, object] = {"items": len(items), "samples": asked.samples}
    for coupling in COUPLINGS:
        figures[coupling] = joint(items, asked.samples, asked.judged, coupling)
        print(coupling, figures[coupling], flush=True)
    print(json.dumps(figures | {"seconds": round(time.perf_counter() - started, 1)}, allow_nan=False))


if __name__ == "__main__":
    main()
