"""Contestants' scores by the released arithmetic, with its faults, from the replies that judges gave; nobody is asked.

The released script looks for `Rule Compliance: 2` anywhere in the first reply, in any case, with a Chinese colon too.
What it does not find is 0, and what it finds is not held against the scale. An item whose picture one check calls a
copy, of whichever reference, or whose check it cannot read, has kept nothing in any run. A check that got no reply
counts for nothing; any other request that got none drops the item. A missing picture has 0 throughout. The mean over
runs is rounded to a whole number, halves to the even one.

A reply in our own form counts as what it says: the script would find none of its lines there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from stages.asking.outcomes import Outcome
from stages.asking.questions import Question
from stages.asking.requests import Reply
from stages.evaluation.scoring.scores import NOT_PUT, OK, reason
from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.instructions import AESTHETIC_QUALITY, COPY_CHECK, RULE_COMPLIANCE, VISUAL_CONSISTENCY
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.parameters import Params
from stages.genius.shared.putting import PROBE
from stages.genius.shared.views import WEIGHTS
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

ANSWERED = ["id", "item", "side", "sample", "status", "replies"]
OBSERVED = ["id", "question", "part", "repeat", "replies"]
QUESTIONS = {one.name: one for one in (RULE_COMPLIANCE, VISUAL_CONSISTENCY, AESTHETIC_QUALITY)}
LINES = {
    name: re.compile(r"\s*".join([*words, "[:：]", r"(\d+)"]), re.IGNORECASE)
    for name, words in ((COPY_CHECK.name, ["copy"]), *((name, name.split("_")) for name in QUESTIONS))
}
"""What is looked for in a reply, by question; of a check for copies 0 is a copy."""


class Scores(NamedTuple):
    """What an answer has by measure, None where it is dropped; and which faults had a part in it."""

    by_measure: Mapping[str, int] | None
    faults: Sequence[str] = ()


def mark(question: Question, text: str) -> int | None:
    """Return the number that the released script takes from a reply, None where it finds none and counts 0."""
    value, complaint = question.about().parse(text)
    if complaint is None:
        return int(value.verdict == "N") if question.name == COPY_CHECK.name else int(value.score)
    found = LINES[question.name].search(text)
    if found is None or len(found[1]) > MOST_DIGITS:
        return None
    return int(found[1])


MOST_DIGITS = 300
"""Of a number: longer ones count as 0. The script's own end is 4,300, but a mean of such is no number."""


def came(reply: Row) -> bool:
    """Return whether a reply is a text, be it cut off."""
    return reply["finish"] in ("stop", "length") and reply["content"] is not None


def own_replies(row: Row) -> Sequence[Row]:
    """Return the replies of an observation without those to the check for copies that stand before them."""
    if row["question"] != VISUAL_CONSISTENCY.name:
        replies: Sequence[Row] = row["replies"]
        return replies
    said = [Reply((reply["content"] or "").encode(), reply["finish"]) for reply in row["replies"]]
    ended = (count for count in range(1, len(said)) if isinstance(COPY_CHECK.about().next(said[:count]), Outcome))
    return row["replies"][next(ended, len(said)) :]


def faults_of_checks(rows: Iterable[Row]) -> Iterator[str]:
    """Yield why the checks for copies of one run leave an answer without visual consistency, if they do. Nobody was
    asked about equal pixels: they are a copy.
    """
    for row in rows:
        if row["question"] != VISUAL_CONSISTENCY.name:
            continue
        first = row["replies"][0] if row["replies"] else None
        if first is None:
            yield "copy"
        elif came(first):
            found = mark(COPY_CHECK, first["content"])
            if not found:
                yield "copy" if found == 0 else "unread_check"


def scores_of(item: GeniusItem, status: str, rows: Sequence[Row]) -> Scores:
    """Return the released scores of one answer; `rows` are its observations by one judge, `status` its own
    (`answered.ok` and so on).
    """
    wanted = Counter(dict.fromkeys(QUESTIONS, 1) | {VISUAL_CONSISTENCY.name: len(item.consistency_hints)})
    asked = [name for name in QUESTIONS if wanted[name]]
    if status != OK:
        return Scores(dict.fromkeys(asked, 0), ["no_picture"])
    runs: dict[int, list[Row]] = {}
    for row in rows:
        runs.setdefault(row["repeat"], []).append(row)
    copied = [*faults_of_checks(runs.get(0, ()))]
    faults = [*copied]
    marks: dict[str, list[float]] = {name: [] for name in asked}
    for run in runs.values():
        for name in asked:
            if name == VISUAL_CONSISTENCY.name and copied:
                marks[name].append(0)
                continue
            replies = [own_replies(row)[:1] for row in run if row["question"] == name]
            if len(replies) < wanted[name] or not all(one and came(one[0]) for one in replies):
                return Scores(None, ["dropped"])
            found = [mark(QUESTIONS[name], one["content"]) for [one] in replies]
            marks[name].append(fmean(number or 0 for number in found))
            faults += ["unread"] * (None in found)
            faults += ["off_scale"] * any(number is not None and number > 2 for number in found)
    if not runs:
        return Scores(None, ["dropped"])
    return Scores({name: round(fmean(of_runs)) for name, of_runs in marks.items()}, [*dict.fromkeys(faults)])


def metrics(scored: Sequence[tuple[GeniusItem, Scores]]) -> dict[str, float]:
    """Return what the released scripts report of one contestant on one side, 50 times the mean over answers, with two
    decimals as in print: each measure over all, `overall` with the weights of table 2, `<task>.<measure>`; how many
    answers there are (`n`), are `dropped`, and to how many a fault happened (`because.<fault>`).
    """
    found: dict[str, float] = {}
    kept = [(item, one.by_measure) for item, one in scored if one.by_measure is not None]
    for task in (None, *TASKS):
        own = [of for item, of in kept if task in (None, item.task)]
        marks = {name: [of[name] for of in own if name in of] for name in WEIGHTS}
        means = {name: 50 * fmean(of_all) for name, of_all in marks.items() if of_all}
        found |= {name if task is None else f"{task}.{name}": round(mean, 2) for name, mean in means.items()}
        if task is None and means.keys() == WEIGHTS.keys():
            found["overall"] = round(sum(weight * means[name] for name, weight in WEIGHTS.items()), 2)
    found |= {"n": len(scored), "dropped": len(scored) - len(kept)}
    return found | dict(sorted(Counter(f"because.{why}" for _, one in scored for why in one.faults).items()))


def released(params: Params) -> None:
    """Write all contestants' values by the released arithmetic, side by side and judge by judge."""
    items = {str(item.id): item for item in GENIUS.items(params)}
    found: dict[str, float] = {}
    for contestant in params.contestants:
        whole = read_rows(GENIUS.answers / contestant, ANSWERED)
        answers = [row for row in whole if row["side"] != PROBE and reason(row) != NOT_PUT]
        for judge in params.genius.judges:
            said: dict[str, list[Row]] = {}
            for row in read_rows(GENIUS.observations / contestant / judge, OBSERVED):
                said.setdefault(row["id"], []).append(row)
            for side in dict.fromkeys(row["side"] for row in answers):
                scored = [
                    (item, scores_of(item, reason(row), said.get(row["id"], [])))
                    for row in answers
                    if row["side"] == side
                    for item in [items[row["item"]]]
                ]
                own = metrics(scored)
                found |= {f"{side}.{judge}.{contestant}.{name}": value for name, value in own.items()}
                told = f"{own['dropped']} of {own['n']} answers are dropped, overall {own.get('overall', '-')}"
                print(f"genius.released: {contestant}, {side}, {judge}: {told}")
    write_json(GENIUS.metrics(params) / "released.json", found)


if __name__ == "__main__":
    main("genius.released", released, Params)
