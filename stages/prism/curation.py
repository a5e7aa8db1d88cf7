"""PRISM-Bench as the commands see it: how its prompts are reviewed, come in, and what its card says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gamut.evaluation.curating.curation import Card, Curation, Published
from gamut.evaluation.defining.editions import Item
from gamut.project.model_kinds import SandboxModel
from gamut.project.papers import FLUX_REASON
from gamut.project.pipeline import EDITIONS, value_at
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row
from gamut.texts.chinese import is_chinese, quoted_words
from stages.prism.construction import parameters as proposing
from stages.prism.layout import CAPTIONS
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS, PrismItem
from stages.prism.shared.parameters import Params

WORLD_POOLS = "stages/prism/pools/world"
WARNING = """\
> **The embedded world.** The project that published this {that}: a small artificial world of pictograms, whose truth \
is known. Prompts that it proposed this way test the machinery. What models score on them says nothing about how good \
these models are.

"""
PROPOSED = """\
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
IMPORTED = "Items without an origin were imported: their prompts were written elsewhere, and are as they came."


def number_items(rows: Sequence[Row]) -> list[PrismItem]:
    """Return accepted rows of a proposal as items, numbered from 0 on each track."""
    return [
        PrismItem(
            id=f"{track}/{number}",
            track=track,
            origin=row["origin"],
            prompt=row["prompt"],
            prompt_zh=row["prompt_zh"],
            row=row["row"],
            row_sha256=row["row_sha256"],
        )
        for track in TRACKS
        for number, row in enumerate(row for row in rows if row["track"] == track)
    ]


def objections(row: Row, review: Mapping[str, str]) -> Iterator[str]:
    """Yield what speaks against a rewritten prompt: its Chinese is none."""
    if review["new_prompt_zh"] and not is_chinese(review["new_prompt_zh"], quoted_words(row["prompt"])):
        yield "new_prompt_zh is not Chinese: it needs more Chinese characters than Latin words outside the lettering"


def is_proposed(item: Item) -> bool:
    return getattr(item, "origin", None) is not None


def provenance(items: Sequence[Item]) -> str:
    said = [PROPOSED] if any(map(is_proposed, items)) else []
    if not all(map(is_proposed, items)):
        said.append(IMPORTED)
    return "\n\n".join(said)


def warning(items: Sequence[Item], params: Params) -> str:
    """Return a warning where proposals of this project come from its embedded world; empty otherwise."""
    if not any(map(is_proposed, items)):
        return ""
    captioner = params.roles.filled().get("captioner")
    asked = captioner is not None and isinstance(params.models.get(captioner), SandboxModel)
    pools = EDITIONS.is_file() and value_at(read_yaml(EDITIONS), "prism.pools") == WORLD_POOLS
    from_world = [f"composes its curated prompts of `{WORLD_POOLS}`"] if pools else []
    from_world += ["has the embedded world as its captioner"] if asked else []
    return WARNING.format(that=" and ".join(from_world)) if from_world else ""


PUBLISHED = Published(
    place="https://github.com/rongyaofang/prism-bench",
    by_hand="`git clone https://github.com/rongyaofang/prism-bench`, then `gamut import prism prism-bench/captions "
    "released`",
    sizes=dict.fromkeys(TRACKS, 100),
)

CURATION = Curation(
    benchmark=PRISM,
    proposing=proposing.Params,
    items_of=number_items,
    texts=("prompt", "prompt_zh"),
    beside=("track", "origin", "elements"),
    among="track",
    objections=objections,
    released=CAPTIONS,
    published=PUBLISHED,
    card=Card(
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
        made=provenance,
        warning=warning,
        scored="""\
A model paints each prompt once in each language. A judge, which is a model that sees pictures, scores every picture \
from 0 to 10 twice, each time after a justification of one sentence: how well it fits its prompt, by a question for \
each track, and how it looks, by one question for all. Reported are ten times the means: by track and axis, a track's \
mean of both axes, and the mean of the tracks.""",
        limits=(
            "The judge is a model, and errs. Scores can be compared when judge, its sampling, questions and prompts "
            "are the same; this project's own questions are not those of the paper's tables.",
            "A track with few items says little: look at the intervals.",
            "The Chinese prompts ask for the same as the English ones: the two languages are no independent samples.",
        ),
        tags=("prism-bench",),
        citation=FLUX_REASON,
    ),
)
