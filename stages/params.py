"""Typed parameters: every value of params.yaml that can change a result, checked before any work.

A wrong one is named with its file, path, value and the nearest right one.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StringConstraints, ValidationError, model_validator
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from stages.errors import UserError, nearest
from stages.sandbox.faults import FAULTS

CHARACTERISTICS = ("composition", "entity", "text", "imaginative", "style", "abstract")
"""The six characteristics (FLUX-Reason-6M, section 2.1) by their published column names: `imaginative` is the
paper's Imagination, `abstract` its Affection, `text` its Text rendering."""
DETAIL = "detail"
"""The published name of the generation chain-of-thought."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$")]
Wave = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Score = Annotated[int, Field(ge=0, le=10)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=2**31)]
Pixels = Annotated[int, Field(ge=64, le=4096)]


def _count_or_share(value: object) -> int | float:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    is_share = isinstance(value, float) and 0 <= value < 1
    if not (is_count or is_share):
        raise ValueError("a count (0, 1, 2, ...) or a share below 1 is wanted")
    return typing.cast("int | float", value)


MaxFailures = Annotated[int | float, PlainValidator(_count_or_share)]
"""How many records may fail before the stage does: a count, or a share below 1."""


class Strict(BaseModel):
    """Values that are checked: no unknown keys, no conversions, no changes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SandboxModel(Strict):
    """The embedded world; `faults` are rates at which its painter injects them."""

    kind: Literal["sandbox"]
    faults: dict[Literal[FAULTS], Share] = Field(default_factory=dict)  # type: ignore[valid-type]


class Sampling(Strict):
    """Sampling parameters as sent; what is left out is the server's default."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    guidance_scale: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    num_inference_steps: Annotated[int, Field(ge=1)] | None = None
    quality: str | None = None


class OpenAIModel(Strict):
    """A model behind an OpenAI-compatible server. Where the server is stands in run.toml, not here."""

    kind: Literal["openai"]
    id: str
    revision: str = ""
    numerics: str = ""
    sampling: Sampling = Sampling()


Model = Annotated[SandboxModel | OpenAIModel, Field(discriminator="kind")]


class Roles(Strict):
    """Which model (by slug) fills which role."""

    painter: Slug
    judge: Slug
    captioner: Slug
    translator: Slug


class SandboxSource(Strict):
    """Captions of random scenes of the embedded world."""

    kind: Literal["sandbox"]
    wave: Wave
    count: Annotated[int, Field(ge=1, le=10_000_000)]
    seed: Seed = 0


class Columns(Strict):
    """Which column of a file is what; `source_id` is optional and must be unique."""

    caption: str
    source_id: str | None = None


class FileSource(Strict):
    """Captions from a file under datasets/sources/ (.parquet, .csv, .tsv, .jsonl); at most `limit` of its rows."""

    kind: Literal["file"]
    wave: Wave
    path: Annotated[str, StringConstraints(pattern=r"^datasets/sources(/[^./][^/]*)+\.(parquet|csv|tsv|jsonl)$")]
    columns: Columns
    limit: Annotated[int, Field(ge=1)] | None = None


Source = Annotated[SandboxSource | FileSource, Field(discriminator="kind")]


class Prompts(Strict):
    """What makes a caption a prompt; a length in characters."""

    max_characters: Annotated[int, Field(ge=1)]


class Asking(Strict):
    """What every asking stage has."""

    max_failures: MaxFailures


class Synthesize(Asking):
    """Size of the pictures asked for, in pixels."""

    width: Pixels
    height: Pixels


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


class Params(Strict):
    """All of params.yaml."""

    seed: Seed
    models: dict[Slug, Model]
    roles: Roles
    sources: Annotated[list[Source], Field(min_length=1)]
    prompts: Prompts
    synthesize: Synthesize
    examine: Asking
    admit: Admit
    score: Asking
    categorize: Categorize
    proofread: Asking
    select: Select
    annotate: Asking
    translate: Asking

    @model_validator(mode="after")
    def _consistent(self) -> Params:
        for role, slug in self.roles:
            if slug not in self.models:
                raise ValueError(f"roles.{role}: no model {slug!r}{nearest(slug, self.models)}")
        waves = [source.wave for source in self.sources]
        for position, wave in enumerate(waves):
            if wave in waves[:position]:
                raise ValueError(
                    f"sources.{position}.wave: {wave!r} is taken by another source; every wave needs its own"
                )
        return self


def load(path: Path = Path("params.yaml")) -> Params:
    """Read and check a params file; a UserError with one line per mistake."""
    return check(read_yaml(path), path)


def read_yaml(path: Path) -> Any:
    """Read a YAML file as plain values; a UserError names file and line of what cannot be read."""
    try:
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file: run this in the project's top folder") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise UserError(f"{path}, line {line}: {error.problem}") from None
    except (YAMLError, ValueError, RecursionError, OSError) as error:  # ValueError: a date or number that is none
        raise UserError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None


def check(values: Any, path: Path) -> Params:
    """Check plain values; `path` is named in errors."""
    return validated(Params, values, path)


Checked = typing.TypeVar("Checked", bound=BaseModel)


def validated(model: type[Checked], values: Any, path: Path) -> Checked:
    """Validate plain values against a model; a UserError with one line per mistake."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        lines = [_line(model, dict(e), path) for e in error.errors(include_url=False)]
        raise UserError("\n".join(dict.fromkeys(lines))) from None


def _line(model: type[BaseModel], error: Mapping[str, Any], path: Path) -> str:
    """One mistake as `file: path: value …; did you mean …`."""
    location, known = _walk(model, error["loc"])
    where, value = ".".join(location), error["input"]
    if not where and error["type"] != "value_error":
        return f"{path}: has to hold keys with values, not {value!r}"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{path}: {where}: unknown key{nearest(location[-1], known)}"
    if kind == "missing":
        return f"{path}: {where}: this key is missing"
    if kind == "value_error":
        return f"{path}: {context['error']}" if not where else f"{path}: {where}: {value!r}: {context['error']}"
    if kind == "union_tag_not_found":
        return f"{path}: {where}.kind: this key is missing"
    if kind == "union_tag_invalid":
        tags = [tag.strip(" '") for tag in context["expected_tags"].split(",")]
        return f"{path}: {where}.kind: unknown kind {context['tag']!r}{nearest(context['tag'], tags)}"
    if kind == "literal_error":
        choices = [choice.strip(" '") for choice in context["expected"].replace(" or ", ",").split(",")]
        name = where.removesuffix(".[key]")
        return f"{path}: {name}: {value!r} is not known{nearest(value, choices)}"
    if location[-1:] == ["key_variable"]:  # somebody may have put the key itself there
        return f"{path}: {where}: the name of an environment variable is wanted, such as MY_KEY"
    if location[-1:] == ["url"]:  # the same
        return f"{path}: {where}: http(s)://host:port/path is wanted, without user, password or query"
    if kind == "string_pattern_mismatch":
        return f"{path}: {where.removesuffix('.[key]')}: {value!r} does not match {context['pattern']}"
    message = error["msg"][0].lower() + error["msg"][1:]
    return f"{path}: {where}: {value!r} is not right: {message}"


def _walk(model: Any, location: Sequence[str | int]) -> tuple[list[str], list[str]]:
    """Follow an error's location: return it without union tags, and the keys that are known where it ends."""
    path: list[str] = []
    known: list[str] = []
    for step in location:
        model = _unwrap(model)
        members = [_unwrap(m) for m in typing.get_args(model)] if _is_union(model) else []
        tagged = [m for m in members if isinstance(m, type) and step in _tags(m)]
        if tagged:
            model = tagged[0]
            continue
        if members:  # a plain union adds its member's name to the location
            continue
        path.append(str(step))
        if isinstance(model, type) and issubclass(model, BaseModel):
            known = list(model.model_fields)
            field = model.model_fields.get(str(step))
            model = field.annotation if field else None
        else:
            arguments = typing.get_args(model)
            model = arguments[-1] if arguments else None
    return path, known


def _unwrap(annotation: Any) -> Any:
    while typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    return annotation


def _is_union(annotation: Any) -> bool:
    return isinstance(annotation, type(int | str)) or typing.get_origin(annotation) is typing.Union


def _tags(model: type) -> tuple[Any, ...]:
    if not issubclass(model, BaseModel) or "kind" not in model.model_fields:
        return ()
    return typing.get_args(model.model_fields["kind"].annotation)
