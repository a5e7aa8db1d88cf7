"""The toy as the commands see it: how its items are reviewed, and what its card says."""

from gamut.evaluation.curating.curation import Card, Curation
from stages.toy.shared.benchmark import TOY

CURATION = Curation(
    benchmark=TOY,
    texts=("prompt", "expected"),
    beside=("kind",),
    card=Card(
        what="Toy benchmark asks for words about pictures, and for pictures.",
        scored="A judge says what is right.",
        made=lambda items: "Prompts were taken from a short list, and pictures painted for them.",
        counted=("kind",),
        fields={"kind": "words or picture", "expected": "the right words, or statements that hold of a picture"},
    ),
)
