"""The released instructions of PRISM-Bench's judges, read from a clone of the released code; no copy of them is here.

Both scripts have a function that builds them only from literals, by track under `alignment`, and `aesthetic`: a text
that follows the picture, or turns of a chat. It is read, never run. A reply that cannot be read is not asked for again.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.replied_json import extract_json
from gamut.asking.requests import Chat, Message, Part
from gamut.project.errors import UserError
from gamut.project.places import path_on_disk
from gamut.project.validation import Strict, validate_values
from stages.prism.shared.items import TRACKS
from stages.prism.shared.parameters import Release

FUNCTION = "get_message_templates"
PROMPT = "text_prompt"
"""The field of the prompt in a template."""
TRAILING = re.compile(r",\s*(?=[}\]])")
"""A comma before a closing bracket, which JSON does not allow but the release accepts."""


class ReleasedVerdict(BaseModel):
    """The reply: the release accepts any number as the score, and needs no justification."""

    justification: str = ""
    score: Annotated[float, Field(ge=0, le=10)]


class Text(Strict):
    type: Literal["text"]
    text: str


class Turn(Strict):
    role: Literal["system", "user"]
    content: str | Annotated[list[Text], Field(min_length=1, max_length=1)]


Template = str | Annotated[list[Turn], Field(min_length=1)]


class Templates(Strict):
    """What the function returns, with every track."""

    alignment: dict[Literal[TRACKS], Template]  # type: ignore[valid-type]
    aesthetic: Template


@dataclass(frozen=True)
class ReleasedQuestion(Question):
    """`instruction`: the last turn's template. `before`: earlier turns. `picture_first`: before the words."""

    before: tuple[Message, ...] = ()
    picture_first: bool = False

    def about(
        self, fields: Mapping[str, str] | None = None, material: Sequence[Part] = (), seed: int = 0, sample: int = 0
    ) -> AskedQuestion:
        """See `Question.about`. The prompt is inserted unchanged, and the reply's form is not described."""
        fields = fields or {}
        words = self.instruction.format(**{PROMPT: fields.get("prompt", "")})
        parts = (*material, words) if self.picture_first else (words, *material)
        return AskedQuestion(self, fields, Chat(self.name, (*self.before, Message("user", parts)), {}, seed, sample))


@cache
def released_questions(release: Release) -> Mapping[str, Question]:
    """Return questions by track, and `aesthetic`. UserError if there is no script, or its digest is not `revision`."""
    path = path_on_disk(release.path)
    try:
        data = path.read_bytes()
    except OSError as error:
        fix = "name a script of your clone of the released code, or set prism.instructions to own"
        raise UserError(f"prism.release in params.yaml: {path} cannot be read ({error.strerror}): {fix}") from None
    if (found := f"sha256-{hashlib.sha256(data).hexdigest()}") != release.revision:
        fix = "restore the script, or name this digest"
        raise UserError(f"prism.release in params.yaml: {path} is not {release.revision}: {fix}: {found}")
    try:
        templates = validate_values(Templates, returned_literal(data), path)
        named = {track: templates.alignment[track] for track in TRACKS} | {"aesthetic": templates.aesthetic}
        return {name: question_of(name, template) for name, template in named.items()}
    except KeyError as error:
        raise UserError(f"{path}: alignment.{error.args[0]}: this key is missing") from None
    except (ValueError, SyntaxError) as error:
        why = str(error).splitlines()[0]
        raise UserError(f"{path}: {FUNCTION} is not as the released scripts have it: {why}") from None


def returned_literal(source: bytes) -> Any:
    """Return what the function returns, with the names of its literals replaced. ValueError if it does more."""
    defined = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == FUNCTION]
    values: dict[str, ast.expr] = {}

    class Filled(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return values.get(node.id, node)

    for node in defined[0].body if defined else ():
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = Filled().visit(value)
            case ast.Return(value=ast.expr() as value):
                return ast.literal_eval(Filled().visit(value))
    raise ValueError("it is missing or returns nothing")


def question_of(name: str, template: Template) -> Question:
    """Return the question of a template. ValueError unless the prompt is its only field."""
    *turns, last = [Turn(role="user", content=template)] if isinstance(template, str) else template
    words = text_of(last)
    if last.role != "user" or {field for _, field, _, _ in Formatter().parse(words) if field is not None} != {PROMPT}:
        raise ValueError(f"{name}: the last turn has to be the user's, with {{{PROMPT}}} as its only field")
    return ReleasedQuestion(
        name="prism_released_aesthetic" if name == "aesthetic" else f"prism_released_alignment_{name}",
        opening="",
        instruction=words,
        reply=ReleasedVerdict,
        repairs=0,
        extract=without_trailing_commas,
        before=tuple(Message(turn.role, (text_of(turn),)) for turn in turns),
        picture_first=isinstance(template, str),
    )


def text_of(turn: Turn) -> str:
    return turn.content if isinstance(turn.content, str) else turn.content[0].text


def without_trailing_commas(reply: str) -> str:
    """Return the JSON of a reply as the release reads it: without its code fence, and without trailing commas."""
    return TRAILING.sub("", extract_json(reply))
