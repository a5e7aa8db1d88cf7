"""The parameters of the dataset build: what of params.yaml can change its result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from stages.project.budgets import MaxFailures
from stages.project.model_kinds import FAULTS, Share
from stages.project.parameters import AskingParameters, NearDuplicates, PaintingParameters, Seed, Shared
from stages.project.validation import Strict

CHARACTERISTICS = ("composition", "entity", "text", "imaginative", "style", "abstract")
"""The six characteristics (FLUX-Reason-6M, section 2.1) by their published column names: `imaginative` is the
paper's Imagination, `abstract` its Affection, `text` its Text rendering. So they are called in params.yaml, tables and
figures."""
ASKED_AS = {name: name for name in CHARACTERISTICS} | {"abstract": "affection"}
"""How models read their names: what is called abstract they would take for abstract art."""
DETAIL = "detail"
"""The published name of the generation chain-of-thought."""
ORIGINAL = "original"
"""The published name of the source's own caption."""

TABLES = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".txt")
PACKED = (".gz", ".bz2", ".xz")
"""Behind the ending of any table but Parquet."""
ARCHIVES = (".zip", ".tar", ".tgz", *(f".tar{packed}" for packed in PACKED))
"""Endings of files of sources, in capitals or not."""

Wave = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Score = Annotated[int, Field(ge=0, le=10)]
Cosine = Annotated[float, Field(ge=-1, le=1)]
MOST_PAIRS = 20
"""Items near one caption about which a model may be asked."""
BITS = 143
"""Of a perceptual hash."""


Route = Literal["imagine", "rewrite", "mine_text", "as_is"]
"""How a row's prompt comes to be."""


class Block(Strict):
    """What every source block has: its wave, and by which route its rows become prompts."""

    wave: Wave
    route: Literal["as_is", "rewrite", "mine_text"] = "as_is"


class Foreign(Block):
    """A source whose captions and images others made: its licence, and whether its texts may be passed on; where not,
    no caption and no prompt of it is published.
    """

    license: Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]{1,200}$")] | None = None
    redistributable: bool = True


class SandboxSource(Block):
    """Random scenes of the embedded world as a legacy source. Shares of its rows: `without_image`; `mismatched` (the
    caption is that of another scene); `duplicates` (the row repeats an earlier one in other words); rates of images'
    `faults`.
    """

    kind: Literal["sandbox"]
    count: Annotated[int, Field(ge=1, le=10_000_000)]
    seed: Seed = 0
    without_image: Share = 0.0
    mismatched: Share = 0.0
    duplicates: Share = 0.0
    faults: dict[Literal[FAULTS], Share] = Field(default_factory=dict)  # type: ignore[valid-type]

    @property
    def shares(self) -> dict[str, Any]:
        return self.model_dump(include={"without_image", "mismatched", "duplicates", "faults"})


class Columns(Strict):
    """Which column is what; at least a caption or an image is needed, `source_id` must be unique."""

    caption: str | None = None
    image: str | None = None
    source_id: str | None = None

    @model_validator(mode="after")
    def _something(self) -> Columns:
        if self.caption is None and self.image is None:
            raise ValueError("name a `caption` column, an `image` column, or both")
        return self


Limit = Annotated[int, Field(ge=1)]


class FileSource(Foreign):
    """A table under datasets/sources/, or a folder or archive of tables of one kind, or of pictures. An image column
    holds pictures, or their paths from the table's folder. At most `limit` rows are taken.
    """

    kind: Literal["file"]
    path: Annotated[str, StringConstraints(pattern=r"^datasets/sources(/[^./][^/]*)+$")]
    columns: Columns
    limit: Limit | None = None


class FolderSource(Foreign):
    """Pictures in a folder or archive under datasets/sources/, in order of their paths, which are their source ids."""

    kind: Literal["folder"]
    path: Annotated[str, StringConstraints(pattern=r"^datasets/sources(/[^./][^/]*)+$")]
    limit: Limit | None = None


class HubSource(Foreign):
    """A dataset on the Hugging Face Hub at a pinned commit, streamed."""

    kind: Literal["hub"]
    repo: Annotated[str, StringConstraints(pattern=r"^[\w.-]+/[\w.-]+$")]
    revision: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
    config: str | None = None
    split: str
    columns: Columns
    limit: Limit | None = None


class ImagineSource(Strict):
    """Prompts that the writer invents from seed prompts, `count` of them."""

    kind: Literal["imagine"]
    wave: Wave
    count: Annotated[int, Field(ge=1, le=10_000_000)]


GivenSource = SandboxSource | FileSource | FolderSource | HubSource
"""Sources whose rows exist already; those of an ImagineSource are invented."""
Source = Annotated[GivenSource | ImagineSource, Field(discriminator="kind")]


class Brainstorm(AskingParameters):
    """Concept families, and how many seed prompts are asked for in each."""

    families: Annotated[list[str], Field(min_length=1)]
    prompts_per_family: Annotated[int, Field(ge=1, le=200)]
    max_failures: MaxFailures = 0


class Seeds(Strict):
    """How many seed prompts are kept, spread evenly over the families."""

    count: Annotated[int, Field(ge=1)]


class Imagine(AskingParameters):
    """How many seed prompts stand as examples in each call."""

    examples: Annotated[int, Field(ge=1)]


class Legible(Strict):
    """Lowest legibility of a source image's text that passes, 0..10."""

    legibility: Score


class Prompts(Strict):
    """What makes a text a prompt: its length in characters."""

    max_characters: Annotated[int, Field(ge=1)]


class Synthesize(PaintingParameters):
    """Size of the pictures asked for, in pixels."""


class Admit(Strict):
    """Lowest scores that pass, 0..10."""

    clarity: Score
    structure: Score


class Categorize(Strict):
    """Lowest relevance that makes a picture belong, 0..10."""

    composition: Score
    entity: Score
    text: Score
    imaginative: Score
    style: Score
    abstract: Score


class Select(Strict):
    """Lowest typography scores that pass, 0..10."""

    contrast: Score
    letterforms: Score
    sense: Score


class Annotate(AskingParameters):
    """Whether the captioner, who sees the picture, is also given the prompt, to take names from it."""

    prompt_for_names: bool = False


class Originals(Strict):
    """Lowest alignment with the synthesized picture that flags a source's own caption as true of it, 0..10."""

    alignment: Score


ParaphrasesFile = Annotated[str, StringConstraints(pattern=r"^datasets/paraphrases(/[^./][^/]*)+\.jsonl$")]


class HoldOut(AskingParameters):
    """What is the same test as an item of a benchmark.

    A model is asked about at most `asked` items that lie near a caption, from the similarity `ask_from` on (cosine),
    and about near-duplicates; unless `ask_at_odds`, not about texts at odds with the caption (`leaks.nearest`). What it
    could not answer is held out when it is a near-duplicate, or from `unanswered` on. A picture is an item's when its
    hash differs in at most `picture` bits from one of that (`leaks.pictures`), or from `picture_similarity` of
    embeddings on. `paraphrases`: items' texts in other words, of which it is counted how many are found: a .jsonl in
    git, or the world's.
    """

    asked: Annotated[int, Field(ge=1, le=MOST_PAIRS)]
    ask_from: Cosine
    ask_at_odds: bool
    unanswered: Cosine
    picture: Annotated[int, Field(ge=0, le=BITS)]
    picture_similarity: Cosine
    paraphrases: Literal["world"] | ParaphrasesFile | None

    @model_validator(mode="after")
    def _in_order(self) -> HoldOut:
        if self.unanswered < self.ask_from:
            raise ValueError(f"unanswered: {self.unanswered:g} is below ask_from, from where pairs are asked about")
        return self


class Calibrate(Strict):
    """A person's labels (a .csv in git; null: the truth of the embedded world), and what a threshold is known to have
    before it is suggested.
    """

    labels: Annotated[str, StringConstraints(pattern=r"^datasets/labels(/[^./][^/]*)+\.csv$")] | None
    least_precision: Share
    least_recall: Share


class Params(Shared):
    """What of params.yaml the build reads."""

    sources: Annotated[list[Source], Field(min_length=1)]
    near_duplicates: NearDuplicates
    brainstorm: Brainstorm
    seeds: Seeds
    imagine: Imagine
    rewrite: AskingParameters = AskingParameters()
    find_text: AskingParameters = AskingParameters()
    legible: Legible
    mine_text: AskingParameters = AskingParameters()
    prompts: Prompts
    synthesize: Synthesize
    examine: AskingParameters = AskingParameters()
    admit: Admit
    score: AskingParameters = AskingParameters()
    categorize: Categorize
    proofread: AskingParameters = AskingParameters()
    select: Select
    annotate: Annotate = Annotate()
    align: AskingParameters = AskingParameters()
    originals: Originals
    translate: AskingParameters = AskingParameters()
    hold_out: HoldOut
    calibrate: Calibrate

    @property
    def withheld(self) -> frozenset[str]:
        """Return the waves whose texts may not be passed on."""
        return frozenset(s.wave for s in self.sources if isinstance(s, Foreign) and not s.redistributable)

    @model_validator(mode="after")
    def _sources_fit(self) -> Params:
        waves = [source.wave for source in self.sources]
        for position, wave in enumerate(waves):
            if wave in waves[:position]:
                raise ValueError(
                    f"sources.{position}.wave: {wave!r} is taken by another source; every wave needs its own"
                )
        for position, source in enumerate(self.sources):
            for key, problem in _misused(source):
                raise ValueError(f"sources.{position}.{key}: {problem}")
        invented = len(self.brainstorm.families) * self.brainstorm.prompts_per_family
        if self.seeds.count > invented:
            raise ValueError(f"seeds.count: at most {invented}, as many as brainstorm asks for")
        if self.imagine.examples > self.seeds.count:
            raise ValueError(f"imagine.examples: at most {self.seeds.count}, as many as seeds.count")
        return self


def _misused(source: Source) -> Iterator[tuple[str, str]]:
    """Yield what one key of a source block demands of another: the key, and the demand."""
    if isinstance(source, FileSource):
        path = source.path.lower()
        known = (*TABLES, *ARCHIVES, *(table + packed for table in TABLES[1:] for packed in PACKED))
        if PurePosixPath(path).suffix and not path.endswith(known):
            yield "path", f"{source.path!r} ends in none of {', '.join((*TABLES, *ARCHIVES))}"
    if isinstance(source, FileSource | HubSource):
        if source.route == "mine_text" and source.columns.image is None:
            yield "columns.image", "route mine_text looks for text in images: name their column"
        if source.route == "as_is" and source.columns.caption is None:
            yield "columns.caption", "route as_is takes the captions as they are: name their column"
        if source.route == "as_is" and source.columns.image is not None:
            yield "columns.image", "route as_is looks at no images: leave it out, or choose the route rewrite"
