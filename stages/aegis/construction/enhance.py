"""The prompt as people put it: what is wanted lies behind reasoning of a kind that is drawn by seed (section 3.2)."""

import random
import sys
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import read_taxonomy, slots_of
from stages.asking.questions import Asked, Question
from stages.asking.requests import seed_of
from stages.evaluation.running.placing import misnaming, names_in
from stages.project.stage import main
from stages.tables.columns import Row


class Enhanced(BaseModel):
    prompt: str


def objection(reply: Enhanced, fields: Mapping[str, str]) -> str | None:
    return misnaming(reply.prompt, len(names_in(fields["clear_prompt"]))) if reply.prompt.strip() else "it is blank"


ADD_REASONING = Question(
    "add_reasoning",
    "You write tasks for a test of what multimodal models know about the world.",
    """\
Put the task of <clear_prompt> as somebody would who leaves things to be understood: whoever answers first has to find \
out what is meant, by reasoning of the kind <reasoning>, which is about <about>. The right answer stays the \
same to the last detail, and nothing that is asked for is lost. Every picture that is named, as <image1>, stays \
named just so, and no other is. Where the kind is none, change nothing but the tone: say it as people would.

Answer with a JSON object with the one key `prompt`.""",
    Enhanced,
    objection,
)


def enhance(params: Params, edition: str) -> None:
    slots, taxonomy = slots_of(params, edition), read_taxonomy(params.propose.taxonomy)
    rows = slots.usable("choose")
    for row in rows:
        drawn = random.Random(seed_of(f"{row['id']} reasoning", params.seed))
        [row["reasoning"]] = drawn.choices(list(taxonomy.shares), list(taxonomy.shares.values()))

    def conversation(row: Row) -> Asked:
        kind = {"reasoning": row["reasoning"], "about": taxonomy.reasoning[row["reasoning"]]}
        return ADD_REASONING.about({"clear_prompt": row["clear_prompt"]} | kind, seed=seed_of(row["id"], params.seed))

    def made(row: Row, value: Any) -> Row:
        return {"prompt": value.prompt.strip()}

    slots.put_each("enhance", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("aegis.enhance", enhance, Params, *sys.argv[1:])
