"""All of params.yaml: the dataset's part, the parts of benchmarks with a block, and what can be published."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from gamut.dataset import steps as dataset
from gamut.evaluation.construction.parameters import Params as Proposing
from gamut.evaluation.curating.benchmarks import NAMES, curations
from gamut.evaluation.defining import parameters as evaluation
from gamut.evaluation.defining.parameters import BY_ITSELF
from gamut.evaluation.defining.settings import played_rewriter
from gamut.pipeline.studies import studies
from gamut.project.errors import UserError, in_one_line, nearest_choice
from gamut.project.pipeline import EDITIONS, PARAMS
from gamut.project.roles import RoleModel
from gamut.project.validation import Strict, check_values, read_yaml

DATASET = "dataset"
PRODUCTS = (DATASET, *NAMES)
"""What can be published as a version, by name."""
PAGES = "pages"
UNTITLED = {DATASET: "A text-to-image reasoning dataset", PAGES: "What was built and measured"}
"""Titles of a dataset and of pages without a title; an edition has the title of its benchmark."""


def pattern_validator(pattern: str, wanted: str) -> AfterValidator:

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{wanted} is expected")
        return text

    return AfterValidator(check)


def one_line(text: str) -> str:
    if text != text.strip() or not text or any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in text):
        raise ValueError("one line of text is expected")
    return text


NUMBER = r"(0|[1-9][0-9]*)"
IDENTIFIER = rf"({NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = rf"{NUMBER}\.{NUMBER}\.{NUMBER}(-{IDENTIFIER}(\.{IDENTIFIER})*)?"
RepoId = Annotated[
    str, pattern_validator(r"(?=.{3,96}$)[\w.-]+/[\w.-]+", "a repository's name without address, org/name,")
]
SemanticVersion = Annotated[str, pattern_validator(VERSION, "major.minor.patch without v, such as 0.1.0,")]
"""As defined by semver.org: major.minor.patch, and optionally a pre-release such as -rc.1."""
LicenceId = Annotated[
    str, pattern_validator(r"[a-z0-9][a-z0-9.+-]*", "an identifier of the Hub in small letters, such as cc-by-4.0,")
]
"""An identifier from the Hub's list, such as cc-by-4.0; `other` for a licence that is not in the list."""
Line = Annotated[str, AfterValidator(one_line)]
Address = Annotated[str, pattern_validator(r"https?://[^\s@]+", "http(s)://host/path without user or password")]
Rank = tuple[bool, int, str]


def precedence(version: str) -> tuple[list[Rank], bool, list[Rank]]:
    """Return a key for the order of semver.org: 1.0.0-alpha < 1.0.0-rc.2 < 1.0.0-rc.10 < 1.0.0."""
    core, _, before = version.partition("-")
    numbers, words = ([identifier_rank(part) for part in parts.split(".")] for parts in (core, before))
    return numbers, not before, words


def identifier_rank(identifier: str) -> Rank:
    """Order numbers by their value, and before words; a number of more digits is larger."""
    is_word = not identifier.isdecimal()
    return is_word, 0 if is_word else len(identifier), identifier


class Publication(Strict):
    """How one product is published; a person must name `repo` and `license`. Without `title`, `Everything.publication`
    gives one. `project` is the address of the project.
    """

    repo: RepoId | None = None
    version: SemanticVersion = "0.1.0"
    title: Line = ""
    license: LicenceId | None = None
    license_name: LicenceId | None = None
    license_link: Line | None = None
    authors: list[Line] = Field(default_factory=list)
    project: Address | None = None

    @model_validator(mode="after")
    def _licensed(self) -> Publication:
        named = (self.license_name, self.license_link)
        if self.license == "other" and None in named:
            raise ValueError("license: other needs `license_name` and `license_link`, so that a reader finds its text")
        if self.license != "other" and named != (None, None):
            raise ValueError("`license_name` and `license_link` belong to `license: other`")
        return self

    @property
    def tag(self) -> str:
        return f"v{self.version}"


class Publish(Strict):
    publish: dict[Literal[(*PRODUCTS, PAGES)], Publication] = Field(default_factory=dict)  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _pages_have_no_version(self) -> Publish:
        if PAGES in self.publish and (odd := self.publish[PAGES].model_fields_set & {"version", "authors"}):
            raise ValueError(f"publish.pages: leave `{min(odd)}` out: a Space has no versions, only the latest pages")
        return self


@dataclass(frozen=True)
class Everything:
    """The parts of params.yaml. `benchmarks` and `studies` have those with a block; `proposing` those of `EDITIONS`."""

    dataset: dataset.Params
    benchmarks: Mapping[str, evaluation.Params]
    publish: Mapping[str, Publication]
    proposing: Mapping[str, Proposing]
    studies: Mapping[str, Any]

    @property
    def contestants(self) -> Mapping[str, evaluation.Contestant]:
        return next((params.contestants for params in self.benchmarks.values()), {})

    def publication(self, product: str) -> Publication:
        found = self.publish.get(product, Publication())
        if found.title:
            return found
        title = UNTITLED[product] if product in UNTITLED else curations()[product].benchmark.title
        return found.model_copy(update={"title": title})

    def benchmark(self, name: str) -> evaluation.Params:
        if name not in self.benchmarks:
            raise UserError(f"{PARAMS}: the key {name} is missing: profiles/laptop.yaml has an example")
        return self.benchmarks[name]

    def edition(self, benchmark: str) -> str:
        edition: str = curations()[benchmark].benchmark.block(self.benchmark(benchmark)).edition
        return edition

    def role_models(self) -> list[RoleModel]:
        models, roles = self.dataset.models, self.dataset.roles.filled()
        players = [RoleModel(role, slug, models[slug]) for role, slug in roles.items()]
        players += [player for params in self.proposing.values() for player in params.players()]
        players += [player for name, params in self.studies.items() for player in studies()[name].players(params)]
        for benchmark, params in self.benchmarks.items():
            block = curations()[benchmark].benchmark.block(params)
            for slug, contestant in curations()[benchmark].benchmark.contestants(params).items():
                players += evaluation.roles_of(slug, contestant)
            if block.contestants:
                players += [RoleModel("judge", slug, models[slug]) for slug in block.judges]
                players += [RoleModel(role, slug, models[slug]) for role, of in block.observers.items() for slug in of]
                players += [played_rewriter(params, rewriter) for rewriter in block.all_rewriters]
                players += [RoleModel("writer", slug, params.models[slug]) for slug in block.writers]
        return list({(role_model.role, role_model.slug): role_model for role_model in players}.values())


def load_everything(path: Path = PARAMS) -> Everything:
    return check_everything(read_yaml(path), path)


def check_everything(values: Any, path: Path) -> Everything:
    if not isinstance(values, Mapping):
        check_values(dataset.Params, values, path)
    mistakes: dict[str, None] = {}

    def checked(model: Any) -> Any:
        try:
            return check_values(model, values, path)
        except UserError as error:
            mistakes.update(dict.fromkeys(str(error).splitlines()))

    there = read_yaml(EDITIONS) if EDITIONS.is_file() else {}
    proposing = {
        name: curation.proposing for name, curation in curations().items() if curation.proposing and name in there
    }
    everything = Everything(
        checked(dataset.Params),
        {name: checked(curation.benchmark.params) for name, curation in curations().items() if name in values},
        getattr(checked(Publish), "publish", {}),
        {name: checked(model) for name, model in proposing.items()},
        {name: checked(study.params) for name, study in studies().items() if values.get(name) is not None},
    )
    for key in there.keys() - proposing.keys():
        mistakes[f"{EDITIONS}: {in_one_line(key)}: unknown key{nearest_choice(key, proposing)}"] = None
    models: list[type[Strict]] = [
        dataset.Params,
        Publish,
        *(curation.benchmark.params for curation in curations().values()),
        *(study.params for study in studies().values()),
    ]
    known = {key for model in models for key in model.model_fields}
    for key in values:
        if key not in known:
            mistakes[f"{path}: {in_one_line(key)}: unknown key{nearest_choice(key, known)}"] = None
    if not mistakes:
        mistakes.update(dict.fromkeys(f"{path}: {mistake}" for mistake in unknown_settings(everything)))
    if mistakes:
        raise UserError("\n".join(mistakes))
    return everything


def unknown_settings(everything: Everything) -> Iterator[str]:
    """Yield complaints about contestants' settings: benchmarks and settings that do not exist."""
    settings_by_contestant = {
        (slug, benchmark): settings
        for params in everything.benchmarks.values()
        for slug, contestant in params.contestants.items()
        for benchmark, settings in contestant.settings.items()
    }
    for (slug, name), settings in settings_by_contestant.items():
        where = f"contestants.{slug}.settings.{in_one_line(name)}"
        if name not in NAMES:
            yield f"{where}: this benchmark does not exist{nearest_choice(name, NAMES)}"
        elif name in everything.benchmarks:
            benchmark = curations()[name].benchmark
            block = benchmark.block(everything.benchmarks[name])
            known = evaluation.nameable_settings(benchmark.settings(block), benchmark.other_settings)
            for setting in settings:
                if (
                    setting == BY_ITSELF
                    and benchmark.rewriting
                    and (own := f"contestants.{slug}") not in block.rewriters
                ):
                    yield f"{where}: it rewrites nothing for setting {setting!r}: put {own} into {name}.rewriters"
                elif setting not in known:
                    yield f"{where}: there is no setting {setting!r}{nearest_choice(setting, known)}"
