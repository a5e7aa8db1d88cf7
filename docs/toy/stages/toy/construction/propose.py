"""Prompts for a new edition, for people to review."""

import sys

from stages.evaluation.curating.proposals import write_proposal
from stages.project.stage import main
from stages.tables.columns import make_id
from stages.toy.benchmark import Params

COLUMNS = ("prompt", "number", "colour")
PROPOSED = {
    "one_thing": (
        ("three red cars", "three cars", "three red cars"),
        ("a yellow umbrella", "one umbrella", "a yellow umbrella"),
        ("two purple elephants", "two elephants", "two purple elephants"),
    ),
    "two_things": (
        ("two red cars to the left of a blue house", "two cars", "a blue house"),
        ("a black cat to the right of three yellow birds", "three birds", "a black cat"),
        ("a pink flower below two green trees", "two trees", "a pink flower"),
        ("five red apples above a blue chair", "five apples", "a blue chair"),
        ("a purple star and two white cups", "two cups", "a purple star"),
    ),
}


def propose(params: Params, edition: str) -> None:
    """Propose every prompt of the list."""
    waves = {
        things: [
            {"id": make_id(things, number), "things": things, "status": "ok"} | dict(zip(COLUMNS, texts, strict=True))
            for number, texts in enumerate(proposed)
        ]
        for things, proposed in PROPOSED.items()
    }
    write_proposal("toy", edition, waves, ("things", *COLUMNS), similarity=0.9)


if __name__ == "__main__":
    main("toy.propose", propose, Params, *sys.argv[1:])
