"""What the toy is: pictures of one coloured thing or two, of which a judge says whether three statements hold."""

from typing import Literal

from stages.evaluation.defining import parameters
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.editions import Item, Text
from stages.evaluation.defining.inquiries import Put
from stages.evaluation.defining.measures import averages
from stages.evaluation.running.checklists import VERDICTS, checklist

STRATA = ("one_thing", "two_things")
MEASURES = {"number": VERDICTS, "colour": VERDICTS, "scene": VERDICTS}


class Toy(parameters.BenchmarkParameters):
    """Its block in params.yaml."""

    propose: parameters.Construction


class Params(parameters.Params):
    """What of params.yaml it reads."""

    toy: Toy


class ToyItem(Item):
    """A prompt, and what has to be seen; the whole scene is the prompt itself."""

    things: Literal["one_thing", "two_things"]
    number: Text
    colour: Text


TOY: Benchmark[Toy, ToyItem] = Benchmark(
    name="toy",
    title="Toy benchmark",
    params=Params,
    item=ToyItem,
    sides=lambda block: ("en",),
    put=lambda item, side, pictures: Put((item.prompt,)),
    strata=STRATA,
    stratum=lambda item: item.things,
    measures=MEASURES,
    inquiries=lambda item, side: [checklist({"number": item.number, "colour": item.colour, "scene": item.prompt})],
    views=lambda block: [averages("en", STRATA, MEASURES)],
)
