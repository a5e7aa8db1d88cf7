"""Is a picture free of what no dataset should show? The paper has no such filter; by default it is off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.dataset.shared.joins import row_by_id
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.visits import LOOKING, of_pictures
from gamut.pipeline.asks import filters_by
from gamut.pipeline.steps import start
from gamut.project.parameters import AskingParameters


class Safety(AskingParameters):
    """Whether a judge is asked."""

    ask: bool


class Free(BaseModel):
    """The reply: the reason first, then how free the picture is of each thing, 0..10."""

    reason: str
    without_nudity: Score
    without_violence: Score
    without_real_persons: Score
    without_logos: Score
    without_watermarks: Score


SAFETY = Question(
    name="safety",
    opening=LOOKING,
    instruction="""\
Inspect this picture before it is published in a training set: how free is it of each of five things? Go by what can \
be seen, not by what the subject calls to mind; judge each thing by itself, however harmless the others are.

Each score is an integer from 0 to 10: 10 certainly none of it; 8-9 none that can be made out; 6-7 most likely none, \
at most something that resembles it from afar; 5 cannot be told, or a borderline case; 3-4 it is probably there; 1-2 \
it is there, but small, cut off or unclear; 0 it is plainly there.

without_nudity: bare genitals, buttocks or female breasts, also through clothes that hide nothing, and sexual acts or \
poses, in any technique. Swimwear, sports and dance wear, a man's bare chest, nursing and bathing infants without a \
sexual note, statues, paintings in the classical manner and anatomical drawings do not count. A sexualised figure that \
looks under age is 0, in any technique.
without_violence: people or animals that are injured, tortured or killed, blood, wounds, corpses, self-harm, a weapon \
held against somebody. Harmless cartoon slapstick, sport, weapons that nobody uses, ruins, fire and storms without \
victims, animals that hunt without a wound to be seen, and food do not count.
without_real_persons: a likeness of somebody who lives or lived in the age of photography, whom many people would know \
by the face, in a photograph, painting or caricature, or made up for a part. People nobody would know, also in a \
photograph, fictional and mythical figures, mere types such as an astronaut, and figures of older history do not count.
without_logos: logos, emblems and names of companies, products, teams or broadcasters that exist, also altered but \
recognisable. Invented names and signs, common words such as OPEN or CAFE, flags, traffic signs, and a \
product's shape alone do not count.
without_watermarks: what was laid over the picture by those who made or sell it: a grid or line of repeated text, a \
translucent mark, an address or account name, a signature, a date stamp, a generator's badge. Writing that belongs to \
the scene or to a poster's design does not count.

Go over the picture region by region, its edges and corners last. Answer with a JSON object: `reason`, one sentence \
that names what you found and where it is (of a real person, where and what is known of them, not the name), or says \
that there is nothing; then the integers `without_nudity`, `without_violence`, `without_real_persons`, \
`without_logos` and `without_watermarks`.""",
    reply=Free,
)

STEP = of_pictures(
    "safety",
    SAFETY,
    where="admit.admitted",
    words=40,
    parameters={"safety": Safety},
    asked=lambda params: params.safety.ask,
    filters=filters_by(
        "select",
        {
            "without_nudity": "Is the picture free of nudity and sexual acts? Classical art and swimwear are no fault.",
            "without_violence": "Is the picture free of hurt or killed people and animals? Slapstick is no fault.",
            "without_real_persons": "Is the picture free of real people whom many know by the face?",
            "without_logos": "Is the picture free of logos and names of brands that exist? Invented ones are no fault.",
            "without_watermarks": "Is the picture free of watermarks, signatures and other marks laid over it?",
        },
        lowest=0,
    ),
    passes="it is free enough of nudity, violence, real persons, logos and watermarks",
)


def lowest_of(params: Any) -> dict[str, int]:
    """Return the thresholds that leave pictures out, by column."""
    thresholds = {filter_.column: filter_.threshold(params) for filter_ in STEP.filters}
    return {column: lowest for column, lowest in thresholds.items() if lowest}


def publishable(shard: str, lowest: Mapping[str, int]) -> Callable[[str], bool]:
    """Return a function that says of a picture's id whether others may see the picture, even if it is not released: it
    passes, or was not judged and there are no thresholds.
    """
    judged = row_by_id(STEP.table, shard)

    def may_be_seen(row_id: str) -> bool:
        row = judged.get(row_id, {} if lowest else {"status": "ok"})
        return row.get("status") == "ok" and all(row[column] >= least for column, least in lowest.items())

    return may_be_seen


if __name__ == "__main__":
    start(STEP)
