"""What the card of a benchmark's edition says: counts and an example from its items, and the benchmark's own sentences.

Another benchmark adds its own `Sentences` to `OF`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.evaluation.curating.editions import Item, read_edition
from stages.prism.shared import parameters as prism
from stages.project.markdown import code, plain, table
from stages.project.model_kinds import SandboxModel
from stages.project.plain_text import amount
from stages.publish.card import About
from stages.publish.parameters import Everything
from stages.publish.products import Product, edition

BODY = """\
{what}

{warning}This is the frozen edition `{edition}`: {items} in {languages}. A frozen edition never changes; other items \
make another edition. This card was written from its items: every number is counted in them.

## What is in it

`{path}` has one item a line.

{fields}

{counts}

An item:

```json
{example}
```

## How it was made

{made}

## How it is scored

{scored} How intervals and ranks are computed, and which scores may be compared, stands in `docs/benchmarks.md` of \
gamut, the project whose code asks, judges and scores: its `gamut fetch` puts this edition in its place.

## Known limits

* The prompts are public: a model may have been trained on them.
{limits}
"""
FIELDS = {
    "id": "names the item",
    "prompt": "what is asked for, in English",
    "prompt_zh": "the same in Chinese",
    "row": "the id of the dataset row that it was taken from; null where there is none to name",
    "row_sha256": "the sha256 of that row's source caption, or of its prompt where it has none: every build has the "
    "same ids, and another build's row of this id has another hash",
}
"""What the keys mean that items of every benchmark may have."""
LANGUAGES = {"en": "English", "zh": "Chinese"}
WORLD_POOLS = "stages/prism/pools/world"
PRISM_WARNING = """\
> **The embedded world.** The project that published this {that}: a small artificial world of pictograms, whose truth \
is known. Prompts that it proposed this way test the machinery. What models score on them says nothing about how good \
these models are.

"""
PRISM_PROPOSED = """\
Prompts were proposed in two ways. *Sampled* ones are captions of the dataset: those nearest to the centroids of \
K-means over embeddings of a track's best captions. *Curated* ones were composed by a model: of elements drawn from \
pools, those of `long_text` of all captions of a picture that was judged to look good. Every prompt was then put into \
Chinese; quoted lettering stays English there, but on the track `text_rendering` it was adapted to Chinese. Of texts \
that nearly repeat each other one was kept.

A prompt is meant to be accepted by a person as unambiguous, grammatical and logically sound, even where it is \
fantastical; others are rejected or rewritten. Which decision was made on which prompt, and whether one was made at \
all, stands in the project's `datasets/reviews/prism/`, not in the items. The accepted prompts were numbered on \
their tracks and frozen. The dataset of the same project holds out what resembles them, and the rows that items \
name together with `row_sha256`."""


@dataclass(frozen=True)
class Sentences:
    """What only one benchmark can say.

    `name` and `what` introduce it. `fields` tells its own keys (or tells those of all better). Items are counted by
    the two keys `counted`. `made` and `warning` depend on the items and parameters; an empty warning is none.
    """

    name: str
    what: str
    fields: Mapping[str, str]
    counted: tuple[str, str]
    made: Callable[[Sequence[Item]], str]
    warning: Callable[[Sequence[Item], Any], str]
    scored: str
    limits: Sequence[str]
    tags: Sequence[str]
    paper: str


def about(product: Product, params: Everything) -> About:
    """Return what there is to say of the edition that params.yaml names."""
    version = edition(product.name, params)
    items, says = read_edition(product.name, version, Item), OF[product.name]
    languages = ["en", *(["zh"] if any(item.prompt_zh for item in items) else [])]
    spoken = " and ".join(LANGUAGES[code] for code in languages)
    body = BODY.format(
        what=says.what,
        warning=says.warning(items, params.benchmark(product.name)),
        edition=version,
        items=amount(len(items), "item"),
        languages=spoken,
        path=product.files[0].path,
        fields=fields(product, says),
        counts=counts(items, says.counted),
        example=json.dumps(items[0].model_dump(exclude_unset=True), indent=2, ensure_ascii=False),
        made=says.made(items),
        scored=says.scored,
        limits="\n".join(f"* {limit}" for limit in says.limits),
    )
    return About(
        summary=f"{amount(len(items), 'item')} of {says.name} in {spoken}, a frozen edition.",
        body=body,
        languages=languages,
        tags=["gamut", "benchmark", *says.tags],
        rebuilding=f"The edition stands there in git, as `{product.files[0].local}`: it was frozen once and is not "
        "computed again.",
        rights="Prompts that were published elsewhere keep the terms of their publisher.",
        paper=says.paper,
    )


def fields(product: Product, says: Sentences) -> str:
    """Return the keys of an item and what they mean."""
    known = {**FIELDS, **says.fields}
    return table(("key", "what it is"), [(code(name), known.get(name, "")) for name in product.schema.names])


def counts(items: Sequence[Item], keys: tuple[str, str]) -> str:
    """Return how many items there are of each pair of values of two keys."""
    rows_of, columns_of = keys
    pairs = Counter((value(item, rows_of), value(item, columns_of)) for item in items)
    rows, columns = (list(dict.fromkeys(pair[position] for pair in pairs)) for position in (0, 1))
    counted = [(row, *(pairs[row, column] for column in columns), sum(pairs[row, c] for c in columns)) for row in rows]
    return table((rows_of, *columns, "items"), counted)


def value(item: Item, key: str) -> str:
    """Return what an item has at a key, as a heading."""
    found = getattr(item, key, None)
    return f"no {key}" if found is None else plain(str(found))


def is_proposed(item: Item) -> bool:
    """Return whether an item of PRISM-Bench comes from a proposal; those that were imported have no origin."""
    return getattr(item, "origin", None) is not None


def prism_made(items: Sequence[Item]) -> str:
    """Return how PRISM-Bench's prompts came about, as far as the items tell."""
    said = []
    if any(map(is_proposed, items)):
        said.append(PRISM_PROPOSED)
    if not all(map(is_proposed, items)):
        said.append(
            "Items without an origin were imported: their prompts were written elsewhere, and are as they came."
        )
    return "\n\n".join(said)


def prism_warning(items: Sequence[Item], params: prism.Params) -> str:
    """Return a warning where proposals of this project come from its embedded world; empty otherwise."""
    if not any(map(is_proposed, items)):
        return ""
    captioner = params.roles.filled().get("captioner")
    asked = captioner is not None and isinstance(params.models.get(captioner), SandboxModel)
    pools = params.prism.propose.pools == WORLD_POOLS
    from_world = [f"composes its curated prompts of `{WORLD_POOLS}`"] if pools else []
    from_world += ["has the embedded world as its captioner"] if asked else []
    return PRISM_WARNING.format(that=" and ".join(from_world)) if from_world else ""


OF = {
    "prism": Sentences(
        name="PRISM-Bench",
        what="""\
PRISM-Bench asks text-to-image models for pictures on seven tracks: `imagination` (what cannot exist), `entity` \
(particular beings, places and things), `text_rendering` (lettering), `style`, `affection` (emotions and moods), \
`composition` (how many of what, and where) and `long_text` (long prompts full of details). It follows section 3 of \
*FLUX-Reason-6M & PRISM-Bench: A Million-Scale Text-to-Image Reasoning Dataset and Comprehensive Benchmark*.""",
        fields={
            "id": "`<track>/<i>`, i from 0: a model's picture of it is `<track>/<i>.png`",
            "track": "what it puts to the test",
            "origin": "`sampled` from the dataset or `curated`; null for what was imported",
        },
        counted=("track", "origin"),
        made=prism_made,
        warning=prism_warning,
        scored="""\
A model paints each prompt once in each language. A judge, which is a model that sees pictures, scores every picture \
from 0 to 10 twice, each time after a justification of one sentence: how well it fits its prompt, by a question for \
each track, and how it looks, by one question for all. Reported are ten times the means: by track and axis, a track's \
mean of both axes, and the mean of the tracks.""",
        limits=(
            "The judge is a model, and errs. Scores can be compared when judge, its sampling, questions and prompts "
            "are the same.",
            "A track with few items says little: look at the intervals.",
            "The Chinese prompts ask for the same as the English ones: the two languages are no independent samples.",
        ),
        tags=("prism-bench",),
        paper="The benchmark is that of this paper",
    )
}
