"""The blocks of params.yaml about sources: one per wave, with the route by which its rows become prompts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from gamut.project.model_kinds import FAULTS, Share
from gamut.project.parameters import Seed, Shared
from gamut.project.validation import Strict

TABLES = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv", ".json", ".txt")
PACKED = (".gz", ".bz2", ".xz")
"""Endings that may follow the ending of any table except Parquet."""
ARCHIVES = (".zip", ".tar", ".tgz", *(f".tar{packed}" for packed in PACKED))
"""Endings of archives, in upper or lower case."""

Wave = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]

Route = Literal["imagine", "rewrite", "mine_text", "as_is", "keep"]
"""How a row gets its prompt; `keep`: it has none, since its own picture is not painted again."""


class Block(Strict):
    """What every source block has: its wave, and the route by which its rows become prompts."""

    wave: Wave
    route: Literal["as_is", "rewrite", "mine_text", "keep"] = "as_is"


class Foreign(Block):
    """A source whose captions and images others made: its licence, and whether its texts may be passed on. If they may
    not, none of its captions and prompts is published.
    """

    license: Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]{1,200}$")] | None = None
    redistributable: bool = True


class SandboxSource(Block):
    """Random scenes of the embedded world as a source. Shares of its rows: `without_image`; `mismatched` (the caption
    is that of another scene); `duplicates` (the row repeats an earlier one in other words). `faults`: rates of faults
    of images.
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


SIDES = {"sandbox": range(128, 2049), "diffusers": range(64, 4097, 16)}
"""Widths and heights in pixels that painters of a kind can make, where that is known before one is asked."""


class WithSources(Strict):
    """The sources, as given to steps that read them."""

    sources: Annotated[list[Source], Field(min_length=1)]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def withheld(self) -> frozenset[str]:
        """Return the waves whose texts may not be passed on."""
        return frozenset(s.wave for s in self.sources if isinstance(s, Foreign) and not s.redistributable)

    @model_validator(mode="after")
    def _sources_fit(self) -> WithSources:
        waves = [source.wave for source in self.sources]
        for position, wave in enumerate(waves):
            if wave in waves[:position]:
                raise ValueError(
                    f"sources.{position}.wave: {wave!r} is the wave of another source: every source needs its own"
                )
        for position, source in enumerate(self.sources):
            for key, problem in _misused(source):
                raise ValueError(f"sources.{position}.{key}: {problem}")
        return self


class Build(WithSources, Shared):
    """What the whole build is given: the sources, the models and their roles, and blocks that fit together."""

    @model_validator(mode="after")
    def _blocks_fit(self) -> Build:
        if {"seeds", "brainstorm", "imagine"} <= type(self).model_fields.keys():
            invented = len(self.brainstorm.families) * self.brainstorm.prompts_per_family
            if self.seeds.count > invented:
                raise ValueError(f"seeds.count: at most {invented} is allowed, the number that brainstorm asks for")
            if self.imagine.examples > self.seeds.count:
                raise ValueError(f"imagine.examples: at most {self.seeds.count} is allowed, the value of seeds.count")
        asked = not {"safety", "select"} <= type(self).model_fields.keys() or self.safety.ask
        if not asked and (names := [name for name, low in self.select if low and name.startswith("without_")]):
            raise ValueError(f"select.{names[0]}: nobody is asked about it: set safety.ask, or 0 here")
        if "synthesize" in type(self).model_fields and self.roles.painter:
            painter = self.models[self.roles.painter]
            able = SIDES.get(painter.kind, range(5000))
            for one in self.synthesize.sizes:
                if one.width not in able or one.height not in able:
                    raise ValueError(
                        f"synthesize.sizes: {one.width} x {one.height} cannot be painted by kind {painter.kind}: sides "
                        f"are {able.start} to {able.stop - 1} pixels, in steps of {able.step}"
                    )
        return self


def _misused(source: Source) -> Iterator[tuple[str, str]]:
    """Yield what is wrong between keys of a source block: the key, and the problem with its fix."""
    if isinstance(source, FileSource):
        path = source.path.lower()
        known = (*TABLES, *ARCHIVES, *(table + packed for table in TABLES[1:] for packed in PACKED))
        if PurePosixPath(path).suffix and not path.endswith(known):
            yield "path", f"{source.path!r} must end in one of {', '.join((*TABLES, *ARCHIVES))}"
    if isinstance(source, Foreign) and source.route == "keep" and not source.redistributable:
        yield (
            "redistributable",
            "route keep publishes the source's pictures: leave out this wave, or take another route",
        )
    if isinstance(source, FileSource | HubSource):
        if source.route == "mine_text" and source.columns.image is None:
            yield "columns.image", "route mine_text looks for text in images: name their column"
        if source.route == "keep" and source.columns.image is None:
            yield "columns.image", "route keep takes pictures as they are: name their column"
        if source.route == "as_is" and source.columns.caption is None:
            yield "columns.caption", "route as_is takes the captions as they are: name their column"
        if source.route == "as_is" and source.columns.image is not None:
            yield "columns.image", "route as_is does not use images: leave it out, or choose the route rewrite"
