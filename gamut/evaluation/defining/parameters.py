"""The parameters that all benchmarks share: which contestants are measured.

A contestant's model is in its own block, so that changing it affects no other contestant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from gamut.evaluation.defining.measures import Metric
from gamut.project.budgets import MaxFailures
from gamut.project.errors import nearest_choice
from gamut.project.model_kinds import Model, SandboxModel, Slug, UnifiedModel
from gamut.project.parameters import AskingParameters, PaintingParameters, Shared
from gamut.project.pipeline import BENCHMARKS, PIPELINE, axes, value_at
from gamut.project.roles import (
    ABLE,
    NO_PAINTING,
    ROLES_IN_PAIR,
    ROLES_OF,
    TASKS_OF,
    Played,
    RoleModel,
    RolePair,
    Task,
    lacks_painting,
)
from gamut.project.validation import Strict, require_distinct

CONTROL = "control_"
"""The prefix of names of the judges' controls."""
CORRELATION, VALIDATION = "correlation", "validation"
"""Keys of boards that are used in place of a contestant's name."""
Language = Literal["en", "zh"]
Version = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$")]


Languages = Annotated[list[Language], Field(min_length=1), AfterValidator(require_distinct)]
Settings = Annotated[list[str], Field(min_length=1), AfterValidator(require_distinct)]


Rewriter = Annotated[str, StringConstraints(pattern=r"^(models|contestants)\.[a-z0-9_]+$")]
"""A place in params.yaml: `models.gpt` rewrites prompts for all contestants, `contestants.bagel` only for itself."""
BY_ITSELF = "by_itself"
"""The setting in which each contestant gets the prompts that it rewrote itself."""


REWRITTEN, DESCRIBED = "by_", "exhaustive_"
"""Prefixes of settings whose prompts a model rewrote, or described; its slug follows."""
DESCRIBERS = "describers"
"""Used in place of `models` if the model describes: `describers.gpt`."""


def setting_of(rewriter: str) -> str:
    group, slug = rewriter.split(".")
    return BY_ITSELF if group == "contestants" else f"{DESCRIBED if group == DESCRIBERS else REWRITTEN}{slug}"


PAIR_TASKS = {"models.text": "writes", "models.image": "paints and edits"}
"""What the models of a pair do, by their place in its block."""


class Pair(Strict):
    """Two models that answer as one contestant: `text` writes, `image` paints."""

    text: Model
    image: Model


class Contestant(Strict):
    """A contestant: a model, or pair of models, that is measured.

    Its `class` is what it can do, and `tasks` which of that it does. It may be asked only in some `settings`, by
    benchmark. It has `samples` answers per item, if the benchmark asks for more. A variant names in `variant_of` the
    contestant that it is compared with in pairs.
    """

    class_: Annotated[Literal["unified", "generation", "editing", "understanding"], Field(alias="class")]
    tasks: Annotated[list[Task], Field(min_length=1), AfterValidator(require_distinct)] | None = None
    model: Model | None = None
    models: Pair | None = None
    settings: dict[str, Settings] = Field(default_factory=dict)
    samples: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    variant_of: Slug | None = None
    max_failures: MaxFailures | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Contestant:
        if (self.model is None) == (self.models is None):
            raise ValueError("either `model: …` or, for a pair, `models: {text: …, image: …}` is expected")
        if self.models is not None and self.class_ != "unified":
            raise ValueError(f"a pair writes and paints: its class must be unified, not {self.class_}")
        models = [self.model] if self.models is None else [self.models.text, self.models.image]
        if any(isinstance(model, SandboxModel) and model.judging for model in models):
            raise ValueError("`judging` sets how a judge errs, but a contestant judges nothing: leave it out")
        if beyond := [task for task in self.tasks or () if task not in TASKS_OF[self.class_]]:
            raise ValueError(f"tasks: class {self.class_} does not do {beyond[0]!r}: name another class")
        if isinstance(self.model, UnifiedModel) and "interleaved" in self.abilities:
            raise ValueError(
                "a model of kind unified answers with a text or a picture, never with both: write `tasks: "
                "[understanding, generation]`, with `editing` if it edits; two models as a pair do `interleaved`"
            )
        return self

    @property
    def abilities(self) -> frozenset[Task]:
        return TASKS_OF[self.class_] if self.tasks is None else frozenset(self.tasks)

    @property
    def paints_from_words(self) -> bool:
        """Whether it paints without seeing pictures: class generation, and kind unified that does not edit."""
        painter = self.models.image if self.models else self.model
        return self.class_ == "generation" or (isinstance(painter, UnifiedModel) and "editing" not in self.abilities)

    def settings_in(self, benchmark: str, measured: Sequence[str]) -> list[str]:
        named = self.settings.get(benchmark, measured)
        return [setting for setting in measured if setting in named]


def nameable_settings(measured: Sequence[str], others: Sequence[str] = ()) -> list[str]:
    """Return the settings that may be named: `measured`, `others`, and all languages if one is measured."""
    languages = get_args(Language) if {*measured} & {*get_args(Language)} else ()
    return list(dict.fromkeys([*measured, *others, *languages]))


class Member(NamedTuple):
    """One model of a contestant: its place in the contestant's block, its slug in run.toml, and its roles."""

    place: str
    slug: str
    model: Model
    roles: Sequence[str]


def members(slug: str, contestant: Contestant) -> list[Member]:
    def played(roles: Sequence[str]) -> list[str]:
        return [role for role in roles if role != "editor" or "editing" in contestant.abilities]

    if contestant.model is not None:
        return [Member("model", slug, contestant.model, played(ROLES_OF[contestant.class_]))]
    return [
        Member(f"models.{half}", f"{slug}_{half}", model, played(ROLES_IN_PAIR[half]))
        for half, model in contestant.models or ()
    ]


def player_of(slug: str, contestant: Contestant, role: str) -> Played:
    players = [RoleModel(role, member.slug, member.model) for member in members(slug, contestant)]
    return players[0] if contestant.models is None else RolePair(role, slug, *players)


def roles_of(slug: str, contestant: Contestant) -> list[RoleModel]:
    found = members(slug, contestant)
    return [RoleModel(role, member.slug, member.model) for member in found for role in member.roles]


def writer_of(slug: str, contestant: Contestant) -> RoleModel | None:
    """Return the model of a contestant that writes; None if its class does not."""
    writing = (member for member in members(slug, contestant) if "captioner" in member.roles)
    return next((RoleModel("writer", member.slug, member.model) for member in writing), None)


class AnsweringParameters(PaintingParameters):
    """How contestants are asked: `samples` answers to each item, and the picture size if an item names none."""

    samples: Annotated[int, Field(ge=1, le=100)] = 1


MAX_UNJUDGED = 0.05
"""The default share of a contestant's answers that a judge may leave unjudged."""


class JudgingParameters(AskingParameters):
    """`one_by_one`: each statement of a checklist in a call of its own. `max_failures`: how many answers a judge may
    fail to reach. `max_unjudged`: the largest share of a contestant's answers without a verdict; with more it has no
    rank.
    """

    one_by_one: bool = False
    max_unjudged: Annotated[float, Field(ge=0, lt=1)] = MAX_UNJUDGED


ObserverRole = Literal["detector", "reader", "image_embedder"]
"""Roles of observers that are models but not judges."""
Observers = Annotated[list[Slug], Field(min_length=1), AfterValidator(require_distinct)]
"""The first one counts. Further ones are compared with it."""
PANEL = "observers"
"""The panel of the first observer of every role, if a benchmark has no judges."""
STAGE_OF: Mapping[str, str] = {"detector": "detect", "reader": "read", "image_embedder": "embed"}
"""The stage in which an observer of a role looks at answers, and at controls."""
RULES = "rules"
"""The role of a rule that finds something in pixels or words without a model."""


class BenchmarkParameters(Strict):
    """What every benchmark's block has: the `contestants` that are measured, and who looks at their answers.

    Observers, by role, count on every board. Without judges, the first of every role are the panel `observers`, and
    each further one makes a panel with its own name. Answers of `controls_of` are also degraded. Prompts are rewritten
    by `rewriters` and `describers`. At most one of `writers` adds what items lack, since all contestants get the same.
    """

    edition: Version
    contestants: Annotated[list[Slug], AfterValidator(require_distinct)]
    judges: Annotated[list[Slug], AfterValidator(require_distinct)] = Field(default_factory=list)
    observers: dict[ObserverRole, Observers] = Field(default_factory=dict)
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    controls_of: Annotated[list[Slug], AfterValidator(require_distinct)]
    rewriters: Annotated[list[Rewriter], AfterValidator(require_distinct)] = Field(default_factory=list)
    describers: Annotated[list[Slug], AfterValidator(require_distinct)] = Field(default_factory=list)
    writers: Annotated[list[Slug], Field(max_length=1)] = Field(default_factory=list)
    answer: AnsweringParameters
    judge: JudgingParameters = Field(default_factory=JudgingParameters)

    @model_validator(mode="after")
    def _somebody_looks_at_answers(self) -> BenchmarkParameters:
        if not self.judges and not self.observers:
            raise ValueError("there are neither judges nor observers: name at least one")
        if self.judges and (several := [role for role, of in self.observers.items() if len(of) > 1]):
            raise ValueError(f"observers.{several[0]}: next to judges, only one observer of a role counts: name one")
        if not self.judges and (self.repeats > 1 or self.judge.one_by_one):
            raise ValueError("repeats and judge.one_by_one concern judges, but there are none: leave them out")
        return self

    @property
    def for_people(self) -> Self:
        """The parameters for the questions to people, if judges may get other questions."""
        return self

    @property
    def judged_by(self) -> list[str]:
        others = [slug for of in self.observers.values() for slug in of[1:]]
        return [*self.judges] or list(dict.fromkeys([PANEL, *others]))

    def words_before_judge(self, metric: Metric) -> str:
        """The words before the name of a board's judge: panels of observers, and rules, do not judge."""
        return "judged by" if self.judges and not metric.by else "observed by"

    def observers_for(self, judge: str) -> dict[ObserverRole, Slug]:
        return {role: judge if judge in of[1:] else of[0] for role, of in self.observers.items()}

    @property
    def rewritten_settings(self) -> list[str]:
        """Return the settings whose prompts are rewritten: `by_<slug>`, `by_itself`, `exhaustive_<slug>`."""
        return list(dict.fromkeys(map(setting_of, self.all_rewriters)))

    @property
    def all_rewriters(self) -> list[str]:
        """Return all that rewrite or describe: `models.<slug>`, `contestants.<slug>`, `describers.<slug>`."""
        return [*self.rewriters, *(f"{DESCRIBERS}.{slug}" for slug in self.describers)]


class Params(Shared):
    """The part of params.yaml that every benchmark reads. A subclass adds its own block, under its name."""

    contestants: dict[Slug, Contestant] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _contestants_are_able(self) -> Params:
        for where, problem in _mistakes_in_contestants(self):
            raise ValueError(f"{where}: {problem}")
        return self

    @model_validator(mode="after")
    def _blocks_name_what_is_there(self) -> Params:
        for name, block in self:
            if isinstance(block, BenchmarkParameters):
                for number, slug in enumerate(block.judges):
                    self._require_able(f"{name}.judges.{number}", slug, "judge")
                    if slug in {*get_args(ObserverRole), RULES}:
                        both = f"{slug!r} is an observer's role too, and both would have the same folder"
                        raise ValueError(f"{name}.judges.{number}: {both}: give the model another name")
                for role, slugs in block.observers.items():
                    for number, slug in enumerate(slugs):
                        self._require_able(f"{name}.observers.{role}.{number}", slug, role)
                        if number and slug == PANEL:
                            raise ValueError(f"{name}.observers.{role}.{number}: {slug!r} is a panel's name: rename it")
                self._require_contestants(f"{name}.contestants", block.contestants)
                self._require_contestants(f"{name}.controls_of", block.controls_of)
                for number, slug in enumerate(block.controls_of):
                    if slug not in block.contestants:
                        there = f"{slug!r} is not measured here: add it to {name}.contestants"
                        raise ValueError(f"{name}.controls_of.{number}: {there}")
                for number, rewriter in enumerate(block.rewriters):
                    self._require_rewriter(f"{name}.rewriters.{number}", rewriter)
                for key in ("describers", "writers"):
                    for number, slug in enumerate(getattr(block, key)):
                        self._require_able(f"{name}.{key}.{number}", slug, "writer")
        return self

    @model_validator(mode="after")
    def _stages_ask_whom_blocks_name(self) -> Params:
        for name, block in self:
            if isinstance(block, BenchmarkParameters) and (file := BENCHMARKS / name / PIPELINE).is_file():
                values = {name: block.model_dump(exclude_unset=True)}
                roles = (f"{name}.observers.{role}" for role in get_args(ObserverRole))
                askable = {key for key in axes(file) if key.startswith(f"{name}.")}
                asking = (f"{name}.{key}" for key in ("judges", "rewriters", "describers", "writers"))
                for key in (*asking, *roles):
                    if value_at(values, key) and key not in askable:
                        raise ValueError(f"{key}: no stage of {file} asks its models: leave it out")
                for key in sorted(askable):
                    if value_at(values, key) is None:
                        raise ValueError(f"{key}: this key is missing: name the models for {file}, or []")
        return self

    def _require_rewriter(self, where: str, rewriter: str) -> None:
        group, slug = rewriter.split(".")
        if group == "models":
            self._require_able(where, slug, "writer")
            if setting_of(rewriter) == BY_ITSELF:
                raise ValueError(
                    f"{where}: its setting would be {BY_ITSELF}, which has another meaning: rename the model"
                )
            return
        if slug not in self.contestants:
            raise ValueError(f"{where}: no contestant {slug!r}{nearest_choice(slug, self.contestants)}")
        writer = writer_of(slug, self.contestants[slug])
        if writer is None:
            raise ValueError(f"{where}: {slug!r} is of class {self.contestants[slug].class_}, which does not write")
        if writer.model.kind == "folder":
            raise ValueError(f"{where}: {slug!r} has answers made elsewhere, so it cannot rewrite: remove it")

    def _require_contestants(self, where: str, contestants: Sequence[str]) -> None:
        for number, slug in enumerate(contestants):
            if slug not in self.contestants:
                raise ValueError(f"{where}.{number}: no contestant {slug!r}{nearest_choice(slug, self.contestants)}")


def _mistakes_in_contestants(params: Params) -> Iterator[tuple[str, str]]:
    """Yield where a contestant has a wrong name, or cannot do what it is asked for, and why."""
    models, contestants = params.models, params.contestants
    for slug, contestant in contestants.items():
        if slug in (CORRELATION, VALIDATION) or slug.startswith(CONTROL):
            yield f"contestants.{slug}", f"{slug!r} means something else on boards: choose another name"
        if slug in models:
            yield f"contestants.{slug}", f"{slug!r} is a model's slug too, which confuses run.toml: rename one of them"
        if contestant.variant_of is not None and contestant.variant_of not in contestants.keys() - {slug}:
            others = contestants.keys() - {slug}
            yield (
                f"contestants.{slug}.variant_of",
                f"no contestant {contestant.variant_of!r}{nearest_choice(contestant.variant_of, others)}",
            )
        for member in members(slug, contestant):
            where = f"contestants.{slug}.{member.place}"
            if member.slug != slug and member.slug in {*models, *contestants}:
                yield where, f"run.toml calls it {member.slug!r}, which is another's slug too: rename one of them"
            able = set.intersection(*(set(ABLE[role]) for role in member.roles))
            if member.model.kind not in able:
                pair = contestant.models is not None
                what = f"no model that {PAIR_TASKS[member.place]}" if pair else f"no {contestant.class_} model"
                wanted = ", ".join(sorted(able))
                yield f"{where}.kind", f"{member.model.kind!r} is {what}: one of {wanted} is expected"
            if lacks_painting(member.model, member.roles):
                yield where, NO_PAINTING
