"""The world as a writer of a benchmark: tasks that it can do, hidden and solved, and checklists of what is right."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest

from stages.asking.requests import Picture
from stages.evaluation.running.placing import placed
from stages.sandbox import authoring
from stages.sandbox.captions import understand
from stages.sandbox.creator import create
from stages.sandbox.editing import told_apart, wished
from stages.sandbox.facts import Fact, facts_of
from stages.sandbox.judge import answer as judged
from stages.sandbox.material import Parts
from stages.sandbox.riddle_book import REASONING
from stages.sandbox.statements import said_in
from stages.sandbox.wordings import Asked, meant
from tests import world

WANTED = {
    "understanding": ("text",),
    "generation": ("image",),
    "editing": ("image",),
    "interleaved": ("text", "image"),
}
TOPICS = ("biology", "music", "traffic", "art")
FAULTS = ("wrong_count", "swapped_relation", "wrong_reasoning")


def asked(question: str, seed: int = 0, enclosed: Mapping[str, Parts] | None = None, **fields: str) -> dict[str, Any]:
    return authoring.answer(question, fields, enclosed or {}, seed, {})


class Item(NamedTuple):
    """A task with the right answer to it, and its checklist as it is written."""

    task: str
    clear: str
    pictures: tuple[bytes, ...]
    reference: Parts
    keywords: list[str]
    questions: list[dict[str, str]]

    @property
    def lines(self) -> str:
        return "\n".join(f"[{one['about'].capitalize()}] {one['question']}" for one in self.questions)

    @property
    def asked(self) -> list[tuple[str, Sequence[Asked]]]:
        return [(one["about"], meant(one["question"], one["about"]) or ()) for one in self.questions]  # type: ignore[arg-type]

    @property
    def atomic(self) -> set[tuple[str, Fact]]:
        """What is asked, one fact a question and not inverted."""
        single = [(about, found[0]) for about, found in self.asked if len(found) == 1]
        return {(about, plain(one.fact)) for about, one in single if not one.inverted}


def plain(fact: Fact) -> Fact:
    """A fact without what is grammar alone."""
    of, other = (thing and thing._replace(many=False) for thing in (fact.of, fact.other))
    return fact._replace(of=of, other=other)


def parts(text: str, pictures: Sequence[bytes]) -> list[str | bytes]:
    given = {f"input_{number}": Picture(data) for number, data in enumerate(pictures, start=1)}
    return [part.data if isinstance(part, Picture) else part for part in placed(text, given, "in_place")]


@cache
def item(task: str, topic: str, seed: int) -> Item:
    draft = asked("draft_task", seed, topic=topic, about="", task=task, direction="something new")
    pictures = tuple(world.picture(prompt) for prompt in draft["pictures"])
    reference = create(parts(draft["clear_prompt"], pictures), WANTED[task], 256, 256, seed, {})
    shown = {"reference": reference, "input": pictures}
    fields = {"clear_prompt": draft["clear_prompt"], "reference": ""}
    keywords = asked("extract_keywords", seed, shown, **fields)["keywords"]
    fields |= {"task": task, "keywords": "\n".join(keywords)}
    return Item(task, draft["clear_prompt"], pictures, reference, keywords,
                asked("write_checklist", seed, shown, **fields)["questions"])  # fmt: skip


def items(task: str) -> list[Item]:
    return [item(task, topic, seed) for seed, topic in enumerate(TOPICS)]


def truth(one: Item) -> set[tuple[str, Fact]]:
    """What truly holds of a right answer: what was asked for, known without looking at it."""
    if one.task == "understanding":
        [text] = one.reference
        sort = "number" if "How many" in one.clear else "which" if "Which" in one.clear else "truth"
        [found] = [said for said in said_in(str(text)) if said.sort == sort]
        return {("text", Fact({"number": "count"}.get(found.sort, found.sort), found.value))}  # type: ignore[arg-type]
    facts = [plain(fact) for fact in facts_of(wished(told_apart([*one.pictures, one.clear])))]
    found = {("image", fact) for fact in facts}
    if one.task == "interleaved":
        found |= {("text", fact) for fact in facts}
        both = [fact for fact in facts if fact.sort in ("count", "colour", "relation")]
        found |= {("consistency", fact._replace(value=None)) for fact in both}
    return found


@pytest.mark.parametrize("task", WANTED)
def test_tasks_can_be_done_and_differ(task: str) -> None:
    drafts = [
        asked("draft_task", seed, topic=topic, task=task, direction=direction)
        for seed in range(3) for topic in ("biology", "traffic") for direction in ("a", "b")
    ]  # fmt: skip
    assert len({draft["clear_prompt"] for draft in drafts}) == len(drafts)
    for draft in drafts:
        named = [f"<image{number}>" in draft["clear_prompt"] for number in (1, 2, 3)]
        assert named == [number < len(draft["pictures"]) for number in range(3)]
        assert all(understand(prompt) for prompt in draft["pictures"])
    with pytest.raises(world.Unsupported, match="no task 'poetry'"):
        asked("draft_task", task="poetry", topic="art")


@pytest.mark.parametrize("reasoning", REASONING)
def test_reasoning_is_added_and_taken_out_again(reasoning: str) -> None:
    for task in WANTED:
        for one in items(task):
            raw = asked("add_reasoning", clear_prompt=one.clear, reasoning=reasoning)["prompt"]
            assert raw != one.clear and asked("rewrite", prompt=raw)["prompt"] == one.clear
            assert (
                create(parts(raw, one.pictures), WANTED[task], 256, 256, TOPICS.index(_topic(one)), {}) == one.reference
            )
            wrongly = authoring.answer("rewrite", {"prompt": raw}, {}, 0, {"wrong_reasoning": 1.0})["prompt"]
            assert wrongly not in (raw, one.clear)
    assert asked("add_reasoning", clear_prompt="Two red cats.", reasoning="none") == {"prompt": "Two red cats."}
    for text, kind, why in (("Hello.", reasoning, "no .* riddle"), ("Two red cats.", "magic", "no reasoning 'magic'")):
        with pytest.raises(world.Unsupported, match=why):
            asked("add_reasoning", clear_prompt=text, reasoning=kind)


def _topic(one: Item) -> str:
    return next(topic for seed, topic in enumerate(TOPICS) if item(one.task, topic, seed) is one)


def test_checklists_ask_for_every_fact_and_nothing_else() -> None:
    covered = wanted = other = written = flawed = 0
    for task in WANTED:
        for one in items(task):
            facts, found = truth(one), one.atomic
            if task == "understanding":  # of what things a number is, the text may leave unsaid
                found = {(about, fact._replace(of=None)) for about, fact in found}
            wanted, covered = wanted + len(facts), covered + len(facts & found)
            every = [(about, plain(two.fact)) for about, all_of_it in one.asked for two in all_of_it]
            every = [(about, fact._replace(of=None) if task == "understanding" else fact) for about, fact in every]
            other += sum(fact not in facts for fact in every)
            written += len(one.questions)
            flawed += len(one.questions) - len(found)
            assert set(one.keywords) == {question["keyword"] for question in one.questions}
    assert covered / wanted >= 0.95 and other / written <= 0.05, (covered, wanted, other, written)
    assert 0.12 <= flawed / written <= 0.28, (flawed, written)


def test_a_right_answer_meets_its_own_checklist_and_flawed_questions_come_in_three_ways() -> None:
    inverted = compound = repeated = 0
    for task in WANTED:
        for one in items(task):
            found = judged("dce", {"checklist": one.lines}, [], 0, {"answer": one.reference})["verdicts"]
            assert isinstance(found, list)
            for verdict, (_, facts) in zip(found, one.asked, strict=True):
                assert verdict["verdict"] == ("N" if facts[0].inverted else "Y")
            inverted += sum(facts[0].inverted for _, facts in one.asked)
            compound += sum(len(facts) > 1 for _, facts in one.asked)
            single = [(about, facts[0]) for about, facts in one.asked if len(facts) == 1 and not facts[0].inverted]
            repeated += len(single) - len(one.atomic)
    assert inverted and compound and repeated


def test_what_a_checklist_cannot_be_written_of_is_unsupported(foreign: bytes) -> None:
    shown: dict[str, Parts] = {"reference": ["Two."]}
    good = {"task": "understanding", "clear_prompt": "How many cats are there?", "keywords": "two"}
    first = asked("write_checklist", 0, shown, **good)["questions"][0]
    assert first == {
        "question": "Does the text say that there are exactly two cats?",
        "about": "text",
        "keyword": "two",
        "inverted": False,
    }
    for fields, material, why in (
        ({"keywords": " \n"}, shown, "along keywords"),
        ({"task": "poetry"}, shown, "no task 'poetry'"),
        ({}, {"reference": ["Whatever."]}, "answers nothing"),
        ({"task": "generation", "clear_prompt": "Two cats."}, {"reference": [foreign]}, "not show the embedded world"),
        ({"task": "generation", "clear_prompt": "A dragon."}, {"reference": [world.picture("A cat.")]}, "cannot read"),
        ({"task": "generation", "clear_prompt": "Two cats."}, shown, "has nothing of what is asked"),
    ):
        with pytest.raises(world.Unsupported, match=why):
            asked("write_checklist", 0, material, **(good | fields))


def test_topics_that_are_known_are_not_proposed_and_other_questions_go_on_to_the_writer() -> None:
    first = asked("propose_topics", domain="stem", known="")["topics"]
    rest = asked("propose_topics", domain="stem", known=f"{first[0]['name']}: {first[0]['about']}\nphysics: x")[
        "topics"
    ]
    assert rest == first[1:] and all(list(one) == ["name", "about"] for one in first)
    assert asked("imagine", examples="an owl\ntwo red cats")["caption"]
    with pytest.raises(world.Unsupported, match="does not know the question 'sing'"):
        asked("sing")


def test_contestants_of_known_skill_come_out_in_order_and_clear_prompts_are_no_worse() -> None:
    found: dict[tuple[str, str], float] = {}
    rates = {"careful": 0.02, "average": 0.1, "hasty": 0.3}
    tasks = [
        (one, seed) for task in WANTED for one in items(task) for seed in range(8 if task == "understanding" else 1)
    ]
    for name, rate in rates.items():
        faults = dict.fromkeys(FAULTS, rate)
        for side in ("raw", "clear"):
            shares = [share(one, side, seed, faults) for one, seed in tasks]
            found[name, side] = sum(shares) / len(shares)
    for side in ("raw", "clear"):
        careful, average, hasty = (found[name, side] for name in rates)
        assert careful > average > hasty, found
    assert all(found[name, "clear"] >= found[name, "raw"] for name in rates), found
    assert all(found[name, "clear"] > found[name, "raw"] + 0.02 for name in ("average", "hasty")), found


def share(one: Item, side: str, seed: int, faults: Mapping[str, float]) -> float:
    reasoning = random.Random(one.clear).choice(REASONING)
    prompt = one.clear
    if side == "raw":
        prompt = asked("add_reasoning", clear_prompt=one.clear, reasoning=reasoning)["prompt"]
    answer = create(parts(prompt, one.pictures), WANTED[one.task], 256, 256, seed, faults)
    verdicts = judged("dce", {"checklist": one.lines}, [], 0, {"answer": answer})["verdicts"]
    assert isinstance(verdicts, list)
    met = [(said["verdict"] == "Y") != facts[0].inverted for said, (_, facts) in zip(verdicts, one.asked, strict=True)]
    return sum(met) / len(met)
