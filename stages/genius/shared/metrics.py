"""What is reported of GENIUS: 6 : 3.5 : 0.5 of three measures, each averaged over all items that have it (section 3).

Overall is a micro average, as in table 2. Weights are not rescaled to sum to 1 if a task has no visual consistency.
From probe and picture together follow what is known, what is painted right, and the execution gap (figure 2b).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import (
    Column,
    Joint,
    Linear,
    Metric,
    OfSums,
    PaperTable,
    Reportable,
    Scale,
    TableColumn,
)
from gamut.evaluation.defining.parameters import RULES
from gamut.evaluation.running.checklists import VERDICTS
from stages.genius.shared.items import ALL, DIMENSIONS, SUB_TASKS, TASKS
from stages.genius.shared.judging import CHOSEN
from stages.genius.shared.prompts import BASE_SETTING, FORMS, PROBE

WEIGHTS: Mapping[str, float] = {"rule_compliance": 0.6, "visual_consistency": 0.35, "aesthetic_quality": 0.05}
JUDGED = {measure: Scale(0, 2) for measure in WEIGHTS}
WITHOUT_CONSISTENCY = "multi_semantic"
"""The task in which no item has a hint for visual consistency."""
RANKED_INSTEAD = ("edit", "fine_grained")
"""Settings that rank a contestant that cannot be asked in the plain one, in this order (section 3)."""
ALL_SUB_TASKS = tuple(kind for task in TASKS for kind in SUB_TASKS[task])


def is_right(compliance: float) -> bool:
    """Return whether rule compliance is 2. For several runs the mean, rounded as released, halves to even."""
    return round(compliance) == JUDGED["rule_compliance"].highest


ACROSS, MEASURES_ACROSS = (PROBE, BASE_SETTING), (CHOSEN, "rule_compliance")
"""The settings of the execution gap, and the measure that counts in each."""
JOINT = (
    Joint("known", ACROSS, MEASURES_ACROSS, lambda chosen, compliance: chosen),
    Joint("painted", ACROSS, MEASURES_ACROSS, lambda chosen, compliance: float(is_right(compliance))),
    Joint("known_and_painted", ACROSS, MEASURES_ACROSS, lambda chosen, compliance: chosen * is_right(compliance)),
    Joint("without_gap", ACROSS, MEASURES_ACROSS, lambda chosen, compliance: 1 - chosen * (not is_right(compliance))),
)
"""What is true of one sample. It has no gap if it is painted right, or not known."""
MEASURES = JUDGED | {CHOSEN: VERDICTS} | {one.measure: VERDICTS for one in JOINT}


def metrics(measured: Sequence[str]) -> Iterator[Metric]:
    """Yield what is reported: `main`, which ranks all; each form by itself if there are several; and what every other
    setting gains over the plain one on the same items. Then the chosen options, and their gap to the plain setting.
    """
    forms = [setting for setting in FORMS if setting in measured]
    if BASE_SETTING in forms:
        instead = tuple(setting for setting in RANKED_INSTEAD if setting in forms)
        yield setting_metric("main", BASE_SETTING, instead)._replace(title="Rules that stand in the context")
    yield from (setting_metric(setting, setting) for setting in forms if len(forms) > 1 or BASE_SETTING not in forms)
    yield from (
        gain_metric(setting, BASE_SETTING)
        for setting in measured
        if setting not in (BASE_SETTING, PROBE) and BASE_SETTING in forms
    )
    if PROBE in measured:
        yield probe_metric()
        yield from [execution_gap_metric()] if BASE_SETTING in forms else []


def judged_columns(setting: str, groups: Sequence[str]) -> Sequence[Column]:
    return [Column(group, setting, measure) for group in groups for measure in JUDGED]


def weighted_mean(
    group: str, weights: Mapping[str, float], among: Sequence[Column], factors: Mapping[str, float]
) -> Linear:
    """Return weighted measures of a group, 0..100, in settings by their factors."""
    return Linear(
        np.array(
            [
                100 / MEASURES[one.measure].highest * weights.get(one.measure, 0.0) * factors.get(one.setting, 0.0)
                * (one.group == group)
                for one in among
            ]
        )
    )  # fmt: skip


def setting_metric(name: str, setting: str, instead: tuple[str, ...] = ()) -> Metric:
    """Return the metric of one setting, 0..100: `overall`, each measure over all items, each dimension and task. For
    dimensions, tasks and sub-tasks also each measure by itself, as `<group>.<measure>`.
    """
    among = judged_columns(setting, (ALL, *DIMENSIONS, *TASKS, *ALL_SUB_TASKS))

    def weighted(group: str, weights: Mapping[str, float]) -> Linear:
        return weighted_mean(group, weights, among, {setting: 1})

    reported = {"overall": weighted(ALL, WEIGHTS)} | {measure: weighted(ALL, {measure: 1}) for measure in JUDGED}
    reported |= {group: weighted(group, weights_of(group)) for group in (*DIMENSIONS, *TASKS)}
    alone = [column for column in among if column.group != ALL]
    reported |= {f"{column.group}.{column.measure}": weighted(column.group, {column.measure: 1}) for column in alone}
    return Metric(name, (setting,), among, reported, ("overall", *JUDGED), TASKS, instead=instead)


def gain_metric(setting: str, base: str) -> Metric:
    """Return what a setting gains over another on the same items (figure 6c). Ranks are those of `both`, their mean."""
    among = [*judged_columns(base, (ALL, *TASKS)), *judged_columns(setting, (ALL, *TASKS))]
    gained, ruled = {base: -1.0, setting: 1.0}, {"rule_compliance": 1.0}
    reported = {
        "both": weighted_mean(ALL, WEIGHTS, among, {base: 0.5, setting: 0.5}),
        "gain": weighted_mean(ALL, WEIGHTS, among, gained),
    }
    reported["gain.rule_compliance"] = weighted_mean(ALL, ruled, among, gained)
    reported |= {f"gain.{task}": weighted_mean(task, ruled, among, gained) for task in TASKS}
    shown = ("both", "gain", "gain.rule_compliance")
    return Metric(f"{setting}_over_{base}", (base, setting), among, reported, shown, tuple(reported)[2:], paired=True)


def probe_metric() -> Metric:
    """Return the metric of probes: how many are right, 0..100. No judge is asked."""
    groups = (ALL, *DIMENSIONS, *TASKS, *ALL_SUB_TASKS)
    among = [Column(group, PROBE, CHOSEN) for group in groups]
    shares = {group: weighted_mean(group, {CHOSEN: 1}, among, {PROBE: 1}) for group in groups}
    reported = {"overall": shares.pop(ALL)} | shares
    return Metric(PROBE, (PROBE,), among, reported, ("overall", *TASKS), TASKS, by=RULES)


def execution_gap_metric() -> Metric:
    """Return the metric of probe and picture together, over samples asked in both, 0..100: the shares `known`,
    `painted`, `both`, and known but not painted (`gap`), over all and by task. Ranks are those of `both`.
    """
    among = [Column(group, BASE_SETTING, one.measure) for group in (ALL, *TASKS) for one in JOINT]

    def share(measure: str) -> Linear:
        return weighted_mean(ALL, {measure: 1}, among, {BASE_SETTING: 1})

    reported: dict[str, Reportable] = {"both": share("known_and_painted"), "gap": gap_share(among, ALL)}
    reported |= {"known": share("known"), "painted": share("painted")}
    reported |= {f"gap.{task}": gap_share(among, task) for task in TASKS}
    return Metric("execution_gap", ACROSS, among, reported, ("both", "gap", "known", "painted"), tuple(reported)[4:])


def gap_share(among: Sequence[Column], group: str) -> OfSums:
    """Return the share of a group's samples with a gap, 0..100. A possible gap counts as one."""
    place = [(one.group, one.measure) for one in among].index((group, "without_gap"))

    def terms(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack([1 - scores[:, place], 1 + 0 * scores[:, place]], axis=1)

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = 100 * sums[..., 0] / sums[..., 1]
        return found

    return OfSums(terms, value, Scale(0, 100), slopes=-100.0 * (np.arange(len(among)) == place))


TASK_WORDS = ("Implicit Pattern", "Symbolic Constraint", "Visual Constraint", "Prior-Conflicting", "Multi-Semantic")


def table_2() -> PaperTable:
    short = {"RC": "rule_compliance", "VC": "visual_consistency", "AQ": "aesthetic_quality"}
    columns = [TableColumn("Overall", "overall")]
    columns += [
        TableColumn(f"{in_paper} {words}", f"{task}.{measure}")
        for task, in_paper in zip(TASKS, TASK_WORDS, strict=True)
        for words, measure in short.items()
    ]
    return PaperTable("table_2", "table 2", columns, {"main": ""}, places=2)


def weights_of(group: str) -> Mapping[str, float]:
    if group != WITHOUT_CONSISTENCY:
        return WEIGHTS
    return {measure: weight for measure, weight in WEIGHTS.items() if measure != "visual_consistency"}
