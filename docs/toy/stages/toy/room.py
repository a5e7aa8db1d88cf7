"""The toy as the commands see it: how its items are reviewed, and what its card says."""

from stages.evaluation.curating.room import Card, Room
from stages.toy.shared.benchmark import TOY

ROOM = Room(
    benchmark=TOY,
    texts=("prompt", "expected"),
    beside=("kind", "found"),
    card=Card(
        what="Toy benchmark asks for words, pictures, edits of two pictures, and words with pictures.",
        scored="A judge says what is right, holds or was carried out; a detector counts things.",
        made=lambda items: "Prompts were taken from a short list, and pictures painted for them.",
        counted=("kind",),
        fields={
            "kind": "words, picture, edit or both",
            "expected": "the right words, or statements that hold, parted by semicolons",
            "found": "what a detector finds, parted by semicolons",
        },
    ),
)
