"""What was asked, as a spec: digests of its parts under their names, the same for every contestant.

A spec is one text, `name=value name=value …`, stored with every answer, judgment and score. Values are eight
hexadecimal digits, or plain if they are short. A spec contains nothing of a contestant.

* Of an answer: `given` (texts and pictures, in order), `wanted` (text, image or both), `size` of pictures, `seed`,
  `reflected` (the words and number of reflections, if any), `rewritten` (how and by which model, if any).
* Of a judgment: `model` (its id, and how it is asked), its `revision`, `numerics`, `sampling`; `question` (its words,
  and those of the question that it continues), `reply` (its schema), `shown` (the item's material, and where the answer
  is). Then `at_once` (values from one call), `reading` (measures, and the parts of an answer that they use), `repair`
  (what a reply that does not fit gets), `seed`, the frozen `item`, and the `code` that computes values. With a choice
  of words also `instructions`.
* Scores add `rule`, `scale`, `stratum`, `groups`, `samples`, `repeats`. Joint scores, from two settings, also add
  `joined` (`scoring.specs`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from gamut.asking.outcomes import Outcome
from gamut.asking.questions import Question
from gamut.asking.requests import Chat, Modality, Part, Picture, Reply, fingerprint, part_digest, tag_fields
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import Check, JudgeQuestion, Prompt
from gamut.project.code import digest_of, files_of
from gamut.project.errors import UserError

DIGITS = 8
PICTURES = Picture(b"one"), Picture(b"another")
STAND_IN: Mapping[Modality, Sequence[Part]] = {"text": ("one</answer>", "another"), "image": PICTURES}
"""Stand-ins for an answer's parts, two of each kind, also with a text that looks like a tag: specs depend on these."""
UNUSABLE_REPLY = Reply(b'{"twice": 1, "twice": 2}')
Specs = Mapping[tuple[str, int], str]
"""The spec of each expected value of an answer: by measure, and number of the value in its measure."""


def answer_spec(prompt: Prompt, size: tuple[int, int], seed: int, rewritten: Any = None) -> str:
    """Return the spec of a prompt with stand-ins for pictures. `rewritten`: how the prompt was rewritten."""
    width, height = prompt.size or size
    parts = {"given": digest([part_digest(part) for part in prompt.parts]), "wanted": "+".join(prompt.modalities)}
    parts |= {"size": f"{width}x{height}"} if "image" in prompt.modalities else {}
    parts |= {"seed": str(seed)}
    parts |= {} if prompt.reflection is None else {"reflected": digest(prompt.reflection)}
    return spec_text(parts | ({} if rewritten is None else {"rewritten": digest(rewritten)}))


@cache
def code_of(*modules: str) -> str:
    return digest_of(files_of(*modules))[:DIGITS]


def code_of_values(benchmark: AnyBenchmark) -> str:
    """Return the digest of the code that computes values from replies about answers."""
    return code_of(f"stages.{benchmark.name}.shared.benchmark", "gamut.evaluation.running.judging")


def judgment_specs(
    judge_questions: Sequence[JudgeQuestion], prompt: Prompt, item: Item, judge: Mapping[str, Any], seed: int, code: str
) -> Specs:
    """Return the specs of judgments. `judge`: an identity. `code`: digest of the code that computes values."""
    answer = prompt.wanted_parts(list(chain.from_iterable(STAND_IN[modality] for modality in prompt.modalities)))
    by, specs = {"item": item_digest(item), "code": code}, list[tuple[Sequence[str], str]]()
    for one in judge_questions:
        together = [*(other for other in judge_questions if one.goes_on_from(other)), one]
        seen = [of.question.shown(of.material(answer, stand_ins(item)), of.fields) for of in together]
        material = [[part_digest(part) for part in parts] for parts in seen]
        parts = model_digests(judge) | {
            "question": digest([question_words(of.question) for of in together]),
            "reply": digest([sent_request(of.question).schema for of in together]),
            "shown": digest([material, [tag_fields(of.fields) for of in together]]),
            "at_once": str(len(one.measures)),
            "reading": digest([reading_words(of) for of in together]),
            "repair": digest(repair_words(one.question)),
            "seed": str(seed),
            **by,
        }
        parts |= {"instructions": one.instructions} if one.instructions else {}
        specs.append((one.measures, spec_text(parts)))
    return specs_by_value(specs)


def check_specs(checks: Sequence[Check], item: Item, observer: Mapping[str, Any], code: str) -> Specs:
    by, specs = {"item": item_digest(item), "code": code}, list[tuple[Sequence[str], str]]()
    for one in checks:
        beside = [*one.beside(stand_ins(item))]
        asked = [one.look(part) for part in (*STAND_IN[one.of], *beside)]
        first = [step for conversation in asked if not isinstance(step := conversation.next([]), Outcome)]
        shown = [[fingerprint(request, {}) for request in first], [part_digest(part) for part in beside]]
        parts = model_digests(observer) | {
            "question": digest([one.name, one.role]),
            "shown": digest(shown),
            "reading": digest(one.measures),
            **by,
        }
        specs.append((one.measures, spec_text(parts)))
    return specs_by_value(specs)


REMEMBERED = 64
"""Questions whose requests are cached: most benchmarks ask the same about every answer."""
OF_RULES: Mapping[str, Any] = {"id": "rules", "revision": None, "numerics": None, "sampling": None}
"""The identity of an observer that is not a model."""


def model_digests(identity: Mapping[str, Any]) -> dict[str, str]:
    own = {name: identity[name] for name in ("revision", "numerics", "sampling")}
    others = {name: value for name, value in identity.items() if name not in own}
    return {"model": digest(others)} | {name: digest(value) if value else "none" for name, value in own.items()}


@lru_cache(REMEMBERED)
def question_words(question: Question) -> list[Any]:
    return [
        question.name,
        *(part_digest(part) for message in sent_request(question).messages for part in message.parts),
    ]


def reading_words(question: JudgeQuestion) -> list[Any]:
    return [question.measures, question.follows and question.follows.name, [sorted(parts) for parts in question.about]]


def item_digest(item: Item) -> str:
    return digest(item.model_dump(mode="json", exclude_unset=True))


@lru_cache(REMEMBERED)
def sent_request(question: Question) -> Chat:
    return question.about().request


@lru_cache(REMEMBERED)
def repair_words(question: Question) -> list[Any]:
    """Return the messages, turn by turn, to replies that no question accepts."""
    conversation, said = question.about(), list[Any]()
    while isinstance(step := conversation.next([UNUSABLE_REPLY] * (len(said) + 1)), Chat):
        said.append([part_digest(part) for message in step.messages[1:] for part in message.parts])
    return said


def specs_by_value(specs: Iterable[tuple[Sequence[str], str]]) -> Specs:
    found: dict[tuple[str, int], str] = {}
    counted: dict[str, int] = {}
    for measures, spec in specs:
        for measure in measures:
            found[measure, counted.setdefault(measure, 0)] = spec
            counted[measure] += 1
    return found


def spec_text(parts: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in parts.items())


def spec_parts(spec: str) -> dict[str, str]:
    """Return a spec's values by their names. UserError for a text that is not a spec."""
    pairs = [one.partition("=") for one in spec.split(" ")]
    found = {name: value for name, _, value in pairs if name and value}
    if len(found) < len(pairs):
        raise UserError(f"{spec!r} is not a spec: the table is of an earlier layout, or damaged: run `dvc repro`")
    return found


def digest(values: Any, digits: int = DIGITS) -> str:
    """Return the first hexadecimal digits of the sha256 of plain values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:digits]
