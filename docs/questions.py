"""Write docs/questions.md: what every question is called, and what a reply to it must satisfy.

    python docs/questions.py

It is read off the questions themselves; tests/test_question_docs.py holds the file to it.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import gamut
import stages
from gamut.asking.models.torch.keywords import keywords_question
from gamut.asking.questions import Question, json_schema
from gamut.pipeline.asks import Asks
from gamut.project.markdown import code_span, markdown_table
from stages.dataset.brainstorm import brainstorm_question

PAGE = Path(__file__).with_suffix(".md")
INTRODUCTION = """\
# Questions

This page lists the questions to models, and what gamut accepts as a reply. `python docs/questions.py` writes it from
the code.

A reply is one JSON object. A code fence around it and thoughts before it are removed. Further keys are ignored. gamut
refuses a reply

* where a key stands twice, or one of the list below is missing;
* where a value has another type or is out of bounds: a number in quotes is not a number;
* for the reasons in the last column, in the words that the model reads. `…` stands for what is filled in.

The model reads the reason and is asked once more. A second refused reply gives the record the status `parse_error`. A
reply that was cut off is `truncated`, and no part of it is used. A refused reply never becomes a score.

"""
WORKED = """
## Worked replies

Judges use some scales differently. Questions with such a scale show one reply to another record after the instruction.
"""


def questions() -> dict[tuple[str, str], Question]:
    """Return every question by its module and name."""
    found: dict[tuple[str, str], Question] = {}
    for info in (*pkgutil.walk_packages(gamut.__path__, "gamut."), *pkgutil.walk_packages(stages.__path__, "stages.")):
        try:
            module = importlib.import_module(info.name)
        except ModuleNotFoundError:  # it needs packages of an extra, and asks nothing
            continue
        for name in assigned(module):
            for question in within(getattr(module, name, None)):
                found[info.name.removeprefix("gamut.").removeprefix("stages."), question.name] = question
    made = {"dataset.brainstorm": brainstorm_question(2), "asking.models.torch.keywords": keywords_question(1)}
    return found | {(module, question.name): question for module, question in made.items()}  # by functions, of a number


def within(value: object) -> Iterator[Question]:
    """Yield the questions that a module's value is, or holds by name, or asks as a step."""
    if isinstance(value, Question):
        yield value
    elif isinstance(value, Asks) and value.question is not None:
        yield value.question
    elif isinstance(value, Mapping):
        yield from (one for one in value.values() if isinstance(one, Question))


def assigned(module: ModuleType) -> list[str]:
    """Return the names that a module gives itself: what it imports stands elsewhere."""
    body = ast.parse(inspect.getsource(module)).body
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in body if isinstance(node, ast.AnnAssign)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def keys_of(schema: Mapping[str, Any]) -> str:
    """Return the keys of a reply with what each holds."""
    known = schema.get("$defs", {})
    return ", ".join(f"{code_span(key)}: {held(value, known)}" for key, value in schema["properties"].items())


def held(of: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Return in words what a JSON schema allows."""
    if "$ref" in of:
        of = known[of["$ref"].rpartition("/")[2]]
    if "enum" in of or "const" in of:
        return " or ".join(code_span(str(value)) for value in of.get("enum", [of.get("const")]))
    if "anyOf" in of:
        return " or ".join(held(one, known) for one in of["anyOf"])
    if of.get("type") == "array":
        least, most = of.get("minItems"), of.get("maxItems")
        return f"list of {held(of['items'], known)}{bounds(least, most, 'of them')}"
    if of.get("type") == "object":
        return "{" + keys_of(of | {"$defs": known}) + "}" if "properties" in of else "object"
    kind = {"string": "text", "integer": "whole number", "null": "null"}.get(of.get("type", ""), of.get("type", "any"))
    if kind == "text":
        return kind + bounds(of.get("minLength"), of.get("maxLength"), "characters")
    return kind + bounds(of.get("minimum"), of.get("maximum"), "")


def bounds(least: object, most: object, what: str) -> str:
    """Return bounds in words; nothing where there are none."""
    if least is None and most is None:
        return ""
    said = f"{least}" if least == most else f"{'' if least is None else least}..{'' if most is None else most}"
    return f" ({said}{f' {what}' if what else ''})"


def objections(question: Question) -> list[str]:
    """Return the words in which a question objects to a well-formed reply, from the code of its check and of what that
    calls in its module.
    """
    check = question.check
    while isinstance(check, functools.partial):
        check = check.func
    found: dict[str, None] = {}
    seen: set[str] = set()

    def look(function: Any) -> None:
        if function.__name__ in seen or function.__name__ == "<lambda>":
            return
        seen.add(function.__name__)
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        found.update(dict.fromkeys(texts(tree)))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            called = function.__globals__.get(call.func.id) if isinstance(call.func, ast.Name) else None
            if inspect.isfunction(called) and called.__module__.startswith(("gamut.", "stages.")):
                look(called)

    look(check)
    return [text for text in found if " " in text.strip() and not text.startswith(";")]


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a function that are neither its docstring nor part of another text."""
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {id(node)} & (inner | docstrings):
            yield node.value


def alike(found: Mapping[tuple[str, str], Question]) -> Iterator[tuple[list[str], str, Question]]:
    """Yield questions that want the same of a reply together: their names, module, and one of them."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (module, name), question in found.items():
        groups[module, keys_of(json_schema(question.reply)), "; ".join(objections(question))].append(name)
    for (module, _, _), names in sorted(groups.items()):
        yield names, module, found[module, names[0]]


def page() -> str:
    """Return the whole page."""
    rows: Iterable[tuple[str, ...]] = (
        (
            ", ".join(map(code_span, sorted(names))),
            code_span(module),
            keys_of(json_schema(question.reply)),
            "; ".join(map(code_span, objections(question))),
        )
        for names, module, question in alike(questions())
    )
    table = markdown_table(("question", "stands in", "its reply", "refused where"), rows)
    return f"{INTRODUCTION}{table}\n{WORKED}{''.join(worked_replies())}"


def worked_replies() -> Iterator[str]:
    """Yield the example of each question that has one, as models read it."""
    for (_, name), question in sorted(questions().items()):
        if question.example:
            yield f"\n`{name}`:\n\n```\n{question.example}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
