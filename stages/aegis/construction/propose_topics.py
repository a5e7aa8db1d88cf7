"""Topics that the writer would add to each domain. A person decides: whoever takes one over names it in items.DOMAINS
and in the taxonomy (section 3.2); nothing else follows from this table.
"""

import sys
from typing import Any

from pydantic import BaseModel

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import slots_of
from stages.aegis.shared.items import DOMAINS
from stages.asking.questions import Asked, Question
from stages.asking.requests import seed_of
from stages.project.stage import main
from stages.tables.columns import Row, make_id


class Topic(BaseModel):
    name: str
    about: str


class Topics(BaseModel):
    topics: list[Topic]


PROPOSE_TOPICS = Question(
    "propose_topics",
    "You plan a test of what multimodal models know about the world.",
    """\
Which topics should the domain <domain> have besides those of <known>, so that it covers what people commonly ask \
about? Each has a `name` of one or two words and what it is `about`, in a sentence; none is part of another.

Answer with a JSON object with the one key `topics`: a list of objects with `name` and `about`.""",
    Topics,
)


def propose_topics(params: Params, edition: str) -> None:
    def conversation(row: Row) -> Asked:
        fields = {"domain": row["domain"], "known": "\n".join(row["known"])}
        return PROPOSE_TOPICS.about(fields, seed=seed_of(row["id"], params.seed))

    def made(row: Row, value: Any) -> Row:
        return {"topics": [f"{one.name}: {one.about}" for one in value.topics if one.name not in row["known"]]}

    rows = [{"id": make_id(domain, 0), "domain": domain, "known": known} for domain, known in DOMAINS.items()]
    slots_of(params, edition).put_each("propose_topics", params.role_model("writer"), rows, conversation, made)


if __name__ == "__main__":
    main("aegis.propose_topics", propose_topics, Params, *sys.argv[1:])
