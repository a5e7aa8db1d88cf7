"""PRISM-Bench's curation: how its prompts are reviewed, proposed and imported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gamut.evaluation.curating.curation import Curation
from gamut.evaluation.defining.editions import Item
from gamut.project.model_kinds import SandboxModel
from gamut.project.pipeline import EDITIONS, value_at
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row
from gamut.texts.chinese import is_chinese, quoted_words
from stages.prism.construction import parameters as proposing
from stages.prism.layout import CAPTIONS
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS, PrismItem
from stages.prism.shared.parameters import Params

KEPT = ("track", "origin", "prompt", "prompt_zh", "row", "row_sha256")
WORLD_POOLS = "stages/prism/pools/world"
WARNING = """\
> **The embedded world.** The project that published this {that}: a small artificial world of pictograms, whose truth \
is known. Prompts that it proposed this way test the machinery. What models score on them says nothing about how good \
these models are.

"""


def number_items(rows: Sequence[Row]) -> list[PrismItem]:
    """Return accepted rows of a proposal as items, numbered from 0 on each track."""
    return [
        PrismItem(id=f"{track}/{number}", **{key: row[key] for key in KEPT})
        for track in TRACKS
        for number, row in enumerate(row for row in rows if row["track"] == track)
    ]


def objections(row: Row, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with a rewritten prompt: its Chinese version is not Chinese."""
    if (new := texts.get("prompt_zh")) and not is_chinese(new, quoted_words(row["prompt"])):
        yield "new_prompt_zh is not Chinese: it needs more Chinese characters than Latin words outside the lettering"


def is_proposed(item: Item) -> bool:
    return getattr(item, "origin", None) is not None


def warning(items: Sequence[Item], params: Params) -> str:
    """Return a warning if proposals of this project come from its embedded world; empty otherwise."""
    if not any(map(is_proposed, items)):
        return ""
    captioner = params.roles.filled().get("captioner")
    asked = captioner is not None and isinstance(params.models.get(captioner), SandboxModel)
    pools = EDITIONS.is_file() and value_at(read_yaml(EDITIONS), "prism.pools") == WORLD_POOLS
    from_world = [f"composes its curated prompts of `{WORLD_POOLS}`"] if pools else []
    from_world += ["has the embedded world as its captioner"] if asked else []
    return WARNING.format(that=" and ".join(from_world)) if from_world else ""


CURATION = Curation(
    benchmark=PRISM,
    proposing=proposing.Params,
    items_of=number_items,
    texts=("prompt", "prompt_zh"),
    beside=("track", "origin", "elements"),
    among="track",
    objections=objections,
    released=CAPTIONS,
    is_proposed=is_proposed,
    warning=warning,
)
