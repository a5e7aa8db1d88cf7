"""The text of the card of a benchmark's edition: counts and an example of its items, and the benchmark's own words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item, read_edition, read_origin
from gamut.evaluation.defining.parameters import BenchmarkParameters
from gamut.evaluation.defining.questions import Prompt
from gamut.evaluation.defining.settings import prompts_in
from gamut.project.code import ROOT
from gamut.project.markdown import code_span, escape_markdown, markdown_table
from gamut.project.plain_text import amount
from gamut.publish.card import About
from gamut.publish.files import size_words
from gamut.publish.parameters import Everything
from gamut.publish.products import Product

BODY = Path(__file__).with_name("edition_card.md")
FIELDS = {
    "id": "names the item",
    "prompt": "what is asked for, in English",
    "prompt_zh": "the same in Chinese",
    "texts": "its other texts; datasets of gamut hold them out too",
    "images": "its pictures: `name` and `role` in the item, the `sha256` of their bytes, media type, width and height "
    "in pixels, and where each was taken from",
    "row": "the id of the dataset row that it was taken from; null if there is none",
    "row_sha256": "the sha256 of that row's source caption, or of its prompt if it has none: all builds have the same "
    "ids, but another build's row with this id has another hash",
}
"""The meaning of the keys that items of every benchmark may have."""
SEVERAL = """
Values of {names} are of several types: JSON in the Parquet, which `datasets` (4.7 or newer) decodes.
"""
PICTURES = """
Its items name {pictures} ({size}). By role: {roles}. Their bytes are the \
configuration `images`, by the `sha256` that items name.
"""
SOURCE = """
It comes from {source}, revision {revision}, under the licence {licence}.
"""
LANGUAGES = {"en": "English", "zh": "Chinese"}
CATEGORIES = ("text-to-image", "image-to-image", "visual-question-answering", "question-answering", "any-to-any")
"""The Hub's task categories that items can belong to, in the order of listing."""


def about_edition(product: Product, params: Everything) -> About:
    curation, version = curations()[product.name], params.edition(product.name)
    benchmark, benchmark_params = curation.benchmark, params.benchmark(product.name)
    items, says = read_edition(product.name, version, Item), curation.card
    languages = ["en", *(["zh"] if any(item.prompt_zh for item in items) else [])]
    spoken = " and ".join(LANGUAGES[language] for language in languages)
    several = [code_span(column.name) for column in product.schema if column.type == pa.json_()]
    body = BODY.read_text(encoding="utf-8").format(
        what=says.what,
        warning=curation.warning(items, benchmark_params),
        edition=version,
        items=amount(len(items), "item"),
        languages=spoken,
        path=product.files[0].path,
        table=product.configurations[0].files[0].path,
        fields=markdown_table(
            ("key", "what it is"),
            [(code_span(name), {**FIELDS, **says.fields}.get(name, "")) for name in product.schema.names],
        ),
        several=SEVERAL.format(names=" and ".join(several)) if several else "",
        counts=count_table(items, says.counted),
        pictures=picture_words(items, product),
        source=source_words(product),
        example=json.dumps(items[0].model_dump(exclude_unset=True), indent=2, ensure_ascii=False),
        made=curation.origins(items),
        scored=says.scored,
        limits="\n".join(f"* {limit}" for limit in says.limits),
    )
    return About(
        body=body,
        languages=languages,
        tasks=task_categories(benchmark, version, benchmark.block(benchmark_params)),
        tags=["gamut", "benchmark", *says.tags],
        rebuilding=f"The edition is in git there, as `{product.files[0].local}`: it was frozen once and is not "
        "computed again.",
        rights="Prompts and pictures that were published elsewhere keep the terms of their publisher."
        if product.images
        else "Prompts that were published elsewhere keep the terms of their publisher.",
        paper="The benchmark is that of this paper",
        paper_citation=(ROOT / says.citation).read_text(encoding="utf-8") if says.citation else None,
    )


def task_categories(benchmark: AnyBenchmark, version: str, block: BenchmarkParameters) -> list[str]:
    """Return the Hub's task categories of the prompts in the measured settings; UserError for items of another form."""
    items = read_edition(benchmark.name, version, benchmark.item)
    found = {task_category(prompt) for _, _, prompt in prompts_in(benchmark, block, items, benchmark.settings(block))}
    return [name for name in CATEGORIES if name in found]


def task_category(prompt: Prompt) -> str:
    if len(prompt.modalities) > 1:
        return "any-to-any"
    if prompt.modalities == ("text",):
        return "visual-question-answering" if prompt.has_pictures else "question-answering"
    return "image-to-image" if prompt.has_pictures else "text-to-image"


def picture_words(items: Sequence[Item], product: Product) -> str:
    if not product.images:
        return ""
    roles = Counter(picture.role for item in items for picture in item.images)
    return PICTURES.format(
        pictures=amount(sum(file.rows or 0 for file in product.images), "picture"),
        size=size_words(sum(file.size for file in product.images)),
        roles=", ".join(f"{count:,} {role}" for role, count in sorted(roles.items())),
    )


def source_words(product: Product) -> str:
    found = read_origin(product.origin.local) if product.origin else None
    if found is None:
        return ""
    return SOURCE.format(
        source=escape_markdown(found.source),
        revision=escape_markdown(found.revision),
        licence=escape_markdown(found.licence),
    )


def count_table(items: Sequence[Item], keys: Sequence[str]) -> str:
    rows_of, columns_of = keys[0], keys[-1]
    pairs = Counter((value_words(item, rows_of), value_words(item, columns_of)) for item in items)
    rows, columns = (list(dict.fromkeys(pair[position] for pair in pairs)) for position in (0, 1))
    if len(keys) == 1:
        return markdown_table((rows_of, "items"), [(row, pairs[row, row]) for row in rows])
    counted = [(row, *(pairs[row, column] for column in columns), sum(pairs[row, c] for c in columns)) for row in rows]
    return markdown_table((rows_of, *columns, "items"), counted)


def value_words(item: Item, key: str) -> str:
    found = getattr(item, key, None)
    return f"no {key}" if found is None else escape_markdown(str(found))
