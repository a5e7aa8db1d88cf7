"""What was asked, as a spec: digests of its parts under their names, the same for every contestant.

A spec is one text, `name=value name=value …`, beside every answer, observation and score. Values are eight hexadecimal
digits, or plain where they are short; nothing of a contestant's is in it.

* Of an answer: `given` (texts and pictures, in order), `wanted` (of text and image), `size` of pictures, `seed`,
  `reflected` (in which words and how often contestants come back to it, where they do), and `rewritten` (how and by
  whom the prompt was, where it was).
* Of an observation: `model` (its id, and how it is asked), its `revision`, `numerics`, `sampling`; `question` (its own
  words, and those that it goes on from), `reply` (its schema), `shown` (what of the item, and where the answer),
  `at_once` (how many values one call gives), `reading` (measures, and what the functions do that read replies, also
  those that read replies to all questions), `repair` (what is said to a reply that does not fit), `seed`, and, where a
  benchmark leaves the choice, `instructions` (whose words these are).
* Scores add `rule`, `scale`, `stratum`, `groups`, `samples`, `repeats`; joint ones, which are of what was given and
  observed on two sides, also `joined` (`scoring.specs`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, lru_cache, partial
from inspect import unwrap
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from stages.asking.outcomes import Outcome
from stages.asking.questions import Asked, Question
from stages.asking.requests import Chat, Modality, Part, Picture, Reply, digested, fingerprint, tagged
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.inquiries import Inquiry, Put, Sighting
from stages.evaluation.defining.pictures import stand_ins
from stages.project.errors import UserError

DIGITS = 8
PICTURES = Picture(b"one"), Picture(b"another")
STAND_IN: Mapping[Modality, Sequence[Part]] = {"text": ("one</answer>", "another"), "image": PICTURES}
"""What stands for an answer's parts: two of each kind, as it matters which are shown, and how what looks like a tag."""
UNUSABLE = Reply(b'{"twice": 1, "twice": 2}')
"""A reply that no question accepts."""
Specs = Mapping[tuple[str, int], str]
"""The spec of each value that an answer is to have: by measure, and which of the values of its measure it is."""


def of_answer(put: Put, size: tuple[int, int], seed: int, rewritten: Any = None) -> str:
    """Return the spec of what a contestant is given: `put` with stand-ins for pictures; `rewritten`: how the prompt
    was.
    """
    width, height = put.size or size
    parts = {"given": digest([digested(part) for part in put.parts]), "wanted": "+".join(put.modalities)}
    parts |= {"size": f"{width}x{height}"} if "image" in put.modalities else {}
    parts |= {"seed": str(seed)}
    parts |= {} if put.reflection is None else {"reflected": digest(put.reflection)}
    return as_text(parts | ({} if rewritten is None else {"rewritten": digest(rewritten)}))


def of_judged(inquiries: Sequence[Inquiry], put: Put, item: Item, judge: Mapping[str, Any], seed: int) -> Specs:
    """Return the specs of what a judge says of an answer to an item; `judge` is an identity, `seed` the build's."""
    answer = put.asked_for(list(chain.from_iterable(STAND_IN[modality] for modality in put.modalities)))
    specs: list[tuple[Sequence[str], str]] = []
    for one in inquiries:
        together = [*(other for other in inquiries if goes_on_from(one, other)), one]
        seen = [of.question.shown(of.material(answer, stand_ins(item)), of.fields) for of in together]
        material = [[digested(part) for part in parts] for parts in seen]
        parts = of_model(judge) | {
            "question": digest([worded(of.question) for of in together]),
            "reply": digest([asked(of.question).schema for of in together]),
            "shown": digest([material, [tagged(of.fields) for of in together]]),
            "at_once": str(len(one.measures)),
            "reading": digest([how_read(of) for of in together]),
            "repair": digest(repaired(one.question)),
            "seed": str(seed),
        }
        parts |= {"instructions": one.instructions} if one.instructions else {}
        specs.append((one.measures, as_text(parts)))
    return by_value(specs)


def of_seen(sightings: Sequence[Sighting], item: Item, observer: Mapping[str, Any]) -> Specs:
    specs: list[tuple[Sequence[str], str]] = []
    for one in sightings:
        beside = [*one.beside(stand_ins(item))]
        asked = [one.look(part) for part in (*STAND_IN[one.of], *beside)]
        first = [step for conversation in asked if not isinstance(step := conversation.next([]), Outcome)]
        shown = [[fingerprint(request, {}) for request in first], [digested(part) for part in beside]]
        parts = of_model(observer) | {
            "question": digest([one.name, one.role]),
            "shown": digest([source_of(one.asked), *shown]),
            "reading": digest([one.measures, source_of(one.read), [source_of(of.next) for of in asked]]),
        }
        specs.append((one.measures, as_text(parts)))
    return by_value(specs)


LATELY = 64
"""Questions of which it is remembered what is sent: most benchmarks ask the same of every answer."""
OF_RULES: Mapping[str, Any] = {"id": "rules", "revision": None, "numerics": None, "sampling": None}
"""The identity of an observer that is no model."""


def of_model(identity: Mapping[str, Any]) -> dict[str, str]:
    own = {name: identity[name] for name in ("revision", "numerics", "sampling")}
    others = {name: value for name, value in identity.items() if name not in own}
    return {"model": digest(others)} | {name: digest(value) if value else "none" for name, value in own.items()}


def goes_on_from(one: Inquiry, other: Inquiry) -> bool:
    return one.follows is not None and one.follows.name == other.question.name and other.follows is None


@lru_cache(LATELY)
def worded(question: Question) -> list[Any]:
    return [question.name, *(digested(part) for message in asked(question).messages for part in message.parts)]


def how_read(one: Inquiry) -> list[Any]:
    """Return what a reply to an inquiry means: the measures, and what the functions do that make values of it."""
    own = one.question
    rules: list[Callable[..., Any]] = [Asked.parse, own.extract, one.read, own.check]
    rules += [] if one.known is None else [one.known]
    about = [sorted(parts) for parts in one.about]
    return [one.measures, one.follows and one.follows.name, one.reading, about, [source_of(rule) for rule in rules]]


@lru_cache(LATELY)
def asked(question: Question) -> Chat:
    return question.about().request


@lru_cache(LATELY)
def repaired(question: Question) -> list[Any]:
    """Return what is said, turn by turn, to replies that no question accepts, until no other is asked for."""
    conversation, said = question.about(), list[Any]()
    while isinstance(step := conversation.next([UNUSABLE] * (len(said) + 1)), Chat):
        said.append([digested(part) for message in step.messages[1:] for part in message.parts])
    return said


def by_value(specs: Iterable[tuple[Sequence[str], str]]) -> Specs:
    found: dict[tuple[str, int], str] = {}
    counted: dict[str, int] = {}
    for measures, spec in specs:
        for measure in measures:
            found[measure, counted.setdefault(measure, 0)] = spec
            counted[measure] += 1
    return found


def as_text(parts: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in parts.items())


def parts_of(spec: str) -> dict[str, str]:
    """Return a spec's values by their names; UserError for what is none."""
    pairs = [one.partition("=") for one in spec.split(" ")]
    found = {name: value for name, _, value in pairs if name and value}
    if len(found) < len(pairs):
        raise UserError(f"{spec!r} is no spec: the table is of an earlier layout, or damaged: run `dvc repro`")
    return found


def digest(values: Any, digits: int = DIGITS) -> str:
    """Return the first hexadecimal digits of the sha256 of plain values: also of those that orjson refuses, such as
    halves of characters in a parser's pattern.
    """
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:digits]


DECIMALS = 12
"""Of numbers in arrays: the last digits differ between processors."""


def source_of(function: Callable[..., Any]) -> list[Any]:
    """Return the digests of the files of a function and of all that it calls, and the plain values that they are bound
    to. Of classes, and of what other packages have, only the name.
    """
    bound = not isinstance(function, FunctionType) or function.__closure__
    return walked(function) if bound else walked_once(function)


def walked(function: Callable[..., Any]) -> list[Any]:
    walk = Walk(frozenset([package_of(walked), package_of(function)]))
    return [walk.told(function, frozenset()), sorted(walk.files)]


@lru_cache(LATELY)
def walked_once(function: FunctionType) -> list[Any]:
    """Return the same of a function that nothing is bound to: most judges' replies are all read by the same few."""
    return walked(function)


class Walk:
    """A walk through what a function calls: `packages`, in which it goes on; `files`, the digests of those it met."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self.files = set[str]()

    def told(self, function: Callable[..., Any], above: frozenset[CodeType]) -> list[Any]:
        """Return where a function stands and what it is bound to; `above`: those by which it is called."""
        if isinstance(function, partial):
            return [self.told(function.func, above), self.plain([function.args, function.keywords], above)]
        bare = unwrap(getattr(function, "__func__", function), stop=lambda one: isinstance(one, FunctionType))
        if not isinstance(bare, FunctionType) or bare.__code__ in above or package_of(bare) not in self.packages:
            return [named(bare)]
        code, above = bare.__code__, above | {bare.__code__}
        if str(bare.__globals__.get("__name__")).partition(".")[0] in self.packages:  # a decorator may be of another
            self.files.add(digest_of(code.co_filename))
        names = sorted(names_in(code))
        used = {name: bare.__globals__[name] for name in names if name in bare.__globals__}
        modules = [one for one in used.values() if isinstance(one, ModuleType) and package_of(one) in self.packages]
        taken = {name: [vars(one)[name] for one in modules if name in vars(one)] for name in names}
        bound = [cell.cell_contents for cell in bare.__closure__ or ()]
        own = self.plain([used, taken, bound, bare.__defaults__, bare.__kwdefaults__], above)
        return [named(bare), code.co_firstlineno, own]  # lambdas of one file have one name

    def plain(self, value: Any, above: frozenset[CodeType]) -> Any:
        """Return a value as JSON has it, functions as what they do; of other objects the name of their class."""
        match value:
            case None | bool() | int() | float() | str():
                return value
            case bytes():
                return value.hex()
            case re.Pattern():
                return [self.plain(value.pattern, above), value.flags]
            case np.ndarray() | np.generic():
                return np.round(value, DECIMALS).tolist()
            case Mapping():
                return {str(key): self.plain(one, above) for key, one in value.items()}
            case list() | tuple():
                return [self.plain(one, above) for one in value]
            case set() | frozenset():
                return sorted((self.plain(one, above) for one in value), key=str)
            case FunctionType() | MethodType() | partial():
                return self.told(value, above)
            case Enum():
                return [value.name, self.plain(value.value, above)]
        if is_dataclass(value) and not isinstance(value, type):
            return [named(value), {one.name: self.plain(getattr(value, one.name), above) for one in fields(value)}]
        return named(unwrap(value))


def package_of(one: Callable[..., Any] | ModuleType) -> str:
    where = one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", None)
    return str(where).partition(".")[0]


def named(value: Any) -> str:
    return str(getattr(value, "__qualname__", type(value).__qualname__))


@cache
def names_in(code: CodeType) -> frozenset[str]:
    inside = (names_in(one) for one in code.co_consts if isinstance(one, CodeType))
    return frozenset(code.co_names).union(*inside)


@cache
def digest_of(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_text("utf-8").encode()).hexdigest()
    except OSError:
        raise UserError(f"{path}: is not there, and a spec is of what the code in it does") from None
