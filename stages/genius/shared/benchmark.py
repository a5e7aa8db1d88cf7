"""What GENIUS is: pictures made by rules that stand only in a context of texts and pictures.

"GENIUS: Generative Fluid Intelligence Evaluation Suite": rule compliance, what has to stay, and looks, 6 : 3.5 : 0.5.
"""

from __future__ import annotations

from gamut.evaluation.defining.benchmark import Benchmark, Released
from gamut.evaluation.defining.parameters import RULES
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.judging import inquiries, sightings
from stages.genius.shared.parameters import Genius, Params
from stages.genius.shared.putting import SIDES, put, sides_of
from stages.genius.shared.views import JOINT, MEASURES, views

GENIUS: Benchmark[Genius, GeniusItem] = Benchmark(
    name="genius",
    title="GENIUS",
    params=Params,
    item=GeniusItem,
    sides=lambda block: block.sides,
    sides_of=lambda item, sides: sides_of(item),
    put=lambda block, item, side, pictures: put(item, side, pictures, block.reflection.rounds),
    strata=TASKS,
    stratum=lambda item: item.task,
    groups=lambda item: item.groups,
    measures=MEASURES,
    inquiries=lambda block, item, side: inquiries(item, side),
    sightings=sightings,
    observers=(RULES,),
    joint=JOINT,
    views=lambda block: list(views(block.sides)),
    agreement_by=lambda item: item.dimension,
    labelled_by=lambda item: item.dimension,
    other_sides=SIDES,
    keys={"sides": ("answer", "judge"), "reflection": ("answer",)},
    released=Released("stages.genius.released"),
)
