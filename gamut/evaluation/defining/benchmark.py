"""What a benchmark is: one record, in the benchmark's folder, for the stages and commands that all benchmarks share.

It has plain data and pure functions: the contestants' tasks, the judge's questions, and the reported values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from gamut.asking.questions import Question
from gamut.asking.requests import Part
from gamut.evaluation.defining.editions import Item, path_of, read_edition
from gamut.evaluation.defining.measures import Joint, Linear, Metric, PaperTable, Place, Resampled, Scale
from gamut.evaluation.defining.parameters import DESCRIBED, RULES, BenchmarkParameters, Contestant, Params, setting_of
from gamut.evaluation.defining.pictures import EditionPictures, pictures_of, stand_ins
from gamut.evaluation.defining.questions import Check, JudgeQuestion, Pictures, Prompt, Writing, order_mistake
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import sha256_of

NAME = re.compile(r"[A-Za-z0-9_-]+")
"""The form of names of benchmarks, strata, measures, settings, metrics and reported values: parts of keys and ids."""
RESERVED = {
    *("answered", "contestant", "coverage", "judged", "judged_share", "left_out", "not_asked", "rank_best"),
    *("rank_worst", "spec", "tie_group"),
}
RESERVED_ENDINGS = ("_lo", "_hi", "_n", "_scored")
PROPOSING = "propose"
"""The key of a block that is about new items. Measuring does not read it."""


Block = TypeVar("Block", bound=BenchmarkParameters)
Kind = TypeVar("Kind", bound=Item)


class Rewriting(NamedTuple):
    """A question whose reply has a `prompt` in other words, and its fields of an item."""

    question: Question
    fields: Callable[[Any], Mapping[str, str]] = lambda item: {"prompt": item.prompt}


def ask_nothing(block: Any, item: Any, setting: str) -> Sequence[JudgeQuestion]:
    """The judge questions of a benchmark without judges: observers look at all answers."""
    return ()


class ReleasedArithmetic(NamedTuple):
    """A module whose function `released` writes metric files from all measured values, and their `plots`."""

    module: str
    plots: Mapping[str, Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class Benchmark(Generic[Block, Kind]):
    """A benchmark, as stages and commands see it.

    * `name`: of its folder in stages/ and of its block in params.yaml. `title`: for people. `about`: what it measures.
    * `params`, `item`: the classes of its part of params.yaml and of its items.
    * `settings`: forms in which items are asked, such as languages. `settings_of`: those of an item, by default all.
      `other_settings`: names that are allowed but not measured now. `published_settings`: those of answers in the
      published layout, which names no setting.
    * `prompt`: what a contestant gets for an item in a setting, and answers with. Only contestants of a fitting class
      are asked.
    * `reference`: a right answer, if one is known. As a control of judges it must score high.
    * `strata`: each item is in one (`stratum`). Their sizes are fixed, and the bootstrap draws within them.
    * `groups`: those in which an item's scores count, any number; by default its stratum.
    * `measures`: what answers are judged for, with scales.
    * `judge_questions`: what a judge is asked about an answer, as often as the item needs. The block may change the
      words, and has other words for people (`for_people`).
    * `checks`: what observers that are not judges find, in the roles `observers`. `rules` need no model.
    * `joint`: measures of a sample in two settings together, for contestants that were asked in both.
    * `conditional`: by measure, the item's values, from 0, that count only if another one is above 0
      (`scoring.conditions`).
    * `rewriting`, `describing`: how models rewrite or fully describe an item's prompt, in the block's
      `rewritten_settings`. `prompt` then gets the item with that prompt; the wanted modalities may not depend on its
      words.
    * `writing`: how the block's `writers` are asked for what items lack.
    * `metrics`: what is reported, of one setting or several; the highest value ranks first.
    * `tables`: those of its paper. `printed`: the file of the paper's values.
    * `agreement_by`: the group of an item within which agreement is also computed.
    * `labelled_by`: groups within which answers are drawn for labels, if they are finer than the strata.
    * `remarks`: lines that readers of its boards must know, such as whose words judges are asked in.
    * `keys`: the block's own keys, each with the stages that read it: `answer`, `judge`, `board`.
    * `pictured`: whether items may have pictures. `released`: what else the board computes, as the authors' code does.
    * `stages`: modules of its folder that are stages, each with its ENTRY.
    """

    name: str
    title: str
    params: type[Params]
    item: type[Kind]
    settings: Callable[[Block], Sequence[str]]
    prompt: Callable[[Block, Kind, str, Pictures], Prompt]
    strata: Sequence[str]
    stratum: Callable[[Kind], str]
    measures: Mapping[str, Scale]
    metrics: Callable[[Block], Sequence[Metric]]
    tables: Callable[[Block], Sequence[PaperTable]] = lambda block: ()
    printed: str = ""
    about: str = ""
    judge_questions: Callable[[Block, Kind, str], Sequence[JudgeQuestion]] = ask_nothing
    settings_of: Callable[[Kind, Sequence[str]], Collection[str]] | None = None
    groups: Callable[[Kind], Collection[str]] | None = None
    reference: Callable[[Kind, str, Pictures], Sequence[Part]] = lambda item, setting, pictures: ()
    checks: Callable[[Kind, str], Sequence[Check]] = lambda item, setting: ()
    observers: Sequence[str] = ()
    joint: Sequence[Joint] = ()
    conditional: Callable[[Kind], Mapping[str, Collection[int]]] = lambda item: {}
    agreement_by: Callable[[Kind], str] | None = None
    labelled_by: Callable[[Kind], str] | None = None
    other_settings: Sequence[str] = ()
    published_settings: Sequence[str] = ()
    rewriting: Rewriting | None = None
    describing: Rewriting | None = None
    writing: Writing | None = None
    remarks: Callable[[Block], Sequence[str]] = lambda block: ()
    keys: Mapping[str, Collection[str]] = field(default_factory=dict)
    pictured: bool = True
    released: ReleasedArithmetic | None = None
    stages: Sequence[str] = ()
    fitting: set[tuple[str, str]] = field(default_factory=set, init=False, repr=False, compare=False)
    """Editions, by sha256, whose items were found to fit, each with the block's parameters."""

    def __post_init__(self) -> None:
        if self.name not in self.params.model_fields:
            raise UserError(f"{self.title}: params has no field {self.name!r}, the benchmark's block of params.yaml")
        for name in (self.name, *self.strata, *self.measures):
            if mistake := misnamed(name):
                raise UserError(f"{self.title}: {mistake}")
            if name == "overall":
                raise UserError(f"{self.title}: {name!r} means something else in metrics: choose another name")
        block = self.params.model_fields[self.name].annotation
        own = {*getattr(block, "model_fields", ())} - {*BenchmarkParameters.model_fields, PROPOSING}
        if odd := own ^ {*self.keys}:
            raise UserError(f"{self.title}: {min(odd)!r} has to be both a field of the block and one of `keys`")
        if both := set(self.strata) & set(self.measures):
            raise UserError(f"{self.title}: {min(both)!r} is a stratum and a measure: rename one of them")

    @property
    def observed(self) -> Mapping[str, Scale]:
        joint = {one.measure for one in self.joint}
        return {measure: scale for measure, scale in self.measures.items() if measure not in joint}

    def joint_of(self, measure: str) -> Joint | None:
        return next((one for one in self.joint if one.measure == measure), None)

    @property
    def answers(self) -> Path:
        return Path("datasets", self.name, "answers")

    @property
    def rewritten(self) -> Path:
        return Path("datasets", self.name, "rewritten")

    @property
    def written(self) -> Path:
        return Path("datasets", self.name, "written")

    @property
    def judgments(self) -> Path:
        return Path("datasets", self.name, "judgments")

    @property
    def asks_judges(self) -> bool:
        return self.judge_questions is not ask_nothing

    @property
    def has_observers(self) -> bool:
        return any(role != RULES for role in self.observers)

    @property
    def rules(self) -> bool:
        return RULES in self.observers

    def judgments_of(self, contestant: str, place: str) -> Path:
        """Return the folder of judgments of answers and controls. `place`: a judge, `<role>/<observer>`, or `rules`."""
        if place == RULES:
            return Path("datasets", self.name, RULES, contestant)
        return self.judgments / contestant / place

    def answer_judgments(self, contestant: str, place: str) -> Path:
        return self.judgments_of(contestant, place) / "answers"

    def control_judgments(self, contestant: str, place: str) -> Path:
        return self.judgments_of(contestant, place) / "controls"

    @property
    def scores(self) -> Path:
        return Path("datasets", self.name, "scores")

    def block(self, params: Params) -> Block:
        block: Block = getattr(params, self.name)
        return block

    def contestants(self, params: Params) -> dict[str, Contestant]:
        return {name: params.contestants[name] for name in self.block(params).contestants}

    def edition(self, params: Params) -> Path:
        return path_of(self.name, self.block(params).edition)

    def frozen_items(self, params: Params) -> list[Kind]:
        return read_edition(self.name, self.block(params).edition, self.item)

    def items(self, params: Params) -> list[Kind]:
        """Return the edition's items, with the writers' additions. UserError if it cannot be read, or an item does not
        fit.
        """
        block, items = self.block(params), self.frozen_items(params)
        settings = self.settings(block)
        seen = sha256_of(self.edition(params)), block.model_dump_json(exclude={"contestants", "controls_of"})
        if self.writing:
            items = self.writing.with_replies(items, [self.written / writer for writer in block.writers])
        if seen in self.fitting and not block.writers:
            return items
        if wrong := [setting for setting in settings if not NAME.fullmatch(setting)]:
            raise UserError(f"{self.name}: {wrong[0]!r} cannot be a setting: use letters, digits, '_' and '-'")
        for rewriter in block.all_rewriters:
            if (setting := setting_of(rewriter)) not in settings or self.rewriting_on(setting) is None:
                place = f"{self.name}.{'describers' if setting.startswith(DESCRIBED) else 'rewriters'}"
                raise UserError(f"{self.name}: there is no setting {setting!r}: remove its rewriter from {place}")
        self.metrics_in(params)  # a wrong metric is reported before any model is asked
        for item in items:
            if mistake := self.misfit(item, settings, block):
                raise self.misfit_error(params, item, mistake)
        self.fitting.add(seen)
        return items

    def require_watched(self, params: Params) -> list[Kind]:
        """Return the items. UserError if an item's answers would have no judge or observer. Only `gamut check` and the
        board ask this: so another judge's name does not rerun stages that ask contestants.
        """
        block = self.block(params)
        settings, items = self.settings(block), self.items(params)
        for item in items:
            if mistake := self.missing_observer(item, settings, block):
                raise self.misfit_error(params, item, mistake)
        return items

    def misfit_error(self, params: Params, item: Kind, mistake: str) -> UserError:
        return UserError(f"{self.edition(params)}: item {item.id!r} does not fit {self.name!r}: {mistake}")

    def pictures(self, params: Params) -> EditionPictures:
        return pictures_of(self.name, self.block(params).edition)

    def misfit(self, item: Kind, settings: Sequence[str], block: Any) -> str | None:
        """Return why an item cannot be measured. An unusable item need not have a valid prompt."""
        place = self.place(item)
        if place.stratum not in self.strata:
            return f"there is no stratum {place.stratum!r}{nearest_choice(place.stratum, self.strata)}"
        if not place.groups:
            return "it is in no group"
        if self.agreement_by is not None and (mistake := misnamed(self.agreement_by(item))):
            return f"its agreement: {mistake}"
        if self.settings_of is not None and (
            unknown := {*self.settings_of(item, settings)} - {*settings, *self.other_settings}
        ):
            return f"it is asked in {min(unknown)!r}, which is not a setting{nearest_choice(min(unknown), settings)}"
        for setting in self.settings_with_prompt(item, settings):
            try:
                if item.unusable is None:
                    self.prompt(block, item, setting, stand_ins(item))
                questions = self.questions_for_people(block, item, setting)
            except ValueError as error:
                return str(error)
            checks = self.checks(item, setting)
            asked = [measure for one in questions for measure in one.measures]
            asked += [measure for check in checks for measure in check.measures]
            for measure in asked:
                if measure not in self.measures:
                    nearest = nearest_choice(measure, self.measures)
                    return f"a judge is asked about {measure!r}, which is not a measure{nearest}"
                if measure not in self.observed:
                    return f"a judge is asked about {measure!r}, which follows from others"
            if not asked:
                return f"a judge is asked about nothing in setting {setting!r}"
            if mistake := order_mistake(questions):
                return f"{mistake} in setting {setting!r}"
            for one in checks:
                if one.role not in self.observers:
                    return f"its answers need an observer of role {one.role!r}: add it to `observers` of {self.title}"
        return None

    def settings_with_prompt(self, item: Kind, settings: Sequence[str]) -> list[str]:
        own = settings if self.settings_of is None else self.settings_of(item, settings)
        return [setting for setting in settings if setting in own]

    def rewriting_on(self, setting: str) -> Rewriting | None:
        return self.describing if setting.startswith(DESCRIBED) else self.rewriting

    def prompts(self, items: Iterable[Kind], settings: Sequence[str]) -> Iterator[tuple[Kind, str]]:
        listed = list(items)
        yield from (
            (item, setting)
            for setting in settings
            for item in listed
            if setting in self.settings_with_prompt(item, settings)
        )

    def missing_observer(self, item: Kind, settings: Sequence[str], block: Block) -> str | None:
        """Return what is missing: a judge, or an observer's role, that answers to the item need and no model fills."""
        if not block.judges and any(
            self.questions_for_people(block, item, setting) for setting in self.settings_with_prompt(item, settings)
        ):
            return f"its answers need a judge: name one in params.yaml, under {self.name}.judges"
        roles = [
            one.role for setting in self.settings_with_prompt(item, settings) for one in self.checks(item, setting)
        ]
        lacking = next((role for role in roles if role not in (*block.observers, RULES)), None)
        named = f"name one in params.yaml, under {self.name}.observers"
        return f"its answers need role {lacking}: {named}" if lacking else None

    def expected(self, block: Block, item: Kind, setting: str, repeats: int) -> Mapping[str, int]:
        """Return how many judgments of each measure one answer has, by one judge and all other observers."""
        seen = Counter(measure for one in self.checks(item, setting) for measure in one.measures)
        return self.judged(block, item, setting, repeats) + seen

    def judged(self, block: Block, item: Kind, setting: str, repeats: int) -> Counter[str]:
        asked = self.questions_for_people(block, item, setting)
        return Counter(measure for one in asked for measure in [*one.measures] * repeats)

    def questions_for_people(self, block: Block, item: Kind, setting: str) -> Sequence[JudgeQuestion]:
        return self.judge_questions(block.for_people, item, setting)

    def seen_by(self, block: BenchmarkParameters, judge: str) -> list[str]:
        """The folders, below a contestant's judgments, that count on the board of a judge or panel."""
        observers = [f"{role}/{slug}" for role, slug in block.observers_for(judge).items()]
        return [*([judge] if judge in block.judges else []), *observers, *([RULES] if self.rules else [])]

    def control_places(self, block: BenchmarkParameters, judge: str) -> list[str]:
        """The folders, below a contestant's controls, of the scores by a judge or panel."""
        return [judge, *([RULES] if self.rules else [])] if judge in block.judges else self.seen_by(block, judge)

    def raters(self, block: BenchmarkParameters) -> list[str]:
        others = (place for judge in block.judged_by for place in self.seen_by(block, judge))
        return list(dict.fromkeys([*block.judges, *others]))

    def questions_to_ask(self, block: Block, item: Kind, setting: str) -> list[JudgeQuestion]:
        judge_questions = self.judge_questions(block, item, setting)
        if not block.judge.one_by_one:
            return [*judge_questions]
        return [one for judge_question in judge_questions for one in judge_question.apart() or [judge_question]]

    def place(self, item: Kind) -> Place:
        stratum = self.stratum(item)
        return Place(stratum, (stratum,) if self.groups is None else tuple(self.groups(item)))

    def metrics_in(self, params: Params) -> list[Metric]:
        """Return what is reported with these parameters. UserError for a metric that contradicts the record."""
        block = self.block(params)
        try:
            metrics, settings = list(self.metrics(block)), self.settings(block)
        except ValueError as error:
            raise UserError(f"{self.name}: its metrics: {error}") from None
        for setting in chain.from_iterable(one.settings for one in self.joint):
            if setting not in (*settings, *self.other_settings):
                nearest = nearest_choice(setting, settings)
                raise UserError(f"{self.name}: a joint measure is of {setting!r}, which is not a setting{nearest}")
        for number, metric in enumerate(metrics):
            taken = [*(one.name for one in metrics[:number]), *(one.name for one in self.tables(block))]
            if metric.name in taken:
                raise UserError(f"{self.name}: two metrics, or a metric and a table, have the name {metric.name!r}")
            for table in self.tables(block):
                for value in table.values_of(metric.name) - metric.reported.keys():
                    nearest = nearest_choice(value, metric.reported)
                    raise UserError(f"{self.name}: {table.name}: {metric.name} reports no {value!r}{nearest}")
            for mistake in self.mistakes_in(metric, settings):
                raise UserError(f"{self.name}: metric {metric.name!r}: {mistake}")
        return metrics

    def headline(self, params: Params) -> tuple[Metric, str]:
        """Return the metric and judge of the board that represents the benchmark. Its value is the metric's first
        `shown`.
        """
        metric = self.metrics_in(params)[0]
        return metric, metric.boards_by(self.block(params).judged_by)[0]

    def mistakes_in(self, metric: Metric, settings: Sequence[str]) -> Iterator[str]:
        for part in (metric.name, *".".join(metric.reported).split(".")):
            if mistake := misnamed(part):
                yield mistake
        for setting in (*metric.settings, *metric.instead):
            if setting not in settings:
                yield f"there is no setting {setting!r}{nearest_choice(setting, settings)}"
        for group, setting, measure in metric.columns:
            if setting not in metric.settings:
                yield f"a column is of setting {setting!r}, but the metric's are {', '.join(metric.settings)}"
            if measure not in self.measures:
                yield f"{group!r} has no measure {measure!r}{nearest_choice(measure, self.measures)}"
            joint = self.joint_of(measure)
            if joint and (setting != joint.settings[-1] or not {*joint.settings} <= {*metric.settings}):
                both = " and ".join(joint.settings)
                yield f"{measure!r} joins {both}: the metric needs both settings, and the column the last one"
        for name in (*metric.shown, *metric.profile):
            if name not in metric.reported:
                yield f"{name!r} is shown, but not reported{nearest_choice(name, metric.reported)}"
        for name in chain.from_iterable(metric.correlated):
            if name not in metric.reported:
                yield f"{name!r} is correlated, but not reported{nearest_choice(name, metric.reported)}"
        if not metric.shown:
            yield "nothing is shown"
        elif isinstance(first := metric.reported[metric.shown[0]], Resampled):
            yield f"{metric.shown[0]!r} cannot rank, as it is not a mean of items: show another value before it"
        elif isinstance(first, Linear) and (first.factors < 0).any():
            why = "it rises when answers are missing"
            yield f"{metric.shown[0]!r} cannot rank, since {why}: show another value before it"

    def metrics_folder(self, params: Params) -> Path:
        return Path("metrics", self.name, self.block(params).edition)

    def metrics_of(self, params: Params, contestant: str) -> Path:
        return self.metrics_folder(params) / "contestants" / f"{contestant}.json"

    def strata_of(self, items: Sequence[Kind]) -> NDArray[np.int64]:
        return np.array([self.strata.index(self.stratum(item)) for item in items], np.int64)


AnyBenchmark = Benchmark[Any, Any]


def benchmark_of(name: str) -> AnyBenchmark:
    """Return a benchmark's record: the variable <NAME>, in capitals, in stages/<name>/shared/benchmark.py."""
    where = f"stages.{name}.shared.benchmark"
    packages = (f"stages.{name}", f"stages.{name}.shared", where)
    if not NAME.fullmatch(name) or any(find_spec(package) is None for package in packages):
        raise UserError(f"there is no benchmark {name!r}: its record is expected in stages/{name}/shared/benchmark.py")
    record = getattr(import_module(where), name.upper(), None)
    if not isinstance(record, Benchmark):
        raise UserError(f"stages/{name}/shared/benchmark.py does not define the record {name.upper()}")
    return record


def misnamed(name: str) -> str | None:
    if not NAME.fullmatch(name):
        return f"{name!r} cannot be a name: use letters, digits, '_' and '-' (dots separate keys)"
    if name in RESERVED or name.endswith(RESERVED_ENDINGS):
        return f"{name!r} means something else in metrics: choose another name"
    return None
