"""The question for a description that lets people find an entity without its name."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from stages.asking.questions import Asked, Question
from stages.gir.construction.entities import named_in


class Described(BaseModel):
    """The reply."""

    description: str


def objection(reply: Described, fields: Mapping[str, str]) -> str | None:
    """Return why a description cannot be used: it is no sentence, or names the entity."""
    if not reply.description.strip().endswith((".", "。")):
        return "a sentence is wanted, with a full stop"
    word = named_in(reply.description, [fields["entity"], *fields["names"].splitlines()])
    return f"{word!r} is a word of its name: describe it without" if word else None


DESCRIBE_ENTITY = Question(
    "describe_entity",
    "You write riddles for a test of what models that paint know about the world.",
    """\
Describe <entity> in one sentence or two, so that whoever knows the world can tell for sure what is meant and paint \
it, and so that it is no other thing: by what it does, where it is, what it is known for. Use no word of its name, of \
the names in <names>, or of any synonym or translation of them.

Answer with a JSON object with the one key `description`.""",
    Described,
    objection,
)


def describing(entity: str, names: Sequence[str], seed: int) -> Asked:
    """Return the conversation about an entity."""
    return DESCRIBE_ENTITY.about({"entity": entity, "names": "\n".join(names)}, seed=seed)
