"""Controls of judges: answers that are degraded in known ways, or right. They are made from some of a contestant's
answers, which are drawn at random.

A judge that scores an empty answer, or the answer to another item, as high as the right one measures nothing. A judge
that believes an answer that praises itself can be manipulated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, product, zip_longest
from typing import Any, NamedTuple, TypeVar

from PIL import Image

from gamut.asking.questions import json_schema
from gamut.asking.requests import Part, Picture, seed_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.parameters import BenchmarkParameters
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import JudgeQuestion, Pictures, Prompt
from gamut.evaluation.running.rewritings import with_rewriting
from gamut.tables.columns import Row, grouped
from gamut.tables.images import as_jpeg, upright_rgb

BLANK, MISMATCHED, COPIED, PRAISE, REFERENCE = CONTROLS = (
    "blank", "mismatched", "input_copied", "praise", "reference",
)  # fmt: skip
"""All kinds, in the order of boards; what they show says `twin`."""
MOST_OF_A_KIND = 100
"""How many of a contestant's answers in one setting get a control of each kind, at most. A validation with ten times as
many is hardly better (bench/validation.py), and all kinds together are fewer than the items of a published edition."""
GREY = (128, 128, 128)
Sample = tuple[str, int]
"""An item's id, and the number, from 0, of the answer to it in a setting."""
Element = TypeVar("Element")


class Sources(NamedTuple):
    """What a control is made of besides the answer: the prompt, a right answer if known, and self-praise."""

    prompt: Prompt
    reference: Sequence[Part]
    claim: str


class Control(NamedTuple):
    """`of`: the answer that it replaces. `shown`: the answer that it is made from, another item's if MISMATCHED."""

    kind: str
    of: Row
    shown: Row


def sources_of(
    benchmark: AnyBenchmark,
    block: BenchmarkParameters,
    item: Item,
    setting: str,
    pictures: Pictures,
    rewriting: Row | None = None,
) -> Sources:
    prompt = benchmark.prompt(block, with_rewriting(item, rewriting), setting, pictures)
    return Sources(
        prompt, benchmark.reference(item, setting, pictures), claim_of(benchmark.questions_to_ask(block, item, setting))
    )


def claim_of(judge_questions: Iterable[JudgeQuestion]) -> str:
    claims = chain.from_iterable(claims_in(json_schema(one.question.reply)) for one in judge_questions)
    return " ".join(dict.fromkeys(claims))


def claims_in(schema: Mapping[str, Any]) -> Iterator[str]:
    for one in (schema, *schema.get("$defs", {}).values()):
        for name, form in one.get("properties", {}).items():
            if "maximum" in form:
                yield f"The {name} is {form['maximum']}."
            elif "Y" in form.get("enum", ()):
                yield f"Every {name} is Y."


def is_possible(kind: str, sources: Sources) -> bool:
    """Whether a kind can be made: with a right answer, an input to copy, or praise to claim."""
    needed = {COPIED: copied_input(sources.prompt), PRAISE: sources.claim, REFERENCE: sources.reference}
    return bool(needed.get(kind, True))


def make_control(kind: str, answer: Sequence[Part], sources: Sources) -> list[Part]:
    """Return the control that is made from an answer, with the same bytes each time. MISMATCHED uses a right answer if
    there is one: a judge that gives high scores to everything well made then gives it the highest.
    """
    claim, right = sources.claim, sources.reference
    if kind == BLANK:
        return [blank_picture(part) if isinstance(part, Picture) else "" for part in answer]
    if kind == PRAISE:
        return [praising_picture(part, claim) if isinstance(part, Picture) else f"{part}\n{claim}" for part in answer]
    if kind == COPIED:
        return copied_input(sources.prompt)
    return [*(right if kind == REFERENCE else right or answer)]


def copied_input(prompt: Prompt) -> list[Part]:
    """Return the answer that hands back the first picture, or the texts, that were given."""
    pictures = [part for part in prompt.parts if isinstance(part, Picture)]
    if "image" in prompt.modalities:
        return [*pictures[:1]]
    return [part for part in prompt.parts if isinstance(part, str)]


def blank_picture(picture: Picture) -> Picture:
    return Picture(as_jpeg(Image.new("RGB", upright_rgb(picture.data).size, GREY)))


def praising_picture(picture: Picture, claim: str) -> Picture:
    image = upright_rgb(picture.data)
    from PIL import ImageDraw, ImageFont  # stages without controls do not need them

    width, height = image.size
    band = max(12, height // 10)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, height - band, width, height), fill="white")
    em = draw.textlength(claim, ImageFont.load_default(100)) / 100
    font = ImageFont.load_default(max(1, min(band * 0.7, width / em)))
    draw.text((width / 2, height - band / 2), claim, fill="black", font=font, anchor="mm")
    return Picture(as_jpeg(image))


def draw_controls(
    benchmark: AnyBenchmark, block: BenchmarkParameters, items: Iterable[Item], answers: Iterable[Row], seed: int
) -> Iterator[Control]:
    """Yield all controls of one contestant's answers, the same for every judge. All kinds in all settings are drawn in
    one order: so there are right answers next to degraded ones, and comparisons across settings use the same items.
    """
    by_id, listed = {str(item.id): item for item in items}, list(answers)

    @cache
    def sources(item: str, setting: str) -> Sources:
        return sources_of(benchmark, block, by_id[item], setting, stand_ins(by_id[item]))

    able: dict[tuple[str, str], dict[Sample, Row]] = {}
    for kind, row in product(CONTROLS, listed):
        if is_possible(kind, sources(row["item"], row["setting"])):
            able.setdefault((kind, row["setting"]), {})[row["item"], row["sample"]] = row
    strata = {name: benchmark.stratum(item) for name, item in by_id.items()}
    order = draw_order(chain.from_iterable(able.values()), strata, seed)
    for (kind, _), rows in able.items():
        lot = [rows[one] for one in order if one in rows][:MOST_OF_A_KIND]
        if kind == MISMATCHED:
            yield from mismatches(lot, lambda row: interchangeable_form(sources(row["item"], row["setting"])))
        else:
            yield from (Control(kind, row, row) for row in lot)


def draw_order(makeable: Iterable[Sample], strata: Mapping[str, str], seed: int) -> list[Sample]:
    """Return the order in which samples are drawn. Strata take turns, within them items in an order drawn from their
    ids, and no item has a second turn before all had one. Samples with the most possible controls go first.
    """
    times = Counter(makeable)
    samples = grouped((one[0], one) for one in sorted(times, key=lambda one: (-times[one], one[1])))
    items: dict[str, list[list[Sample]]] = {stratum: [] for stratum in sorted({*strata.values()})}
    for item, own in sorted(samples.items(), key=lambda of: (-times[of[1][0]], seed_of(f"control {of[0]}", seed))):
        items[strata[item]].append(own)
    return alternate([alternate(of_stratum) for of_stratum in items.values()])


def alternate(lists: Sequence[Sequence[Element]]) -> list[Element]:
    """Return the first of each list, then the second of each, and so on."""
    return [one for turn in zip_longest(*lists) for one in turn if one is not None]


def mismatches(lot: Sequence[Row], parts: Callable[[Row], object]) -> Iterator[Control]:
    """Yield for every answer of a group the next one, in a circle, of another item and with the same `parts`."""
    for place, row in enumerate(lot):
        others = (one for one in (*lot[place + 1 :], *lot[:place]) if one["item"] != row["item"])
        if shown := next((one for one in others if parts(one) == parts(row)), None):
            yield Control(MISMATCHED, row, shown)


def interchangeable_form(sources: Sources) -> object:
    """Return a key that is equal for answers that can replace each other."""
    return sources.prompt.modalities, bool(sources.reference)
