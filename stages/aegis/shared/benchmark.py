"""What AEGIS is: four tasks over 21 topics, put as people put them and clearly, scored along checklists.

"AEGIS: Exploring the Limit of World Knowledge Capabilities for Unified Multimodal Models". An item's score is the share
of its questions whose verdict speaks for the answer. What is reported is weighted by items (tables 3 and 7); what is
over several tasks (`overall`, domains, topics, kinds of reasoning as in table 6) is of those alone who do all four.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from pydantic import BaseModel

from stages.aegis.shared.items import DOMAIN_OF, DOMAINS, REASONING, TASKS, WANTED, AegisItem
from stages.aegis.shared.judging import MEASURE, conditional, inquiries, reference
from stages.aegis.shared.parameters import Aegis, Params
from stages.asking.questions import Question
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.inquiries import Pictures, Put
from stages.evaluation.defining.measures import Column, Linear, View
from stages.evaluation.defining.pictures import of_role
from stages.evaluation.running.checklists import VERDICTS
from stages.evaluation.running.placing import NAMED, placed

KINDS = tuple(f"{kind}_reasoning" for kind in REASONING)
ACROSS = {"overall": "all"} | {name: name for name in (*DOMAINS, *DOMAIN_OF, *KINDS)}
"""What is reported over several tasks, by the group that it is of."""
PARTS = {f"{task}.{domain}": f"{task}_{domain}" for task in TASKS for domain in DOMAINS}
"""Tasks by domain, by their strata: how many items each has is fixed by design (table 2)."""
TOGETHER = tuple(("understanding", task) for task in TASKS[1:])
"""Whether who understands much also makes much (section 4.3)."""
STEPS = ("raw", "by_itself", "exhaustive", "clear")
"""Sides in the order in which appendix C.4 looks for what holds a model back: it has to find out what is meant, to put
it into words, to make what it was told in full, and what people made clear.
"""


class Rewritten(BaseModel):
    """The reply of a rewriter."""

    prompt: str


REWRITE = Question(
    "rewrite",
    "You say clearly what somebody wants.",
    """\
Somebody put the task in <prompt> to a model; pictures that it names, <image1> and so on, stand in <input> in their \
order. Something in it has to be inferred, known or looked up. Write the same task anew so that nothing has to: name \
what is meant, add what one needs to know, and keep the names of all pictures where they belong. Do not solve it.

Answer with a JSON object with the one key `prompt`.""",
    Rewritten,
)
"""How prompts are rewritten by a model, or by a contestant for itself (appendix C.1)."""


def put(item: AegisItem, side: str, pictures: Pictures) -> Put:
    """Return the prompt of a side with its input pictures in place: as people put it (or as it was rewritten), the
    clear one, or the exhaustive one.
    """
    match side:
        case "clear":
            prompt = item.clear_prompt
        case "exhaustive":
            prompt = exhaustive(item)
        case _:
            prompt = item.prompt
    return Put(placed(prompt, of_role(item, pictures, "input"), "in_place"), WANTED[item.task])


def exhaustive(item: AegisItem) -> str:
    """Return the clear prompt with all that a right answer has: nothing is left to be known (appendix C.4)."""
    asked = (NAMED.sub(r"image \1\2", " ".join(one.question.split())) for one in item.checklist)
    points = [f"- {one} {'No' if of.inverted else 'Yes'}." for one, of in zip(asked, item.checklist, strict=True)]
    return "\n".join([item.clear_prompt, "", "A right answer has all of this:", *points])


def stratum(item: AegisItem) -> str:
    """Return an item's task and domain."""
    return PARTS[f"{item.task}.{item.domain}"]


def groups(item: AegisItem) -> Collection[str]:
    """Return all groups in which an item's score counts."""
    return ("all", item.domain, item.topic, f"{item.reasoning}_reasoning", item.task, stratum(item))


def columns(side: str) -> Sequence[Column]:
    """Return the columns of a side: of groups over all tasks, of tasks, of tasks by domain."""
    return [Column(group, side, MEASURE) for group in (*ACROSS.values(), *TASKS, *PARTS.values())]


def average(factors: Mapping[tuple[str, str], float], among: Sequence[Column], over_tasks: bool) -> Linear:
    """Return a weighted sum of averages over items, 0..100 each; `factors` by side and group. One `over_tasks` needs
    scores in all four.
    """
    weights = [100 * factors.get((column.side, column.group), 0) for column in among]
    return Linear(np.array(weights), np.array([over_tasks and column.group in TASKS for column in among]))


def of_side(side: str) -> View:
    """Return the view of one side."""
    among = columns(side)
    reported = {name: average({(side, group): 1}, among, True) for name, group in ACROSS.items()}
    reported |= {name: average({(side, name): 1}, among, False) for name in TASKS}
    reported |= {name: average({(side, group): 1}, among, False) for name, group in PARTS.items()}
    return View(side, (side,), among, reported, ("overall", *TASKS), TASKS, TOGETHER)


def over(side: str, base: str) -> View:
    """Return the view of what a side's prompts gain over another's, on the same items (tables 5 and 7): `gain` over all
    and by task; ranks are those of `both`, the mean over both sides.
    """
    among = [*columns(base), *columns(side)]
    reported = {"both": average({(base, "all"): 0.5, (side, "all"): 0.5}, among, True)}
    reported["gain"] = average({(base, "all"): -1, (side, "all"): 1}, among, True)
    reported |= {f"gain.{task}": average({(base, task): -1, (side, task): 1}, among, False) for task in TASKS}
    shown = tuple(reported)
    return View(f"{side}_over_{base}", (base, side), among, reported, shown, shown[1:], paired=True)


def views(block: Aegis) -> Iterator[View]:
    """Yield the view of every side, what each gains over the raw prompts, and each of the steps over the one before."""
    sides = block.all_sides
    yield from map(of_side, sides)
    steps = [side for side in STEPS if side in sides]
    gains = [(side, "raw") for side in sides if side != "raw" and "raw" in sides]
    gains += [(side, base) for base, side in pairwise(steps)]
    yield from (over(*gain) for gain in dict.fromkeys(gains))


AEGIS: Benchmark[Aegis, AegisItem] = Benchmark(
    name="aegis",
    title="AEGIS",
    params=Params,
    item=AegisItem,
    sides=lambda block: block.all_sides,
    put=put,
    strata=tuple(PARTS.values()),
    stratum=stratum,
    groups=groups,
    agreement_by=lambda item: item.task,
    other_sides=("raw", "clear", "exhaustive"),
    labelled_by=lambda item: f"{item.task} {item.topic}",
    measures={MEASURE: VERDICTS},
    inquiries=inquiries,
    rewriting=REWRITE,
    views=lambda block: list(views(block)),
    reference=lambda item, side, pictures: reference(item, pictures),
    conditional=conditional,
)
