"""Contestants' scores by the released arithmetic, with its faults, from the judges' replies. No model is asked.

Each question counts with its first reply, 0 if unreadable. An item whose picture copies any reference has score 0 for
consistency in every run. A request without a reply drops the item. A missing picture has 0 throughout. The mean over
runs is rounded to a whole number, halves to the even one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from gamut.evaluation.scoring.scores import NOT_ASKED, OK, answer_reason
from gamut.project.files import write_json
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import read_rows
from stages.genius.shared.benchmark import GENIUS, Params
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.judging import AESTHETIC_QUALITY, RULE_COMPLIANCE, VISUAL_CONSISTENCY
from stages.genius.shared.metrics import WEIGHTS
from stages.genius.shared.prompts import PROBE

ANSWER_COLUMNS = ["id", "item", "setting", "sample", "status", "replies"]
JUDGMENT_COLUMNS = ["id", "question", "part", "repeat", "replies"]
QUESTIONS = {one.name: one for one in (RULE_COMPLIANCE, VISUAL_CONSISTENCY, AESTHETIC_QUALITY)}


class Scores(NamedTuple):
    """An answer's scores by measure, None if it is dropped, and the faults that affected them."""

    by_measure: Mapping[str, int] | None
    faults: Sequence[str] = ()


def scores_of(item: GeniusItem, status: str, rows: Sequence[Row]) -> Scores:
    """Return the released scores of one answer. `rows`: its judgments by one judge. `status`: `answered.ok` …"""
    questions_wanted = Counter(dict.fromkeys(QUESTIONS, 1) | {VISUAL_CONSISTENCY.name: len(item.consistency_hints)})
    names = [name for name in QUESTIONS if questions_wanted[name]]
    if status != OK:
        return Scores(dict.fromkeys(names, 0), ["no_picture"])
    runs = grouped((row["repeat"], row) for row in rows)
    # no judge was asked about a copy
    copied = any(row["question"] == VISUAL_CONSISTENCY.name and not row["replies"] for row in runs.get(0, ()))
    faults = ["copy"] * copied
    marks: dict[str, list[float]] = {name: [] for name in names}
    for run in runs.values():
        for name in names:
            if name == VISUAL_CONSISTENCY.name and copied:
                marks[name].append(0)
                continue
            replies = [row["replies"][:1] for row in run if row["question"] == name]
            if len(replies) < questions_wanted[name] or not all(map(has_reply, replies)):
                return Scores(None, ["dropped"])
            found = [QUESTIONS[name].about().parse(one["content"])[0] for [one] in replies]
            marks[name].append(fmean(0 if one is None else one.score for one in found))
            faults += ["unread"] * (None in found)
    if not runs:
        return Scores(None, ["dropped"])
    return Scores({name: round(fmean(of_runs)) for name, of_runs in marks.items()}, [*dict.fromkeys(faults)])


def has_reply(replies: Sequence[Row]) -> bool:
    return bool(replies) and replies[0]["finish"] in ("stop", "length") and replies[0]["content"] is not None


def released_metrics(scored: Sequence[tuple[GeniusItem, Scores]]) -> dict[str, float]:
    """Return the released scripts' report on one contestant in one setting: 50 times the mean over answers, two
    decimals. It has each measure over all, `overall` with the weights of table 2, and `<task>.<measure>`. Also the
    number of answers (`n`), how many are `dropped`, and how many a fault affected (`because.<fault>`).
    """
    values: dict[str, float] = {}
    scores = [(item, one.by_measure) for item, one in scored if one.by_measure is not None]
    for task in (None, *TASKS):
        own = [of for item, of in scores if task in (None, item.task)]
        marks = {name: [of[name] for of in own if name in of] for name in WEIGHTS}
        means = {name: 50 * fmean(of_all) for name, of_all in marks.items() if of_all}
        values |= {name if task is None else f"{task}.{name}": round(mean, 2) for name, mean in means.items()}
        if task is None and means.keys() == WEIGHTS.keys():
            values["overall"] = round(sum(weight * means[name] for name, weight in WEIGHTS.items()), 2)
    values |= {"n": len(scored), "dropped": len(scored) - len(scores)}
    return values | dict(sorted(Counter(f"because.{why}" for _, one in scored for why in one.faults).items()))


def released(params: Params) -> None:
    items = {str(item.id): item for item in GENIUS.items(params)}
    values: dict[str, float] = {}
    for contestant in params.genius.contestants:
        whole = read_rows(GENIUS.answers / contestant, ANSWER_COLUMNS)
        answers = [row for row in whole if row["setting"] != PROBE and answer_reason(row) != NOT_ASKED]
        for judge in params.genius.judges:
            judged = read_rows(GENIUS.answer_judgments(contestant, judge), JUDGMENT_COLUMNS)
            judgments = grouped((row["id"], row) for row in judged)
            for setting in dict.fromkeys(row["setting"] for row in answers):
                scored = [
                    (item, scores_of(item, answer_reason(row), judgments.get(row["id"], [])))
                    for row in answers
                    if row["setting"] == setting
                    for item in [items[row["item"]]]
                ]
                own = released_metrics(scored)
                values |= {f"{setting}.{judge}.{contestant}.{name}": value for name, value in own.items()}
                told = f"{own['dropped']} of {own['n']} answers are dropped, overall {own.get('overall', '-')}"
                print(f"genius.board: {contestant}, {setting}, {judge}: {told}")
    write_json(GENIUS.metrics_folder(params) / "released.json", values)
