"""Specs of scores, made from those of the answers and judgments of a score; and how values follow from scores.

An item that a contestant refused, or that a judge did not judge, has the spec from params.yaml: the same as for all
contestants, so that refusing does not remove it from a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from gamut.asking.models.opening import identity
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item, usable_items
from gamut.evaluation.defining.measures import Linear, Metric, Reportable, Resampled
from gamut.evaluation.defining.parameters import RULES, Params
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.settings import can_answer, prompts_in, samples_of, settings_of
from gamut.evaluation.running.spec import (
    DIGITS,
    OF_RULES,
    check_specs,
    code_of,
    code_of_values,
    digest,
    judgment_specs,
    spec_parts,
    spec_text,
)
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import read_rows

JOINED = "joined"
"""The part that only specs of joint scores have: the two settings whose values are joined."""
RULE = "gamut.evaluation.scoring.conditions"
"""The module that computes scores from judgments, with all that it imports."""
METRICS = "_metrics.json"
"""A file next to a contestant's scores, which readers of tables skip: by metric a digest of how values are computed."""
Items = Mapping[str, Mapping[str, str]]
"""Specs of the scores of one setting and judge, by item and measure."""


def add_specs(benchmark: AnyBenchmark, params: Params, contestant: str, scores: Iterable[Row]) -> Iterator[Row]:
    """Add specs to scores, None if the item cannot be asked. All samples that a contestant should have count as all."""
    block, items = benchmark.block(params), {str(item.id): item for item in benchmark.items(params)}
    answers, promised = table_specs(benchmark.answers / contestant, items), samples_of(benchmark, params, contestant)
    seen = {
        place: table_specs(benchmark.answer_judgments(contestant, place), items) for place in benchmark.raters(block)
    }
    judged = {judge: [seen[place] for place in benchmark.seen_by(block, judge)] for judge in block.judged_by}
    for score in scores:
        item, setting, measure = items[score["item"]], score["setting"], score["measure"]
        if item.unusable is not None:
            yield score | {"spec": None}
            continue
        joint = benchmark.joint_of(measure)
        made_of = ((setting, measure),) if joint is None else joint.made_of
        specs: set[str] = set()
        for at, of in made_of:
            answered = answers[at, score["item"], ""]
            found = list(chain.from_iterable(one.get((at, score["item"], of), ()) for one in judged[score["judge"]]))
            if len(found) < len(answered) * benchmark.expected(block, item, at, block.repeats).get(of, 0):
                found += [*expected_specs(benchmark, params, item, at, score["judge"])[of]]
            specs |= {*answered, *found}
        count = len(answers[setting, score["item"], ""])
        asked = block.answer.samples if count == promised else count
        as_scored = scoring_spec(benchmark, params, item, setting, measure, asked)
        yield score | {"spec": f"{merge_specs(frozenset(specs))} {as_scored}"}


def scoring_spec(benchmark: AnyBenchmark, params: Params, item: Item, setting: str, measure: str, samples: int) -> str:
    """Return the part of the spec that judgments and answers do not have."""
    block, scale, place = benchmark.block(params), benchmark.measures[measure], benchmark.place(item)
    parts = {"rule": code_of(RULE), "scale": f"{scale.lowest:g}..{scale.highest:g}", "stratum": place.stratum}
    parts |= {"groups": digest(sorted(place.groups)), "samples": str(samples)}
    joint = benchmark.joint_of(measure)
    if joint is not None:
        parts[JOINED] = digest([joint.settings, joint.of])
    made_of = ((setting, measure),) if joint is None else joint.made_of
    judged = any(of in benchmark.judged(block, item, at, 1) for at, of in made_of)
    return spec_text(parts | ({"repeats": str(block.repeats)} if judged else {}))


def table_specs(table: Path, items: Mapping[str, Item]) -> dict[tuple[str, str, str], list[str]]:
    return grouped(
        ((row["setting"], row["item"], row.get("question", "")), row["spec"])
        for row in read_rows(table, ["item", "setting", "question", "spec"])
        if row["item"] not in items or items[row["item"]].unusable is None
    )


def expected_specs(
    benchmark: AnyBenchmark, params: Params, item: Item, setting: str, judge: str
) -> dict[str, dict[str, None]]:
    """Return the specs of an answer's judgments with these parameters, by measure."""
    block, code = benchmark.block(params), code_of_values(benchmark)
    prompt = benchmark.prompt(block, item, setting, stand_ins(item))
    values: list[tuple[tuple[str, int], str]] = []
    if judge in block.judges:
        who = identity(params.models[judge], "judge")
        values += judgment_specs(
            benchmark.questions_to_ask(block, item, setting), prompt, item, who, params.seed, code
        ).items()
    observers = {role: identity(params.models[slug], role) for role, slug in block.observers_for(judge).items()}
    for role, observer in {**observers, RULES: OF_RULES}.items():
        checks = [one for one in benchmark.checks(item, setting) if one.role == role]
        values += check_specs(checks, item, observer, code).items() if checks else ()
    by_measure = grouped((measure, spec) for (measure, _), spec in values)
    return {measure: dict.fromkeys(specs) for measure, specs in by_measure.items()}


@lru_cache(maxsize=4096)
def merge_specs(specs: frozenset[str]) -> str:
    """Return one spec: each part with all its values."""
    values = grouped(part for spec in sorted(specs) for part in spec_parts(spec).items())
    return spec_text({name: "+".join(sorted({*each})) for name, each in values.items()})


def specs_of(scores: Iterable[Row]) -> Items:
    found: dict[str, dict[str, str]] = {}
    for score in scores:
        if spec := score.get("spec"):
            found.setdefault(score["item"], {})[score["measure"]] = spec
    return found


def digest_of_specs(scores: Iterable[Row]) -> str:
    """Return the digest of specs in one setting by one judge. Joint scores, of two settings, do not count."""
    specs = sorted(
        (item, measure, spec)
        for item, of in specs_of(scores).items()
        for measure, spec in of.items()
        if not is_joint(spec)
    )
    return digest(specs, 2 * DIGITS)


def is_joint(spec: str) -> bool:
    return f" {JOINED}=" in spec


def metric_spec(metric: Metric) -> str:
    """Return how a metric's values follow from scores, except for code, which specs of scores already contain."""
    shown = {name: numbers_of(metric.reported[name]) for name in (*metric.shown, *metric.profile)}
    return digest([[*map(list, metric.columns)], shown, metric.paired, *metric.instead])


def numbers_of(one: Reportable) -> list[Any]:
    """Return the weights of columns in a reported value, rounded to the digits on which processors agree."""
    if isinstance(one, Resampled):
        return one.counted.tolist()
    found = one.factors if isinstance(one, Linear) else one.slopes
    return [] if found is None else np.round(found, 12).tolist()


def write_metric_specs(scores: Path, metrics: Iterable[Metric]) -> None:
    write_json(scores / METRICS, {metric.name: metric_spec(metric) for metric in metrics})


def read_metric_specs(scores: Path) -> dict[str, str]:
    path = scores / METRICS
    try:
        found = orjson.loads(path.read_bytes())
        return {metric: str(found[metric]) for metric in found}
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise UserError(f"{path} is missing or damaged ({error}): run `dvc checkout {scores} --force`") from None


REMEDY = "run `dvc repro leaderboard` to ask all alike, with `--force` if it finds nothing to do; replies are kept"
ContestantScores = Mapping[str, Mapping[tuple[str, str], Sequence[Row]]]
"""Scores by contestant, then by setting and judge."""


class SpecDifference(NamedTuple):
    """An item whose scores are not comparable: the first measure with different specs, and the parts that differ."""

    item: str
    measure: str
    parts: Mapping[str, tuple[str, str]]

    def between(self, first: str, second: str) -> str:
        name, *others = self.parts
        ours, theirs = self.parts[name]
        also = f" ({', '.join(others)} too)" if others else ""
        return f"{name} differs{also} in item {self.item!r}, {self.measure}: {ours} of {first}, {theirs} of {second}"


def first_spec_difference(ours: Items, theirs: Items) -> SpecDifference | None:
    """Find the first item of both, in one setting by one judge, whose scores are not comparable."""
    if ours == theirs:  # much faster
        return None
    for item, specs in ours.items():
        others = theirs.get(item, specs)
        for measure in dict.fromkeys([*specs, *others]):
            if measure not in specs or measure not in others:
                if is_joint(specs.get(measure) or others[measure]):
                    continue  # it was tested in another setting only, in which it may be ranked
                return SpecDifference(item, measure, {"measures": ("+".join(specs), "+".join(others))})
            if specs[measure] != others[measure] and (parts := differing_parts(specs[measure], others[measure])):
                return SpecDifference(item, measure, parts)
    return None


def differing_parts(ours: str, theirs: str) -> dict[str, tuple[str, str]]:
    one, other = spec_parts(ours), spec_parts(theirs)
    both = {name: (one.get(name, "none"), other.get(name, "none")) for name in (*one, *other)}
    return {name: values for name, values in both.items() if values[0] != values[1]}


def require_whole(benchmark: AnyBenchmark, params: Params, scored: ContestantScores) -> None:
    """UserError for a contestant with scores of other items than it is asked, such as of an earlier edition."""
    block, items = benchmark.block(params), usable_items(benchmark.items(params))
    settings = benchmark.settings(block)
    prompts = {(item.id, setting): prompt for item, setting, prompt in prompts_in(benchmark, block, items, settings)}
    for name, own in scored.items():
        contestant = params.contestants[name]
        for setting, judge in product(settings_of(benchmark, params, name), block.judged_by):
            on_setting = {item.id: prompts[item.id, setting] for item in items if (item.id, setting) in prompts}
            asked = {str(item): None for item, prompt in on_setting.items() if can_answer(contestant, prompt)}
            found = specs_of(own.get((setting, judge), ()))
            if odd := next((item for item in (*asked, *found) if (item in asked) != (item in found)), None):
                what = f"no scores of item {odd!r}" if odd in asked else f"scores of {odd!r}, which it is not asked"
                raise UserError(f"{benchmark.title}, {setting}, judged by {judge}: {name} has {what}: run `dvc repro`")


def require_alike(benchmark: AnyBenchmark, scored: ContestantScores) -> None:
    """UserError if contestants' scores have different specs: they cannot be ranked together."""
    specs = {name: {key: specs_of(rows) for key, rows in own.items()} for name, own in scored.items()}
    lines: list[str] = []
    for place, (name, own) in enumerate(specs.items()):
        for (setting, judge), ours in own.items():
            for other in [*specs][:place]:
                if unlike := first_spec_difference(specs[other].get((setting, judge), {}), ours):
                    where = f"{benchmark.title}, {setting}, judged by {judge}"
                    unlike_in = unlike.between(other, name)
                    lines.append(f"{where}: {other} and {name} cannot be ranked together: {unlike_in}: {REMEDY}")
                    break
    if lines:
        raise UserError("\n".join(lines))


def require_same_questions(benchmark: AnyBenchmark, params: Params, scored: ContestantScores) -> None:
    """UserError if a judge was asked differently about controls and about answers: then controls cannot validate it."""
    block = benchmark.block(params)
    for contestant, judge in product(block.controls_of, block.judged_by):
        of_answers = {key: specs_of(rows) for key, rows in scored[contestant].items()}
        tables = [benchmark.control_judgments(contestant, place) for place in benchmark.control_places(block, judge)]
        for row in chain.from_iterable(read_rows(table, ["item", "setting", "question", "spec"]) for table in tables):
            spec = of_answers.get((row["setting"], judge), {}).get(row["item"], {}).get(row["question"])
            there = spec_parts(spec) if spec else {}
            pairs = {name: (there.get(name, "none"), value) for name, value in spec_parts(row["spec"]).items()}
            if other := {name: pair for name, pair in pairs.items() if pair[1] not in pair[0].split("+")}:
                where = f"{benchmark.title}, {row['setting']}: controls of {judge} cannot validate its board"
                words = SpecDifference(row["item"], row["question"], other).between(
                    f"answers of {contestant}", "its controls"
                )
                raise UserError(f"{where}: {words}: {REMEDY}")
