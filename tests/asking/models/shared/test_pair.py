"""Two models that answer as one: who is asked for what, in which order, and whose a failure is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gamut.asking.limits import Limits
from gamut.asking.making import Creating
from gamut.asking.models import opening
from gamut.asking.models.opening import open_when_asked
from gamut.asking.models.pair import MOST_PLACES, WRITER_INSTRUCTION
from gamut.asking.outcomes import Outcome
from gamut.asking.parts import Created, bundle, unbundle
from gamut.asking.progress import Tally
from gamut.asking.requests import Create, Modality, Paint, Picture, Reply, Request
from gamut.project.budgets import Budget
from gamut.project.model_kinds import OpenAIModel
from gamut.project.roles import RoleModel, RolePair
from gamut.project.settings import Endpoint, Settings
from gamut.tables.images import require_picture
from tests import fakes
from tests.fakes import Fake

RED = fakes.jpeg("red")
GIVEN = ("Draw a cat.\n", Picture(RED))
SETTINGS = Settings(
    models={
        "duo_text": Endpoint(input_price=2, output_price=10, workers=2, gpus=0.5, url="http://texts/v1"),
        "duo_image": Endpoint(input_price=4, image_price=0.5, gpus=1, url=["http://a/v1", "http://b/v1"]),
    }
)


def a_pair(text: str = "org/writer", image: str = "org/painter") -> RolePair:
    writer = RoleModel("creator", "duo_text", OpenAIModel(kind="openai", id=text))
    return RolePair("creator", "duo", writer, RoleModel("creator", "duo_image", OpenAIModel(kind="openai", id=image)))


def create(*modalities: Modality) -> Create:
    return Create(GIVEN, modalities, 64, 64, 7)


Answer = Callable[[Request], Reply]


class Duo:
    """A pair of fakes, opened only when they are asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, writes: Answer, paints: Answer) -> None:
        self.fakes = {"duo_text": Fake(writes, 3), "duo_image": Fake(paints, 5)}
        for fake, id in zip(self.fakes.values(), ("org/writer", "org/painter"), strict=True):
            fake.identity = fakes.IDENTITY | {"id": id}
        self.opened: list[str] = []
        monkeypatch.setattr(opening, "open_model", self.open_it)
        self.model = open_when_asked(a_pair(), SETTINGS)

    def open_it(self, role_model: RoleModel, *_: object) -> Fake:
        self.opened.append(role_model.slug)
        return self.fakes[role_model.slug]

    def answer(self, request: Request) -> Reply:
        return asyncio.run(self.model.answer(request))

    def asked(self, half: str) -> list[Request]:
        return self.fakes[f"duo_{half}"].asked


def writing(request: Request) -> Reply:
    return Reply(b"A cat sits.", "stop", 100, 20)


def painting(request: Request) -> Reply:
    return Reply(RED, "stop", 30, 1)


REFUSED = Reply(b"not that", "refused", 8)


def failing(request: Request) -> Reply:
    return REFUSED


def ended(request: Create, reply: Reply) -> Outcome:
    end = Creating(request, require_picture).next([reply])
    assert isinstance(end, Outcome)
    return end


def test_each_is_asked_for_what_it_makes_and_opened_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    duo = Duo(monkeypatch, writing, painting)
    assert (duo.model.concurrency, duo.opened) == (2, [])
    assert duo.answer(create("image")).content == duo.answer(Paint("a cat", 64, 64, 0)).content == RED
    assert (duo.opened, duo.asked("image")) == (["duo_image"], [create("image"), Paint("a cat", 64, 64, 0)])
    assert duo.model.concurrency == 1 + 5
    assert duo.answer(create("text")).content == b"A cat sits."
    assert (duo.opened, duo.asked("text")) == (["duo_image", "duo_text"], [create("text")])
    assert duo.model.concurrency == 3 + 5


def test_for_both_the_painter_reads_what_the_writer_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    duo = Duo(monkeypatch, writing, painting)
    request = create("text", "image")
    reply = duo.answer(request)
    assert duo.asked("text") == [Create((*GIVEN, WRITER_INSTRUCTION), ("text",), 0, 0, 7)]
    assert duo.asked("image") == [Create((*GIVEN, "\nA cat sits.\n"), ("image",), 64, 64, 7)]
    assert ended(request, reply) == Outcome("ok", Created(("A cat sits.", RED)))
    assert (reply.input_tokens, reply.output_tokens) == (130, 21)


def marking(text: str) -> Answer:
    return lambda _: Reply(text.encode(), "stop", 100, 20)


STEPS = """\
First:
<picture>an egg</picture>
then
<Picture>
a chick
</Picture><picture> </picture>
at last <picture>a hen</picture>"""


def painter(fails: Mapping[str, Reply]) -> Answer:
    """Paints what is described in a colour of its own, and fails as it is told to."""

    def paints(request: Request) -> Reply:
        assert isinstance(request, Create)
        return fails.get(str(request.parts[-1]).strip(), Reply(COLOURS[str(request.parts[-1]).strip()], "stop", 30, 1))

    return paints


COLOURS = {
    name: fakes.jpeg(colour) for name, colour in (("an egg", "white"), ("a chick", "yellow"), ("a hen", "brown"))
}


def test_each_picture_that_the_writer_describes_is_painted_at_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """The painter is given the task's pictures and the description alone, with a seed each, the same each time."""
    duo = Duo(monkeypatch, marking(STEPS), painter({}))
    request = create("text", "image")
    reply = duo.answer(request)
    egg, chick, hen = COLOURS.values()
    assert ended(request, reply) == Outcome("ok", Created(("First:", egg, "then", chick, "at last ", hen)))
    assert [one.parts for one in duo.asked("image")] == [(GIVEN[1], f"{name}\n") for name in COLOURS]  # type: ignore[union-attr]
    seeds = [one.seed for one in duo.asked("image")]  # type: ignore[union-attr]
    assert len({7, *seeds}) == 4 and (reply.input_tokens, reply.output_tokens) == (100 + 3 * 30, 20 + 3)
    assert duo.answer(request) == reply and [one.seed for one in duo.asked("image")[3:]] == seeds  # type: ignore[union-attr]


def test_more_pictures_than_are_painted_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    duo = Duo(monkeypatch, marking("<picture>a hen</picture>" * (MOST_PLACES + 2)), painter({}))
    outcome = ended(create("text", "image"), duo.answer(create("text", "image")))
    assert (outcome.status, outcome.reason) == ("missing_output", "the reply has no text")
    assert len(outcome.value.pictures) == len(duo.asked("image")) == MOST_PLACES
    duo = Duo(monkeypatch, marking(f"Hens: {'<picture>a hen</picture>' * (MOST_PLACES + 2)}"), painter({}))
    outcome = ended(create("text", "image"), duo.answer(create("text", "image")))
    assert (outcome.status, outcome.reason) == (
        "ok",
        f"{MOST_PLACES + 2} pictures were asked for, {MOST_PLACES} painted",
    )


@pytest.mark.parametrize(
    ("fails", "status", "reason", "pictures"),
    [
        ({"a chick": REFUSED}, "ok", "picture 2 of 3: the painter, org/painter: not that", 2),
        ({"a hen": Reply(bundle([RED, RED]))}, "ok", "picture 3 of 3: 2 came, the first is kept", 3),
        (dict.fromkeys(COLOURS, REFUSED), "refused_generation", "the painter, org/painter: not that", 0),
        ({"a hen": Reply(b"503", "transport_error")}, "transport_error", "the painter, org/painter: 503", 0),
    ],
)
def test_of_several_pictures_what_fails_is_told_and_what_came_is_kept(
    monkeypatch: pytest.MonkeyPatch, fails: Mapping[str, Reply], status: str, reason: str, pictures: int
) -> None:
    """A painter that was not reached is asked anew: an outage is nobody's refusal."""
    duo = Duo(monkeypatch, marking(STEPS), painter(fails))
    outcome = ended(create("text", "image"), duo.answer(create("text", "image")))
    assert (outcome.status, outcome.reason) == (status, reason)
    assert len(outcome.value.pictures if outcome.value else ()) == pictures


def test_each_is_paid_its_own_prices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    duo = Duo(monkeypatch, writing, painting)
    limits = Limits(Tally("stage", 1), 0, Budget(tmp_path), SETTINGS.endpoint_of(a_pair()), "creator (duo)")
    of_writer, of_painter = (100 * 2 + 20 * 10) / 1e6, 30 * 4 / 1e6 + 0.5
    for request, paid in (
        (create("text"), of_writer),
        (create("image"), of_painter),
        (create("text", "image"), of_writer + of_painter),
    ):
        assert limits.cost(request, duo.answer(request)) == pytest.approx(paid)
        assert limits.least_cost(request) >= 0.5 * ("image" in request.modalities)


def test_thinking_of_both_is_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    thoughtful = Reply(bundle(["A cat sits."], "Which cat?"))
    duo = Duo(monkeypatch, lambda _: thoughtful, lambda _: Reply(bundle([RED], "Red.")))
    assert unbundle(duo.answer(create("text", "image")).content) == Created(("A cat sits.", RED), "Which cat?\nRed.")
    assert "Which cat?" not in str(duo.asked("image"))


@pytest.mark.parametrize(
    ("writes", "paints", "status", "reason", "tokens"),
    [
        (failing, painting, "refused_generation", "the writer, org/writer: not that", 8),
        (writing, failing, "refused_generation", "the painter, org/painter: not that", 108),
        (lambda _: Reply(b"", "transport_error"), painting, "transport_error", "the writer, org/writer:", 0),
        (lambda _: Reply(bundle(["A ca"], "Hm."), "length"), painting, "truncated", "the writer, org/writer: A ca", 0),
        (lambda _: Reply(b" "), painting, "missing_output", "the reply has no text", 30),
        (writing, lambda _: Reply(b""), "missing_output", "the reply has no image", 100),
        (writing, lambda _: Reply(b"\x93GB1no"), "parse_error", "the answer a bundle of parts is damaged", 100),
    ],
)
def test_a_failure_says_whose_it_is(
    monkeypatch: pytest.MonkeyPatch, writes: Answer, paints: Answer, status: str, reason: str, tokens: int
) -> None:
    duo = Duo(monkeypatch, writes, paints)
    reply = duo.answer(create("text", "image"))
    outcome = ended(create("text", "image"), reply)
    assert outcome.status == status and (outcome.reason or "").startswith(reason)
    assert reply.input_tokens == tokens
    asked_in_vain = duo.asked("image") and writes is failing
    assert not asked_in_vain, "nobody paints what was not written"
