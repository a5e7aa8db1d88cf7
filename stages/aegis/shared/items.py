"""Items of AEGIS: a task about a topic, in people's words and clearly, with its reference and its checklist.

"AEGIS: Exploring the Limit of World Knowledge Capabilities for Unified Multimodal Models", sections 3.1 to 3.3. Topics
and kinds of reasoning are described in appendices A and B.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gamut.asking.requests import Modality
from gamut.evaluation.defining.editions import Item, Text
from gamut.evaluation.defining.questions import About
from gamut.evaluation.running.checklists import abouts_of
from gamut.project.errors import nearest_choice

Task = Literal["understanding", "generation", "editing", "interleaved"]
Reasoning = Literal["spatial", "temporal", "causal", "comparative", "analogical", "logical", "none"]
TASKS: tuple[Task, ...] = get_args(Task)
REASONING: tuple[Reasoning, ...] = get_args(Reasoning)
WANTED: Mapping[str, tuple[Modality, ...]] = {
    "understanding": ("text",),
    "generation": ("image",),
    "editing": ("image",),
    "interleaved": ("text", "image"),
}
"""The modalities that answer a task."""
ABOUT = {task: abouts_of(wanted) for task, wanted in WANTED.items()}
"""The parts of an answer that questions of a task can be about."""
Domain = Literal["stem", "humanities", "daily_life"]
DOMAINS: dict[Domain, tuple[str, ...]] = {
    "stem": ("biology", "chemistry", "mathematics", "medicine", "physics", "astronomy_geography", "it"),
    "humanities": ("agriculture", "history", "movie", "music", "art", "culture", "architecture"),
    "daily_life": ("activity", "anime", "game", "photography", "engineering", "food", "traffic"),
}
"""Topics by domain (table 2)."""
DOMAIN_OF: dict[str, Domain] = {topic: domain for domain, topics in DOMAINS.items() for topic in topics}


def known_topic(topic: str) -> str:
    """ValueError for a topic without a domain."""
    if topic not in DOMAIN_OF:
        raise ValueError(f"there is no topic {topic!r}{nearest_choice(topic, DOMAIN_OF)}")
    return topic


class CheckQuestion(BaseModel):
    """A question of a checklist, answered Y or N. `inverted`: N is right. `keyword`: its key point."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: Text
    about: About
    inverted: bool = False
    keyword: Text | None = None

    @property
    def line(self) -> str:
        """Return the line for a judge: the tag, then the question."""
        return f"[{self.about.capitalize()}] {' '.join(self.question.split())}"


class AegisItem(Item):
    """A task.

    People's words, with reasoning in them, are in `prompt`; `clear_prompt` says the same without. Both name input
    pictures as `<image1>` by their order: the `images` of role `input`, called `input_1` and so on. The right text is
    `reference`, which names pictures of role `reference` (`reference_1`) in the same way; it is empty if only a picture
    is right. Key points are `keywords`. The `checklist` describes what is right. Clear prompt and reference are also in
    `texts`, to be held out.
    """

    task: Task
    topic: Annotated[str, AfterValidator(known_topic)]
    reasoning: Reasoning
    clear_prompt: Text
    reference: str = ""
    keywords: tuple[Text, ...] = ()
    checklist: Annotated[tuple[CheckQuestion, ...], Field(min_length=1)]

    @property
    def domain(self) -> Domain:
        return DOMAIN_OF[self.topic]
