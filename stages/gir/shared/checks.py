"""What observers have to find in answers, and which measure computes a score from it, in its own and in its released
form. Also the questions to people in place of observers, in plain words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from gamut.asking.requests import Detect, Embed, Picture, Read
from gamut.asking.seeing import Computing, Detecting, Embedding, Reading
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.pictures import pictures_of_role
from gamut.evaluation.defining.questions import Check, MeasuredValue, PartFinding, Pictures, Wording
from gamut.evaluation.running import recognition
from gamut.tables.images import upright_rgb
from stages.gir.shared.items import Frame, GirItem
from stages.gir.shared.measures import jigsaw, overlap, similarity, spatial, sudoku, text
from stages.gir.shared.prompts import lettered_options, options

SHARE = Scale(0, 1)
RELEASED = "_released"
"""The ending of measures as published, with their faults: only the module `released` reports them."""
MEASURES = {
    "similarity": SHARE,
    "similarity_released": Scale(-1, 1),
    "named": SHARE,
    "chosen": SHARE,
    "counts": SHARE,
    "places": SHARE,
    "relations": SHARE,
    "words": SHARE,
    "words_released": SHARE,
    "tiles": SHARE,
    "likeness": SHARE,
    "features": Scale(-1, 1),
    "digits": SHARE,
    "digits_released": SHARE,
    "region": SHARE,
    "region_released": SHARE,
}
WHOLE_FRAME = Frame(0, 0, 1, 1)
DIRECTIONS = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"}


def checks(item: GirItem, setting: str) -> Sequence[Check]:
    match item.task, setting:
        case _, "name":
            return [name_check(item)]
        case _, "choice":
            return [choice_check(item)]
        case "quantity", _:
            return [count_check(item)]
        case "spatial", _:
            return [place_check(item)]
        case "text", _:
            return [text_check(item)]
        case "jigsaw", _:
            return [tile_check(item), feature_check(item)]
        case "sudoku", _:
            return [grid_check(item)]
        case "perception", _:
            return [region_check(item)]
    return [
        embedding_check(item, "similarity", similarity.pad_to_square, similarity.score, "reference"),
        embedding_check(item, "similarity_released", similarity.squash, similarity.released_score, "reference"),
    ]


def count_check(item: GirItem) -> Check:
    """Search for all things with a known number, and for others that are not in the prompt."""
    numbers, labels = [*zip(item.objects, item.numbers, strict=False)], (*item.objects, *item.absent)
    listed = [*(f"{label}: {number or 'none'}" for label, number in numbers), *(f"{one}: none" for one in item.absent)]

    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        [answer] = answers
        counts = Counter(thing.label for thing in answer.found)
        note = ", ".join(f"{counts[label]} {label}" for label in labels if counts[label])
        # wanted 0 times is not there
        return [MeasuredValue(float(counts == Counter(dict(numbers))), note or "nothing")]

    wording = Wording(f"Does the picture show exactly so many? {', '.join(listed)}")
    return Check(
        "count", "detector", lambda picture: Detecting(Detect(picture, labels)), ("counts",), values, wording=(wording,)
    )


def place_check(item: GirItem) -> Check:
    objects, relations = item.objects, [one.relation for one in item.relations]
    wanted = "; ".join(
        f"{' and '.join(one.subject)} {DIRECTIONS[one.direction]} {' and '.join(one.object)}" for one in item.relations
    )

    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        [answer] = answers
        found = answer.found
        return [
            MeasuredValue(spatial.score(objects, relations, found)),
            MeasuredValue(spatial.relation_share(relations, found)),
        ]

    all_hold = Wording(
        f"Does the picture show each of these exactly once: {', '.join(objects)}; and does all of this hold: {wanted}?"
    )
    share = Wording(
        f"What share of these statements is true: {wanted}? One about a thing that is not there exactly once is not.",
        graded=True,
    )
    return Check(
        "place",
        "detector",
        lambda picture: Detecting(Detect(picture, objects)),
        ("places", "relations"),
        values,
        wording=(all_hold, share),
    )


def text_check(item: GirItem) -> Check:
    wanted = item.lettering

    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        [answer] = answers
        note = " / ".join(line.text for line in answer.found) or "nothing"
        return [
            MeasuredValue(text.score(wanted, answer.found), note),
            MeasuredValue(text.released_score(wanted, answer.found)),
        ]

    wording = Wording(
        f"Which share of these words can be read in the picture, each as often as here: {wanted}? None where "
        "they are lost in a wall of other words.",
        graded=True,
    )
    return Check("read", "reader", read_picture, ("words", "words_released"), values, wording=(wording, None))


def grid_check(item: GirItem) -> Check:
    """Read the digits of a grid. Released scripts also read those of question and solution; here they are known."""
    puzzle, answer = ([int(digit) for digit in digits] for digits in (item.puzzle, item.answer))
    frame, side = item.frame or WHOLE_FRAME, math.isqrt(len(puzzle))
    sizes = {image.role: (image.width, image.height) for image in item.images}
    solution = sudoku.lines_as_read(answer, sizes.get("solution", (0, 0)), frame)
    question = sudoku.lines_as_read(puzzle, sizes.get("input", (0, 0)), frame)

    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        [one] = answers
        score = sudoku.score(one.found, upright_rgb(one.part.data).size, frame, puzzle, answer)
        return [MeasuredValue(score), MeasuredValue(sudoku.released_score(one.found, solution, question, side))]

    wanted = "".join("." if given != "0" else right for given, right in zip(item.puzzle, item.answer, strict=False))
    rows = " / ".join(wanted[start : start + side] for start in range(0, len(wanted), max(1, side)))
    wording = Wording(
        f"Row by row these digits were wanted, where no dot stands: {rows}. How many of them stand there, as a share "
        f"of {len(wanted) - wanted.count('.')} and of the other digits that were altered, together?",
        graded=True,
    )
    return Check("read_grid", "reader", read_picture, ("digits", "digits_released"), values, wording=(wording, None))


def tile_check(item: GirItem) -> Check:
    tiling = item.rows, item.columns

    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        ([answer], [solution]) = answers, references
        pictures = answer.found, solution.found
        return [
            MeasuredValue(jigsaw.accuracy(*pictures, *tiling)),
            MeasuredValue(jigsaw.similarity(*pictures, *tiling)),
        ]

    wording = Wording(
        f"Beside the answer stands the solution. Cut both into {item.rows} rows and {item.columns} columns: "
        "which share of the tiles shows what stands there in the solution?",
        graded=True,
    )
    beside = partial(pictures_of_roles, item, ("solution",))
    return Check("tiles", "rules", pixels, ("tiles", "likeness"), values, beside, wording=(wording, None))


def feature_check(item: GirItem) -> Check:
    """Embed an answer and its solution, for the distance of all answers from all solutions."""
    return embedding_check(item, "features", similarity.stretch, similarity.released_score, "solution")


def embedding_check(
    item: GirItem,
    measure: str,
    form: Callable[[Picture], Picture],
    score: Callable[[similarity.Vector, similarity.Vector], float],
    role: str,
) -> Check:
    """Compare an answer's embedding with those of the item's pictures of a role, all in one form."""

    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        [answer] = answers
        return [MeasuredValue(score(answer.found, np.stack([one.found for one in references])))]

    return Check(
        measure,
        "image_embedder",
        lambda picture: Embedding(Embed(form(picture))),
        (measure,),
        values,
        partial(pictures_of_roles, item, (role,)),
    )


def region_check(item: GirItem) -> Check:
    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        [answer], [question, mask] = answers, references
        region = mask.found[..., 0]
        score = overlap.score(answer.found, question.found, region)
        return [MeasuredValue(score), MeasuredValue(overlap.released_score(answer.found, region))]

    wording = Wording(
        "Beside the answer stands a mask. How large is what both the green that was painted and the mask's white "
        "cover, as a share of what either of them covers?",
        graded=True,
    )
    beside = partial(pictures_of_roles, item, ("input", "mask"))
    return Check("region", "rules", pixels, ("region", "region_released"), values, beside, wording=(wording, None))


def name_check(item: GirItem) -> Check:
    names, distractors = item.names, item.distractors
    others = f", and none of these: {', '.join(distractors)}" if distractors else ""
    wording = Wording(f"Does the answer name this: {' / '.join(names)}{others}?")
    return word_check("name", "named", lambda words: recognition.name_score(words, names, distractors), wording)


def choice_check(item: GirItem) -> Check:
    choices = options(item)
    right = choices.index(item.entity)
    letter = recognition.LETTERS[right]
    wording = Wording(
        f"Of {', '.join(lettered_options(item))}: does the answer choose {letter}) {choices[right]} alone?"
    )

    def score(words: str) -> float:
        return float(recognition.chosen_option(words, choices) == right)

    return word_check("choice", "chosen", score, wording)


def word_check(name: str, measure: str, score: Callable[[str], float], wording: Wording) -> Check:
    def values(answers: Sequence[PartFinding], references: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
        return [MeasuredValue(score("\n".join(one.part for one in answers)))]

    return Check(name, "rules", lambda text: Computing(lambda: text), (measure,), values, of="text", wording=(wording,))


def pictures_of_roles(item: GirItem, roles: Sequence[str], pictures: Pictures) -> Sequence[Picture]:
    return [*pictures_of_role(item, pictures, *roles).values()]  # type: ignore[arg-type]


def read_picture(picture: Picture) -> Reading:
    return Reading(Read(picture))


def pixels(picture: Picture) -> Computing:
    return Computing(lambda: np.asarray(upright_rgb(picture.data)))
