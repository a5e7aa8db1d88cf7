"""One item of GENIUS in all three forms: what reaches a contestant part by part, over HTTP and in process.

The item has its pictures in another order than its texts name them: apart they stand in the item's own.
"""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from PIL import Image

from stages.asking.models import chat_network, sandbox
from stages.asking.models.http import HttpModel
from stages.asking.requests import Create, Picture, Reply, Request
from stages.evaluation.bodies.answer import conversation
from stages.evaluation.defining.pictures import described
from stages.genius.shared.items import GeniusItem
from stages.genius.shared.putting import FORMS, put
from stages.project.model_kinds import OpenAIModel
from stages.project.settings import Endpoint
from stages.sandbox import contestant
from stages.tables.images import as_jpeg, media_type
from tests.gapeval.small_items import painted
from tests.stub_server import Stub, stub_server
from tests.tiny_chats import opened

DATA: dict[str, bytes] = {
    "asked": painted("two red cats, made as a flat illustration"),
    "liked": painted("a blue dog, made as a pop art print"),
    "disliked": painted("a green key, made as a woodblock print"),
}
"""In the item's own order, which is not that of its texts."""
CONTEXT = "I dislike the style of <image:disliked>. I like the style of <image:liked>."
PROMPT = "Paint a red cat in the style that I like."
SHOWN = "It is not to look like <image:asked>."
BEFORE: Mapping[str, tuple[str, ...]] = {
    "edit": (
        "asked", "liked", "disliked",
        "I dislike the style of image 3. I like the style of image 2. It is not to look like image 1.\n" + PROMPT,
    ),
    "interleaved": (
        "I dislike the style of image 1.", "disliked", " I like the style of image 2.", "liked",
        " It is not to look like image 3.", "asked", "\n" + PROMPT,
    ),
    "fine_grained": (
        "I dislike the style of ", "disliked", ". I like the style of ", "liked", ". It is not to look like ", "asked",
        ".\n" + PROMPT,
    ),
}  # fmt: skip
"""What is put on each side: texts, and pictures by name."""


def item(context: str = f"{CONTEXT} {SHOWN}") -> GeniusItem:
    values = {
        "id": "1",
        "task": "implicit_pattern",
        "context": context,
        "prompt": PROMPT,
        "rule_hint": "The picture shows a red cat, made as a pop art print.",
        "images": [described(data, name, "input") for name, data in DATA.items() if f":{name}>" in context],
    }
    return GeniusItem.model_validate(values)


def asked(side: str, of: GeniusItem | None = None) -> Create:
    """What a contestant is asked, as the answer stage asks it."""
    given = {name: Picture(data, media_type(data)) for name, data in DATA.items()}
    request = conversation(put(of or item(), side, given), (256, 256), 1, 0).next([])
    assert isinstance(request, Create)
    return request


def wanted(side: str, name: Callable[[bytes], object] = lambda data: data) -> list[object]:
    """The parts of a side, pictures as `name` has them."""
    return [name(DATA[part]) if part in DATA else part for part in BEFORE[side]]


def served(model: OpenAIModel, request: Create) -> tuple[Stub, Reply, list[Request]]:
    """Put a request to a server, which answers with a picture; return it, the reply, and what it understood."""
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        return Reply(DATA["asked"])

    async def once(url: str) -> Reply:
        client = HttpModel("contestant (a)", "a", model, Endpoint(url=url))
        try:
            return await client.answer(request)
        finally:
            await client.close()

    with stub_server(answer) as stub:
        return stub, asyncio.run(once(stub.url)), heard


@pytest.mark.parametrize("side", FORMS)
def test_over_chat_every_part_stands_where_it_is_put(side: str) -> None:
    model = OpenAIModel(kind="openai", id="org/model", pictures_from="chat")
    stub, reply, _ = served(model, asked(side))
    assert [call.path for call in stub.log] == ["/v1/chat/completions"] and reply.finish == "stop"
    [(_, body)] = stub.heard
    [message] = body["messages"]
    assert body["modalities"] == ["image"] and message["role"] == "user"
    assert [sent(part) for part in message["content"]] == wanted(side)


def sent(part: Mapping[str, object]) -> str | bytes:
    """A part of a message on the wire: a text, or the bytes of a picture."""
    if part["type"] == "text":
        assert part.keys() == {"type", "text"}
        return str(part["text"])
    assert part.keys() == {"type", "image_url"} and part["type"] == "image_url"
    kind, _, data = str(part["image_url"]["url"]).partition(";base64,")  # type: ignore[index]
    decoded = base64.b64decode(data)
    assert kind == f"data:{media_type(decoded)}"
    return decoded


EDITED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "edit": (BEFORE["edit"][-1], ("asked", "liked", "disliked")),
    "interleaved": (
        "I dislike the style of image 1. image 1 I like the style of image 2. image 2 It is not to look like image 3. "
        f"image 3\n{PROMPT}",
        ("disliked", "liked", "asked"),
    ),
    "fine_grained": (
        f"I dislike the style of image 1. I like the style of image 2. It is not to look like image 3.\n{PROMPT}",
        ("disliked", "liked", "asked"),
    ),
}
"""One text and its pictures beside, as an endpoint for edits takes them."""


@pytest.mark.parametrize("side", FORMS)
def test_an_endpoint_for_edits_gets_pictures_apart_whatever_the_side(side: str) -> None:
    """Such an endpoint has no places for pictures in its text: all forms come to `edit`, rightly numbered."""
    stub, reply, heard = served(OpenAIModel(kind="openai", id="org/model"), asked(side))
    text, names = EDITED[side]
    assert [call.path for call in stub.log] == ["/v1/images/edits"] and reply == Reply(DATA["asked"])
    [(_, body)] = stub.heard
    assert body["prompt"] == text
    assert [picture.data for picture in body["image[]"]] == [DATA[name] for name in names]
    assert len(heard) == 1


def test_on_the_side_edit_nothing_is_changed_for_an_endpoint_for_edits() -> None:
    *pictures, text = asked("edit").parts
    assert (text, pictures) == (BEFORE["edit"][-1], [Picture(DATA[n], media_type(DATA[n])) for n in DATA])


@pytest.mark.parametrize("side", FORMS)
def test_a_world_in_process_gets_every_part(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[object] = []
    answer = contestant.answer

    def listening(parts: list[str | bytes], *rest: object) -> list[str | bytes]:
        got.extend(parts)
        return answer(parts, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(contestant, "answer", listening)
    sandbox.answer(asked(side), {}, "creator")
    assert got == wanted(side)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    pytest.importorskip("torch")
    from tests import tiny_chat_models

    folder = Path(tmp_path_factory.mktemp("chat"), "qwen2_5_vl")
    tiny_chat_models.qwen2_5_vl(folder)
    yield opened(folder)


@pytest.mark.parametrize("side", FORMS)
def test_a_network_in_process_reads_every_part_in_its_order(
    side: str, network: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture of another size takes another number of tokens, by which it is known."""
    monkeypatch.setitem(DATA, "disliked", as_jpeg(Image.new("RGB", (224, 56))))
    prompt = chat_network.prompt_of(network, asked(side))  # type: ignore[arg-type]
    written = network.tokenizer.decode(prompt.tokens)  # type: ignore[attr-defined]
    pads = re.findall(r"<\|vision_start\|>((?:<\|image_pad\|>)+)<\|vision_end\|>", written)
    counts = [one.count("><") + 1 for one in pads]
    count = dict(zip([part for part in BEFORE[side] if part in DATA], counts, strict=True))
    assert count["asked"] == count["liked"] != count["disliked"]
    shown = re.sub(
        r"<\|vision_start\|>((?:<\|image_pad\|>)+)<\|vision_end\|>", lambda m: f"[{m[1].count('><') + 1}]", written
    )
    laid_out = "".join(f"[{count[part]}]" if part in DATA else part for part in BEFORE[side])
    assert shown == f"<|im_start|>user\n{laid_out}<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize("side", FORMS)
def test_who_edits_is_put_to_all_forms_and_who_paints_from_texts_alone_to_none(side: str) -> None:
    given = {name: Picture(data, media_type(data)) for name, data in DATA.items()}
    assert put(item(), side, given).tasks == {"editing"}
