"""Items for a new edition, for people to review; the embedded world paints the pictures that they are about."""

import sys

from stages.asking.models.sandbox import answer
from stages.asking.requests import Paint, seed_of
from stages.evaluation.construction.proposals import write_proposal
from stages.project.stage import main
from stages.tables.columns import Row, make_id
from stages.toy.shared.benchmark import Params

COLUMNS = ("prompt", "expected", "found")
CARS, CAT = "two red cars to the left of a blue house", "a black cat to the right of three yellow birds"
PROPOSED = {  # after the columns what is painted: <image:a>, <image:b>
    "words": (
        ("How many red cars are there in <image:a>?", "Two.", "", CARS),
        ("What colour is the house in <image:a>?", "Blue.", "", CARS),
        ("Is there a black cat in <image:a>?", "Yes.", "", CAT),
        ("Here are <image:a> and <image:b>. Which picture shows apples?", "The first.", "", "two apples", "a house"),
    ),
    "picture": (
        ("a yellow umbrella", "a yellow umbrella", "1 umbrella"),
        ("three red cars", "three cars; three red cars", "3 red cars"),
        (CARS, f"two red cars; a blue house; {CARS}", "2 red cars; 1 blue house"),
        (CAT, f"a cat; a black cat; three yellow birds; {CAT}", "1 black cat; 3 birds"),
        ("five red apples above a blue chair", "five red apples", "5 apples; 1 chair"),
    ),
    "edit": (
        ("Put the house of <image:b> into <image:a>.",
         "two red cars and a blue house", "", "two red cars", "a blue house"),
        ("Replace the cars of <image:a> with the house of <image:b>.",
         "a house above a tree", "", "two red cars above a tree", "a house"),
        ("Put the chair of <image:b> into <image:a>.",
         "three yellow birds and a green chair", "", "three yellow birds", "a green chair"),
        ("Give <image:a> the style of <image:b>.", "three purple birds, in the style of a woodblock print", "",
         "three purple birds", "a woodblock print of an owl"),
    ),
    "both": (
        ("Tell and show: two red cars.", "two red cars", ""),
        ("Tell and show: four purple elephants.", "four elephants; four purple elephants", ""),
        (f"Tell and show: {CAT}.", f"a cat; three birds; {CAT}", ""),
        ("Tell and show: a purple star and two white cups.", "two cups", ""),
    ),
}  # fmt: skip


def propose(params: Params, edition: str) -> None:
    waves = {kind: [row_of(kind, number, *one) for number, one in enumerate(of)] for kind, of in PROPOSED.items()}
    write_proposal("toy", edition, waves, ("kind", *COLUMNS), similarity=0.9)


def row_of(kind: str, number: int, prompt: str, expected: str, found: str, *painted: str) -> Row:
    texts = {"prompt": prompt, "expected": expected, "found": found, "kind": kind, "status": "ok"}
    return texts | {"id": make_id(kind, number), "images": [picture(*one) for one in zip("ab", painted, strict=False)]}


def picture(name: str, prompt: str) -> Row:
    painted = answer(Paint(prompt, 192, 192, seed_of(prompt, 0)), {}, "painter").content
    return {"name": name, "role": "input", "origin": prompt, "image": {"bytes": painted, "path": None}}


if __name__ == "__main__":
    main("toy.propose", propose, Params, *sys.argv[1:])
