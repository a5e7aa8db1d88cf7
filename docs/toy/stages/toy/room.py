"""The toy as the commands see it: how its items are reviewed, and what its card says."""

from stages.evaluation.curating.room import Card, Room
from stages.toy.benchmark import TOY

ROOM = Room(
    benchmark=TOY,
    texts=("prompt", "number", "colour"),
    beside=("things",),
    card=Card(
        what="Toy benchmark asks for pictures of one coloured thing, or of two that stand side by side.",
        scored="A judge says whether number, colour and scene are right; reported is the share of those that are.",
        made=lambda items: "Prompts were taken from a short list.",
        counted=("things",),
        fields={"things": "one_thing or two_things", "number": "a statement", "colour": "a statement"},
    ),
)
